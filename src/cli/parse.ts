/** Values of options, from text: numbers, vectors, assignments. What is no such thing is an `InputError` that says so. */
import { InputError } from "./inputError.ts";

/** A finite number; `what` names it in the message, such as "--time". */
export function finite(what: string, text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isFinite(value)) return value;
  throw new InputError(`${what}: "${text}" is no finite number`);
}

export function positive(what: string, text: string, unit = ""): number {
  const value = finite(what, text);
  if (value > 0) return value;
  throw new InputError(`${what}: ${text} must be above 0${unit === "" ? "" : `, in ${unit}`}`);
}

export function notNegative(what: string, text: string): number {
  const value = finite(what, text);
  if (value >= 0) return value;
  throw new InputError(`${what}: ${text} must be 0 or more`);
}

/** Two numbers: "1,0.5". */
export function vector2(what: string, text: string): readonly [number, number] {
  const [x, y] = numbers(what, text, 2, "two, such as 1,0.5");
  return [x, y];
}

/** Three numbers: "0,0,-9.81". */
export function vector3(what: string, text: string): readonly [number, number, number] {
  const [x, y, z] = numbers(what, text, 3, "three, such as 0,0,-9.81");
  return [x, y, z];
}

function numbers(what: string, text: string, count: number, wanted: string): number[] {
  const parts = text.split(",");
  const found = `${parts.length} ${parts.length === 1 ? "part" : "parts"}`;
  if (parts.length !== count) throw new InputError(`${what}: "${text}" has ${found}; give ${wanted}`);
  return parts.map((part) => finite(what, part));
}

/** More are hours of work or a slip of the keyboard. */
const mostSteps = 1e8;

/** Whole steps of some seconds. */
export function stepsIn(what: string, seconds: number, timestep: number): number {
  const steps = Math.round(seconds / timestep);
  if (steps <= mostSteps) return steps;
  throw new InputError(`${what} ${seconds} s are ${steps} steps of ${timestep} s; give at most ${mostSteps}`);
}

export interface Assignment {
  readonly name: string;
  readonly value: number;
}

/** "a=1,b=2". */
export function assignments(what: string, text: string): Assignment[] {
  const found = text.split(",").map((part) => {
    const at = part.lastIndexOf("=");
    if (at <= 0) throw new InputError(`${what}: "${part}" is no assignment; write name=value`);
    const name = part.slice(0, at).trim();
    return { name, value: finite(`${what}: ${name}`, part.slice(at + 1)) };
  });
  const again = found.find(({ name }, i) => found.findIndex((other) => other.name === name) < i);
  if (again) throw new InputError(`${what}: ${again.name} is given twice; give it once`);
  return found;
}

/** One of a few words. */
export function oneOf<T extends string>(what: string, text: string, words: readonly T[]): T {
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  throw new InputError(`${what}: "${text}" is not one of ${words.join(", ")}`);
}

/** A whole number above 0. */
export function count(what: string, text: string): number {
  const value = wholeNumber(what, text);
  if (value > 0) return value;
  throw new InputError(`${what}: ${text} must be 1 or more`);
}

export function wholeNumber(what: string, text: string): number {
  const value = finite(what, text);
  if (Number.isInteger(value) && value >= 0 && value <= Number.MAX_SAFE_INTEGER) return value;
  throw new InputError(`${what}: ${text} is no whole number, 0 or more`);
}
