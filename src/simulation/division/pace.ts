import type { Mechanism } from "../../mechanism/index.ts";
import { driveSize, type PartBefore } from "./drive.ts";

/**
 * What a divided step leaves for the next one, besides the momenta in its state: how long its last part was, what the next one may start with,
 * and the accelerations there, against which those of the next part show how fast forces change.
 */
export interface Pace {
  /** Seconds: the time step that it was left by. */
  timestep: number;
  /** Fractions of the time step: the last part, and the size to try next. */
  part: number;
  guess: number;
  /** Six numbers per body; whether they are known. */
  readonly accelerations: Float64Array;
  hasAccelerations: boolean;
  /** What drove the last step (drive.ts); whether it is known. */
  readonly drive: Float64Array;
  hasDrive: boolean;
}

export function newPace(mechanism: Mechanism): Pace {
  const accelerations = new Float64Array(6 * mechanism.bodies.length);
  const drive = new Float64Array(driveSize(mechanism));
  return { timestep: 0, part: 1, guess: 1, accelerations, hasAccelerations: false, drive, hasDrive: false };
}

/** The part that led to where a step with this pace begins. */
export function partBeforeOf({ part, drive, hasDrive }: Readonly<Pace>): PartBefore {
  return { before: part, drive: hasDrive ? drive : undefined };
}

/** The shortest part of a step, as a fraction of the time step. */
export const smallestPart = 1 / 1024;

/**
 * Where nothing is known but the part that led to the state: a whole step, 1, or the smallest part, whose velocities are those of the
 * instant. The time step is 0: it is that of the step to come.
 */
export function clearPace(pace: Pace, part: number): void {
  pace.timestep = 0;
  pace.part = part;
  pace.guess = 1;
  pace.hasAccelerations = pace.hasDrive = false;
}

/** Writes the pace in fractions of another time step: momenta are those of the same moment, and sizes are found anew. */
export function changePace(pace: Pace, timestep: number): void {
  if (pace.timestep === timestep) return;
  const { hasDrive } = pace;
  if (pace.timestep > 0) clearPace(pace, Math.min(1, pace.part * (pace.timestep / timestep)));
  pace.hasDrive = hasDrive;
  pace.timestep = timestep;
}

export function copyOfPace(pace: Pace): Pace {
  return { ...pace, accelerations: pace.accelerations.slice(), drive: pace.drive.slice() };
}

export function copyPaceInto(out: Pace, pace: Readonly<Pace>): void {
  out.timestep = pace.timestep;
  out.part = pace.part;
  out.guess = pace.guess;
  out.accelerations.set(pace.accelerations);
  out.hasAccelerations = pace.hasAccelerations;
  out.drive.set(pace.drive);
  out.hasDrive = pace.hasDrive;
}
