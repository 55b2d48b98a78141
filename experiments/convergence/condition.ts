/**
 * Condition of the matrix A that the solver has just factored: the step's equations with the cone variables eliminated.
 *   inUnits    ‖A‖₂ ‖A⁻¹‖₂ in SI
 *   scaleFree  ρ(|A⁻¹||A|): the smallest condition number, in the maximum norm, that scaling rows and columns can give (Bauer)
 * Elimination in a fixed order makes the same relative errors however rows and columns are scaled, so that the second says how
 * many digits a solve can lose; the first depends on units, and on a contact's γ/s beside a body's mass.
 * The inverse is read off the factors themselves, one unit vector at a time.
 */
import type { Simulation } from "dojo-sim";
import { type Dense, equilibrated, inverse, spectralRadius, times, transposedTimes } from "./dense.ts";

export interface Condition {
  readonly scaleFree: number;
  readonly inUnits: number;
}

export function conditionOf({ system }: Simulation): Condition {
  const { unknowns: size, f64, places } = system;
  const vector = f64.subarray(places.step, places.step + size);
  const entries = new Float64Array(size * size);
  for (let j = 0; j < size; j++) {
    vector.fill(0);
    vector[j] = 1;
    system.run("solve");
    for (let i = 0; i < size; i++) entries[size * i + j] = vector[i];
  }
  return conditionFromInverse({ size, entries });
}

/** Inverted back after equilibration, which takes little accuracy even where the matrix itself is hardly regular. */
export function conditionFromInverse(inverted: Dense): Condition {
  const { size } = inverted;
  const scaled = equilibrated(inverted);
  const back = inverse(scaled);
  const [absolute, absoluteBack] = [scaled, back].map(({ entries }) => ({ size, entries: entries.map(Math.abs) }));
  const { rows, columns } = scaled;
  const matrix: Dense = {
    size,
    entries: back.entries.map((value, at) => value / (columns[Math.floor(at / size)] * rows[at % size])),
  };
  return {
    scaleFree: spectralRadius(size, (x) => times(absolute, times(absoluteBack, x))),
    inUnits: euclideanNorm(matrix) * euclideanNorm(inverted),
  };
}

function euclideanNorm(matrix: Dense): number {
  return Math.sqrt(spectralRadius(matrix.size, (x) => transposedTimes(matrix, times(matrix, x))));
}
