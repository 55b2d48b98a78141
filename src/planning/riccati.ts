/**
 * The backward pass of iLQR: the best change of all inputs for the linear-quadratic model about a trajectory that may have gaps,
 *   δx₊ = A δx + B δu + g,      g = f(x, u) ⊖ x₊
 * from the last knot to the first, with V' = Vₓ + Vₓₓ g of the next knot:
 *   Q_x = ℓ_x + Aᵀ V'          Q_xx = ℓ_xx + Aᵀ Vₓₓ A
 *   Q_u = ℓ_u + Bᵀ V'          Q_ux = ℓ_ux + Bᵀ Vₓₓ A          Q_uu = ℓ_uu + Bᵀ Vₓₓ B
 *   δu = k + K δx minimises the model within the inputs' bounds; K has zero rows where k stands at a bound
 *   V_x = Q_x + Kᵀ(Q_uu k + Q_u) + Q_uxᵀ k      V_xx = Q_xx + Kᵀ(Q_uu K + Q_ux) + Q_uxᵀ K
 * The minimisation uses Q̃_uu = Q_uu + μ diag(Q_uu) + ν I + ξ BᵀB and Q̃_ux = Q_ux + ξ BᵀA; the value function uses Q_uu and Q_ux themselves.
 * ξ = ς tr(Vₓₓ)/n is a cost of leaving the trajectory: ½ ξ ‖δx₊‖². It holds back what the dynamics make large, where μ holds back the inputs.
 */
import { choleskySolve } from "../math/index.ts";
import { BoxQp } from "./boxQp.ts";
import {
  addProductInto,
  addTimesInto,
  addTransposedProductInto,
  addTransposedTimesInto,
  mirrorLower,
} from "./dense.ts";
import type { Expansion } from "./problem.ts";

export interface Regularization {
  /** μ, in parts of the diagonal of Q_uu. */
  readonly scaled: number;
  /** ν. */
  readonly plain: number;
  /** ς, in parts of the mean diagonal of Vₓₓ. */
  readonly states: number;
}

/** What the pass reads of one knot. */
export interface LinearStage {
  readonly A: Float64Array;
  readonly B: Float64Array;
  readonly gap: Float64Array;
  readonly expansion: Expansion;
  /** Room of the inputs: lower − u and upper − u. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/** What the pass writes of one knot. */
export interface StagePolicy {
  /** k, the change of the inputs. */
  readonly change: Float64Array;
  /** K, inputs × tangents. */
  readonly gain: Float64Array;
  /** Q_uu with what was added to it, for the projection. */
  readonly curvature: Float64Array;
  /** 1 where the input stands at no bound. */
  readonly free: Uint8Array;
}

export class RiccatiPass {
  readonly policies: readonly StagePolicy[];
  /** Σ Q_uᵀk, the slope of the cost along the change of inputs where there are no gaps. */
  slope = 0;

  private readonly n: number;
  private readonly m: number;
  private readonly bounded: BoxQp;
  private readonly VA: Float64Array;
  private readonly VB: Float64Array;
  private readonly Vxx: Float64Array;
  private readonly Vx: Float64Array;
  private readonly carried: Float64Array;
  private readonly Qxx: Float64Array;
  private readonly Qux: Float64Array;
  private readonly Quu: Float64Array;
  private readonly Qu: Float64Array;
  /** Q̃_ux. */
  private readonly heldQux: Float64Array;
  private readonly T: Float64Array;
  private readonly rhs: Float64Array;

  constructor(steps: number, tangentSize: number, inputSize: number) {
    const [n, m] = [tangentSize, inputSize];
    this.n = n;
    this.m = m;
    this.bounded = new BoxQp(m);
    this.VA = new Float64Array(n * n);
    this.VB = new Float64Array(n * m);
    this.Vxx = new Float64Array(n * n);
    this.Vx = new Float64Array(n);
    this.carried = new Float64Array(n);
    this.Qxx = new Float64Array(n * n);
    this.Qux = new Float64Array(m * n);
    this.Quu = new Float64Array(m * m);
    this.Qu = new Float64Array(m);
    this.heldQux = new Float64Array(m * n);
    this.T = new Float64Array(m * n);
    this.rhs = new Float64Array(m * n);
    this.policies = Array.from({ length: steps }, () => ({
      change: new Float64Array(m),
      gain: new Float64Array(m * n),
      curvature: new Float64Array(m * m),
      free: new Uint8Array(m),
    }));
  }

  /** False where Q̃_uu of some knot is not positive definite: regularise more. */
  run(stages: readonly LinearStage[], last: Expansion, regularization: Regularization): boolean {
    this.Vx.set(last.lx);
    this.Vxx.set(last.lxx);
    this.slope = 0;
    for (let k = stages.length - 1; k >= 0; k--) {
      this.expand(stages[k]);
      if (!this.minimize(stages[k], this.policies[k], regularization)) return false;
      this.updateValue(this.policies[k]);
    }
    return true;
  }

  /** The Q terms of one knot; Q_x stays in `Vx`, whose old value has been used. */
  private expand({ A, B, gap, expansion }: LinearStage): void {
    const { n, m, VA, VB, Vxx, Vx, carried, Qxx, Qux, Quu, Qu } = this;
    carried.set(Vx);
    addTimesInto(carried, Vxx, gap, n, n);
    VA.fill(0);
    addProductInto(VA, Vxx, A, n, n, n);
    VB.fill(0);
    addProductInto(VB, Vxx, B, n, n, m);
    Vx.set(expansion.lx);
    addTransposedTimesInto(Vx, A, carried, n, n);
    Qu.set(expansion.lu);
    addTransposedTimesInto(Qu, B, carried, n, m);
    Qxx.set(expansion.lxx);
    addTransposedProductInto(Qxx, A, VA, n, n, n, true);
    Qux.set(expansion.lux);
    addTransposedProductInto(Qux, B, VA, n, m, n);
    Quu.set(expansion.luu);
    addTransposedProductInto(Quu, B, VB, n, m, m, true);
    mirrorLower(Quu, m);
  }

  private minimize(stage: LinearStage, policy: StagePolicy, { scaled, plain, states }: Regularization): boolean {
    const { n, m, bounded, Quu, Qu, rhs } = this;
    const { lower, upper } = stage;
    const { change, gain, curvature, free } = policy;
    curvature.set(Quu);
    for (let i = 0; i < m; i++) curvature[i * m + i] += scaled * Math.abs(Quu[i * m + i]) + plain;
    const Qux = states > 0 ? this.holdStates(stage, curvature, states) : this.Qux;
    if (!bounded.solve(curvature, Qu, lower, upper)) return false;
    change.set(bounded.solution);
    free.set(bounded.free);
    // gains of the free inputs: K_f = −Q̃_ff⁻¹ Q_fx
    const { freeCount, freeIndices, factor } = bounded;
    for (let i = 0; i < freeCount; i++) for (let j = 0; j < n; j++) rhs[i * n + j] = -Qux[freeIndices[i] * n + j];
    choleskySolve(factor, rhs, freeCount, n);
    gain.fill(0);
    for (let i = 0; i < freeCount; i++) gain.set(rhs.subarray(i * n, (i + 1) * n), freeIndices[i] * n);
    for (let i = 0; i < m; i++) this.slope += Qu[i] * change[i];
    return true;
  }

  /** Adds ξ BᵀB to the curvature, and returns Q̃_ux. */
  private holdStates({ A, B }: LinearStage, curvature: Float64Array, share: number): Float64Array {
    const { n, m, Vxx, VA, VB, heldQux } = this;
    let trace = 0;
    for (let i = 0; i < n; i++) trace += Vxx[i * n + i];
    const xi = (share * trace) / n;
    // what V_xx A and V_xx B were for is done
    for (let i = 0; i < n * n; i++) VA[i] = xi * A[i];
    for (let i = 0; i < n * m; i++) VB[i] = xi * B[i];
    addTransposedProductInto(curvature, B, VB, n, m, m);
    heldQux.set(this.Qux);
    addTransposedProductInto(heldQux, B, VA, n, m, n);
    return heldQux;
  }

  private updateValue({ change, gain }: StagePolicy): void {
    const { n, m, Vxx, Vx, Qxx, Qux, Quu, Qu, T } = this;
    // Qu ← Q_uu k + Q_u
    addTimesInto(Qu, Quu, change, m, m);
    addTransposedTimesInto(Vx, gain, Qu, m, n);
    addTransposedTimesInto(Vx, Qux, change, m, n);
    T.set(Qux);
    addProductInto(T, Quu, gain, m, m, n);
    addTransposedProductInto(Qxx, gain, T, m, n, n, true);
    addTransposedProductInto(Qxx, Qux, gain, m, n, n, true);
    mirrorLower(Qxx, n);
    Vxx.set(Qxx);
  }
}
