/** What is said of arguments that environments refuse: from plain JavaScript they may be anything. */
import { ArgumentError } from "../mechanism/index.ts";

/** An entry of an action that is no number, or no finite one; `where` may say more of its place. */
export function notFinite(path: string, entry: unknown, where = ""): ArgumentError {
  return new ArgumentError("not-finite", path, `${valueText(entry)}; give a finite number${where}`);
}

/** How many numbers there are in what should be an array. */
export function lengthOf(array: ArrayLike<number> | null | undefined): string {
  const length: unknown = array?.length;
  return typeof length === "number" ? `has ${length} numbers` : `is ${valueText(array)}, no array`;
}

/** A value of any kind as a reader of a message knows it. */
export function valueText(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
