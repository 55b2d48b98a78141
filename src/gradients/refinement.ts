/**
 * Iterative refinement, δ ← δ + K⁻¹(r − K₀ δ), until nothing changes. It mends two things that the factors of K lack.
 *
 * Rounding. Contact variables are condensed into K as stiffnesses b/c, which grow without bound as κ falls. A contact with the world costs
 * as many digits as its stiffness over the body's mass has, ρ; one between two bodies twice as many, since eliminating the first leaves a
 * difference of two stiffnesses on the second. Measured for a box on a box on the floor, error of dNext/dState: κ = 1e-6: 1e-10,
 * κ = 1e-8: 4e-6 without, 3e-10 with. Limits and joint friction keep a row of their own and lose nothing.
 *
 * Bias. Multipliers have an ε on their diagonal, so that redundant constraints of loops have factors. Newton's method does not mind,
 * but the derivative is that of K₀, which has none: with ε, a joint whose bodies both stand on stiff contacts gives way by ε times their
 * stiffness. Joints that form a tree are never redundant, and have no ε here at all. Measured for boxes of 1 kg and 100 kg on the floor,
 * fixed to each other by one joint (a tree) and by two, κ = 1e-8, against one rigid body: 2e-3 and 1e-3 with ε, 2e-9 and 3e-9 without.
 *
 * At the usual κ nothing is refined.
 */
import type { NodePlace, PlannedNode, System, SystemPlan } from "../kernels/index.ts";
import { type Mechanism, worldIndex } from "../mechanism/index.ts";

/** Part of a gradient that may be lost to rounding, and to ε. */
const tolerableLoss = 1e-8;
const tolerableBias = 1e-7;
/** Refinement ends when a round changes the solution by less than this part of it, or after so many rounds. */
const smallChange = 1e-11;
const mostRounds = 6;

/** A block of the matrix: where its rows and columns are among the unknowns, and where it lies in memory. */
interface Block {
  readonly row: number;
  readonly rows: number;
  readonly column: number;
  readonly columns: number;
  readonly index: number;
  readonly stride: number;
}

/** A pair of cone variables of a contact whose stiffness b/c the matrix contains. */
interface Stiffness {
  /** Of the first entry. */
  readonly cone: number;
  readonly isGap: boolean;
  readonly lightest: number;
  readonly isBetweenBodies: boolean;
  /** Where the ε of the joints and gears at its bodies lie in memory. */
  readonly regularization: readonly number[];
}

/** ε of a multiplier: its place among the unknowns, and where it lies in memory. */
interface Regularization {
  readonly row: number;
  readonly index: number;
  readonly isNeeded: boolean;
}

/** What the point in memory loses. */
export interface Loss {
  /** As part of a gradient. */
  readonly rounding: number;
  readonly isRefined: boolean;
}

export class Refinement {
  private readonly blocks: readonly Block[];
  private readonly stiffnesses: readonly Stiffness[];
  private readonly regularization: readonly Regularization[];
  private rhs = new Float64Array(0);
  private solution = new Float64Array(0);

  constructor({ sizes, starts, elimination, block, nodes, mechanism }: SystemPlan) {
    const placed = (i: number, j: number): Block[] => {
      const index = block(i, j);
      if (index === undefined) return [];
      const [rows, columns] = [sizes[i], sizes[j]];
      return [{ row: starts[i], rows, column: starts[j], columns, index, stride: columns + (columns & 1) }];
    };
    const hasLoops = mechanism.loopJoints.length > 0;
    this.regularization = nodes.flatMap((node) =>
      regularizationOf(node).flatMap((index, i) => {
        const isNeeded = hasLoops || node.kind !== "joint";
        return index === undefined ? [] : [{ row: starts[node.block] + i, index, isNeeded }];
      }),
    );
    this.stiffnesses = nodes.flatMap((node) => (node.kind === "contact" ? stiffnessesOf(node, nodes, mechanism) : []));
    this.blocks = sizes.flatMap((_, i) => [
      ...placed(i, i),
      ...elimination.later[i].flatMap((j) => [...placed(i, j), ...placed(j, i)]),
    ]);
  }

  /** Takes ε out of the parameters in memory where no constraint can be redundant. */
  dropRegularization(memory: Float64Array): void {
    for (const { index, isNeeded } of this.regularization) if (!isNeeded) memory[index] = 0;
  }

  /** What the stiffness of the point in memory takes, and whether it must be won back. */
  loss({ f64, places }: System): Loss {
    const h = f64[places.globals];
    let rounding = 0;
    let bias = 0;
    for (const { cone, isGap, lightest, isBetweenBodies, regularization } of this.stiffnesses) {
      const stiffness = ((isGap ? h : 1) * f64[places.coneB + cone]) / f64[places.coneC + cone];
      const rho = stiffness / lightest;
      rounding = Math.max(rounding, Number.EPSILON * (isBetweenBodies ? rho * rho : rho));
      for (const index of regularization) bias = Math.max(bias, f64[index] * stiffness);
    }
    return { rounding, isRefined: rounding > tolerableLoss || bias > tolerableBias };
  }

  /**
   * Solves K₀ x = x in place, with what `solve` does by the factors, or with K₀ᵀ. Several vectors may lie in `x`: entries of one are
   * `step` apart, and they start where `vectors` says.
   */
  solve(
    memory: Float64Array,
    x: Float64Array,
    solve: () => void,
    transposed: boolean,
    vectors: readonly number[] = [0],
    step = 1,
  ): void {
    if (this.rhs.length !== x.length)
      [this.rhs, this.solution] = [new Float64Array(x.length), new Float64Array(x.length)];
    const { rhs, solution } = this;
    rhs.set(x);
    solve();
    solution.set(x);
    let last = Number.POSITIVE_INFINITY;
    for (let round = 0; round < mostRounds; round++) {
      x.set(rhs);
      for (const at of vectors) this.subtractProduct(memory, x, solution, transposed, at, step);
      solve();
      const change = largest(x) / largest(solution);
      // a round that does not come nearer is at rounding, or has no solution to come to
      if (!(change < last)) break;
      last = change;
      for (let i = 0; i < x.length; i++) solution[i] += x[i];
      if (change <= smallChange) break;
    }
    x.set(solution);
  }

  /** r ← r − K₀ x, or with K₀ᵀ, for the matrix in memory. Entries are `step` apart, from `at` on. */
  private subtractProduct(
    memory: Float64Array,
    r: Float64Array,
    x: Float64Array,
    transposed: boolean,
    at: number,
    step: number,
  ): void {
    for (const { row, rows, column, columns, index, stride } of this.blocks) {
      for (let i = 0; i < rows; i++) {
        const from = index + i * stride;
        const line = at + step * (row + i);
        if (transposed) {
          const weight = x[line];
          for (let j = 0; j < columns; j++) r[at + step * (column + j)] -= memory[from + j] * weight;
        } else {
          let sum = 0;
          for (let j = 0; j < columns; j++) sum += memory[from + j] * x[at + step * (column + j)];
          r[line] -= sum;
        }
      }
    }
    for (const { row, index } of this.regularization) r[at + step * row] += memory[index] * x[at + step * row];
  }
}

function largest(values: Float64Array): number {
  let most = 0;
  for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i]));
  return most;
}

/** Where the ε of a node's multipliers lie in memory; undefined for those that have none. */
function regularizationOf({ spec, parameters }: PlannedNode): (number | undefined)[] {
  const { regularization, parameterGroups } = spec.kernels.node;
  return regularization.map((entry) => {
    const parameter = parameterGroups[0].findIndex((symbol) => symbol === entry);
    return parameter < 0 ? undefined : parameters + parameter;
  });
}

function stiffnessesOf(
  { bodies, cone, roles }: NodePlace,
  nodes: readonly PlannedNode[],
  mechanism: Mechanism,
): Stiffness[] {
  const moving = bodies.filter((body) => body !== worldIndex);
  const lightest = Math.min(...moving.map((body) => mechanism.bodies[body].mass));
  const tied = nodes.filter((node) => node.bodies.some((body) => moving.includes(body)));
  const regularization = nodes
    .filter((node) => tied.some(({ block }) => block >= 0 && block === node.block))
    // the first is that of a translation, to be multiplied with a stiffness
    .flatMap((node) => regularizationOf(node).slice(0, 1))
    .filter((index) => index !== undefined);
  let at = cone;
  return roles.map((role) => {
    const isGap = role === "contactNormal";
    const stiffness = { cone: at, isGap, lightest, isBetweenBodies: moving.length > 1, regularization };
    at += role === "contactFriction" ? 3 : 1;
    return stiffness;
  });
}
