/**
 * A cost with its constraints as an augmented Lagrangian (Powell–Hestenes–Rockafellar):
 *   equality     λ c + ½ ρ c²
 *   inequality   (max(0, λ + ρ c)² − λ²) / 2ρ
 * with multipliers λ that follow the solution: λ ← λ + ρ c, or max(0, λ + ρ c). Curvature is that of Gauss and Newton, ρ cₓᵀcₓ of the rows that push.
 */
import { addSymmetricProductInto, addTransposedProductInto } from "./dense.ts";
import type { Constraints, Expansion, Objective, TrajectoryProblem } from "./problem.ts";

interface Knot {
  readonly isInequality: readonly boolean[];
  readonly multipliers: Float64Array;
  readonly values: Float64Array;
  readonly cx: Float64Array;
  readonly cu: Float64Array;
  readonly pushX: Float64Array;
  readonly pushU: Float64Array;
}

export class AugmentedObjective implements Objective {
  /** ρ. */
  penalty = 1;
  private readonly objective: Objective;
  private readonly constraints: Constraints | undefined;
  private readonly knots: readonly Knot[];
  private readonly n: number;
  private readonly m: number;
  private readonly lower: { readonly xx: Float64Array; readonly uu: Float64Array };

  constructor({ objective, constraints, dynamics, steps }: TrajectoryProblem) {
    const { tangentSize: n, inputSize: m } = dynamics;
    this.objective = objective;
    this.constraints = constraints;
    this.n = n;
    this.m = m;
    this.lower = { xx: new Float64Array(n * n), uu: new Float64Array(m * m) };
    this.knots = Array.from({ length: steps + 1 }, (_, k) => {
      const kinds = constraints?.kinds(k) ?? [];
      const inputs = k === steps ? 0 : m;
      return {
        isInequality: kinds.map((kind) => kind === "inequality"),
        multipliers: new Float64Array(kinds.length),
        values: new Float64Array(kinds.length),
        cx: new Float64Array(kinds.length * n),
        cu: new Float64Array(kinds.length * inputs),
        pushX: new Float64Array(kinds.length * n),
        pushU: new Float64Array(kinds.length * inputs),
      };
    });
  }

  get isConstrained(): boolean {
    return this.knots.some(({ values }) => values.length > 0);
  }

  value(k: number, x: Float64Array, u: Float64Array): number {
    const { penalty } = this;
    const { values, multipliers, isInequality } = this.knots[k];
    let sum = this.objective.value(k, x, u);
    if (values.length === 0) return sum;
    this.constraints?.valuesInto(values, k, x, u);
    for (let i = 0; i < values.length; i++) {
      const lambda = multipliers[i];
      const push = lambda + penalty * values[i];
      if (!isInequality[i]) sum += values[i] * (lambda + 0.5 * penalty * values[i]);
      else sum += ((push > 0 ? push * push : 0) - lambda * lambda) / (2 * penalty);
    }
    return sum;
  }

  expandInto(out: Expansion, k: number, x: Float64Array, u: Float64Array): void {
    const { n, m, penalty, lower } = this;
    const { values, multipliers, isInequality, cx, cu, pushX, pushU } = this.knots[k];
    this.objective.expandInto(out, k, x, u);
    const rows = values.length;
    if (rows === 0) return;
    const inputs = cu.length / rows;
    this.constraints?.valuesInto(values, k, x, u);
    this.constraints?.jacobiansInto(cx, cu, k, x, u);
    for (let i = 0; i < rows; i++) {
      const lambda = multipliers[i] + penalty * values[i];
      const isActive = !isInequality[i] || lambda > 0;
      const weight = isActive ? penalty : 0;
      for (let j = 0; j < n; j++) {
        if (isActive) out.lx[j] += lambda * cx[i * n + j];
        pushX[i * n + j] = weight * cx[i * n + j];
      }
      for (let j = 0; j < inputs; j++) {
        if (isActive) out.lu[j] += lambda * cu[i * m + j];
        pushU[i * m + j] = weight * cu[i * m + j];
      }
    }
    // ρ cₓᵀcₓ, ρ cᵤᵀcₓ, ρ cᵤᵀcᵤ
    addSymmetricProductInto(out.lxx, lower.xx, cx, pushX, rows, n);
    if (inputs === 0) return;
    addTransposedProductInto(out.lux, cu, pushX, rows, m, n);
    addSymmetricProductInto(out.luu, lower.uu, cu, pushU, rows, m);
  }

  /** The largest |c| of the equalities and c of the inequalities. */
  violation(states: readonly Float64Array[], inputs: readonly Float64Array[]): number {
    let worst = 0;
    this.forEachRow(states, inputs, (c, isInequality) => {
      const amount = isInequality ? c : Math.abs(c);
      // a NaN is the worst of all
      if (!(amount <= worst)) worst = amount;
    });
    return worst;
  }

  updateMultipliers(states: readonly Float64Array[], inputs: readonly Float64Array[]): void {
    this.forEachRow(states, inputs, (c, isInequality, multipliers, i) => {
      const next = multipliers[i] + this.penalty * c;
      multipliers[i] = isInequality ? Math.max(0, next) : next;
    });
  }

  /** λ = 0 of all rows, as in the beginning. */
  forgetMultipliers(): void {
    for (const { multipliers } of this.knots) multipliers.fill(0);
  }

  private forEachRow(
    states: readonly Float64Array[],
    inputs: readonly Float64Array[],
    visit: (c: number, isInequality: boolean, multipliers: Float64Array, i: number) => void,
  ): void {
    this.knots.forEach(({ values, isInequality, multipliers }, k) => {
      if (values.length === 0) return;
      this.constraints?.valuesInto(values, k, states[k], inputs[k] ?? noInput);
      for (let i = 0; i < values.length; i++) visit(values[i], isInequality[i], multipliers, i);
    });
  }
}

const noInput = new Float64Array(0);
