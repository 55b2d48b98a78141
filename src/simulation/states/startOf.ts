/** A state to start from, and the input that goes with it. */
import { type JointState, jointCoordinates, maximalState, startState } from "../../coordinates/index.ts";
import { bodyAt } from "../../math/index.ts";
import { namesOf, optionNamesOf, requireOptionNames, stateInput } from "../../mechanism/index.ts";
import type { Simulation } from "../simulation.ts";
import { checkState } from "./checkState.ts";
import { projectState } from "./projectState.ts";
import type { StateFault } from "./stateFaults.ts";

export interface StartOptions {
  /** A state of the description, or "zero" for all coordinates at zero. Default: its first. */
  readonly state?: string;
  /** Joints that are elsewhere than in that state, by name. */
  readonly joints?: Readonly<Record<string, JointState>>;
  /** Puts down what can fall: along gravity, until its lowest point touches what is below. Default false. */
  readonly onGround?: boolean;
}

const optionNames = optionNamesOf<StartOptions>()("state joints onGround");

export interface Start {
  /** Without faults: the state that was asked for, or the nearest to it. */
  readonly state: Float64Array;
  /** That of the description for the named state, in which servos hold `state`. */
  readonly input: Float64Array;
  /** What was wrong with the state that was asked for. */
  readonly faults: readonly StateFault[];
  /** How far a body was moved at most, m. */
  readonly moved: number;
}

/**
 * A named state as a simulation can start from it: files and people write states whose joints are past their limits or whose feet are
 * millimetres in the floor, and these are moved to the nearest that is not so.
 *   const { state, input } = startOf(simulation);      simulation.rollout(state, { inputs: input, steps: 100 });
 */
export function startOf(simulation: Simulation, options: StartOptions = {}): Start {
  requireOptionNames("options", options, optionNames);
  const { mechanism: compiled, currentMechanism: mechanism, timestep } = simulation;
  const { joints = {}, onGround = false } = options;
  const { states = {} } = compiled.description;
  const name = options.state ?? namesOf(compiled.description, "states")[0] ?? "zero";
  const isZero = name === "zero" && !Object.hasOwn(states, name);
  // refuses a name that there is none of
  if (!isZero) startState(compiled, name, timestep);
  const asked = maximalState(mechanism, { ...(isZero ? {} : states[name]), ...joints }, timestep);
  const faults = checkState(simulation, asked);
  const state = onGround || faults.length > 0 ? projectState(simulation, asked, { onGround }) : asked;
  const input = stateInput(compiled, name, jointCoordinates(mechanism, state));
  return { state, input, faults, moved: farthestMove(asked, state) };
}

function farthestMove(from: Float64Array, to: Float64Array): number {
  let most = 0;
  for (let body = 0; bodyAt(body) < from.length; body++) {
    const [x, y, z] = [0, 1, 2].map((k) => to[bodyAt(body) + k] - from[bodyAt(body) + k]);
    most = Math.max(most, Math.hypot(x, y, z));
  }
  return most;
}
