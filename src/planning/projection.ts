/**
 * Newton steps onto the constraints at the end of a plan, in the metric of the last backward pass: of all changes of the inputs that
 * make the constraints hold to first order, the one that the cost minds least. With δu = K δx + w and cost ½ Σ wᵀ Q̃_uu w,
 *   σ of a row of c at knot j:   σ_j = c_x + Kᵀc_u,   σ_k = (A + B K)ᵀ σ_{k+1}  for k < j
 *   M_j = c_u,   M_k = Bᵀ σ_{k+1}                      how the row answers to w_k
 *   H = Σ M_kᵀ Q̃_uu⁻¹ M_k,   H λ = c,   w_k = −Q̃_uu⁻¹ M_k λ
 * Inputs at a bound stay there. Inequalities count where they are violated or nearly so. Rows may depend on each other (a foot that
 * is down fixes what height and leg say again), so H is solved by its eigenvectors, without those that the others span.
 */
import { cholesky, choleskySolve, dot } from "../math/index.ts";
import { addTransposedTimesInto } from "./dense.ts";
import type { Ilqr } from "./ilqr.ts";
import type { TrajectoryProblem } from "./problem.ts";
import { symmetricSolve } from "./symmetricSolve.ts";

/** An inequality within this of its bound is held there. */
const activeWithin = 1e-9;

interface Row {
  readonly value: number;
  /** M_k for every knot up to its own. */
  readonly answer: readonly Float64Array[];
}

/** w of every knot; undefined where there is nothing to project. */
export function projectionStep(problem: TrajectoryProblem, ilqr: Ilqr): Float64Array[] | undefined {
  const factors = ilqr.riccati.policies.map(({ curvature, free }) => freeFactor(curvature, free));
  const rows = activeRows(problem, ilqr);
  if (rows.length === 0 || factors.includes(undefined)) return undefined;
  // N_k = Q̃_uu⁻¹ M_k of every row
  const weighted = rows.map(({ answer }) => answer.map((m, k) => solvedFree(factors[k], m)));
  const count = rows.length;
  const H = new Float64Array(count * count);
  rows.forEach(({ answer }, i) => {
    for (let j = 0; j < count; j++) {
      const knots = Math.min(answer.length, weighted[j].length);
      for (let k = 0; k < knots; k++) H[i * count + j] += dot(answer[k], weighted[j][k]);
    }
  });
  const lambda = symmetricSolve(
    H,
    rows.map(({ value }) => value),
  );
  return ilqr.inputs.map((input, k) => {
    const w = new Float64Array(input.length);
    weighted.forEach((entries, i) => {
      if (k < entries.length) for (let a = 0; a < w.length; a++) w[a] -= lambda[i] * entries[k][a];
    });
    return w;
  });
}

function activeRows({ constraints, dynamics }: TrajectoryProblem, ilqr: Ilqr): Row[] {
  const { tangentSize: n, inputSize: m } = dynamics;
  const { states, inputs } = ilqr;
  if (!constraints) return [];
  return states.flatMap((x, k) => {
    const kinds = constraints.kinds(k);
    if (kinds.length === 0) return [];
    const u = inputs[k] ?? new Float64Array(0);
    const values = new Float64Array(kinds.length);
    const cx = new Float64Array(kinds.length * n);
    const cu = new Float64Array(kinds.length * u.length);
    constraints.valuesInto(values, k, x, u);
    constraints.jacobiansInto(cx, cu, k, x, u);
    return kinds.flatMap((kind, i) => {
      if (kind === "inequality" && values[i] < -activeWithin) return [];
      const own = u.length > 0 ? cu.slice(i * m, (i + 1) * m) : undefined;
      return [{ value: values[i], answer: answerOf(ilqr, k, cx.slice(i * n, (i + 1) * n), own) }];
    });
  });
}

/** M_0 … M_j of one row of constraints at knot j. */
function answerOf(
  { stages, riccati }: Ilqr,
  j: number,
  cx: Float64Array,
  cu: Float64Array | undefined,
): Float64Array[] {
  const n = cx.length;
  const answer: Float64Array[] = [];
  let sigma = cx;
  if (cu) {
    const { gain, free } = riccati.policies[j];
    answer[j] = masked(cu.slice(), free);
    addTransposedTimesInto(sigma, gain, cu, cu.length, n);
  }
  for (let k = j - 1; k >= 0; k--) {
    const { A, B } = stages[k];
    const { gain, free } = riccati.policies[k];
    const m = free.length;
    const own = new Float64Array(m);
    addTransposedTimesInto(own, B, sigma, n, m);
    const before = new Float64Array(n);
    addTransposedTimesInto(before, A, sigma, n, n);
    addTransposedTimesInto(before, gain, own, m, n);
    answer[k] = masked(own, free);
    sigma = before;
  }
  return answer;
}

function masked(values: Float64Array, free: Uint8Array): Float64Array {
  for (let i = 0; i < values.length; i++) if (!free[i]) values[i] = 0;
  return values;
}

/** Factor of Q̃_uu with rows and columns of inputs at a bound replaced by those of the identity. */
function freeFactor(curvature: Float64Array, free: Uint8Array): Float64Array | undefined {
  const m = free.length;
  const factor = curvature.slice();
  for (let i = 0; i < m; i++) {
    if (free[i]) continue;
    for (let j = 0; j < m; j++) factor[i * m + j] = factor[j * m + i] = i === j ? 1 : 0;
  }
  return cholesky(factor, m) < 0 ? factor : undefined;
}

function solvedFree(factor: Float64Array | undefined, values: Float64Array): Float64Array {
  const out = values.slice();
  if (factor) choleskySolve(factor, out, out.length, 1);
  return out;
}
