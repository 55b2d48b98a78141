/**
 * A step made linear about a state and an input, for linear-quadratic control and estimation:
 *   δx₊ = A δx + B δu + c
 * δ being differences from the given state and input (in maximal coordinates attitude errors), δx₊ too: c = next − state is what the
 * step does by itself, zero at a rest state. A and B are taken where the step has ended, or smoothed; c is that of the step as simulated.
 */
import { type Coordinates, type StepGradients, stateError, stepGradients } from "../gradients/index.ts";
import { type Continuation, type GradientPath, minimalOfRunInto, type Simulation } from "../simulation/index.ts";

/** Where to differentiate: at the end of the step, or smoothed. */
export interface LinearizeOptions extends GradientPath {
  /** Default "minimal": joint positions, then velocities. */
  readonly coordinates?: Coordinates;
  /** Interval over which the state's velocities are means. Default the time step. */
  readonly interval?: number | undefined;
  /** What the run that led to the state has left. Default as for `step`. */
  readonly continuation?: Continuation | undefined;
  /** What an earlier call with the same simulation and coordinates has returned, to be overwritten. Default a new one. */
  readonly into?: Linearization;
}

export interface Linearization {
  /** Row-major, states × states. */
  readonly A: Float64Array;
  /** Row-major, states × inputs. */
  readonly B: Float64Array;
  readonly c: Float64Array;
  /** The step that was made linear: its report, the next state, and A and B again as its Jacobians. */
  readonly gradients: StepGradients;
}

/** An input that is left out is zero, as in `step`. */
export function linearize(
  simulation: Simulation,
  state: Float64Array,
  input: Float64Array = new Float64Array(simulation.inputSize),
  options: LinearizeOptions = {},
): Linearization {
  const { coordinates = "minimal", into, ...own } = options;
  const given = into && { into: into.gradients };
  const gradients = stepGradients(simulation, state, input, { ...own, coordinates, ...given });
  const { next, dNext_dState: A, dNext_dInput: B } = gradients;
  const out = into ?? { A, B, c: new Float64Array(gradients.rows), gradients };
  const { c } = out;
  if (coordinates === "maximal") {
    c.set(stateError(state, next));
    return out;
  }
  const { minimalNext } = gradients;
  minimalOfRunInto(c, simulation, state, own.interval ?? own.continuation?.interval ?? simulation.options.interval);
  for (let i = 0; i < c.length; i++) c[i] = minimalNext[i] - c[i];
  return out;
}
