/**
 * Gradients of one step: dNext/dState, dNext/dInput and dNext/dParameter, at the smoothness that κ asks for. The step itself
 * is simulated down to its own κ; on the way it holds on the central path at the gradient's κ, and that point is
 * differentiated.
 */
import type { Simulation, StepReport } from "../simulation/index.ts";
import { type Coordinates, StepJacobians } from "./jacobians.ts";

export interface GradientOptions {
  /** Central-path parameter (SI) at which to differentiate: large is smooth, small is sharp. Default 3e-4, as in the paper. */
  readonly kappa?: number;
  /** Maximal: 12 numbers a body (position, attitude error, velocity, angular velocity). Minimal: joint positions, then velocities. Default maximal. */
  readonly coordinates?: Coordinates;
}

export const defaultGradientKappa = 3e-4;

export interface StepGradients extends Readonly<StepReport> {
  readonly next: Float64Array;
  /** Row-major, `rows` × `rows`. */
  readonly dNext_dState: Float64Array;
  /** Row-major, `rows` × inputs. */
  readonly dNext_dInput: Float64Array;
  readonly rows: number;
}

export function stepGradients(
  simulation: Simulation,
  state: Float64Array,
  input: Float64Array,
  options: GradientOptions = {},
): StepGradients {
  const { kappa = defaultGradientKappa, coordinates = "maximal" } = options;
  const jacobians = simulation.resource(
    `jacobians.${coordinates}`,
    () => new StepJacobians(simulation.mechanism, simulation.target, coordinates),
  );
  const { next, ...report } = simulation.step(state, input, { ...simulation.options, hold: kappa });
  const { rows } = jacobians;
  const dNext_dState = new Float64Array(rows * rows);
  const dNext_dInput = new Float64Array(rows * simulation.inputSize);
  jacobians.write(simulation.system, simulation.stepper.held[0], dNext_dState, dNext_dInput);
  return { ...report, next: Float64Array.from(next), dNext_dState, dNext_dInput, rows };
}
