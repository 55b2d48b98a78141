/**
 * Model-predictive control: the planner in a loop. Every so often it plans a short horizon ahead from where the mechanism is now, with one
 * pass of gradients or a few; in between, the plan's inputs and feedback gains act (planFeedback.ts).
 * A plan starts warm: the last one, moved on in time, is rolled out from the new state under its own feedback. Rolled out by its inputs
 * alone it would fall over wherever the mechanism does. Where no step length improves that rollout it is kept, with the gains about it.
 *
 * It is deterministic: the same states give the same plans. How often it is called is the caller's choice, by steps or by a clock.
 */
import { ArgumentError, optionNamesOf, requireOptionNames } from "../mechanism/index.ts";
import { type PathParameter, pathNames } from "../simulation/index.ts";
import { AugmentedObjective } from "./augmentedObjective.ts";
import { Ilqr } from "./ilqr.ts";
import { type CompiledTask, compileTask, type PlanningTask } from "./plan.ts";
import { blendInto, FeedbackFollower, knotsIn, type PlanFeedback } from "./planFeedback.ts";

export interface RecedingHorizonOptions {
  /** Passes of gradients per plan. Default 1. */
  readonly iterations?: number;
  /** Where on the central path gradients are taken. Default relative κ 0.1. */
  readonly path?: PathParameter;
  /**
   * The same for the plan after one that has stalled. Softer gradients feel contacts that are yet to be made or left, and a legged robot
   * that is stuck askew finds the step that it needs. Default `path`.
   */
  readonly stalledPath?: PathParameter;
  /** The smallest step length that is tried. Default ¼. */
  readonly smallestStep?: number;
  /** Weight of the task's constraints, which are penalties here: ½ ρ c². Default 100. */
  readonly penalty?: number;
  /** Interval over which velocities of the states handed in are means: the time step of the plant. Default that of the plan. */
  readonly interval?: number;
}

const optionNames = optionNamesOf<RecedingHorizonOptions>()(
  "iterations path stalledPath smallestStep penalty interval",
);

type HorizonNumbers = Required<Omit<RecedingHorizonOptions, "path" | "stalledPath">>;

/** The part of the expected decrease that is enough. */
const sufficient = 1e-4;

/**
 * Regularisation goes on from plan to plan, in parts of the diagonal of Q_uu: more by this factor after a plan that no step length
 * improved, less after one that did. Begun anew in every plan, a robot at rest would try the same step again and again. Softer gradients
 * have their own: what they promise and do not keep says nothing of the others.
 */
const caution = 10;
const [leastRegularization, mostRegularization] = [1e-3, 1e3];
/** A plan has stalled whose cost fell by less than this part of it. */
const little = 0.02;

interface Gradients {
  readonly path: PathParameter;
  regularization: number;
}

/** A part of the last plan, kept while the next one is made. */
interface Knot {
  readonly input: Float64Array;
  readonly state: Float64Array;
  readonly gain: Float64Array;
}

export class RecedingHorizon {
  readonly compiled: CompiledTask;
  /** Plans made so far; those of them that no step length improved; those that had no gradients or no rollout. */
  readonly counts = { plans: 0, unimproved: 0, failed: 0 };
  private readonly ilqr: Ilqr;
  private readonly options: HorizonNumbers;
  private readonly timestep: number;
  private readonly usual: Gradients;
  private readonly softer: Gradients;
  private hasStalled = false;
  /** The last plan, moved on to the time of the next. */
  private readonly shifted: readonly Knot[];
  private readonly follower: FeedbackFollower;
  private readonly current: PlanFeedback;

  constructor(task: PlanningTask, options: RecedingHorizonOptions = {}) {
    requireOptionNames("options", options, optionNames);
    const { timestep } = task.simulation;
    const { iterations = 1, path = { relativeKappa: 0.1 }, smallestStep = 0.25, penalty = 100 } = options;
    const { interval = timestep, stalledPath = path } = options;
    this.options = { iterations, smallestStep, penalty, interval };
    requireOptions(this.options);
    for (const given of [path, stalledPath]) requireOptionNames("options.path", given, pathNames);
    this.usual = { path, regularization: leastRegularization };
    this.softer = { path: stalledPath, regularization: leastRegularization };
    this.timestep = timestep;
    this.compiled = compileTask(task);
    const { problem, dynamics } = this.compiled;
    const augmented = new AugmentedObjective(problem);
    augmented.penalty = penalty;
    // a new controller starts cold: the same run then gives the same bits
    task.simulation.continuation = undefined;
    this.ilqr = new Ilqr(problem, augmented);
    const { stateSize, tangentSize: n, inputSize: m } = dynamics;
    const guess = task.guess?.inputs;
    this.shifted = Array.from({ length: task.steps }, (_, k) => ({
      input: Float64Array.from(guess?.[k] ?? new Float64Array(m)),
      state: new Float64Array(stateSize),
      gain: new Float64Array(m * n),
    }));
    this.follower = new FeedbackFollower(task.simulation, task.inputBounds, interval);
    const { inputs, states, riccati } = this.ilqr;
    this.current = { timestep, inputs, states, gains: riccati.policies.map(({ gain }) => gain) };
  }

  /** Inputs of the current plan. */
  get inputs(): readonly Float64Array[] {
    return this.ilqr.inputs;
  }

  /** States of the bodies along the current plan. */
  get states(): readonly Float64Array[] {
    return this.ilqr.states.map((state) => this.compiled.dynamics.bodiesOf(state));
  }

  /**
   * Plans from a state of the bodies, `elapsed` seconds after the last plan began. False where no step leads on from it, or a body is too
   * fast for the plan's time step: the last plan then goes on, moved to the new time.
   */
  plan(state: Float64Array, elapsed: number): boolean {
    const { options, counts } = this;
    if (!(elapsed >= 0 && elapsed < Number.POSITIVE_INFINITY))
      throw new ArgumentError("out-of-range", "elapsed", `${elapsed}: give seconds since the last plan, 0 or more`);
    const isFirst = counts.plans++ === 0;
    if (!isFirst) this.shift(knotsIn(elapsed, this.timestep));
    this.compiled.refreshParameters();
    if (!this.rollOut(state, isFirst)) {
      counts.failed++;
      this.resume();
      return false;
    }
    for (let i = 0; i < options.iterations; i++) if (!this.improve()) break;
    return true;
  }

  /** One more pass of gradients on the current plan, for those who have time left. False where it has none. */
  improve(): boolean {
    const { ilqr, options, counts } = this;
    // by turns: soft gradients alone would not let it stand still
    const gradients = this.hasStalled ? this.softer : this.usual;
    const { path, regularization } = gradients;
    this.hasStalled = false;
    ilqr.regularization = regularization > leastRegularization ? regularization : 0;
    if (ilqr.linearize(path) >= 0 || !ilqr.backward()) {
      counts.failed++;
      return false;
    }
    const before = ilqr.cost;
    const isImproved = ilqr.forward({ smallest: options.smallestStep, sufficient });
    if (!isImproved) counts.unimproved++;
    const next = isImproved ? regularization / caution : regularization * caution;
    gradients.regularization = Math.min(mostRegularization, Math.max(leastRegularization, next));
    this.hasStalled = gradients === this.usual && before - ilqr.cost < little * before;
    return true;
  }

  /** The input `since` seconds into the plan, for the state that the bodies are really in. */
  inputInto(out: Float64Array, since: number, state: Float64Array): void {
    const { inputSize } = this.compiled.dynamics;
    if (out.length !== inputSize)
      throw new ArgumentError("wrong-size", "out", `has ${out.length} numbers; give ${inputSize}, one per input`);
    this.follower.inputInto(out, this.current, since, state);
  }

  /** The current plan as data of its own, to be followed while the next one is made. */
  feedback(): PlanFeedback {
    const { timestep, inputs, states, gains } = this.current;
    const { tangentSize } = this.compiled.dynamics;
    return {
      timestep,
      inputs: inputs.map((input) => input.slice()),
      states: states.map((state) => state.slice(0, tangentSize)),
      gains: gains.map((gain) => gain.slice()),
    };
  }

  /** Moves the last plan on by some knots, or parts of one; past its end it goes on as it ended. */
  private shift(by: number): void {
    const { ilqr } = this;
    const { inputs, states } = ilqr;
    const { policies } = ilqr.riccati;
    const last = inputs.length - 1;
    this.shifted.forEach(({ input, state, gain }, i) => {
      const at = i + by;
      const k = Math.min(Math.floor(at), last);
      const next = Math.min(k + 1, last);
      const part = Math.min(1, at - k);
      blendInto(input, inputs[k], inputs[next], part);
      blendInto(state, states[k], states[k + 1], part);
      gain.set(policies[k].gain);
    });
  }

  /** The moved plan from a state, under its own feedback; where that leads nowhere, by its inputs alone. */
  private rollOut(state: Float64Array, isFirst: boolean): boolean {
    const { ilqr, shifted, compiled } = this;
    let now: Float64Array;
    try {
      now = compiled.dynamics.stateOf(state, isFirst ? undefined : shifted[0].state, this.options.interval);
    } catch (error) {
      if (error instanceof ArgumentError && error.code === "too-fast") return false;
      throw error;
    }
    if (!isFirst && ilqr.beginFollowing(now, (out, k, x) => this.follow(out, k, x))) return true;
    return ilqr.begin(
      now,
      shifted.map(({ input }) => input),
    );
  }

  /** The moved plan becomes the current one. */
  private resume(): void {
    const { ilqr, shifted } = this;
    shifted.forEach(({ input, state, gain }, k) => {
      ilqr.inputs[k].set(input);
      ilqr.states[k].set(state);
      ilqr.riccati.policies[k].gain.set(gain);
    });
    ilqr.states[shifted.length].set(shifted[shifted.length - 1].state);
  }

  /** The moved plan's input at a knot. */
  private follow(out: Float64Array, k: number, x: Float64Array): void {
    const { input, state, gain } = this.shifted[k];
    this.follower.knotInputInto(out, input, gain, x, state);
  }
}

function requireOptions({ iterations, smallestStep, penalty, interval }: HorizonNumbers): void {
  const require = (path: string, value: number, isGood: boolean, wanted: string): void => {
    if (!isGood)
      throw new ArgumentError("out-of-range", `options.${path}`, `${value}: give ${wanted}, or leave it out`);
  };
  const isPositive = (value: number): boolean => value > 0 && value < Number.POSITIVE_INFINITY;
  require("iterations", iterations, Number.isInteger(iterations) && iterations >= 0, "a whole number, 0 or more");
  require("smallestStep", smallestStep, smallestStep > 0 && smallestStep <= 1, "a number above 0 and up to 1");
  require("penalty", penalty, isPositive(penalty), "a number above 0");
  require("interval", interval, isPositive(interval), "seconds, more than 0");
}
