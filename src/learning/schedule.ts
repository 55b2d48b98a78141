/** A number that may change while a training goes on: one for all updates, or a list, each for an equal share of them. */
import { ArgumentError } from "../mechanism/index.ts";
import { requirePositive } from "./training.ts";

export type Schedule = number | readonly number[];

/** Its value in update k. */
export function scheduled(schedule: Schedule, k: number, updates: number): number {
  if (typeof schedule === "number") return schedule;
  return schedule[Math.min(schedule.length - 1, Math.floor((k * schedule.length) / updates))];
}

/** Throws where it has no value, one that is not positive, or one whose share of the updates is none. */
export function requireSchedule(path: string, schedule: Schedule, updates: number): void {
  const values = typeof schedule === "number" ? [schedule] : schedule;
  if (values.length === 0)
    throw new ArgumentError("out-of-range", path, "is empty; give a positive number, or several");
  for (const value of values) requirePositive(path, value);
  if (values.length <= updates) return;
  const message = `has ${values.length} numbers for ${updates} updates, and some would never be used; give at most one per update`;
  throw new ArgumentError("out-of-range", path, message);
}
