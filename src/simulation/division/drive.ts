/**
 * What drives a mechanism from outside, its inputs and the wrenches on its bodies, where two parts of a run meet. Velocities belong to the middles of
 * parts, so forces act from the middle of one to the middle of the next: half of each part, driven by what drives that part. The first part of
 * a step is therefore driven by the mean of what the step before was driven by and of its own, weighted by the lengths of the two parts. So
 * every input gives the impulse of exactly one time step, wherever cuts lie. Inputs that a motor or thruster bounds count within their bounds.
 */
import { leadOffset } from "../../equations/index.ts";
import type { System } from "../../kernels/index.ts";
import { cached } from "../../math/index.ts";
import { ArgumentError, type Mechanism } from "../../mechanism/index.ts";
import { copyInto } from "../copyInto.ts";

/** Inputs, then six numbers per body. */
export function driveSize({ inputSize, bodies }: Mechanism): number {
  return inputSize + 6 * bodies.length;
}

export function readDrive(drive: Float64Array, { f64, places, mechanism: { inputSize, bodies } }: System): void {
  copyInto(drive, 0, f64, places.input, inputSize);
  copyInto(drive, inputSize, f64, places.wrench, 6 * bodies.length);
}

function writeDrive(drive: Float64Array, { f64, places, mechanism: { inputSize, bodies } }: System): void {
  copyInto(f64, places.input, drive, 0, inputSize);
  copyInto(f64, places.wrench, drive, inputSize, 6 * bodies.length);
}

/** The weight of the part before in the mean of two parts that meet. */
export function weightBefore(before: number, size: number): number {
  return before / (before + size);
}

/** Turns what drives the step into its mean with what drove the step before, which has this weight. */
export function meanDrive(system: System, f64: Float64Array, before: ArrayLike<number>, weight: number): void {
  const { places, mechanism } = system;
  const { inputSize, bodies } = mechanism;
  for (let i = 0; i < inputSize; i++) {
    const at = places.input + i;
    // equal inputs stay as they are, to the bit
    if (f64[at] === before[i]) continue;
    const own = boundedInput(system, f64, i, f64[at]);
    f64[at] = own + weight * (boundedInput(system, f64, i, before[i]) - own);
  }
  for (let k = 0; k < 6 * bodies.length; k++) {
    const at = places.wrench + k;
    f64[at] += weight * (before[inputSize + k] - f64[at]);
  }
}

/** An input within the bounds of its motor or thruster. */
export function boundedInput(system: System, f64: Float64Array, input: number, value: number): number {
  const bounds = cached(inputBounds, system, boundsOf)[input];
  if (!bounds) return value;
  const { lower, upper, center, limit } = bounds;
  let bounded = value;
  if (lower !== undefined) bounded = Math.max(f64[lower], bounded);
  if (upper !== undefined) bounded = Math.min(f64[upper], bounded);
  if (limit !== undefined && center !== undefined)
    bounded = Math.max(f64[center] - f64[limit], Math.min(f64[center] + f64[limit], bounded));
  return bounded;
}

/** Places in memory of what bounds an input. */
interface InputBounds {
  readonly lower?: number | undefined;
  readonly upper?: number | undefined;
  readonly center?: number | undefined;
  readonly limit?: number | undefined;
}

const inputBounds = new WeakMap<System, readonly (InputBounds | undefined)[]>();

function boundsOf({ mechanism, parameters }: System): readonly (InputBounds | undefined)[] {
  const bounds = new Array<InputBounds | undefined>(mechanism.inputSize).fill(undefined);
  for (const { name, input, lower, upper } of mechanism.thrusters) {
    const place = (side: string, value: number | null) =>
      value === null ? undefined : parameters.get(`thrusters.${name}.${side}`);
    if (lower !== null || upper !== null)
      bounds[input] = { lower: place("lower", lower), upper: place("upper", upper) };
  }
  for (const { name, coordinates } of mechanism.joints) {
    coordinates.forEach(({ input, servo, effortLimit }, i) => {
      if (input < 0 || servo || effortLimit === null) return;
      const place = (what: string) => parameters.get(`joints.${name}.${what}.${i}`);
      bounds[input] = { center: place("effortCenter"), limit: place("effortLimit") };
    });
  }
  return bounds;
}

/** What is known of the part that led to where a step begins. */
export interface PartBefore {
  /** Its length as a fraction of the time step. */
  readonly before: number;
  /** What drove it; the same as drives the step if left out. */
  readonly drive?: ArrayLike<number> | undefined;
}

/** Memory of a part that follows on another one: for how long forces act in it, and what drives it. */
export class MeetingParts {
  private readonly system: System;
  private readonly own: Float64Array;
  private isMixed = false;

  constructor(system: System) {
    this.system = system;
    this.own = new Float64Array(driveSize(system.mechanism));
  }

  /** Lengths are fractions of the time step h. */
  begin({ before, drive }: PartBefore, size: number, h: number): void {
    const { system } = this;
    const { f64, places } = system;
    f64[places.globals + leadOffset] = ((before - size) / 2) * h;
    if (!drive) return;
    if (drive.length !== this.own.length) {
      const message = `has ${drive.length} numbers; give ${this.own.length}: the inputs, then force and torque on each body`;
      throw new ArgumentError("wrong-size", "options.division.drive", message);
    }
    readDrive(this.own, system);
    meanDrive(system, f64, drive, weightBefore(before, size));
    this.isMixed = true;
  }

  end(): void {
    const { f64, places } = this.system;
    f64[places.globals + leadOffset] = 0;
    if (this.isMixed) writeDrive(this.own, this.system);
    this.isMixed = false;
  }
}
