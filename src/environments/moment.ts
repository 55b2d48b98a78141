/** A state, how it came about, and its time. */
export interface Moment {
  /** All joint coordinates, then all rates; angles go on over any number of turns. */
  readonly minimal: Float64Array;
  readonly state: Float64Array;
  /** Impulses of the contacts in the step that led here, three numbers each; read where `readsImpulses`. */
  readonly impulse?: Float64Array | undefined;
  readonly time: number;
}

/** A moment that is rewritten as time goes on. */
export interface RunningMoment {
  readonly minimal: Float64Array;
  readonly state: Float64Array;
  readonly impulse: Float64Array;
  time: number;
}
