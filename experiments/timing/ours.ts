/** What is timed of our engine, on one robot with inputs of every step. */
import {
  compile,
  maximalState,
  pullback,
  Random,
  Simulation,
  type StepGradients,
  stepGradients,
  type Target,
  type Trajectory,
} from "dojo-sim";
import type { Robot } from "./robots.ts";

export class OurRuns {
  readonly simulation: Simulation;
  readonly start: Float64Array;
  readonly inputs: readonly Float64Array[];
  private readonly cotangent: Float64Array;

  constructor(robot: Robot, inputs: readonly Float64Array[], target?: Target) {
    const mechanism = compile(robot.description);
    this.simulation = new Simulation(mechanism, target && { target });
    this.start = maximalState(mechanism, robot.description.states?.[robot.start]);
    this.inputs = inputs;
    const random = new Random(2);
    this.cotangent = Float64Array.from({ length: mechanism.stateSize }, () => random.normal());
  }

  forward(): void {
    const state = Float64Array.from(this.start);
    for (const input of this.inputs) state.set(this.simulation.step(state, input).next);
  }

  /** Returns how many steps could not be differentiated. */
  jacobians(): number {
    const state = Float64Array.from(this.start);
    let into: StepGradients | undefined;
    let without = 0;
    for (const input of this.inputs) {
      into = stepGradients(this.simulation, state, input, { coordinates: "minimal", ...(into && { into }) });
      if (!into.differentiable) without++;
      state.set(into.next);
    }
    return without;
  }

  rollout(gradients = false): Trajectory {
    const controller = (_: Float64Array, k: number): Float64Array => this.inputs[k];
    return this.simulation.rollout(this.start, { steps: this.inputs.length, controller, check: false, gradients });
  }

  /** A rollout, and the gradient of a linear function of its last state with respect to the start and all inputs. */
  pullback(): void {
    pullback(this.rollout(true), (k) => (k === this.inputs.length ? this.cotangent : undefined));
  }
}
