/**
 * Newton's linear system of one node with its cone variables eliminated, symbolically.
 *
 * Rows of the full system (δ = unknown step):
 *   body rows, own rows          Σ coefficient·δ = (the solver's −residual, added elsewhere)
 *   equality i of a cone         dEᵢ·δ = −Eᵢ
 *   entry j of b ∘ c = κe        d(b∘c)ⱼ·δ = coneRhsⱼ
 * Each elimination solves one of the last two kinds for one cone variable and substitutes it everywhere else. What is
 * left is the node's share of the condensed matrix and right-hand side; the eliminated steps follow from the rest by
 * going back in reverse.
 */
import { coneFormulas, coneKind } from "../math/index.ts";
import { add, div, type Expr, jacobian, mul, neg, type Scalar, sub } from "../symbolic/index.ts";
import { type BodySymbols, untilted, untiltedMatrix } from "./bodySymbols.ts";
import { type ConeSymbols, type NodeEquations, stepJacobians } from "./node.ts";

/** Steps of the unknowns, as symbols. */
export interface StepSymbols {
  /** Six a moving body, none for the world. */
  readonly bodies: readonly (readonly Expr[])[];
  readonly multipliers: readonly Expr[];
  /** Right-hand sides of b ∘ c, all cones in a row. */
  readonly coneRhs: readonly Expr[];
}

export interface LinearRow {
  readonly coefficients: Map<Expr, Scalar>;
  rhs: Scalar;
}

export interface CondensedNode {
  readonly steps: StepSymbols;
  readonly bodyRows: readonly (readonly LinearRow[])[];
  readonly rows: readonly LinearRow[];
  /** E of the eliminated equalities, in order. */
  readonly equalities: readonly Scalar[];
  /** Step of every cone variable, as an expression of the kept steps. */
  readonly recovered: Map<Expr, Scalar>;
}

export function coneProduct({ role, b, c }: ConeSymbols): Scalar[] {
  return coneFormulas[coneKind(role.size)].product<Scalar>({ add, mul }, b, c);
}

/** Derivatives of rows with respect to what bodies move by: steps of (v₊, ω₊), or twists. */
export type BodyJacobians = (rows: readonly Scalar[], bodies: readonly BodySymbols[], h: Scalar) => Scalar[][][];

/** `equalityRhs` replaces the right-hand sides −E of the eliminated equalities, for gradients. */
export function condense(
  node: NodeEquations,
  equalityRhs?: readonly Scalar[],
  jacobiansOf: BodyJacobians = stepJacobians,
): CondensedNode {
  const steps: StepSymbols = {
    bodies: node.bodies.map((body, i) => (body.moves ? node.graph.symbols(`step.body${i}.`, 6) : [])),
    multipliers: node.graph.symbols("step.multiplier", node.multipliers.length),
    coneRhs: node.graph.symbols(
      "coneRhs",
      node.cones.reduce((n, cone) => n + cone.b.length, 0),
    ),
  };
  // everything is linearised at once; then each row goes to its place
  const lines = linearRows(node, steps, jacobiansOf, [
    ...node.bodyRows.flat(),
    ...node.rows,
    ...node.cones.flatMap(coneProduct),
    ...node.eliminations.map((elimination) => (elimination.kind === "equality" ? elimination.value : 0)),
  ]);
  const take = (count: number): LinearRow[] => lines.splice(0, count);
  const bodyRows = node.bodyRows.map((own) => take(own.length));
  const rows = take(node.rows.length);
  const products = node.cones.map((cone) => take(cone.b.length));

  // forward: solve each eliminated row for its variable and substitute into the rows that remain
  const starts = coneOffsets(node.cones);
  const equalities: Scalar[] = [];
  const pending = node.eliminations.map((elimination): Pending => {
    const line = take(1)[0];
    if (elimination.kind === "complementarity") {
      const row = products[elimination.cone][elimination.entry];
      row.rhs = steps.coneRhs[starts[elimination.cone] + elimination.entry];
      return { row, solves: elimination.solves };
    }
    const [value] = untilted([elimination.value], node.bodies);
    line.rhs = equalityRhs ? equalityRhs[equalities.length] : neg(value);
    equalities.push(value);
    return { row: line, solves: elimination.solves };
  });
  const recovered = eliminateAll(pending, [...bodyRows.flat(), ...rows]);
  return { steps, bodyRows, rows, equalities, recovered };
}

/** A row on its way out, and the variable that it is solved for. */
export interface Pending {
  readonly row: LinearRow;
  readonly solves: Expr;
}

/** Solves the pending rows, in order, for their variables and substitutes them into what is kept; returns the variables' steps. */
export function eliminateAll(pending: readonly Pending[], kept: readonly LinearRow[]): Map<Expr, Scalar> {
  pending.forEach(({ row, solves }, i) => {
    normalise(row, solves);
    for (const target of [...pending.slice(i + 1).map((later) => later.row), ...kept]) eliminate(target, row, solves);
  });

  // backward: the eliminated steps from the kept ones
  const recovered = new Map<Expr, Scalar>();
  for (const { row, solves } of [...pending].reverse()) {
    let rest = row.rhs;
    for (const [variable, coefficient] of row.coefficients)
      rest = sub(rest, mul(coefficient, recovered.get(variable) ?? variable));
    recovered.set(solves, rest);
  }
  return recovered;
}

/** Divides a row by its pivot. */
function normalise(row: LinearRow, variable: Expr): void {
  const inverse = div(1, row.coefficients.get(variable) ?? 0);
  row.coefficients.delete(variable);
  for (const [other, entry] of row.coefficients) row.coefficients.set(other, mul(inverse, entry));
  row.rhs = mul(inverse, row.rhs);
}

/** target ← target − coefficient·row, for a row whose pivot is one (and left out of its coefficients). */
function eliminate(target: LinearRow, row: LinearRow, variable: Expr): void {
  const coefficient = target.coefficients.get(variable);
  if (coefficient === undefined) return;
  target.coefficients.delete(variable);
  for (const [other, entry] of row.coefficients)
    setCoefficient(target, other, sub(target.coefficients.get(other) ?? 0, mul(coefficient, entry)));
  target.rhs = sub(target.rhs, mul(coefficient, row.rhs));
}

export function setCoefficient(row: LinearRow, variable: Expr, value: Scalar): void {
  if (value === 0) row.coefficients.delete(variable);
  else row.coefficients.set(variable, value);
}

/** Coefficients of expressions on all steps: bodies', multipliers, cone variables (whose steps are named by themselves). */
function linearRows(
  node: NodeEquations,
  steps: StepSymbols,
  jacobiansOf: BodyJacobians,
  values: readonly Scalar[],
): LinearRow[] {
  const coneVariables = node.cones.flatMap((cone) => [...cone.b, ...cone.c]);
  const columns: [readonly Expr[], Scalar[][]][] = [
    ...jacobiansOf(values, node.bodies, node.globals.timestep).map((matrix, i): [readonly Expr[], Scalar[][]] => [
      steps.bodies[i],
      matrix,
    ]),
    [
      [...steps.multipliers, ...coneVariables],
      untiltedMatrix(jacobian(values, [...node.multipliers, ...coneVariables]), node.bodies),
    ],
  ];
  return values.map((_, i) => {
    const row: LinearRow = { coefficients: new Map(), rhs: 0 };
    for (const [variables, matrix] of columns) {
      variables.forEach((variable, k) => {
        setCoefficient(row, variable, matrix[i][k]);
      });
    }
    return row;
  });
}

export function coneOffsets(cones: readonly ConeSymbols[]): number[] {
  let total = 0;
  return cones.map((cone) => {
    const start = total;
    total += cone.b.length;
    return start;
  });
}
