/**
 * How well the data determine parameters: 95% intervals from the approximate Hessian at the result, and which parameters have none.
 * The numbers λ of starts are eliminated, H̃ = H − Σ Cᵀ Hλ⁻¹ C. Two estimates of the covariance:
 *   "hessian"      s² H̃⁻¹, right where errors of frames are independent. Of plain squares s² is the mean squared residual over the degrees
 *                  of freedom; where frames have weights a, and a loss that bends by b, it is Σ a²‖r‖² over them and over the mean of
 *                  a (1 − b/n), which is what H̃ has of JᵀJ [Huber 1973]
 *   "recordings"   H̃⁻¹ (Σ gᵢ gᵢᵀ) H̃⁻¹, gᵢ the gradient of recording i: right where only recordings are independent of each other, as where
 *                  the model, not the sensor, is what errs; needs many recordings
 * Where H̃ has no full rank, parameters d are dropped until the rest K has; H̃ x = 0 with x_d = 1, x_K = −H̃_KK⁻¹ H̃_Kd. All that have a part
 * in such an x can be exchanged for each other at no cost, so none of them has an interval.
 */
import { cholesky, choleskySolve } from "../math/index.ts";
import { type LocalSystem, type NormalEquations, pivotTolerance } from "./levenbergMarquardt.ts";

export const intervalKinds = ["hessian", "recordings"] as const;
export type IntervalKind = (typeof intervalKinds)[number];

/** Normal equations that know what they are sums of. */
export interface FitEquations extends NormalEquations {
  readonly squares: number;
  readonly rows: number;
  /** The scatter of residuals.ts, summed. */
  readonly scatter: number;
  readonly resistance: number;
  readonly lagged: number;
  readonly laggedRows: number;
  readonly failures: number;
  /** Each recording's own gradient with respect to θ. */
  readonly gradients: readonly Float64Array[];
}

export interface Determination {
  /** Standard deviation of each parameter; NaN of those that have none. */
  readonly deviations: Float64Array;
  /** 95% intervals reach so many deviations to either side. */
  readonly factor: number;
  /** Places of parameters that the data do not determine, each with those that it can be exchanged for: none where it has no effect at all. */
  readonly undetermined: ReadonlyMap<number, readonly number[]>;
  /** Those on a bound. */
  readonly atBound: readonly number[];
  /** H̃⁻¹, row-major over all parameters, zero of those that were held or dropped; undefined where none was left. */
  readonly covariance: Float64Array | undefined;
}

/** A combination of parameters whose curvature is below this part of its parts' counts as none. */
const rankTolerance = 1e-10;
/** A part of such a combination: along it, a parameter moves by its own deviation or more, since the combination has 1/√rankTolerance of them. */
const partTolerance = Math.sqrt(rankTolerance);

export function determination(
  equations: FitEquations,
  theta: Float64Array,
  lower: Float64Array,
  upper: Float64Array,
  kind: IntervalKind,
): Determination {
  const n = theta.length;
  const H = reducedHessian(equations, n);
  const atBound = [...theta.keys()].filter((i) => theta[i] <= lower[i] || theta[i] >= upper[i]);
  const undetermined = new Map<number, readonly number[]>();
  const largest = Math.max(0, ...theta.map((_, i) => H[i * n + i]));
  let free = [...theta.keys()].filter((i) => {
    if (atBound.includes(i)) return false;
    const isKnown = H[i * n + i] > 0 && largest > 0;
    if (!isKnown) undetermined.set(i, []);
    return isKnown;
  });
  const deviations = new Float64Array(n).fill(Number.NaN);
  const dropped: number[] = [];
  let covariance: Float64Array | undefined;
  while (free.length > 0 && !covariance) {
    const m = free.length;
    const scale = free.map((i) => 1 / Math.sqrt(H[i * n + i]));
    const A = Float64Array.from({ length: m * m }, (_, at) => {
      const [r, c] = [Math.floor(at / m), at % m];
      return H[free[r] * n + free[c]] * scale[r] * scale[c];
    });
    const vanished = cholesky(A, m, pivotTolerance);
    const weak = vanished >= 0 ? vanished : weakest(A, m);
    if (weak !== undefined) {
      dropped.push(free[weak]);
      free = free.filter((_, i) => i !== weak);
      continue;
    }
    // what a dropped one can be exchanged for is not determined either, though it has a curvature while the other is held
    const exchanged = dropped.map((d) => {
      const along = Float64Array.from(free, (i, r) => (H[i * n + d] * scale[r]) / Math.sqrt(H[d * n + d]));
      choleskySolve(A, along, m, 1);
      return [d, ...free.filter((_, r) => Math.abs(along[r]) > partTolerance)];
    });
    for (const i of exchanged.flat()) {
      const others = new Set(exchanged.filter((group) => group.includes(i)).flat());
      others.delete(i);
      undetermined.set(
        i,
        [...others].sort((a, b) => a - b),
      );
    }
    const inverse = Float64Array.from({ length: m * m }, (_, at) => (at % (m + 1) === 0 ? 1 : 0));
    choleskySolve(A, inverse, m, m);
    covariance = inverse.map((entry, at) => entry * scale[Math.floor(at / m)] * scale[at % m]);
  }
  const groups = equations.gradients.length;
  const localCount = equations.local.reduce((total, { gradient }) => total + gradient.length, 0);
  const freedom = kind === "recordings" ? groups - 1 : equations.rows - free.length - localCount;
  if (covariance && freedom > 0) {
    const m = free.length;
    const full = kind === "recordings" ? sandwich(covariance, free, equations.gradients) : covariance;
    const factor = kind === "recordings" ? groups / (groups - 1) : meanSquare(equations, freedom);
    free.forEach((i, r) => {
      if (undetermined.has(i)) return;
      deviations[i] = Math.sqrt(factor * full[r * m + r]);
    });
  }
  const places = new Map(free.map((i, r) => [i, r]));
  const whole = covariance && new Float64Array(n * n);
  for (const [i, r] of places)
    for (const [j, c] of places) if (whole && covariance) whole[i * n + j] = covariance[r * free.length + c];
  return { deviations, factor: studentFactor(Math.max(1, freedom)), undetermined, atBound, covariance: whole };
}

/** How far θ has moved, in standard deviations: √(δᵀ H̃ δ)/s, along all directions that the data determine. */
export function standardMove(equations: FitEquations, before: Float64Array, now: Float64Array): number {
  const n = now.length;
  const H = reducedHessian(equations, n);
  const localCount = equations.local.reduce((total, { gradient }) => total + gradient.length, 0);
  const freedom = equations.rows - n - localCount;
  let square = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) square += (now[i] - before[i]) * H[i * n + j] * (now[j] - before[j]);
  }
  return freedom > 0 ? Math.sqrt(Math.max(0, square) / meanSquare(equations, freedom)) : Number.POSITIVE_INFINITY;
}

/** s². */
function meanSquare({ scatter, resistance, rows }: FitEquations, freedom: number): number {
  return scatter / freedom / (resistance / rows);
}

/** Residuals of this root mean square, in standard deviations of the noise, are rounding. */
const nothing = 1e-5;
/** The cost changes by this much, per row, where simulations end in other last digits. */
const flicker = (10 * nothing) ** 2;

/** Whether nothing is left but rounding. */
export function isNothing({ squares, rows }: FitEquations): boolean {
  return squares <= nothing ** 2 * rows;
}

/** A rise of the cost that rounding may bring about. */
export function roundingOf({ rows }: FitEquations): number {
  return flicker * rows;
}

/** Mean product of residuals of a frame and the next over their mean square: 0 where frames err independently. */
export function serialCorrelation({ scatter, rows, lagged, laggedRows }: FitEquations): number {
  return laggedRows > 0 && scatter > 0 ? lagged / laggedRows / (scatter / rows) : 0;
}

/** The row of L whose pivot is nothing but rounding, of a matrix with ones on its diagonal. */
function weakest(L: Float64Array, m: number): number | undefined {
  for (let i = 0; i < m; i++) if (L[i * m + i] ** 2 < rankTolerance) return i;
  return undefined;
}

function reducedHessian({ hessian, local }: NormalEquations, n: number): Float64Array {
  const H = Float64Array.from(hessian);
  for (const own of local) {
    const m = own.gradient.length;
    const factor = localFactor(own);
    if (!factor) continue;
    for (let j = 0; j < n; j++) {
      const column = Float64Array.from({ length: m }, (_, i) => own.cross[i * n + j]);
      choleskySolve(factor, column, m, 1);
      for (let r = 0; r < m; r++) for (let i = 0; i < n; i++) H[i * n + j] -= own.cross[r * n + i] * column[r];
    }
  }
  return H;
}

/** −Hλ⁻¹ C δθ of every start: how its numbers follow a change of θ. */
export function localsAlong({ local }: NormalEquations, change: Float64Array): Float64Array[] {
  const n = change.length;
  return local.map((own) => {
    const m = own.gradient.length;
    const factor = localFactor(own);
    const out = new Float64Array(m);
    if (!factor) return out;
    for (let i = 0; i < m; i++) for (let j = 0; j < n; j++) out[i] -= own.cross[i * n + j] * change[j];
    choleskySolve(factor, out, m, 1);
    return out;
  });
}

/** Hλ as its Cholesky factor; undefined where it is singular. */
function localFactor({ hessian, gradient }: LocalSystem): Float64Array | undefined {
  const m = gradient.length;
  const ridged = Float64Array.from(hessian);
  for (let i = 0; i < m; i++) ridged[i * m + i] = Math.max(ridged[i * m + i] * (1 + 1e-12), Number.MIN_VALUE);
  return cholesky(ridged, m, pivotTolerance) >= 0 ? undefined : ridged;
}

function sandwich(covariance: Float64Array, free: readonly number[], gradients: readonly Float64Array[]): Float64Array {
  const m = free.length;
  const out = new Float64Array(m * m);
  for (const gradient of gradients) {
    const moved = new Float64Array(m);
    for (let r = 0; r < m; r++) for (let c = 0; c < m; c++) moved[r] += covariance[r * m + c] * gradient[free[c]];
    for (let r = 0; r < m; r++) for (let c = 0; c < m; c++) out[r * m + c] += moved[r] * moved[c];
  }
  return out;
}

/** The 97.5% point of Student's distribution: exact for 1 and 2 degrees of freedom, to 0.2% from 3 on (Cornish and Fisher). */
function studentFactor(freedom: number): number {
  if (freedom === 1) return Math.tan(0.475 * Math.PI);
  if (freedom === 2) return 0.95 * Math.sqrt(2 / (1 - 0.95 ** 2));
  const z = 1.959964;
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  const fourth = (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / 92160;
  return z + (first + (second + (third + fourth / freedom) / freedom) / freedom) / freedom;
}
