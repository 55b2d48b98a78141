/** Numbers of files. */
import { ArgumentError } from "../../mechanism/index.ts";

/** Numbers that JSON keeps exactly, but for −0, which is written as "-0". */
export type JsonNumber = number | "-0";

export function toJson(value: number): JsonNumber {
  return Object.is(value, -0) ? "-0" : value;
}

/** Throws where a file holds something else; `path` says where. */
export function fromJson(numbers: readonly JsonNumber[], path = "numbers", length?: number): Float64Array {
  if (!Array.isArray(numbers)) throw new ArgumentError("wrong-type", path, "give a list of numbers");
  const wrong = numbers.findIndex((value) => typeof value !== "number" && value !== "-0");
  if (wrong >= 0) {
    throw new ArgumentError("wrong-type", `${path}[${wrong}]`, `${JSON.stringify(numbers[wrong])} is no number`);
  }
  if (length !== undefined && numbers.length !== length) {
    throw new ArgumentError("wrong-size", path, `has ${numbers.length} numbers; give ${length}`);
  }
  return Float64Array.from(numbers, Number);
}
