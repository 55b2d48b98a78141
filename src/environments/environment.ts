/**
 * An environment in Gymnasium's shape. Equal seeds give the same bits, and so does a rollout of the simulation with the same actions.
 *   reset({ seed }) → { observation, info }
 *   step(action) → { observation, reward, terminated, truncated, info }
 */
import { maximalFromMinimal, maximalState, minimalState, minimalStateInto } from "../coordinates/index.ts";
import { Random } from "../math/index.ts";
import { ArgumentError, type Mechanism } from "../mechanism/index.ts";
import { compile, Simulation, type StepReport } from "../simulation/index.ts";
import type { EnvironmentDescription } from "./description.ts";
import { EnvironmentFunctions, type Moment } from "./environmentFunctions.ts";
import { BoxSpace, perEntry } from "./space.ts";

export interface EnvironmentInfo {
  /** Steps since the reset, and seconds. */
  readonly steps: number;
  readonly time: number;
  /** How the solver ended; "solved" after a reset. */
  readonly status: StepReport["status"];
}

export interface Transition {
  readonly observation: Float64Array;
  readonly reward: number;
  /** A margin of `alive` is negative. */
  readonly terminated: boolean;
  /** The horizon is reached, or a step was not solved: `info.status` says which. */
  readonly truncated: boolean;
  readonly info: EnvironmentInfo;
}

export class Environment {
  readonly description: EnvironmentDescription;
  readonly mechanism: Mechanism;
  readonly simulation: Simulation;
  readonly actionSpace: BoxSpace;
  readonly observationSpace: BoxSpace;
  /** Inputs per unit of action. */
  readonly actionScale: Float64Array;
  readonly functions: EnvironmentFunctions;

  private readonly startCenter: Float64Array;
  private readonly startNoise: Float64Array;
  private random: Random | undefined;
  private now: { minimal: Float64Array; state: Float64Array; time: number } | undefined;
  private next: { minimal: Float64Array; state: Float64Array; time: number };
  private readonly input: Float64Array;
  private interval = 0;
  private steps = 0;

  constructor(description: EnvironmentDescription) {
    const {
      horizon,
      actionScale = 1,
      actionLimit = Number.POSITIVE_INFINITY,
      startNoise = 0,
      start = {},
    } = description;
    if (!Number.isInteger(horizon) || horizon < 1) {
      throw new ArgumentError("out-of-range", "horizon", `${horizon}: give a whole number of steps, 1 or more`);
    }
    const mechanism = compile(description.mechanism);
    requireTree(mechanism);
    const { inputSize, coordinateCount } = mechanism;
    this.description = description;
    this.mechanism = mechanism;
    this.simulation = new Simulation(mechanism);
    this.actionScale = perEntry(inputSize, actionScale, "actionScale");
    requireEach(this.actionScale, "actionScale", (scale) => scale > 0 && scale < Number.POSITIVE_INFINITY, "positive");
    const limit = perEntry(inputSize, actionLimit, "actionLimit");
    requireEach(limit, "actionLimit", (most) => most > 0, "positive");
    this.actionSpace = new BoxSpace(
      inputSize,
      Array.from(limit, (most) => -most),
      Array.from(limit),
    );
    this.startNoise = perEntry(2 * coordinateCount, startNoise, "startNoise");
    requireEach(this.startNoise, "startNoise", (width) => width >= 0 && width < Number.POSITIVE_INFINITY, "0 or more");
    this.startCenter = minimalState(mechanism, maximalState(mechanism, start));
    this.functions = new EnvironmentFunctions(mechanism, this.actionScale, description);
    const { low, high } = description.observationBounds ?? {};
    this.observationSpace = new BoxSpace(this.functions.observationSize, low, high);
    this.input = new Float64Array(inputSize);
    this.next = this.emptyMoment();
  }

  /** Starts an episode. A seed starts the stream of starts anew; without one it goes on. The first reset needs a seed. */
  reset(options: { readonly seed?: number } = {}): { observation: Float64Array; info: EnvironmentInfo } {
    if (options.seed !== undefined) this.random = new Random(options.seed);
    if (!this.random) throw new ArgumentError("missing", "seed", "the first reset has none; give reset({ seed: 1 })");
    this.now ??= this.emptyMoment();
    this.now.state.set(this.start(this.random));
    this.now.time = 0;
    this.interval = this.simulation.timestep;
    this.steps = 0;
    // an episode begins cold, wherever the last one ended
    this.simulation.continuation = undefined;
    minimalStateInto(this.now.minimal, this.mechanism, this.now.state, this.interval);
    return { observation: this.functions.observe(this.now).slice(), info: this.info("solved") };
  }

  step(action: ArrayLike<number>): Transition {
    const { now, next, simulation, functions, input, mechanism } = this;
    if (!now) throw new ArgumentError("not-reset", "step", "no episode has begun, or it is over; call reset first");
    this.inputInto(input, action);
    const result = simulation.step(now.state, input, { ...simulation.options, interval: this.interval });
    this.steps++;
    if (result.status !== "solved") {
      const observation = functions.observe(now).slice();
      this.now = undefined;
      return { observation, reward: 0, terminated: false, truncated: true, info: this.info(result.status) };
    }
    next.state.set(result.next);
    this.interval = result.interval;
    minimalStateInto(next.minimal, mechanism, next.state, this.interval, now.minimal);
    next.time = this.steps * simulation.timestep;
    const reward = functions.reward(now, input, next);
    const terminated = !functions.isAlive(next);
    const truncated = this.steps >= this.description.horizon;
    const observation = functions.observe(next).slice();
    // the moments change places, unless the episode is over
    this.now = terminated || truncated ? undefined : next;
    this.next = now;
    return { observation, reward, terminated, truncated, info: this.info("solved") };
  }

  /** A start of an episode, as a state of the simulation. */
  start(random: Random): Float64Array {
    const { startCenter, startNoise, mechanism } = this;
    const x = startCenter.map(
      (value, i) => value + (startNoise[i] > 0 ? random.uniform(-startNoise[i], startNoise[i]) : 0),
    );
    return maximalFromMinimal(mechanism, x);
  }

  /** The inputs of an action: clipped to its space, and scaled. */
  inputInto(input: Float64Array, action: ArrayLike<number>): void {
    const { actionSpace, actionScale, mechanism } = this;
    if (action.length !== input.length) {
      const message = `has ${action.length} numbers; give ${input.length}: ${mechanism.inputNames.join(", ")}`;
      throw new ArgumentError("wrong-length", "action", message);
    }
    for (let i = 0; i < input.length; i++) {
      if (Number.isNaN(action[i])) throw new ArgumentError("not-finite", `action[${i}]`, "NaN; give a number");
    }
    actionSpace.clipInto(input, action);
    for (let i = 0; i < input.length; i++) input[i] *= actionScale[i];
  }

  private emptyMoment(): { minimal: Float64Array; state: Float64Array; time: number } & Moment {
    const { coordinateCount, stateSize } = this.mechanism;
    return { minimal: new Float64Array(2 * coordinateCount), state: new Float64Array(stateSize), time: 0 };
  }

  private info(status: EnvironmentInfo["status"]): EnvironmentInfo {
    return { steps: this.steps, time: this.steps * this.simulation.timestep, status };
  }
}

function requireTree({ loopJoints, joints }: Mechanism): void {
  if (loopJoints.length === 0) return;
  const names = loopJoints.map((j) => joints[j].name).join(", ");
  const message = "closes a loop, whose coordinates depend on each other; environments need a tree of joints";
  throw new ArgumentError("unsupported", `joints.${names}`, message);
}

function requireEach(values: Float64Array, path: string, isGood: (value: number) => boolean, what: string): void {
  const bad = values.findIndex((value) => !isGood(value));
  if (bad >= 0)
    throw new ArgumentError("out-of-range", `${path}[${bad}]`, `${values[bad]}: give a number that is ${what}`);
}
