/**
 * Faults of a description, and the checks of plain values from which all other checks are made. A description may
 * be JSON from anywhere: every check takes `unknown`, reports what is wrong, and hands on the value only if it is good.
 */
import { vector } from "../math/index.ts";
import { nearestName } from "./nearestName.ts";
import type { Complete, Words } from "./optionNames.ts";
import { visibleText } from "./visibleText.ts";

export type FaultCode =
  | "wrong-type"
  | "not-finite"
  | "missing-field"
  | "unknown-field"
  | "wrong-length"
  | "not-unit"
  | "non-positive"
  | "negative"
  | "out-of-range"
  | "inertia-not-symmetric"
  | "inertia-not-positive-definite"
  | "inertia-triangle"
  | "unknown-body"
  | "unknown-joint"
  | "unknown-axis"
  | "unknown-kind"
  | "unknown-model"
  | "unknown-state"
  | "unknown-input"
  | "reserved-name"
  | "duplicate-name"
  | "no-bodies"
  | "unreachable-body"
  | "self-joint"
  | "world-as-child"
  | "serial-axes"
  | "limits-order"
  | "no-free-axis"
  | "self-contact"
  | "friction-without-model"
  | "contradictory-loop"
  | "empty-gear"
  | "contradictory-gear"
  | "zero-ratio"
  | "flat-hull"
  | "absurd-size"
  | "unknown-combination"
  | "unknown-shape";

export interface Fault {
  /** Stable, for programs. */
  readonly code: FaultCode;
  /** Where, such as joints.hinge.axis[2]. */
  readonly path: string;
  /** What is wrong and a way out. */
  readonly message: string;
}

/** A description with faults; the message lists them all, one per line. */
export class DescriptionError extends Error {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    const lines = faults.map((fault) => visibleText(`${fault.code} at ${fault.path}: ${fault.message}`));
    const count = faults.length === 1 ? "a fault" : `${faults.length} faults`;
    super(`the description has ${count}:\n${lines.join("\n")}`);
    this.name = "DescriptionError";
    this.faults = faults;
  }
}

/** Axes, normals and quaternions may be off length 1 by this much: seven printed digits pass. */
const UNIT_TOLERANCE = 1e-6;

/** What an object must and may have. */
export type FieldTable<T> = Readonly<Record<keyof T, "required" | "optional">>;

type Field<Word extends string> = Word extends `${infer Name}!` ? Name : Word;

/** A field table as words, those of fields that must be given with "!". Typed by the description, so that it cannot fall behind it. @internal */
export function fieldsOf<T>() {
  return <const Text extends string>(
    ...texts: readonly (Text & Complete<keyof T, Field<Words<Text>>>)[]
  ): FieldTable<T> => {
    const words = texts.flatMap((text) => text.split(" "));
    const entries = words.map((word) => [word.replace("!", ""), word.endsWith("!") ? "required" : "optional"]);
    return Object.fromEntries(entries) as FieldTable<T>;
  };
}

export class FaultList {
  readonly faults: Fault[] = [];

  add(code: FaultCode, path: string, message: string): void {
    this.faults.push({ code, path, message });
  }

  wrongType(path: string, expected: string, value: unknown): undefined {
    this.add("wrong-type", path, `expected ${expected}, got ${show(value)}`);
  }

  /** An object with fields of this table. Missing and unknown ones are reported here; their values are not looked at. */
  record(path: string, value: unknown, fields: Readonly<Record<string, string>>, noun: string): Fields | undefined {
    const entries = this.dictionary(path, value, noun);
    if (!entries) return undefined;
    for (const name of entries.keys()) {
      if (Object.hasOwn(fields, name)) continue;
      const nearest = nearestName(name, Object.keys(fields));
      const hint = nearest === undefined ? `${noun} has ${Object.keys(fields).join(", ")}` : `did you mean ${nearest}?`;
      this.add("unknown-field", member(path, name), `${noun} has no such field; ${hint}`);
    }
    for (const name in fields) {
      if (fields[name] === "required" && entries.get(name) === undefined) {
        this.add("missing-field", member(path, name), `${noun} needs it`);
      }
    }
    return entries;
  }

  /** An object's own entries, for use with any names. */
  dictionary(path: string, value: unknown, noun: string): Fields | undefined {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return this.wrongType(path, `${noun} (an object)`, value);
    }
    return new Map(Object.entries(value));
  }

  array(path: string, value: unknown, expected: string): readonly unknown[] | undefined {
    return Array.isArray(value) ? value : this.wrongType(path, expected, value);
  }

  number(path: string, value: unknown): number | undefined {
    if (typeof value !== "number") return this.wrongType(path, "a number", value);
    if (Number.isFinite(value)) return value;
    this.add("not-finite", path, `${value}; give a finite number (in limits, null means none)`);
    return undefined;
  }

  positive(path: string, value: unknown, wayOut: string): number | undefined {
    const number = this.number(path, value);
    if (number === undefined || number > 0) return number;
    this.add("non-positive", path, `${number} must be above 0; ${wayOut}`);
    return undefined;
  }

  nonNegative(path: string, value: unknown, wayOut = "0 turns it off"): number | undefined {
    const number = this.number(path, value);
    if (number === undefined || number >= 0) return number;
    this.add("negative", path, `${number} must not be negative; ${wayOut}`);
    return undefined;
  }

  string(path: string, value: unknown): string | undefined {
    return typeof value === "string" ? value : this.wrongType(path, "a string", value);
  }

  boolean(path: string, value: unknown): boolean | undefined {
    return typeof value === "boolean" ? value : this.wrongType(path, "true or false", value);
  }

  /** `length` finite numbers. */
  numbers(path: string, value: unknown, length: number): readonly number[] | undefined {
    const entries = this.array(path, value, `${length} numbers`);
    if (!entries) return undefined;
    if (entries.length !== length) {
      this.add("wrong-length", path, `has ${entries.length} entries; give ${length}`);
      return undefined;
    }
    // Array.from visits holes too
    const numbers = Array.from(entries, (entry, i) => this.number(`${path}[${i}]`, entry));
    return numbers.every((number) => number !== undefined) ? numbers : undefined;
  }

  vector3(path: string, value: unknown): vector.Vector3 | undefined {
    return this.numbers(path, value, 3) as vector.Vector3 | undefined;
  }

  /** A unit vector, or a unit quaternion when `length` is 4. */
  unit(path: string, value: unknown, length: 3 | 4): readonly number[] | undefined {
    const numbers = this.numbers(path, value, length);
    if (!numbers) return undefined;
    const size = vector.norm(numbers);
    if (Math.abs(size - 1) <= UNIT_TOLERANCE) return numbers;
    const example = length === 3 ? [0, 0, 1] : [1, 0, 0, 0];
    const wayOut =
      size > 0 && Number.isFinite(size)
        ? `normalised it is ${showNumbers(numbers.map((entry) => entry / size))}`
        : `it needs a direction, such as ${showNumbers(example)}`;
    this.add("not-unit", path, `has length ${round(size)}, not 1; ${wayOut}`);
    return undefined;
  }

  /** A name that must be among `known`; others are reported with the nearest one. */
  known(code: FaultCode, path: string, value: unknown, known: Names): string | undefined {
    const name = this.string(path, value);
    if (name === undefined) return undefined;
    const isList = Array.isArray(known);
    if (isList ? known.includes(name) : (known as ReadonlySet<string>).has(name)) return name;
    const names = isList ? known : [...(known as ReadonlySet<string>).keys()];
    const nearest = nearestName(name, names);
    const hint = nearest === undefined ? "" : `; did you mean ${JSON.stringify(nearest)}?`;
    this.add(code, path, `${show(name)} (have: ${listNames(names)})${hint}`);
    return undefined;
  }
}

/** Names that there are. Many are a set or the keys of a map, since each of many is looked up. */
export type Names = ReadonlySet<string> | ReadonlyMap<string, unknown> | readonly string[];

/** The own entries of an object. A map, so that no name can reach a prototype. */
export type Fields = ReadonlyMap<string, unknown>;

/** The path of a member: dotted where that is readable. */
export function member(path: string, name: string): string {
  const step = /^[\w-]+$/.test(name) ? `.${name}` : `[${show(name)}]`;
  return path === "" ? step.replace(/^\./, "") : path + step;
}

/** A value in a message, cut to a readable length. */
export function show(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === "object") return "an object";
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  return `the ${typeof value} ${value}`;
}

export function showNumbers(numbers: readonly number[]): string {
  return `[${numbers.map(round).join(", ")}]`;
}

/** Nine digits: enough to copy back. */
function round(value: number): number {
  return Number(value.toPrecision(9));
}

function listNames(names: readonly string[]): string {
  const limit = 20;
  const shown = names.slice(0, limit).map((name) => (name.length > 60 ? `${name.slice(0, 60)}…` : name));
  if (names.length > limit) shown.push(`and ${names.length - limit} more`);
  return shown.length ? shown.join(", ") : "none";
}
