/**
 * A plan as a controller: inputs, references and gains of every knot,
 *   u = u_k + K_k (x ⊖ x_ref),      x_ref between x_k and x_{k+1} where it is asked between two knots,
 * within bounds. It is plain data, so that one thread may plan and another follow.
 */
import type { Simulation } from "../simulation/index.ts";
import { addTimesInto } from "./dense.ts";
import { type Bounds, clamp } from "./problem.ts";
import { SimulationDynamics } from "./simulationDynamics.ts";

export interface PlanFeedback {
  /** Seconds from knot to knot. */
  readonly timestep: number;
  readonly inputs: readonly Float64Array[];
  /** Minimal states, one more than inputs; what comes after them is not read. */
  readonly states: readonly Float64Array[];
  /** inputs × 2 coordinates, row-major. */
  readonly gains: readonly Float64Array[];
}

/** Follows feedback with the states of a simulation, whose velocities are means over `interval`. */
export class FeedbackFollower {
  private readonly dynamics: SimulationDynamics;
  private readonly bounds: Bounds | undefined;
  private readonly interval: number;
  private readonly reference: Float64Array;
  private readonly now: Float64Array;
  private readonly delta: Float64Array;

  constructor(simulation: Simulation, bounds: Bounds | undefined, interval = simulation.timestep) {
    this.dynamics = new SimulationDynamics(simulation);
    this.bounds = bounds;
    this.interval = interval;
    const { tangentSize: n } = this.dynamics;
    this.reference = new Float64Array(n);
    this.now = new Float64Array(n);
    this.delta = new Float64Array(n);
  }

  /** The input `since` seconds into the plan, for the state that the bodies are really in. */
  inputInto(out: Float64Array, { timestep, inputs, states, gains }: PlanFeedback, since: number, state: Float64Array) {
    const { reference, now } = this;
    const at = knotsIn(since, timestep);
    const k = Math.min(Math.floor(at), inputs.length - 1);
    blendInto(reference, states[k], states[k + 1], Math.min(1, at - k));
    this.dynamics.minimalInto(now, state, reference, this.interval);
    this.knotInputInto(out, inputs[k], gains[k], now, reference);
  }

  /** u = u_k + K_k (x ⊖ x_ref), within its bounds, of minimal states. */
  knotInputInto(out: Float64Array, input: Float64Array, gain: Float64Array, x: Float64Array, reference: Float64Array) {
    const { delta, bounds } = this;
    this.dynamics.differenceInto(delta, x, reference);
    out.set(input);
    addTimesInto(out, gain, delta, out.length, delta.length);
    clamp(out, bounds);
  }
}

/** Seconds in steps of the plan. Rounded, so that whole steps are whole numbers. */
export function knotsIn(seconds: number, timestep: number): number {
  return Math.max(0, Math.round((1e6 * seconds) / timestep) / 1e6);
}

/** out = (1 − part) a + part b, as far as out goes. */
export function blendInto(out: Float64Array, a: Float64Array, b: Float64Array, part: number): void {
  for (let i = 0; i < out.length; i++) out[i] = (1 - part) * a[i] + part * b[i];
}
