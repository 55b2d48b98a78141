/** Deviations against plain least squares over all unknowns, those of starts included. */
import { describe, expect, test } from "vitest";
import { Random } from "../math/index.ts";
import { determination, type FitEquations, standardMove } from "./intervals.ts";

const parameters = 2;

interface Fit {
  readonly equations: FitEquations;
  /** Variances of all unknowns: the residuals' mean square over the degrees of freedom, times the diagonal of (JᵀJ)⁻¹. */
  readonly variances: readonly number[];
}

/** A linear fit of `rows` residuals with two parameters and a start of `unknowns` numbers. */
function linearFit(rows: number, unknowns: number): Fit {
  const random = new Random(rows + 10 * unknowns);
  const size = parameters + unknowns;
  const J = Array.from({ length: rows }, () => Array.from({ length: size }, () => random.normal()));
  const noise = Array.from({ length: rows }, () => random.normal());
  const normal = Array.from({ length: size }, (_, i) =>
    Array.from({ length: size }, (_, j) => J.reduce((sum, row) => sum + row[i] * row[j], 0)),
  );
  const scatter = noise.reduce((sum, entry) => sum + entry ** 2, 0);
  const block = (from: number, to: number, left: number, right: number): Float64Array =>
    Float64Array.from(normal.slice(from, to).flatMap((row) => row.slice(left, right)));
  const own = {
    gradient: new Float64Array(unknowns),
    hessian: block(parameters, size, parameters, size),
    cross: block(parameters, size, 0, parameters),
  };
  const equations = {
    cost: scatter,
    squares: scatter,
    rows,
    scatter,
    resistance: rows,
    lagged: 0,
    laggedRows: 0,
    failures: 0,
    gradients: [],
    gradient: new Float64Array(parameters),
    hessian: block(0, parameters, 0, parameters),
    local: unknowns === 0 ? [] : [own],
  } as unknown as FitEquations;
  const variances = inverseOf(normal).map((row, i) => (scatter / (rows - size)) * row[i]);
  return { equations, variances };
}

/** By Gauss and Jordan. */
function inverseOf(matrix: readonly (readonly number[])[]): number[][] {
  const n = matrix.length;
  const rows = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  for (let k = 0; k < n; k++) {
    const pivot = rows[k].map((entry) => entry / rows[k][k]);
    rows[k] = pivot;
    for (let i = 0; i < n; i++) if (i !== k) rows[i] = rows[i].map((entry, j) => entry - rows[i][k] * pivot[j]);
  }
  return rows.map((row) => row.slice(n));
}

const anywhere = (bound: number): Float64Array => new Float64Array(parameters).fill(bound);
const found = ({ equations }: Fit) =>
  determination(
    equations,
    new Float64Array(parameters),
    anywhere(Number.NEGATIVE_INFINITY),
    anywhere(Number.POSITIVE_INFINITY),
    "hessian",
  );

describe.each([0, 1, 3])("with %i unknowns of recorded starts", (unknowns) => {
  test.each([1, 2, 20])(
    "and %i degrees of freedom, deviations are those of least squares over all unknowns",
    (free) => {
      const linear = linearFit(parameters + unknowns + free, unknowns);
      const { deviations, undetermined } = found(linear);
      expect(undetermined.size).toBe(0);
      for (let i = 0; i < parameters; i++) expect(deviations[i] ** 2 / linear.variances[i]).toBeCloseTo(1, 8);
    },
  );

  test("no degree of freedom says nothing about the noise, so there are no deviations and no small moves", () => {
    const linear = linearFit(parameters + unknowns, unknowns);
    expect([...found(linear).deviations]).toEqual([Number.NaN, Number.NaN]);
    const move = standardMove(linear.equations, new Float64Array(parameters), Float64Array.of(1e-9, 0));
    expect(move).toBe(Number.POSITIVE_INFINITY);
  });
});

test("factors of 95% are those of Student's table", () => {
  // two-sided, by degrees of freedom
  const table: readonly (readonly [number, number])[] = [
    [1, 12.7062],
    [2, 4.3027],
    [3, 3.1824],
    [5, 2.5706],
    [20, 2.086],
    [1000, 1.9623],
  ];
  for (const [free, factor] of table)
    expect(Math.abs(found(linearFit(parameters + free, 0)).factor / factor - 1), `${free}`).toBeLessThan(2e-3);
});
