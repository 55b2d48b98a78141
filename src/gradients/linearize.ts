/**
 * A step made linear about a state and an input, for linear-quadratic control and estimation:
 *   δx₊ = A δx + B δu + c
 * δ being differences from the given state and input (in maximal coordinates attitude errors), δx₊ too: c = next − state is what the
 * step does by itself, zero at a rest state. A and B are smoothed at κ; c is that of the step as simulated.
 */
import type { PathParameter, Simulation } from "../simulation/index.ts";
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
  const x = minimalFromState(simulation, state, options.interval ?? simulation.options.interval);
  return { A, B, c: minimalFromState(simulation, next, gradients.interval).map((entry, i) => entry - x[i]) };
}
