/** Checks of what a checkpoint holds, field by field: each gives the value back, or throws with the field's path. */
import { ArgumentError } from "../mechanism/index.ts";

type Fields = Readonly<Record<string, unknown>>;

function refuse(path: string, value: unknown, wanted: string): never {
  const found = value === undefined ? "is missing" : (JSON.stringify(value) ?? String(value)).slice(0, 40);
  throw new ArgumentError("no-checkpoint", path, `${found}: it cannot be gone on from; ${wanted} should be there`);
}

export function savedFields(path: string, value: unknown): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  return refuse(path, value, "an object");
}

export function savedNumber(path: string, value: unknown): number {
  return Number.isFinite(value) ? (value as number) : refuse(path, value, "a finite number");
}

/** A number that is zero or positive. */
export function savedAmount(path: string, value: unknown): number {
  return savedNumber(path, value) >= 0 ? (value as number) : refuse(path, value, "a number from 0 on");
}

export function savedCount(path: string, value: unknown): number {
  return Number.isInteger(savedAmount(path, value)) ? (value as number) : refuse(path, value, "a whole number");
}

export function savedFlag(path: string, value: unknown): boolean {
  return typeof value === "boolean" ? value : refuse(path, value, "true or false");
}

export function savedText(path: string, value: unknown): string {
  return typeof value === "string" ? value : refuse(path, value, "a text");
}

/** A list of so many values, each of which is checked with its own path. */
export function savedList<T>(
  path: string,
  value: unknown,
  length: number,
  entry: (path: string, value: unknown) => T,
): T[] {
  if (!Array.isArray(value)) return refuse(path, value, `a list of ${length}`);
  if (value.length !== length) {
    const message = `has ${value.length} entries: it cannot be gone on from; ${length} should be there`;
    throw new ArgumentError("no-checkpoint", path, message);
  }
  return value.map((item, i) => entry(`${path}[${i}]`, item));
}

export const savedNumbers = (path: string, value: unknown, length: number): number[] =>
  savedList(path, value, length, savedNumber);
