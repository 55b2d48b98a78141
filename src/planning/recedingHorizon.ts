/**
 * Model-predictive control: the planner in a loop. Every so often it plans a short horizon ahead from where the mechanism is now, warm from
 * the last plan moved on in time, with one iteration or a few; in between, the plan's inputs and feedback gains act,
 *   u = u_k + K_k (x ⊖ x_k).
 * It is deterministic: the same states give the same plans. How often it is called is the caller's choice, by steps or by a clock.
 */
import type { PathParameter } from "../simulation/index.ts";
import { AugmentedObjective } from "./augmentedObjective.ts";
import { addTimesInto } from "./dense.ts";
import { Ilqr } from "./ilqr.ts";
import { type CompiledTask, compileTask, type PlanningTask } from "./plan.ts";

export interface RecedingHorizonOptions {
  /** Passes of gradients per plan. Default 1. */
  readonly iterations?: number;
  /** Where on the central path gradients are taken. Default relative κ 0.1. */
  readonly path?: PathParameter;
  /** The smallest step length that is tried. Default ¼. */
  readonly smallestStep?: number;
  /** Weight of the task's constraints, which are penalties here: ½ ρ c². Default 100. */
  readonly penalty?: number;
}

export class RecedingHorizon {
  readonly compiled: CompiledTask;
  /** Plans made so far, and those of them that no step length improved. */
  readonly counts = { plans: 0, unimproved: 0, failed: 0 };
  private readonly ilqr: Ilqr;
  private readonly options: Required<RecedingHorizonOptions>;
  private readonly shifted: Float64Array[];
  private readonly rest: Float64Array;
  private readonly delta: Float64Array;
  private readonly now: Float64Array;

  /** `rest` is the input that continues a plan at its end, and the first guess. Default the last input of the plan. */
  constructor(task: PlanningTask, options: RecedingHorizonOptions = {}) {
    const { iterations = 1, path = { relativeKappa: 0.1 }, smallestStep = 0.25, penalty = 100 } = options;
    this.options = { iterations, path, smallestStep, penalty };
    this.compiled = compileTask(task);
    const { problem, dynamics } = this.compiled;
    const augmented = new AugmentedObjective(problem);
    augmented.penalty = penalty;
    this.ilqr = new Ilqr(problem, augmented);
    const guess = task.guess?.inputs;
    this.shifted = Array.from({ length: task.steps }, (_, k) =>
      Float64Array.from(guess?.[k] ?? new Float64Array(dynamics.inputSize)),
    );
    this.rest = this.shifted[task.steps - 1].slice();
    this.delta = new Float64Array(dynamics.tangentSize);
    this.now = new Float64Array(dynamics.stateSize);
  }

  /** Inputs of the current plan. */
  get inputs(): readonly Float64Array[] {
    return this.ilqr.inputs;
  }

  /** States of the bodies along the current plan. */
  get states(): readonly Float64Array[] {
    return this.ilqr.states.map((state) => this.compiled.dynamics.bodiesOf(state));
  }

  /** Plans from a state of the bodies, `elapsed` steps of the plan after the last one. False where not even the old plan can be followed from here. */
  plan(state: Float64Array, elapsed: number): boolean {
    const { ilqr, options, shifted } = this;
    const { dynamics, refreshParameters } = this.compiled;
    if (this.counts.plans > 0) {
      shifted.forEach((input, k) => {
        input.set(ilqr.inputs[k + elapsed] ?? this.rest);
      });
    }
    refreshParameters();
    this.counts.plans++;
    this.now.set(dynamics.stateOf(state, this.counts.plans > 1 ? this.now : undefined));
    if (!ilqr.begin(this.now, shifted)) {
      // the old plan leads nowhere from here: try to hold
      if (
        !ilqr.begin(
          this.now,
          shifted.map(() => this.rest),
        )
      ) {
        this.counts.failed++;
        return false;
      }
    }
    for (let i = 0; i < options.iterations; i++) {
      if (ilqr.linearize(options.path) >= 0 || !ilqr.backward()) {
        this.counts.failed++;
        return true;
      }
      if (!ilqr.forward({ smallest: options.smallestStep, sufficient: 1e-4 })) {
        this.counts.unimproved++;
        ilqr.regularizeMore();
      } else ilqr.regularizeLess();
    }
    return true;
  }

  /** The input `k` steps into the plan, for the state that the bodies are really in. */
  inputInto(out: Float64Array, k: number, state: Float64Array): void {
    const { ilqr, delta } = this;
    const { dynamics, problem } = this.compiled;
    const at = Math.min(k, ilqr.inputs.length - 1);
    this.now.set(dynamics.stateOf(state, ilqr.states[at]));
    dynamics.differenceInto(delta, this.now, ilqr.states[at]);
    out.set(ilqr.inputs[at]);
    addTimesInto(out, ilqr.riccati.policies[at].gain, delta, out.length, delta.length);
    const { inputBounds } = problem;
    if (!inputBounds) return;
    for (let i = 0; i < out.length; i++)
      out[i] = Math.min(inputBounds.upper[i], Math.max(inputBounds.lower[i], out[i]));
  }
}
