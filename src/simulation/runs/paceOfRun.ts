/** The pace of divided steps (division/pace.ts) as data, by names. */
import { ArgumentError, type Mechanism } from "../../mechanism/index.ts";
import { newPace, type Pace } from "../division/pace.ts";

/** The pace of a run whose steps are divided by a tolerance (simulation/division/pace.ts). */
export interface PaceOfRun {
  /** Seconds. In another time step sizes are found anew. */
  readonly timestep: number;
  /** Fractions of it: the last part, and the size to try next. */
  readonly part: number;
  readonly guess: number;
  /** Linear and angular, by body, where they are known. */
  readonly accelerations?: Readonly<Record<string, readonly number[]>>;
  /** Inputs of the last step, by name, where they are known, and force and torque on each body that had any. */
  readonly inputs?: Readonly<Record<string, number>>;
  readonly wrenches?: Readonly<Record<string, readonly number[]>>;
}

export function paceOfRun({ bodies, inputNames, inputSize }: Mechanism, pace: Readonly<Pace>): PaceOfRun {
  const { timestep, part, guess, accelerations, hasAccelerations, drive, hasDrive } = pace;
  const sixes = (values: Float64Array): [string, number[]][] =>
    bodies.map(({ name, index }) => [name, Array.from(values.subarray(6 * index, 6 * index + 6))]);
  const wrenches = sixes(drive.subarray(inputSize)).filter(([, six]) => six.some((value) => value !== 0));
  return {
    ...{ timestep, part, guess },
    ...(hasAccelerations && { accelerations: Object.fromEntries(sixes(accelerations)) }),
    ...(hasDrive && { inputs: Object.fromEntries(inputNames.map((name, i) => [name, drive[i]])) }),
    ...(hasDrive && wrenches.length > 0 && { wrenches: Object.fromEntries(wrenches) }),
  };
}

/** Throws where it is none of this mechanism. */
export function paceMemory(mechanism: Mechanism, given: PaceOfRun): Pace {
  const { timestep, part, guess, accelerations = {}, inputs, wrenches = {} } = given;
  const { bodies, inputNames, inputSize } = mechanism;
  const fractions = [part, guess].every((value) => value > 0 && value <= 1);
  const known = bodies.filter(({ name }) => Object.hasOwn(accelerations, name));
  const isWhole = known.length === 0 || known.length === bodies.length;
  if (!(timestep > 0 && fractions && isWhole && known.every(({ name }) => isSix(accelerations[name])))) {
    const message =
      "give what a run has left: a time step, two fractions of it, and six accelerations of every body or of none";
    throw new ArgumentError("out-of-range", "continuation.pace", message);
  }
  const pushed = bodies.filter(({ name }) => Object.hasOwn(wrenches, name));
  const isDriven = !inputs || inputNames.every((name) => Object.hasOwn(inputs, name) && Number.isFinite(inputs[name]));
  if (!(isDriven && pushed.every(({ name }) => isSix(wrenches[name])))) {
    const message =
      "give what a run has left: every input of its last step, and six numbers of each body with a wrench";
    throw new ArgumentError("out-of-range", "continuation.pace", message);
  }
  const pace = newPace(mechanism);
  for (const { name, index } of known) pace.accelerations.set(accelerations[name], 6 * index);
  for (const [i, name] of inputNames.entries()) pace.drive[i] = inputs?.[name] ?? 0;
  for (const { name, index } of pushed) pace.drive.set(wrenches[name], inputSize + 6 * index);
  return Object.assign(pace, {
    ...{ timestep, part, guess },
    hasAccelerations: known.length > 0,
    hasDrive: inputs !== undefined,
  });
}

const isSix = (values: unknown): boolean =>
  Array.isArray(values) && values.length === 6 && values.every(Number.isFinite);
