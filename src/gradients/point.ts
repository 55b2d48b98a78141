/** Moves a kept point of a step (state, unknowns, b, c) into the memory of another system of the same mechanism. */
import type { System } from "../kernels/index.ts";

/** Parameters, input and wrenches come from the source's memory, the rest from the point. */
export function loadPoint(system: System, source: System, point: Float64Array): void {
  const { f64, places, unknowns, coneSize, mechanism, dataEnd } = system;
  const { stateSize } = mechanism;
  f64.set(source.f64.subarray(0, dataEnd));
  f64.set(point.subarray(0, stateSize), places.state);
  f64.set(point.subarray(stateSize, stateSize + unknowns), places.unknown);
  f64.set(point.subarray(stateSize + unknowns, stateSize + unknowns + coneSize), places.coneB);
  f64.set(point.subarray(stateSize + unknowns + coneSize), places.coneC);
}
