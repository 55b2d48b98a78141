/**
 * Copies of an environment in lock-step: arrays in, arrays out, nothing allocated per step. Every copy is to the bit what an environment of
 * its own with the same seed and actions is. Copies share all but their simulations.
 *   reset({ seed })      copy i starts with seed + i
 *   step(actions)        writes observations, rewards, terminated and truncated, copy after copy
 * What happens to a copy whose episode is over, as Gymnasium has it:
 *   "nextStep"    the next step starts its next episode, whatever its action: the first observation, reward 0, not over
 *   "sameStep"    the same step starts it: `observations` has the first one of the next episode, `finalObservations` the last one
 *   "disabled"    none: `reset({ mask })` does, before the next step
 */
import { ArgumentError, optionNamesOf, requireOptionNames } from "../mechanism/index.ts";
import type { SimulationOptions, StepReport } from "../simulation/index.ts";
import type { EnvironmentDescription } from "./description.ts";
import { Environment } from "./environment.ts";
import { lengthOf, notFinite } from "./refusals.ts";
import type { BoxSpace } from "./space.ts";

export const autoresetModes = ["nextStep", "sameStep", "disabled"] as const;
export type AutoresetMode = (typeof autoresetModes)[number];

export interface VectorOptions {
  /** How many copies. */
  readonly count: number;
  /** Default "nextStep", as in Gymnasium. */
  readonly autoreset?: AutoresetMode;
  /** Options of all simulations. Default: theirs. */
  readonly simulation?: SimulationOptions;
}

export interface VectorReset {
  /** Seed of the first copy, the others follow by one; or one for each. Whole numbers from 0 on. Needed by the first reset. */
  readonly seed?: number | readonly number[];
  /** Which copies to reset: those whose entry is not 0. Default all. */
  readonly mask?: ArrayLike<number>;
}

const optionNames = optionNamesOf<VectorOptions>()("count autoreset simulation");
const resetNames = optionNamesOf<VectorReset>()("seed mask");

export class VectorEnvironment {
  readonly count: number;
  readonly autoreset: AutoresetMode;
  readonly copies: readonly Environment[];
  /** Actions of one copy. */
  readonly actionSpace: BoxSpace;
  readonly observationSpace: BoxSpace;
  /** Copy after copy; rewritten by each call. */
  readonly observations: Float64Array;
  /** Last observations of copies whose episode has ended in this step, in mode "sameStep". */
  readonly finalObservations: Float64Array;
  readonly rewards: Float64Array;
  /** 1 or 0. */
  readonly terminated: Uint8Array;
  readonly truncated: Uint8Array;
  /** How the solver ended, by copy. */
  readonly statuses: StepReport["status"][];
  /** Steps of the episode; after the last one its length, in mode "sameStep" too, where the next episode has begun: its first step writes 1. */
  readonly steps: Int32Array;

  private readonly actions: Float64Array;
  private readonly rows: readonly {
    readonly action: Float64Array;
    readonly observation: Float64Array;
    readonly final: Float64Array;
  }[];

  constructor(description: EnvironmentDescription | Environment, options: VectorOptions) {
    requireOptionNames("options", options, optionNames);
    const { count, autoreset = "nextStep", simulation = {} } = options;
    if (!Number.isInteger(count) || count < 1)
      throw new ArgumentError("out-of-range", "count", `${count}: give a whole number of copies, 1 or more`);
    if (!autoresetModes.includes(autoreset))
      throw new ArgumentError("out-of-range", "autoreset", `${autoreset}: give one of ${autoresetModes.join(", ")}`);
    const first = new Environment(description, simulation);
    const { actionSpace, observationSpace } = first;
    const [actionSize, observationSize] = [actionSpace.size, observationSpace.size];
    this.count = count;
    this.autoreset = autoreset;
    this.copies = Array.from({ length: count }, (_, i) => (i === 0 ? first : new Environment(first)));
    this.actionSpace = actionSpace;
    this.observationSpace = observationSpace;
    this.actions = new Float64Array(count * actionSize);
    this.observations = new Float64Array(count * observationSize);
    this.finalObservations = new Float64Array(autoreset === "sameStep" ? count * observationSize : 0);
    this.rewards = new Float64Array(count);
    this.terminated = new Uint8Array(count);
    this.truncated = new Uint8Array(count);
    this.statuses = new Array(count).fill("solved");
    this.steps = new Int32Array(count);
    const row = (all: Float64Array, i: number, size: number): Float64Array => all.subarray(i * size, (i + 1) * size);
    this.rows = Array.from({ length: count }, (_, i) => ({
      action: row(this.actions, i, actionSize),
      observation: row(this.observations, i, observationSize),
      final: row(this.finalObservations, i, observationSize),
    }));
  }

  /** Starts episodes. What it returns is itself: the arrays have the outcome. */
  reset(options: VectorReset = {}): this {
    requireOptionNames("options", options, resetNames);
    const { seed, mask } = options;
    const seeds = typeof seed === "object" && seed !== null ? seed : undefined;
    if (seeds) this.requireCount("seed", seeds);
    if (mask) this.requireCount("mask", mask);
    const isMeant = (i: number): boolean => mask?.[i] !== 0;
    const seedOf = (i: number) => (seeds ? seeds[i] : typeof seed === "number" ? seed + i : (seed as undefined));
    // all or none: a copy without a good seed keeps the others from starting
    this.copies.forEach((copy, i) => {
      if (isMeant(i)) copy.requireSeed(seedOf(i), seeds ? `seed[${i}]` : "seed");
    });
    for (let i = 0; i < this.count; i++) if (isMeant(i)) this.resetCopy(i, seedOf(i));
    return this;
  }

  /** One step of every copy; `actions` copy after copy. Where one cannot be taken it throws, and no copy has moved. */
  step(actions: ArrayLike<number>): this {
    const { copies, rows, autoreset } = this;
    this.requireActions(actions);
    for (let i = 0; i < copies.length; i++) this.requireEpisode(i);
    this.actions.set(actions);
    for (let i = 0; i < copies.length; i++) {
      if (copies[i].isOver) {
        this.resetCopy(i, undefined);
        continue;
      }
      const { action, observation, final } = rows[i];
      const outcome = copies[i].stepInto(observation, action);
      const ends = outcome.terminated || outcome.truncated;
      this.rewards[i] = outcome.reward;
      this.terminated[i] = outcome.terminated ? 1 : 0;
      this.truncated[i] = outcome.truncated ? 1 : 0;
      this.statuses[i] = outcome.status;
      this.steps[i] = outcome.steps;
      if (!ends || autoreset !== "sameStep") continue;
      final.set(observation);
      copies[i].resetInto(observation);
    }
    return this;
  }

  private requireActions(actions: ArrayLike<number>): void {
    const { size } = this.actionSpace;
    if (actions?.length !== this.actions.length) {
      const message = `${lengthOf(actions)}; give ${this.actions.length}: ${size} for each of ${this.count} copies`;
      throw new ArgumentError("wrong-length", "actions", message);
    }
    for (let k = 0; k < actions.length; k++) {
      if (Number.isFinite(this.copies[0].inputOf(k % size, actions[k]))) continue;
      throw notFinite(`actions[${k}]`, actions[k], `; it is entry ${k % size} of copy ${Math.floor(k / size)}`);
    }
  }

  /** A copy whose episode is over can step only where that step starts the next one. */
  private requireEpisode(i: number): void {
    if (!this.copies[i].isOver || (this.autoreset === "nextStep" && this.steps[i] > 0)) return;
    const message = "no episode has begun, or it is over; call reset first, with a mask for some copies alone";
    throw new ArgumentError("not-reset", `copies[${i}]`, message);
  }

  private resetCopy(i: number, seed: number | undefined): void {
    this.copies[i].resetInto(this.rows[i].observation, seed);
    this.rewards[i] = this.terminated[i] = this.truncated[i] = this.steps[i] = 0;
    this.statuses[i] = "solved";
  }

  private requireCount(path: string, { length }: ArrayLike<number>): void {
    if (length === this.count) return;
    throw new ArgumentError("wrong-length", path, `has ${length} entries; give one for each of ${this.count} copies`);
  }
}
