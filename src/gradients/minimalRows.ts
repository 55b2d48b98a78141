/**
 * Jacobians in minimal coordinates out of the rows G = −μᵀ D̃' S of all joint velocities (kernels/minimalJacobians.ts):
 *   dθ̇₊ = C + G,  dθ₊ = W G,      C = −1/h and W = h, but for the entries of rotation vectors.
 */
import type { MinimalPlaces, RowPlace, System } from "../kernels/index.ts";

export class MinimalRows {
  private readonly system: System;
  private readonly places: MinimalPlaces;
  /** Coordinate of every row in memory. */
  private readonly coordinate: Int32Array;
  private readonly isTurning: readonly boolean[];

  constructor(system: System, places: MinimalPlaces, rows: readonly RowPlace[]) {
    this.system = system;
    this.places = places;
    this.coordinate = Int32Array.from(rows, ({ index }) => index);
    const turning = new Set(places.turning.flatMap(({ coordinates }) => coordinates));
    this.isTurning = rows.map(({ index }) => turning.has(index));
  }

  /** Row-major. False when they are not finite. */
  write(dNext_dState: Float64Array, dNext_dInput: Float64Array): boolean {
    const { system, places, coordinate, isTurning } = this;
    const { f64, mechanism } = system;
    const { coordinateCount, inputSize } = mechanism;
    const h = f64[system.places.globals];
    const columns = 2 * coordinateCount;
    let finite = true;
    for (let row = 0; row < coordinate.length; row++) {
      const from = places.out + row * places.width;
      const i = coordinate[row];
      const rate = coordinateCount + i;
      finite = copyRows(f64, from, dNext_dState, rate * columns, i * columns, columns, h) && finite;
      finite = copyRows(f64, from + columns, dNext_dInput, rate * inputSize, i * inputSize, inputSize, h) && finite;
      if (!isTurning[row]) dNext_dState[rate * columns + i] -= 1 / h;
    }
    this.writeTurning(dNext_dState, dNext_dInput);
    return finite;
  }

  private writeTurning(dNext_dState: Float64Array, dNext_dInput: Float64Array): void {
    const { f64, mechanism } = this.system;
    const { coordinateCount, inputSize } = mechanism;
    const columns = 2 * coordinateCount;
    for (const { coordinates, byValue, valueByRate } of this.places.turning) {
      combineRows(f64, valueByRate, coordinates, coordinateCount, dNext_dState, columns);
      combineRows(f64, valueByRate, coordinates, coordinateCount, dNext_dInput, inputSize);
      for (let a = 0; a < coordinates.length; a++) {
        const rate = (coordinateCount + coordinates[a]) * columns;
        for (let b = 0; b < coordinates.length; b++)
          dNext_dState[rate + coordinates[b]] += f64[byValue + coordinates.length * a + b];
      }
    }
  }
}

/** A row of `count` entries into two rows, the second a multiple of the first. Whether all are finite. */
function copyRows(
  rows: Float64Array,
  from: number,
  out: Float64Array,
  first: number,
  second: number,
  count: number,
  factor: number,
): boolean {
  let finite = true;
  for (let j = 0; j < count; j++) {
    const entry = rows[from + j];
    if (entry - entry !== 0) finite = false;
    out[first + j] = entry;
    out[second + j] = factor * entry;
  }
  return finite;
}

/** Rows of positions ← W × rows of velocities. */
function combineRows(
  f64: Float64Array,
  weights: number,
  coordinates: readonly number[],
  below: number,
  out: Float64Array,
  width: number,
): void {
  const n = coordinates.length;
  for (let a = 0; a < n; a++) {
    const to = coordinates[a] * width;
    for (let j = 0; j < width; j++) {
      let sum = 0;
      for (let b = 0; b < n; b++) sum += f64[weights + n * a + b] * out[(below + coordinates[b]) * width + j];
      out[to + j] = sum;
    }
  }
}
