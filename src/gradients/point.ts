/** Moves a solved step into the memory of another system of the same mechanism, to be made linear there. */
import type { System } from "../kernels/index.ts";

/** A solved step, all that its gradients need. */
export interface SolvedStep {
  /** Memory up to `dataEnd`: parameters and wrenches (and whatever else lies there, which is not looked at). */
  readonly data: Float64Array;
  readonly input: Float64Array;
  /** Points on the central path, one a substep: state, unknowns, b, c (Stepper.held). */
  readonly points: readonly Float64Array[];
  /** The time step over the intervals in which the states before and after it are written. Default 1. */
  readonly from?: number;
  readonly to?: number;
}

/** `substep` of the step: its time step is the whole one over the number of substeps. */
export function loadPoint(system: System, step: SolvedStep, substep = 0): void {
  const { f64, places, unknowns, coneSize, mechanism } = system;
  const { stateSize } = mechanism;
  const point = step.points[substep];
  f64.set(step.data);
  f64[places.globals] /= step.points.length;
  f64.set(step.input, places.input);
  f64.set(point.subarray(0, stateSize), places.state);
  f64.set(point.subarray(stateSize, stateSize + unknowns), places.unknown);
  f64.set(point.subarray(stateSize + unknowns, stateSize + unknowns + coneSize), places.coneB);
  f64.set(point.subarray(stateSize + unknowns + coneSize), places.coneC);
}
