/**
 * Condition of the matrix A that the solver has just factored: the step's equations with the cone variables eliminated.
 *   inUnits    ‖A‖₂ ‖A⁻¹‖₂ in SI
 *   scaleFree  ρ(|A⁻¹||A|): the smallest condition number, in the maximum norm, that scaling rows and columns can give (Bauer)
 * Elimination in a fixed order makes the same relative errors however rows and columns are scaled, so that the second says how
 * many digits a solve can lose; the first depends on units, and on a contact's γ/s beside a body's mass.
 * The inverse is read off the factors themselves, one unit vector at a time.
 */
import type { Insides } from "dojo-sim/tools";
import { type Dense, equilibrated, inverse, spectralRadius, times, transposedTimes } from "./dense.ts";

export interface Condition {
  readonly scaleFree: number;
  readonly inUnits: number;
}

export function conditionOf({ system }: Insides): Condition {
  const { unknowns: size, equalities, coneSize, f64, places } = system;
  const view = (start: number, length: number): Float64Array => f64.subarray(start, start + length);
  const [residual, step, coneRhs] = [
    view(places.residual, size + equalities),
    view(places.step, size),
    view(places.coneRhs, coneSize),
  ];
  const kept = [residual, coneRhs].map((part) => part.slice());
  const entries = new Float64Array(size * size);
  residual.fill(0);
  coneRhs.fill(0);
  for (let j = 0; j < size; j++) {
    step.fill(0);
    step[j] = 1;
    residual[j] = -1;
    for (const list of ["rebase", "rhs", "solve", "recover"]) system.run(list);
    residual[j] = 0;
    for (let i = 0; i < size; i++) entries[size * i + j] = step[i];
  }
  residual.set(kept[0]);
  coneRhs.set(kept[1]);
  system.run("rebase");
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
