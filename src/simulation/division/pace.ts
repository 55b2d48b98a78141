/**
 * What a divided step leaves for the next one, besides the momenta in its state: how long its last part was, what the next one may start with,
 * and the accelerations there, against which those of the next part show how fast forces change.
 */
export interface Pace {
  /** Seconds: the time step that it was left by. It means nothing to another one. */
  timestep: number;
  /** Fractions of the time step: the last part, and the size to try next. */
  part: number;
  guess: number;
  /** Six numbers per body; whether they are known. */
  readonly accelerations: Float64Array;
  hasAccelerations: boolean;
}

export function newPace(bodies: number): Pace {
  return { timestep: 0, part: 1, guess: 1, accelerations: new Float64Array(6 * bodies), hasAccelerations: false };
}

/** Where nothing is known: the state is the end of a whole step. */
export function clearPace(pace: Pace, timestep: number): void {
  pace.timestep = timestep;
  pace.part = pace.guess = 1;
  pace.hasAccelerations = false;
}

export function copyOfPace(pace: Pace): Pace {
  return { ...pace, accelerations: pace.accelerations.slice() };
}

export function copyPaceInto(out: Pace, { timestep, part, guess, accelerations, hasAccelerations }: Pace): void {
  out.timestep = timestep;
  out.part = part;
  out.guess = guess;
  out.accelerations.set(accelerations);
  out.hasAccelerations = hasAccelerations;
}
