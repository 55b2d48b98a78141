/**
 * Joint options are given once for all free axes or once for each. These functions spread them: one entry for each of
 * `count` axes. They expect a valid description.
 */
import type { JointDescription, PerAxis } from "./description.ts";

export type Limits = readonly [number | null, number | null];

export function perAxis<T extends number | boolean>(value: PerAxis<T> | undefined, count: number, absent: T): T[] {
  if (Array.isArray(value)) return [...value];
  return new Array<T>(count).fill((value as T | undefined) ?? absent);
}

/** [lower, upper] of each axis, null for none. */
export function limitsPerAxis(limits: JointDescription["limits"], count: number): Limits[] {
  if (limits === undefined) return new Array<Limits>(count).fill([null, null]);
  if (isOnePair(limits)) return new Array<Limits>(count).fill(limits);
  return limits.map((pair) => pair ?? [null, null]);
}

/**
 * Whether limits are one pair for all axes. [null, null] reads as a pair; as two axes without limits it would mean the
 * same.
 */
export function isOnePair(limits: NonNullable<JointDescription["limits"]>): limits is Limits {
  return limits.length === 2 && !limits.some((entry) => Array.isArray(entry));
}

/** A value for all axes or one each, null for none. */
export function eachAxis<T>(value: T | null | readonly (T | null)[] | undefined, count: number): (T | null)[] {
  if (Array.isArray(value)) return [...(value as readonly (T | null)[])];
  return new Array<T | null>(count).fill((value as T | null | undefined) ?? null);
}
