/**
 * Levenberg–Marquardt with bounds: the least of a sum of squares (or of robust losses) over parameters θ that all share, and over numbers
 * λ that only their own group has (the start of one recording, say).
 *   (H + μ D) δ = −g      D the diagonal of H, and never less than it was
 * The groups' numbers are eliminated: with Hλ = ∂²/∂λ², C = ∂²/∂λ∂θ of a group,
 *   (H + μD − Σ Cᵀ (Hλ + μDλ)⁻¹ C) δ = −g + Σ Cᵀ (Hλ + μDλ)⁻¹ gλ      δλ = −(Hλ + μDλ)⁻¹ (gλ + C δ)
 * A parameter that the step would take past a bound is put on it, and the others are solved for again. A step counts if the cost falls;
 * μ follows the ratio of its fall to the expected one [Nielsen 1999]. Costs of impacts have kinks, and a step that is led by the slope on one
 * side goes across the valley: one that falls much less than expected is tried again at the bottom of the parabola through its ends. The
 * driver knows nothing of mechanisms: it is handed a function.
 */
import { cholesky, choleskySolve } from "../math/index.ts";

/** Pivots below this part of their diagonal entry are rounding. */
export const pivotTolerance = 1e-13;

export interface LocalSystem {
  readonly hessian: Float64Array;
  readonly cross: Float64Array;
  readonly gradient: Float64Array;
}

/** A cost and its normal equations; g is half the gradient of the cost. */
export interface NormalEquations {
  readonly cost: number;
  readonly gradient: Float64Array;
  readonly hessian: Float64Array;
  /** One per group. */
  readonly local: readonly LocalSystem[];
}

export interface LeastSquaresProblem<Equations extends NormalEquations = NormalEquations> {
  readonly start: Float64Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** Numbers of each group. Default no groups. */
  readonly groups?: readonly number[];
  /** Where they start. Default at 0. */
  readonly startLocals?: readonly Float64Array[];
  /** Least diagonals by which the groups' numbers are damped, the same for all groups: some may move nothing. Default 0. */
  readonly localScales?: ArrayLike<number>;
  /** The cost; a point that cannot be has an infinite one. */
  cost(theta: Float64Array, locals: readonly Float64Array[]): Promise<number>;
  /** Cost and normal equations as iteration k wants them: their derivatives may be smoother at first. */
  equations(theta: Float64Array, locals: readonly Float64Array[], iteration: number): Promise<Equations>;
  /** Whether `equations` are final at iteration k; until then a small step does not end the search. Default always. */
  isFinal?(iteration: number): boolean;
  /** Whether what is left of the cost is nothing but rounding, which ends the search. Default never. */
  isNothing?(equations: Equations): boolean;
  /** Whether θ has moved by nothing that counts, from what it was a few iterations ago, which ends the search. Default never. */
  isStill?(before: Float64Array, now: Float64Array, equations: Equations): boolean;
}

export interface LeastSquaresOptions<Equations extends NormalEquations = NormalEquations> {
  /** Default 30. */
  readonly maxIterations?: number;
  /** A relative fall of the cost below this ends the search. Default 1e-8. */
  readonly tolerance?: number;
  /** Called after each iteration, and once before the first; returning false ends the search with the best point so far. */
  readonly onIteration?: (progress: LeastSquaresProgress<Equations>) => boolean | undefined;
}

export interface LeastSquaresProgress<Equations extends NormalEquations = NormalEquations> {
  readonly iteration: number;
  readonly cost: number;
  readonly theta: Float64Array;
  readonly damping: number;
  readonly equations: Equations;
}

export interface LeastSquaresResult<Equations extends NormalEquations = NormalEquations> {
  readonly theta: Float64Array;
  readonly locals: readonly Float64Array[];
  readonly cost: number;
  readonly iterations: number;
  /**
   * "converged": no step lowers the cost by more than the tolerance, and none promises to. "stalled": no step lowers it although the
   * normal equations promise one that does, so these are not its derivatives, or it jumps.
   */
  readonly end: "converged" | "stalled" | "iterationLimit" | "ended";
  /** Normal equations at the result. */
  readonly equations: Equations;
}

const firstDamping = 1e-3;
const largestDamping = 1e12;
/** A step whose fall is less than this part of the expected one has gone too far, or where the equations say nothing. */
const poorRatio = 0.25;
/**
 * The search has stalled where a step of θ that is hardly damped promises a fall of more than this part of the cost, which is not rounding of
 * the first one. What the groups' own numbers promise is left out: one that stands at a kink does so in vain, and θ hardly depends on it. Fits that find their minimum end with 1e-6 and less; of a thousand residuals, this moves a parameter by its standard deviation.
 */
const promising = 1e-3;
const rounding = 1e-12;
/** Iterations over which θ is to stand still. */
const patience = 5;
/** Parts of a step that a parabola may ask for; others are left to the damping. */
const leastPart = 0.1;

/** Where on a step the parabola has its bottom that falls with `slope` at its beginning and rises by `rise` to its end; 1 if there is no use in it. */
function bottom(slope: number, rise: number): number {
  const part = -slope / (2 * (rise - slope));
  return slope < 0 && part >= leastPart && part < 1 ? part : 1;
}

interface Point {
  readonly theta: Float64Array;
  readonly locals: readonly Float64Array[];
}

export async function levenbergMarquardt<Equations extends NormalEquations>(
  problem: LeastSquaresProblem<Equations>,
  options: LeastSquaresOptions<Equations> = {},
): Promise<LeastSquaresResult<Equations>> {
  const { maxIterations = 30, tolerance = 1e-8, onIteration } = options;
  const { lower, upper, groups = [], isFinal = () => true, isNothing = () => false, isStill = () => false } = problem;
  let theta: Float64Array = problem.start.map((value, i) => Math.min(upper[i], Math.max(lower[i], value)));
  let locals: readonly Float64Array[] = groups.map((size, g) => problem.startLocals?.[g] ?? new Float64Array(size));
  let damping = firstDamping;
  let growth = 2;
  let equations = await problem.equations(theta, locals, 0);
  // of the last trial that was taken: a simulation with gradients may end in other last digits, and costs are compared with their like
  let reached = equations.cost;
  const firstCost = equations.cost;
  /** θ of the iterations whose equations are final. */
  const finals: Float64Array[] = [];
  const scales = new Scales(problem.localScales);
  const result = (iterations: number, end: LeastSquaresResult["end"]): LeastSquaresResult<Equations> => ({
    theta,
    locals,
    cost: equations.cost,
    iterations,
    end,
    equations,
  });
  /** What it means that steps no longer lower the cost: a large damping makes every step promise little, so it is left out here. */
  const settled = (): LeastSquaresResult["end"] => {
    const { byTheta: expected = 0 } = boundedStep(equations, scales, firstDamping, theta, lower, upper) ?? {};
    return expected > promising * equations.cost && expected > rounding * firstCost ? "stalled" : "converged";
  };
  if (onIteration?.({ iteration: 0, cost: equations.cost, theta, damping, equations }) === false)
    return result(0, "ended");
  if (isNothing(equations)) return result(0, "converged");

  for (let iteration = 1; iteration <= maxIterations; iteration++) {
    scales.update(equations);
    let accepted = false;
    let fall = 0;
    while (!accepted && damping <= largestDamping) {
      const step = boundedStep(equations, scales, damping, theta, lower, upper);
      const at = (part: number): Point | undefined =>
        step && {
          theta: theta.map((value, i) => Math.min(upper[i], Math.max(lower[i], value + part * step.theta[i]))),
          locals: locals.map((own, g) => own.map((value, i) => value + part * step.locals[g][i])),
        };
      let trial = at(1);
      let cost = trial ? await problem.cost(trial.theta, trial.locals) : Number.POSITIVE_INFINITY;
      fall = reached - cost;
      const ratio = step ? fall / Math.max(step.expected, Number.MIN_VALUE) : -1;
      // across a valley: where the parabola through both costs has its bottom
      const part = step && ratio < poorRatio ? bottom(step.slope, -fall) : 1;
      const nearer = part < 1 ? at(part) : undefined;
      if (nearer) {
        const between = await problem.cost(nearer.theta, nearer.locals);
        if (between < cost) [trial, cost] = [nearer, between];
      }
      fall = reached - cost;
      if (fall > 0 && trial) {
        accepted = true;
        reached = cost;
        ({ theta, locals } = trial);
        // one that was shortened has a good direction
        if (trial !== nearer) damping *= Math.max(1 / 10, 1 - (2 * ratio - 1) ** 3);
        growth = 2;
      } else {
        // nothing to gain within rounding
        if (step && step.expected <= tolerance * equations.cost && isFinal(iteration))
          return result(iteration - 1, settled());
        damping *= growth;
        growth *= 2;
      }
    }
    if (!accepted && isFinal(iteration)) return result(iteration - 1, settled());
    const before = equations.cost;
    equations = await problem.equations(theta, locals, iteration);
    if (!accepted) damping = firstDamping;
    if (onIteration?.({ iteration, cost: equations.cost, theta, damping, equations }) === false)
      return result(iteration, "ended");
    const isDone = accepted && fall <= tolerance * before && isFinal(iteration);
    if (isNothing(equations)) return result(iteration, "converged");
    if (isFinal(iteration)) finals.push(theta);
    const earlier = finals.at(-1 - patience);
    if (isDone || (earlier && isStill(earlier, theta, equations))) return result(iteration, settled());
  }
  return result(maxIterations, "iterationLimit");
}

/** The largest diagonals so far, by which damping counts. */
class Scales {
  theta: Float64Array = new Float64Array(0);
  locals: Float64Array[] = [];
  private readonly least: ArrayLike<number>;

  constructor(least: ArrayLike<number> = []) {
    this.least = least;
  }

  update({ gradient, hessian, local }: NormalEquations): void {
    const n = gradient.length;
    const largest = (known: ArrayLike<number>, H: Float64Array, size: number): Float64Array =>
      Float64Array.from({ length: size }, (_, i) => Math.max(known[i] ?? 0, H[i * size + i]));
    this.theta = largest(this.theta, hessian, n);
    this.locals = local.map((own, g) => largest(this.locals[g] ?? this.least, own.hessian, own.gradient.length));
  }
}

interface Step {
  readonly theta: Float64Array;
  readonly locals: readonly Float64Array[];
  /** Fall of the cost that the normal equations promise, and its slope where the step begins. */
  readonly expected: number;
  readonly slope: number;
  /** The part of the fall that the groups' numbers would not bring by themselves. */
  readonly byTheta: number;
}

/** Undefined where the damped matrix is singular to rounding. */
function boundedStep(
  equations: NormalEquations,
  scales: Scales,
  damping: number,
  theta: Float64Array,
  lower: Float64Array,
  upper: Float64Array,
): Step | undefined {
  const { gradient, hessian, local } = equations;
  const n = gradient.length;
  // the groups' numbers are eliminated
  const H = Float64Array.from(hessian);
  const g = Float64Array.from(gradient);
  for (let i = 0; i < n; i++) H[i * n + i] += damping * damped(scales.theta[i]);
  const factors: Float64Array[] = [];
  for (const [k, own] of local.entries()) {
    const m = own.gradient.length;
    const damped2 = Float64Array.from(own.hessian);
    for (let i = 0; i < m; i++) damped2[i * m + i] += damping * damped(scales.locals[k][i]);
    if (cholesky(damped2, m, pivotTolerance) >= 0) return undefined;
    factors.push(damped2);
    for (let j = 0; j < n; j++) {
      const column = Float64Array.from({ length: m }, (_, i) => own.cross[i * n + j]);
      choleskySolve(damped2, column, m, 1);
      for (let r = 0; r < m; r++) {
        g[j] -= column[r] * own.gradient[r];
        for (let i = 0; i < n; i++) H[i * n + j] -= own.cross[r * n + i] * column[r];
      }
    }
  }

  // parameters that would leave their bounds are put on them, one round after the other
  const step = new Float64Array(n);
  const isFixed = new Array<boolean>(n).fill(false);
  for (;;) {
    const free = [...step.keys()].filter((i) => !isFixed[i]);
    const A = new Float64Array(free.length ** 2);
    const b = Float64Array.from(free, (i) => {
      let value = -g[i];
      for (let j = 0; j < n; j++) if (isFixed[j]) value -= H[i * n + j] * step[j];
      return value;
    });
    free.forEach((i, r) => {
      free.forEach((j, c) => {
        A[r * free.length + c] = H[i * n + j];
      });
    });
    if (cholesky(A, free.length, pivotTolerance) >= 0) return undefined;
    choleskySolve(A, b, free.length, 1);
    let left = false;
    free.forEach((i, r) => {
      step[i] = b[r];
      const [low, high] = [lower[i] - theta[i], upper[i] - theta[i]];
      if (step[i] > low && step[i] < high) return;
      if (step[i] === low || step[i] === high) return;
      step[i] = step[i] <= low ? low : high;
      isFixed[i] = true;
      left = true;
    });
    if (!left) break;
  }
  const locals = local.map((own, k) => {
    const m = own.gradient.length;
    const out = Float64Array.from({ length: m }, (_, i) => {
      let value = -own.gradient[i];
      for (let j = 0; j < n; j++) value -= own.cross[i * n + j] * step[j];
      return value;
    });
    choleskySolve(factors[k], out, m, 1);
    return out;
  });
  let byTheta = 0;
  for (let i = 0; i < n; i++) {
    byTheta -= 2 * g[i] * step[i];
    for (let j = 0; j < n; j++) byTheta -= step[i] * H[i * n + j] * step[j];
  }
  return { theta: step, locals, ...along(equations, step, locals), byTheta };
}

/** A parameter that moves nothing is damped all the same, and stays. */
function damped(scale: number): number {
  return scale > 0 ? scale : 1;
}

/** The fall −2 gᵀδ − δᵀHδ over all numbers, and the slope 2 gᵀδ. */
function along(
  { gradient, hessian, local }: NormalEquations,
  step: Float64Array,
  locals: readonly Float64Array[],
): Pick<Step, "expected" | "slope"> {
  const n = gradient.length;
  let [slope, curvature] = [0, 0];
  for (let i = 0; i < n; i++) {
    slope += 2 * gradient[i] * step[i];
    for (let j = 0; j < n; j++) curvature += step[i] * hessian[i * n + j] * step[j];
  }
  local.forEach((own, k) => {
    const m = own.gradient.length;
    for (let i = 0; i < m; i++) {
      const at = locals[k][i];
      slope += 2 * own.gradient[i] * at;
      for (let j = 0; j < n; j++) curvature += 2 * at * own.cross[i * n + j] * step[j];
      for (let j = 0; j < m; j++) curvature += at * own.hessian[i * m + j] * locals[k][j];
    }
  });
  return { expected: -slope - curvature, slope };
}
