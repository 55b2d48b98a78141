/** The parameters of a message, taken by name and kind. What does not fit is an `ArgumentError` that names it. */
import { ArgumentError } from "../../index.ts";
import type { NumberArray } from "./frame.ts";

export class Parameters {
  private readonly given: Readonly<Record<string, unknown>>;
  private readonly arrays: Readonly<Record<string, NumberArray>>;

  constructor(given: Readonly<Record<string, unknown>>, arrays: Readonly<Record<string, NumberArray>>) {
    this.given = given;
    this.arrays = arrays;
  }

  number(name: string): number {
    return this.required(name, this.maybeNumber(name), "a number");
  }

  maybeNumber(name: string): number | undefined {
    return this.optional(name, (value): value is number => typeof value === "number", "a number");
  }

  count(name: string): number {
    const value = this.number(name);
    if (Number.isInteger(value) && value >= 0) return value;
    throw new ArgumentError("out-of-range", name, `${value}: give a whole number, 0 or more`);
  }

  text(name: string): string {
    return this.required(name, this.maybeText(name), "a text");
  }

  maybeText(name: string): string | undefined {
    return this.optional(name, (value): value is string => typeof value === "string", "a text");
  }

  /** One of these texts, by default the first. */
  choice<const T extends string>(name: string, choices: readonly T[]): T {
    const value = this.maybeText(name) ?? choices[0];
    const found = choices.find((choice) => choice === value);
    if (found !== undefined) return found;
    throw new ArgumentError("out-of-range", name, `"${value}": give one of ${choices.join(", ")}`);
  }

  flag(name: string): boolean {
    return this.optional(name, (value): value is boolean => typeof value === "boolean", "true or false") ?? false;
  }

  /** Names, none by default. */
  texts(name: string): readonly string[] {
    const isList = (value: unknown): value is string[] =>
      Array.isArray(value) && value.every((entry) => typeof entry === "string");
    return this.optional(name, isList, "a list of texts") ?? [];
  }

  /** A JSON object, empty by default. */
  record(name: string): Readonly<Record<string, unknown>> {
    const isRecord = (value: unknown): value is Record<string, unknown> =>
      typeof value === "object" && value !== null && !Array.isArray(value);
    return this.optional(name, isRecord, "an object") ?? {};
  }

  array(name: string): Float64Array {
    return this.required(name, this.maybeArray(name), "an array of float64");
  }

  maybeArray(name: string): Float64Array | undefined {
    const found = this.arrays[name];
    if (found === undefined || found instanceof Float64Array) return found;
    throw new ArgumentError("wrong-type", name, "give an array of float64");
  }

  private required<T>(name: string, value: T | undefined, what: string): T {
    if (value !== undefined) return value;
    throw new ArgumentError("missing", name, `is not given; give ${what}`);
  }

  private optional<T>(name: string, isKind: (value: unknown) => value is T, what: string): T | undefined {
    const value = this.given[name];
    if (value === undefined || value === null) return undefined;
    if (isKind(value)) return value;
    throw new ArgumentError("wrong-type", name, `${JSON.stringify(value).slice(0, 60)}: give ${what}`);
  }
}
