/**
 * An environment in Gymnasium's shape. Equal seeds give the same bits, and so does a rollout of the simulation with the same actions.
 *   reset({ seed }) → { observation, info }
 *   step(action) → { observation, reward, terminated, truncated, info }
 * `resetInto` and `stepInto` are the same without allocating.
 */
import { maximalFromMinimal, minimalStateInto, needsClosure } from "../coordinates/index.ts";
import { impulseSize } from "../kernels/index.ts";
import { Random, type Vector3 } from "../math/index.ts";
import { ArgumentError, type Mechanism, requireOptionNames } from "../mechanism/index.ts";
import { Simulation, type SimulationOptions, type StepReport, stateFromMinimal } from "../simulation/index.ts";
import type { EnvironmentDescription } from "./description.ts";
import type { EnvironmentFunctions } from "./environmentFunctions.ts";
import { type EnvironmentParts, environmentParts } from "./environmentParts.ts";
import type { RunningMoment } from "./moment.ts";
import { lengthOf, notFinite, valueText } from "./refusals.ts";
import type { BoxSpace } from "./space.ts";

export interface EnvironmentInfo {
  /** Steps of the environment since the reset, and seconds. */
  readonly steps: number;
  readonly time: number;
  /** How the solver ended; "solved" after a reset. */
  readonly status: StepReport["status"];
}

export interface Outcome {
  readonly reward: number;
  /** A margin of `alive` is negative. */
  readonly terminated: boolean;
  /** The horizon is reached, or a step was not solved: `status` says which. */
  readonly truncated: boolean;
}

export interface Transition extends Outcome {
  readonly observation: Float64Array;
  readonly info: EnvironmentInfo;
}

/** What a step's result tells of the moment it led to. */
interface Reached {
  readonly next: Float64Array;
  readonly interval: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const resetNames = { seed: true } as const;

export class Environment {
  readonly description: EnvironmentDescription;
  readonly simulation: Simulation;

  private readonly parts: EnvironmentParts;
  private random: Random | undefined;
  private now: RunningMoment;
  private next: RunningMoment;
  private over = true;
  private readonly input: Float64Array;
  private readonly stepImpulse: Float64Array;
  private readonly stepOptions: SimulationOptions & { interval: number };
  private readonly outcome: Mutable<Outcome & EnvironmentInfo>;

  /** Made from a description, or from another environment, with which it then shares all but its simulation and its episodes. */
  constructor(source: EnvironmentDescription | Environment, options: SimulationOptions = {}) {
    const isShared = source instanceof Environment;
    this.parts = isShared ? source.parts : environmentParts(source);
    const { mechanism } = this.parts;
    this.description = isShared ? source.description : source;
    this.simulation = new Simulation(mechanism, isShared ? { ...source.simulation.options, ...options } : options);
    this.input = new Float64Array(mechanism.inputSize);
    this.now = this.newMoment();
    this.next = this.newMoment();
    this.stepImpulse = new Float64Array(this.now.impulse.length);
    this.stepOptions = { ...this.simulation.options, interval: this.simulation.timestep };
    this.outcome = { reward: 0, terminated: false, truncated: false, steps: 0, time: 0, status: "solved" };
  }

  get mechanism(): Mechanism {
    return this.parts.mechanism;
  }

  get actionSpace(): BoxSpace {
    return this.parts.actionSpace;
  }

  get observationSpace(): BoxSpace {
    return this.parts.observationSpace;
  }

  /** Inputs per unit of action. */
  get actionScale(): Float64Array {
    return this.parts.actions.scale;
  }

  /** Inputs at action zero. */
  get actionOffset(): Float64Array {
    return this.parts.actions.offset;
  }

  /** Steps of the simulation in each step of the environment. */
  get stepsPerAction(): number {
    return this.parts.stepsPerAction;
  }

  get functions(): EnvironmentFunctions {
    return this.parts.functions;
  }

  /** Seconds between actions. */
  get timestep(): number {
    return this.stepsPerAction * this.simulation.timestep;
  }

  /** State of the bodies after the last step, or the reset: a view that later steps overwrite. */
  get state(): Float64Array {
    return this.now.state;
  }

  /** Where the task leads now; undefined where it leads nowhere. */
  get goal(): Vector3 | undefined {
    return this.functions.goal(this.now);
  }

  /** Whether no episode is under way: none has begun, or it has ended. `reset` starts the next. */
  get isOver(): boolean {
    return this.over;
  }

  /** Starts an episode. A seed, a whole number from 0 on, starts the stream of starts anew; without one it goes on. The first reset needs a seed. */
  reset(options: { readonly seed?: number } = {}): { observation: Float64Array; info: EnvironmentInfo } {
    requireOptionNames("options", options, resetNames);
    const observation = new Float64Array(this.observationSpace.size);
    const { steps, time, status } = this.resetInto(observation, options.seed);
    return { observation, info: { steps, time, status } };
  }

  step(action: ArrayLike<number>): Transition {
    const observation = new Float64Array(this.observationSpace.size);
    const { reward, terminated, truncated, steps, time, status } = this.stepInto(observation, action);
    return { observation, reward, terminated, truncated, info: { steps, time, status } };
  }

  /** Writes the first observation. What it returns is rewritten by the next call. */
  resetInto(observation: Float64Array, seed?: number): Outcome & EnvironmentInfo {
    const { outcome, simulation } = this;
    this.requireSeed(seed, "seed");
    if (seed !== undefined) this.random = new Random(seed);
    this.begin(this.now, this.start(this.random as Random));
    // an episode begins cold, wherever the last one ended
    simulation.continuation = undefined;
    this.stepOptions.interval = simulation.timestep;
    this.over = false;
    outcome.reward = outcome.steps = outcome.time = 0;
    outcome.terminated = outcome.truncated = false;
    outcome.status = "solved";
    observation.set(this.functions.observe(this.now));
    return outcome;
  }

  /** Writes the next observation; after a step that was not solved the last one. What it returns is rewritten by the next call. */
  stepInto(observation: Float64Array, action: ArrayLike<number>): Outcome & EnvironmentInfo {
    const { now, next, functions, input, outcome } = this;
    if (this.over)
      throw new ArgumentError("not-reset", "step", "no episode has begun, or it is over; call reset first");
    this.inputInto(input, action);
    // until all is known of the step: where a quantity of it is no number, the episode ends with an error
    this.over = true;
    const solved = this.advance();
    outcome.steps++;
    outcome.time = outcome.steps * this.timestep;
    next.time = outcome.time;
    outcome.reward = solved ? functions.reward(now, input, next) : 0;
    if (!Number.isFinite(outcome.reward)) throw functions.notFinite("reward", outcome.reward, next);
    outcome.terminated = solved && !this.isAlive(next);
    outcome.truncated = !solved || outcome.steps >= this.description.horizon;
    observation.set(functions.observe(solved ? next : now));
    this.over = outcome.terminated || outcome.truncated;
    this.now = next;
    this.next = now;
    return outcome;
  }

  private isAlive(moment: RunningMoment): boolean {
    const { functions } = this;
    if (functions.isAlive(moment)) return true;
    const bad = functions.margins.findIndex(Number.isNaN);
    if (bad >= 0) throw functions.notFinite("alive", Number.NaN, moment, bad);
    return false;
  }

  /** A start of an episode, as a state of the simulation. */
  start(random: Random): Float64Array {
    const { startCenter, startNoise, mechanism } = this.parts;
    const x = startCenter.map(
      (value, i) => value + (startNoise[i] > 0 ? random.uniform(-startNoise[i], startNoise[i]) : 0),
    );
    return needsClosure(mechanism) ? stateFromMinimal(this.simulation, x) : maximalFromMinimal(mechanism, x);
  }

  /** The inputs of an action: clipped to its space, scaled, and added to the offset. */
  inputInto(input: Float64Array, action: ArrayLike<number>): void {
    const { mechanism } = this;
    if (action?.length !== input.length) {
      const message = `${lengthOf(action)}; give ${input.length}: ${mechanism.inputNames.join(", ")}`;
      throw new ArgumentError("wrong-length", "action", message);
    }
    for (let i = 0; i < input.length; i++) {
      const value = this.inputOf(i, action[i]);
      if (!Number.isFinite(value)) throw notFinite(`action[${i}]`, action[i]);
      input[i] = value;
    }
  }

  /** The input of entry i of an action. It is not finite where the entry is no number, or none that the inputs can have. */
  inputOf(i: number, entry: unknown): number {
    if (typeof entry !== "number") return Number.NaN;
    return this.actionOffset[i] + this.actionScale[i] * this.actionSpace.clip(i, entry);
  }

  /** Throws where a reset with this seed is refused. */
  requireSeed(seed: number | undefined, path: string): void {
    if (seed === undefined) {
      if (this.random) return;
      throw new ArgumentError("missing", path, "the first reset has none; give reset({ seed: 1 })");
    }
    if (Number.isSafeInteger(seed) && seed >= 0) return;
    throw new ArgumentError("out-of-range", path, `${valueText(seed)}: give a whole number from 0 to 2^53 − 1`);
  }

  newMoment(): RunningMoment {
    const { coordinateCount, stateSize, contacts } = this.mechanism;
    return {
      minimal: new Float64Array(2 * coordinateCount),
      state: new Float64Array(stateSize),
      impulse: new Float64Array(impulseSize * contacts.length),
      time: 0,
    };
  }

  /** Makes it the moment at which an episode starts; `interval` is that of the state. */
  begin(moment: RunningMoment, start: Float64Array, interval = this.simulation.timestep): void {
    moment.state.set(start);
    moment.impulse.fill(0);
    moment.time = 0;
    minimalStateInto(moment.minimal, this.mechanism, start, interval);
  }

  /**
   * Makes it the moment after a step of the simulation, which was the last one that it took, and step `part` of an action. `before` is the
   * moment at which the action began. Impulses are sums over the action.
   */
  follow(moment: RunningMoment, before: RunningMoment, { next, interval }: Reached, part: number): void {
    const { mechanism, simulation, stepImpulse } = this;
    moment.state.set(next);
    const known = part === 0 ? before : moment;
    minimalStateInto(moment.minimal, mechanism, next, interval, known.minimal);
    if (!this.functions.readsImpulses) return;
    if (part === 0) moment.impulse.fill(0);
    simulation.contactImpulsesInto(stepImpulse);
    for (let i = 0; i < stepImpulse.length; i++) moment.impulse[i] += stepImpulse[i];
  }

  /** All steps of an action, from `now` to `next`; whether they were solved. */
  private advance(): boolean {
    const { now, next, simulation, input, outcome, stepOptions } = this;
    for (let part = 0; part < this.stepsPerAction; part++) {
      const state = part === 0 ? now.state : next.state;
      simulation.requireStep(state, input, stepOptions);
      const result = simulation.take(state, input, stepOptions);
      outcome.status = result.status;
      if (result.status !== "solved") return false;
      stepOptions.interval = result.interval;
      this.follow(next, now, result, part);
    }
    return true;
  }
}
