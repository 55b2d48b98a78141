/** Numbers that JSON keeps exactly, but for −0, which is written as "-0". */
export type JsonNumber = number | "-0";

export function toJson(value: number): JsonNumber {
  return Object.is(value, -0) ? "-0" : value;
}

export function fromJson(numbers: readonly JsonNumber[]): Float64Array {
  return Float64Array.from(numbers, Number);
}
