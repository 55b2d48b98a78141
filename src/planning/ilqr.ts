/**
 * Iterative linear-quadratic regulation on a trajectory that may have gaps (multiple shooting, FDDP): a state guess need not be one that
 * the inputs lead to.
 *   1. linearise the dynamics and expand the cost at every knot            [counted as one iteration: the pass of gradients]
 *   2. backward pass (riccati.ts), regularised until it succeeds
 *   3. try û = u + α k + K (x̂ ⊖ x), x̂₊ = f(x̂, û) ⊕ −(1 − α) g for α = 1, ½, ¼ …: a step α closes the gaps by the part α
 *   4. accept where the merit J + ν Σ‖g‖₁ falls by a part of what the model expects
 * The gradients may be smoothed while the steps are sharp, so the model can promise more than the steps keep: α may then get small.
 */
import { dot } from "../math/index.ts";
import type { PathParameter } from "../simulation/index.ts";
import { addTimesInto } from "./dense.ts";
import { clamp, type Expansion, type Objective, type TrajectoryProblem } from "./problem.ts";
import { type LinearStage, type Regularization, RiccatiPass } from "./riccati.ts";

export interface LineSearch {
  /** The smallest step length that is tried. */
  readonly smallest: number;
  /** The part of the expected decrease that is enough. */
  readonly sufficient: number;
}

const regularizationFactor = 10;
const smallestRegularization = 1e-6;
const largestRegularization = 1e6;
/** Regularisation of the directions that are searched where the first has led nowhere. */
const leastSearched = 0.1;
const mostSearched = 1e2;
const searchFactor = 10;
/** Part of the merit's slope that the gaps must make up for, which sets their weight ν. */
const gapShare = 0.5;

export class Ilqr {
  readonly states: Float64Array[];
  readonly inputs: Float64Array[];
  /** J at the current trajectory. */
  cost = Number.NaN;
  /** Σ‖g‖₁ of the current trajectory; 0 where the states follow from the inputs. */
  gapNorm = 0;
  /** Passes of gradients so far. */
  iterations = 0;
  /** The step of the start that could not be taken, −1 where all could. */
  failedStep = -1;
  /** Step length of the last iteration. */
  stepLength = 0;
  regularization = 0;
  /** What the regularisation holds back: changes of the inputs, or of the states that they lead to. */
  holdsBack: "inputs" | "states" = "inputs";
  /** What the last backward pass promised for α = 1; negative. */
  expectedChange = 0;
  readonly riccati: RiccatiPass;
  readonly stages: readonly (LinearStage & { readonly gap: Float64Array })[];

  private readonly problem: TrajectoryProblem;
  private readonly objective: Objective;
  private readonly last: Expansion;
  private readonly trialStates: Float64Array[];
  private readonly trialInputs: Float64Array[];
  private readonly reached: Float64Array;
  private readonly delta: Float64Array;
  private readonly deltaNext: Float64Array;
  private readonly inputChange: Float64Array;
  private gapWeight = 0;
  private slope = 0;
  private usesPlainRegularization = false;

  /** `objective` may be another one than the problem's, an augmented Lagrangian say. */
  constructor(problem: TrajectoryProblem, objective: Objective = problem.objective) {
    const { dynamics, steps } = problem;
    const { stateSize, tangentSize: n, inputSize: m } = dynamics;
    this.problem = problem;
    this.objective = objective;
    const newStates = (): Float64Array[] => Array.from({ length: steps + 1 }, () => new Float64Array(stateSize));
    const newInputs = (): Float64Array[] => Array.from({ length: steps }, () => new Float64Array(m));
    this.states = newStates();
    this.inputs = newInputs();
    this.trialStates = newStates();
    this.trialInputs = newInputs();
    this.reached = new Float64Array(stateSize);
    this.delta = new Float64Array(n);
    this.deltaNext = new Float64Array(n);
    this.inputChange = new Float64Array(m);
    this.last = newExpansion(n, 0);
    this.stages = Array.from({ length: steps }, () => ({
      A: new Float64Array(n * n),
      B: new Float64Array(n * m),
      gap: new Float64Array(n),
      expansion: newExpansion(n, m),
      lower: new Float64Array(m).fill(Number.NEGATIVE_INFINITY),
      upper: new Float64Array(m).fill(Number.POSITIVE_INFINITY),
    }));
    this.riccati = new RiccatiPass(steps, n, m);
  }

  /** Starts from inputs, and from states where there is a guess of them. False where no step can be taken, or the cost is no number. */
  begin(start: Float64Array, inputs: readonly ArrayLike<number>[], states?: readonly Float64Array[]): boolean {
    const { dynamics, inputBounds } = this.problem;
    this.inputs.forEach((input, k) => {
      input.set(inputs[k]);
      clamp(input, inputBounds);
    });
    this.gapWeight = this.regularization = 0;
    this.usesPlainRegularization = false;
    this.states[0].set(start);
    this.gapNorm = 0;
    this.failedStep = -1;
    for (let k = 0; k < this.inputs.length; k++) {
      const { gap } = this.stages[k];
      gap.fill(0);
      const next = this.states[k + 1];
      if (!dynamics.step(states ? this.reached : next, this.states[k], this.inputs[k], k)) {
        this.failedStep = k;
        return false;
      }
      if (!states) continue;
      next.set(states[k + 1]);
      dynamics.differenceInto(gap, this.reached, next);
      this.gapNorm += norm1(gap);
    }
    this.cost = this.costOf(this.states, this.inputs);
    return Number.isFinite(this.cost);
  }

  /** Starts from the rollout of a policy that writes its input at each state. False where no step can be taken. */
  beginFollowing(start: Float64Array, policy: (input: Float64Array, k: number, state: Float64Array) => void): boolean {
    const { dynamics, inputBounds } = this.problem;
    this.gapWeight = this.regularization = this.gapNorm = 0;
    this.usesPlainRegularization = false;
    this.states[0].set(start);
    for (let k = 0; k < this.inputs.length; k++) {
      this.stages[k].gap.fill(0);
      policy(this.inputs[k], k, this.states[k]);
      clamp(this.inputs[k], inputBounds);
      if (!dynamics.step(this.states[k + 1], this.states[k], this.inputs[k], k)) return false;
    }
    this.cost = this.costOf(this.states, this.inputs);
    return Number.isFinite(this.cost);
  }

  /** The cost again, after the objective has changed. */
  refreshCost(): void {
    this.cost = this.costOf(this.states, this.inputs);
  }

  /** The pass of gradients. Returns the first knot that has none, or −1. */
  linearize(path: PathParameter): number {
    const { dynamics } = this.problem;
    this.iterations++;
    for (let k = 0; k < this.stages.length; k++) {
      const { A, B } = this.stages[k];
      if (!dynamics.linearize(A, B, this.states[k], this.inputs[k], k, path)) return k;
    }
    return -1;
  }

  /** Expands the cost and runs the backward pass with as much regularisation as it takes. False where none helps. */
  backward(): boolean {
    const { stages, inputs, last } = this;
    const { inputBounds } = this.problem;
    for (let k = 0; k < stages.length; k++) {
      const { expansion, lower, upper } = stages[k];
      clearExpansion(expansion);
      this.objective.expandInto(expansion, k, this.states[k], inputs[k]);
      if (!inputBounds) continue;
      for (let i = 0; i < lower.length; i++) {
        lower[i] = inputBounds.lower[i] - inputs[k][i];
        upper[i] = inputBounds.upper[i] - inputs[k][i];
      }
    }
    clearExpansion(last);
    this.objective.expandInto(last, stages.length, this.states[stages.length], noInput);
    for (;;) {
      if (this.riccati.run(stages, last, this.regularizations())) break;
      if (!this.regularizeMore()) return false;
    }
    this.predict();
    return true;
  }

  /** The step along the last backward pass. False where no α lowers the merit enough. */
  forward({ smallest, sufficient }: LineSearch): boolean {
    const merit = this.cost + this.gapWeight * this.gapNorm;
    for (let alpha = 1; alpha >= smallest; alpha *= 0.5) {
      const cost = this.trial(alpha);
      const gaps = alpha === 1 ? 0 : (1 - alpha) * this.gapNorm;
      const tried = cost + this.gapWeight * gaps;
      if (!(tried <= merit + sufficient * alpha * this.slope)) continue;
      this.accept(alpha, cost);
      return true;
    }
    this.stepLength = 0;
    return false;
  }

  /** The trial of step length α; its cost, ∞ where a step could not be taken. Inputs change by α k and the feedback, or by α `change` and the feedback. */
  trial(alpha: number, change?: readonly Float64Array[]): number {
    const { dynamics, inputBounds } = this.problem;
    const { trialStates, trialInputs, delta, reached, stages } = this;
    const { policies } = this.riccati;
    trialStates[0].set(this.states[0]);
    let cost = 0;
    for (let k = 0; k < stages.length; k++) {
      const { gain, change: own } = policies[k];
      const input = trialInputs[k];
      const push = change ? change[k] : own;
      dynamics.differenceInto(delta, trialStates[k], this.states[k]);
      for (let i = 0; i < input.length; i++) input[i] = this.inputs[k][i] + alpha * push[i];
      addTimesInto(input, gain, delta, input.length, delta.length);
      clamp(input, inputBounds);
      cost += this.objective.value(k, trialStates[k], input);
      if (!Number.isFinite(cost)) return Number.POSITIVE_INFINITY;
      const keepsGap = alpha < 1 && this.gapNorm > 0;
      const next = trialStates[k + 1];
      if (!dynamics.step(keepsGap ? reached : next, trialStates[k], input, k)) return Number.POSITIVE_INFINITY;
      if (!keepsGap) continue;
      const { gap } = stages[k];
      for (let i = 0; i < gap.length; i++) delta[i] = (alpha - 1) * gap[i];
      dynamics.retractInto(next, reached, delta);
    }
    cost += this.objective.value(stages.length, trialStates[stages.length], noInput);
    return Number.isFinite(cost) ? cost : Number.POSITIVE_INFINITY;
  }

  /** States and inputs of the last trial. */
  get tried(): { readonly states: readonly Float64Array[]; readonly inputs: readonly Float64Array[] } {
    return { states: this.trialStates, inputs: this.trialInputs };
  }

  /** Takes the last trial over. */
  accept(alpha: number, cost: number): void {
    this.stepLength = alpha;
    this.cost = cost;
    this.states.forEach((state, k) => {
      state.set(this.trialStates[k]);
    });
    this.inputs.forEach((input, k) => {
      input.set(this.trialInputs[k]);
    });
    this.gapNorm = 0;
    for (const { gap } of this.stages) {
      for (let i = 0; i < gap.length; i++) gap[i] *= 1 - alpha;
      this.gapNorm += norm1(gap);
    }
  }

  /** Less regularisation after a good step. */
  regularizeLess(): void {
    const less = this.regularization / regularizationFactor;
    this.regularization = less < smallestRegularization ? 0 : less;
    if (this.regularization === 0) this.usesPlainRegularization = false;
  }

  /**
   * Regularises, after a search that found nothing along the last direction, by enough for another one. Regularisation far below 1 is scaled by Q_uu and turns
   * nothing. False where the directions are used up.
   */
  searchElsewhere(): boolean {
    if (this.regularization >= mostSearched) return false;
    this.regularization = Math.max(leastSearched, this.regularization * searchFactor);
    return true;
  }

  /** More after a bad one; the plain kind when scaling by diag(Q_uu) is used up. False at the end of both. */
  regularizeMore(): boolean {
    const more = Math.max(smallestRegularization, this.regularization * regularizationFactor);
    if (more <= largestRegularization) {
      this.regularization = more;
      return true;
    }
    if (this.usesPlainRegularization) return false;
    this.usesPlainRegularization = true;
    this.regularization = smallestRegularization;
    return true;
  }

  private regularizations(): Regularization {
    const { regularization } = this;
    if (this.usesPlainRegularization) return { scaled: 0, plain: regularization, states: 0 };
    return this.holdsBack === "states"
      ? { scaled: 0, plain: 0, states: regularization }
      : { scaled: regularization, plain: 0, states: 0 };
  }

  /**
   * The slope of the merit along the model's solution, and the weight of the gaps that makes it one of descent:
   *   δJ = Σ ℓ_xᵀδx + ℓ_uᵀδu,   ν ≥ (δJ + ½ δᵀHδ) / (share · Σ‖g‖₁),   slope = δJ − ν Σ‖g‖₁
   */
  private predict(): void {
    const { stages, delta, deltaNext, inputChange } = this;
    const { policies } = this.riccati;
    delta.fill(0);
    let slope = 0;
    let curved = 0;
    for (let k = 0; k < stages.length; k++) {
      const { A, B, gap, expansion } = stages[k];
      const { change, gain } = policies[k];
      const { lx, lu, lxx, lux, luu } = expansion;
      inputChange.set(change);
      addTimesInto(inputChange, gain, delta, inputChange.length, delta.length);
      clamp(inputChange, stages[k]);
      slope += dot(lx, delta) + dot(lu, inputChange);
      if (this.gapNorm > 0) {
        curved += quadratic(lxx, delta) + quadratic(luu, inputChange) + 2 * bilinear(lux, inputChange, delta);
      }
      deltaNext.set(gap);
      addTimesInto(deltaNext, A, delta, delta.length, delta.length);
      addTimesInto(deltaNext, B, inputChange, delta.length, inputChange.length);
      delta.set(deltaNext);
    }
    slope += dot(this.last.lx, delta);
    if (this.gapNorm > 0) {
      curved += quadratic(this.last.lxx, delta);
      const wanted = (slope + 0.5 * curved) / (gapShare * this.gapNorm);
      if (wanted > this.gapWeight) this.gapWeight = wanted;
    }
    this.slope = slope - this.gapWeight * this.gapNorm;
    this.expectedChange = this.gapNorm > 0 ? this.slope : 0.5 * slope;
  }

  private costOf(states: readonly Float64Array[], inputs: readonly Float64Array[]): number {
    let cost = this.objective.value(inputs.length, states[inputs.length], noInput);
    for (let k = 0; k < inputs.length; k++) cost += this.objective.value(k, states[k], inputs[k]);
    return cost;
  }
}

const noInput = new Float64Array(0);

function newExpansion(n: number, m: number): Expansion {
  return {
    lx: new Float64Array(n),
    lu: new Float64Array(m),
    lxx: new Float64Array(n * n),
    lux: new Float64Array(m * n),
    luu: new Float64Array(m * m),
  };
}

function clearExpansion({ lx, lu, lxx, lux, luu }: Expansion): void {
  lx.fill(0);
  lu.fill(0);
  lxx.fill(0);
  lux.fill(0);
  luu.fill(0);
}

function norm1(a: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += Math.abs(a[i]);
  return sum;
}

/** yᵀ M x with M (y × x). */
function bilinear(M: Float64Array, y: Float64Array, x: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < y.length; i++) {
    let row = 0;
    for (let j = 0; j < x.length; j++) row += M[i * x.length + j] * x[j];
    sum += y[i] * row;
  }
  return sum;
}

const quadratic = (M: Float64Array, x: Float64Array): number => bilinear(M, x, x);
