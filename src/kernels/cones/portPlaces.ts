/** Where ports of contacts and limits have their numbers, rows and cones. */

/** Where a cone lies: its first entry, and its first row of the residual. */
export interface ConePlace {
  readonly cone: number;
  readonly row: number;
}

export interface ContactResponse extends ConePlace {
  /** Its numbers (portVisits.ts), in f64. */
  readonly numbers: number;
  /** Gap, and slip where there is friction. */
  readonly ports: 1 | 3;
  readonly gradient: number;
  /** Place of its body's twist. */
  readonly twist: number;
  /** Place of its friction coefficient in memory. */
  readonly coefficient: number;
}

/** One side of a limited coordinate. */
export interface LimitResponse extends ConePlace {
  readonly numbers: number;
  /** Unit of the coordinate. */
  readonly length: number;
  /** 1 of a lower limit, −1 of an upper one. */
  readonly sign: 1 | -1;
  /** The step of its coordinate, or of all coordinates of its joint. */
  readonly motion: number;
  /** Where these mix: how many they are, and where the rates of the distance are. */
  readonly mixed?: { readonly free: number; readonly rates: number };
}
