/**
 * MuJoCo as dynamics of the planner: a task of ours runs on it as it is. States are those of `SimulationDynamics`, the minimal state x
 * followed by the bodies' state z, so that the task's costs and constraints read them unchanged. Gradients are central differences over
 * the whole of a knot, in minimal coordinates; MuJoCo takes several steps per knot.
 */
import { ArgumentError, type Dynamics, type Mechanism, maximalFromMinimalInto, vectorSpace } from "dojo-sim";
import { type Mujoco, MujocoPeer, type MujocoSettings } from "../peers/mujoco.ts";

export class MujocoDynamics implements Dynamics {
  readonly stateSize: number;
  readonly tangentSize: number;
  readonly inputSize: number;
  /** Steps that MuJoCo took, those of differences included. */
  steps = 0;
  /** Half the width of a difference, in metres, radians, their rates, and newtons. `mjd_transitionFD` is used with 1e-6. */
  nudge = 1e-6;
  private readonly peer: MujocoPeer;
  private readonly mechanism: Mechanism;
  private readonly stepsPerKnot: number;

  constructor(mujoco: Mujoco, mechanism: Mechanism, stepsPerKnot: number, settings: MujocoSettings) {
    const timestep = mechanism.timestep / stepsPerKnot;
    this.peer = new MujocoPeer(mujoco, mechanism.description, { ...settings, timestep });
    this.mechanism = mechanism;
    this.stepsPerKnot = stepsPerKnot;
    this.tangentSize = 2 * mechanism.coordinateCount;
    this.stateSize = this.tangentSize + mechanism.stateSize;
    this.inputSize = mechanism.inputSize;
  }

  step(next: Float64Array, x: Float64Array, u: Float64Array): boolean {
    const after = this.minimalAfter(x.subarray(0, this.tangentSize), u);
    if (!after) return false;
    try {
      this.stateInto(next, after);
    } catch (error) {
      // a spin of more than half a turn per knot has no state here: a step that the line search rejects
      if (error instanceof ArgumentError && error.code === "too-fast") return false;
      throw error;
    }
    return true;
  }

  linearize(A: Float64Array, B: Float64Array, x: Float64Array, u: Float64Array): boolean {
    const minimal = x.slice(0, this.tangentSize);
    return (
      this.differencesInto(A, minimal, (at) => this.minimalAfter(at, u)) &&
      this.differencesInto(B, u.slice(), (at) => this.minimalAfter(minimal, at))
    );
  }

  differenceInto(out: Float64Array, a: Float64Array, b: Float64Array): void {
    vectorSpace.differenceInto(out, a, b);
  }

  retractInto(out: Float64Array, x: Float64Array, delta: Float64Array): void {
    this.stateInto(
      out,
      delta.map((value, i) => x[i] + value),
    );
  }

  /** How much the Jacobians of a step change with the width of the differences: |J(nudge) − J| / |J|, J being those of the usual width. */
  changeWithWidth(x: Float64Array, u: Float64Array, nudge: number): number {
    const { tangentSize: n, inputSize: m, nudge: usual } = this;
    const jacobians = (width: number): number[] | undefined => {
      this.nudge = width;
      const [A, B] = [new Float64Array(n * n), new Float64Array(n * m)];
      return this.linearize(A, B, x, u) ? [...A, ...B] : undefined;
    };
    const other = jacobians(nudge);
    const own = jacobians(usual);
    if (!own || !other) return Number.POSITIVE_INFINITY;
    return Math.hypot(...own.map((entry, i) => other[i] - entry)) / Math.hypot(...own);
  }

  delete(): void {
    this.peer.delete();
  }

  private stateInto(state: Float64Array, minimal: Float64Array): void {
    state.set(minimal);
    maximalFromMinimalInto(state.subarray(this.tangentSize), this.mechanism, minimal);
  }

  private minimalAfter(minimal: Float64Array, u: Float64Array): Float64Array | undefined {
    this.peer.setState(minimal);
    this.peer.setInput(u);
    for (let i = 0; i < this.stepsPerKnot; i++) this.peer.step();
    this.steps += this.stepsPerKnot;
    return this.peer.diverged ? undefined : this.peer.state;
  }

  /** Columns of a Jacobian, one per entry of `at`. */
  private differencesInto(
    jacobian: Float64Array,
    at: Float64Array,
    after: (at: Float64Array) => Float64Array | undefined,
  ): boolean {
    const { nudge } = this;
    for (let j = 0; j < at.length; j++) {
      const value = at[j];
      at[j] = value + nudge;
      const above = after(at);
      at[j] = value - nudge;
      const below = after(at);
      at[j] = value;
      if (!above || !below) return false;
      for (let i = 0; i < above.length; i++) jacobian[i * at.length + j] = (above[i] - below[i]) / (2 * nudge);
    }
    return true;
  }
}
