/** Numbers of files. */
import { ArgumentError } from "../../mechanism/index.ts";

/** Numbers that JSON keeps exactly, but for −0, which is written as "-0". */
export type JsonNumber = number | "-0";

export function toJson(value: number): JsonNumber {
  return Object.is(value, -0) ? "-0" : value;
}

/** Throws where a file holds something else; `path` says where. */
export function fromJson(numbers: readonly JsonNumber[], path: string, length?: number): Float64Array {
  if (!Array.isArray(numbers)) throw new ArgumentError("wrong-type", path, "give a list of numbers");
  const values = new Float64Array(numbers.length);
  fromJsonInto(values, 0, numbers, () => path);
  if (length !== undefined && numbers.length !== length) {
    throw new ArgumentError("wrong-size", path, `has ${numbers.length} numbers; give ${length}`);
  }
  return values;
}

/** The same into an array from `at` on; `path` is asked for where it fails. A loop: functions of entries take several times as long. */
export function fromJsonInto(out: Float64Array, at: number, numbers: readonly JsonNumber[], path: () => string): void {
  for (let i = 0; i < numbers.length; i++) {
    const value = numbers[i];
    if (typeof value === "number") out[at + i] = value;
    else if (value === "-0") out[at + i] = -0;
    else
      throw new ArgumentError("wrong-type", `${path()}[${i}]`, `${JSON.stringify(value)?.slice(0, 50)} is no number`);
  }
}
