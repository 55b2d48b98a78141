/**
 * Jacobians in minimal coordinates (kernels/jacobians/minimalJacobians.ts): G = −μᵀ D̃' S for all joint velocities and W G for all joint
 * positions are in memory. To the velocities comes C, what they answer while the next positions are held: −1/h, but for the entries of
 * rotation vectors.
 */
import type { MinimalPlaces, System } from "../kernels/index.ts";

export class MinimalRows {
  private readonly system: System;
  private readonly places: MinimalPlaces;
  private readonly byState: Float64Array;
  private readonly byInput: Float64Array;
  private readonly isTurning: readonly boolean[];

  constructor(system: System, places: MinimalPlaces) {
    const { coordinateCount, inputSize } = system.mechanism;
    const rows = 2 * coordinateCount;
    this.system = system;
    this.places = places;
    this.byState = system.f64.subarray(places.byState, places.byState + rows * rows);
    this.byInput = system.f64.subarray(places.byInput, places.byInput + rows * inputSize);
    const turning = new Set(places.turning.flatMap(({ coordinates }) => coordinates));
    this.isTurning = Array.from({ length: coordinateCount }, (_, i) => turning.has(i));
  }

  /** Row-major. False when they are not finite. */
  write(dNext_dState: Float64Array, dNext_dInput: Float64Array): boolean {
    const { system, places, isTurning } = this;
    const { f64, mechanism } = system;
    const { coordinateCount } = mechanism;
    const columns = 2 * coordinateCount;
    dNext_dState.set(this.byState);
    dNext_dInput.set(this.byInput);
    const rate = 1 / f64[system.places.globals];
    for (let i = 0; i < coordinateCount; i++)
      if (!isTurning[i]) dNext_dState[(coordinateCount + i) * columns + i] -= rate;
    for (const { coordinates, byValue } of places.turning) {
      const n = coordinates.length;
      for (let a = 0; a < n; a++)
        for (let b = 0; b < n; b++)
          dNext_dState[(coordinateCount + coordinates[a]) * columns + coordinates[b]] += f64[byValue + n * a + b];
    }
    return 0 * (f64[places.check] + f64[places.check + 1]) === 0;
  }
}
