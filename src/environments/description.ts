/**
 * An environment as data: a mechanism, what an action does to it, what is observed and rewarded, when an episode ends and where it starts.
 *   input      u = offset + scale · action, held for `stepsPerAction` steps of the simulation
 *   observed   o = expressions over the quantities of the state
 *   reward     r = an expression over the state before the step, the action, and the state after it
 *   over       after `horizon` steps (truncated), or where a margin of `alive` is negative (terminated)
 *   start      x = the joints' states as given + uniform noise on every coordinate and every rate
 */
import type { JointState } from "../coordinates/index.ts";
import { type MechanismDescription, optionNamesOf } from "../mechanism/index.ts";
import type { Quantities } from "../quantities/index.ts";
import type { Scalar } from "../symbolic/index.ts";
import type { Bound } from "./space.ts";

/** What a reward is written in. */
export interface StepQuantities {
  /** The state from which the step was taken, and its time. */
  readonly before: Quantities;
  /** The state that the step led to, and its time. */
  readonly after: Quantities;
  /** The action as it was applied, in the order of the mechanism's inputs. */
  readonly action: readonly Scalar[];
}

export interface EnvironmentDescription {
  readonly name: string;
  /** One line for lists. Default none. */
  readonly summary?: string;
  /** Each of its inputs is an entry of the action. */
  readonly mechanism: MechanismDescription;
  /** Steps of the simulation in each step of the environment, with one action. Default 1. */
  readonly stepsPerAction?: number;
  /** Steps of an episode. */
  readonly horizon: number;
  /** Inputs per unit of action: one for all, or one for each. Default 1. */
  readonly actionScale?: Bound;
  /** Inputs at action zero: what holds a pose, say. One for all, or one for each. Default 0. */
  readonly actionOffset?: Bound;
  /** Actions are clipped to ± this: one for all, or one for each. Default infinite: they are taken as they are. */
  readonly actionLimit?: Bound;
  /** Impulses of contacts are those of the step that led to the state, and zero at the start. */
  readonly observation: (q: Quantities) => readonly Scalar[];
  /** Bounds that observations keep to by themselves; nothing is clipped. Default infinite. */
  readonly observationBounds?: { readonly low?: Bound; readonly high?: Bound };
  readonly reward: (step: StepQuantities) => Scalar;
  /**
   * κ, in units of each contact, at which gradients of its returns are best taken: for methods that are told nothing else. Default: theirs.
   */
  readonly relativeKappa?: number;
  /** The episode is terminated by a step after which one of these is negative. Default: by none. */
  readonly alive?: (q: Quantities) => readonly Scalar[];
  /** Where the task leads, x, y and z in the world: pictures show it. Nothing else reads it. Default nowhere. */
  readonly goal?: (q: Quantities) => readonly Scalar[];
  /** States of joints by name, as `maximalState` takes them. Default: all zero. */
  readonly start?: Readonly<Record<string, JointState>>;
  /** Half-width of the uniform noise: one for all coordinates and rates, or one for each, coordinates first. Default 0. */
  readonly startNoise?: Bound;
}

/** Its fields. */
export const environmentFields = optionNamesOf<EnvironmentDescription>()(
  "name summary mechanism stepsPerAction horizon actionScale actionOffset actionLimit observation observationBounds",
  "reward relativeKappa alive goal start startNoise",
);
