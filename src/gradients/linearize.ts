/**
 * A step made linear about a state and an input, for linear-quadratic control and estimation:
 *   δx₊ = A δx + B δu + c
 * δ being differences from the given state and input (in maximal coordinates attitude errors), δx₊ too: c = next − state is what the
 * step does by itself, zero at a rest state. A and B are smoothed at κ; c is that of the step as simulated.
 */
import { anglesOf } from "../coordinates/index.ts";
import type { Continuation, PathParameter, Simulation } from "../simulation/index.ts";
import { minimalFromState } from "./closedState.ts";
import type { Coordinates } from "./jacobians.ts";
import { stateError } from "./stateError.ts";
import { stepGradients } from "./stepGradients.ts";

/** Where on the central path to differentiate, by `kappa` or by `relativeKappa`: default κ' = 0.1. */
export interface LinearizeOptions extends PathParameter {
  /** Default "minimal": joint positions, then velocities. */
  readonly coordinates?: Coordinates;
  /** Interval over which the state's velocities are means. Default the time step. */
  readonly interval?: number | undefined;
  /** What the run that led to the state has left. Default as for `step`. */
  readonly continuation?: Continuation | undefined;
}

export interface Linearization {
  /** Row-major, states × states. */
  readonly A: Float64Array;
  /** Row-major, states × inputs. */
  readonly B: Float64Array;
  readonly c: Float64Array;
}

export function linearize(
  simulation: Simulation,
  state: Float64Array,
  input: Float64Array,
  options: LinearizeOptions = {},
): Linearization {
  const { coordinates = "minimal" } = options;
  const gradients = stepGradients(simulation, state, input, { ...options, coordinates });
  const { next, dNext_dState: A, dNext_dInput: B } = gradients;
  if (coordinates === "maximal") return { A, B, c: stateError(state, next) };
  const { continuation } = options;
  const interval = options.interval ?? continuation?.interval ?? simulation.options.interval;
  const x = minimalFromState(simulation, state, interval, undefined, continuation);
  // the step moves no angle by half its period
  const near = { angles: anglesOf(simulation.mechanism, x) };
  const after = minimalFromState(simulation, next, gradients.interval, undefined, near);
  return { A, B, c: after.map((entry, i) => entry - x[i]) };
}
