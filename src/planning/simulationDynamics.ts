/**
 * A simulation as the planner's dynamics. A state is the minimal state x followed by the state z of the bodies: tangents are differences
 * of x, steps go from z, and quantities read both.
 *   step       z₊ = step(z, u), as sharp as the simulation is, and x₊ = minimal(z₊)
 *   linearize  the minimal Jacobians, smoothed as asked, or at the nearest κ of a few at which the step has some
 *   ⊕          x + δ, and the bodies that follow
 * Angles of x go on over any number of turns, and limits, springs and servos see them so. Where joints close loops, the entries of x depend
 * on each other: Jacobians are tangent to the loops, and ⊕ goes to the nearest state that closes them.
 */
import { maximalFromMinimalInto, minimalStateInto, needsClosure, turnsTowards } from "../coordinates/index.ts";
import { type StepGradients, stepGradients } from "../gradients/index.ts";
import { type PathParameter, type Simulation, stateFromMinimal } from "../simulation/index.ts";
import type { Dynamics } from "./problem.ts";

/** Factors of κ at which gradients of a step are tried in turn: near a fold of its central path it may have none at the first. */
const pathFactors = [1, 3, 10, 0.3, 0.1, 0.01] as const;

function times({ kappa, relativeKappa }: PathParameter, factor: number): PathParameter {
  return kappa === undefined ? { relativeKappa: (relativeKappa as number) * factor } : { kappa: kappa * factor };
}

export class SimulationDynamics implements Dynamics {
  readonly stateSize: number;
  readonly tangentSize: number;
  readonly inputSize: number;
  /** Steps and passes of gradients so far, for those who count. */
  readonly counts = { steps: 0, gradients: 0 };
  private readonly simulation: Simulation;
  private readonly x: Float64Array;
  private readonly z: Float64Array;
  private readonly angles: Float64Array;
  private into: StepGradients | undefined;

  constructor(simulation: Simulation) {
    const { mechanism } = simulation;
    this.simulation = simulation;
    this.tangentSize = 2 * mechanism.coordinateCount;
    this.stateSize = this.tangentSize + mechanism.stateSize;
    this.inputSize = mechanism.inputSize;
    this.x = new Float64Array(this.tangentSize);
    this.z = new Float64Array(mechanism.stateSize);
    this.angles = new Float64Array(simulation.system.turns.angles.length);
  }

  /**
   * A state of the bodies as one of the planner; its angles go on from those of `before`, if given. Of a state whose velocities are means
   * over another interval, coordinates and rates stay, and the bodies follow from them. Throws where a body is too fast for the time step.
   */
  stateOf(bodies: Float64Array, before?: Float64Array, interval = this.simulation.timestep): Float64Array {
    const state = new Float64Array(this.stateSize);
    const [x, z] = [state.subarray(0, this.tangentSize), state.subarray(this.tangentSize)];
    this.minimalInto(x, bodies, before, interval);
    if (interval === this.simulation.timestep) z.set(bodies);
    else this.bodiesInto(z, x);
    return state;
  }

  /** The minimal state alone. */
  minimalInto(x: Float64Array, bodies: Float64Array, before?: Float64Array, interval = this.simulation.timestep): void {
    const { currentMechanism, system } = this.simulation;
    minimalStateInto(x, currentMechanism, bodies, interval);
    if (!before) return;
    system.turns.angles.forEach(({ period }, i) => {
      const at = this.indexOf(i);
      x[at] += turnsTowards(x[at], period, before[at]);
    });
  }

  /** The part of a planner's state that a simulation takes. */
  bodiesOf(state: Float64Array): Float64Array {
    return state.subarray(this.tangentSize);
  }

  step(next: Float64Array, x: Float64Array, u: Float64Array): boolean {
    this.counts.steps++;
    this.startNear(x);
    const result = this.simulation.step(this.bodiesOf(x), u);
    if (result.status !== "solved") return false;
    next.set(result.next, this.tangentSize);
    // through `this.x`, for `next` may be `x` itself
    this.minimalInto(this.x, result.next, x);
    next.set(this.x);
    return true;
  }

  linearize(
    A: Float64Array,
    B: Float64Array,
    x: Float64Array,
    u: Float64Array,
    _: number,
    path: PathParameter,
  ): boolean {
    this.counts.gradients++;
    for (const factor of pathFactors) {
      const { into } = this;
      const options = { ...times(path, factor), coordinates: "minimal", ...(into && { into }) } as const;
      this.startNear(x);
      this.into = stepGradients(this.simulation, this.bodiesOf(x), u, options);
      if (!this.into.differentiable) continue;
      A.set(this.into.dNext_dState);
      B.set(this.into.dNext_dInput);
      return true;
    }
    return false;
  }

  differenceInto(out: Float64Array, a: Float64Array, b: Float64Array): void {
    for (let i = 0; i < out.length; i++) out[i] = a[i] - b[i];
  }

  retractInto(out: Float64Array, x: Float64Array, delta: Float64Array): void {
    for (let i = 0; i < delta.length; i++) this.x[i] = x[i] + delta[i];
    this.bodiesInto(this.z, this.x);
    out.set(this.x);
    out.set(this.z, this.tangentSize);
  }

  /** The bodies of a minimal state; where it leaves a loop open, those of the nearest that closes it, which x then is. */
  private bodiesInto(z: Float64Array, x: Float64Array): void {
    const { simulation } = this;
    const { currentMechanism, timestep, mechanism } = simulation;
    if (!needsClosure(mechanism)) {
      maximalFromMinimalInto(z, currentMechanism, x, timestep);
      return;
    }
    z.set(stateFromMinimal(simulation, x));
    this.minimalInto(x, z, x);
  }

  /** The step that follows has the angles of x. */
  private startNear(x: Float64Array): void {
    const { angles } = this;
    for (let i = 0; i < angles.length; i++) angles[i] = x[this.indexOf(i)];
    if (angles.length > 0) this.simulation.stepper.history.startNear(angles);
  }

  /** Which entry of x an angle is. */
  private indexOf(angle: number): number {
    const { system, mechanism } = this.simulation;
    const { joint, coordinate } = system.turns.angles[angle];
    return mechanism.joints[joint].coordinateOffset + coordinate;
  }
}
