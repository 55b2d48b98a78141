/** The same in MuJoCo, with its default settings: Euler, pyramidal cones, Newton. */
import { controlsOf, minimalState } from "dojo-sim";
import { type Mujoco, MujocoPeer } from "../peers/mujoco.ts";
import type { OurRuns } from "./ours.ts";
import type { Robot } from "./robots.ts";

/** Width of finite differences, as in MuJoCo's own examples. */
const difference = 1e-6;

export class PeerRuns {
  readonly peer: MujocoPeer;
  private readonly title: string;
  private readonly start: Float64Array;
  private readonly controls: readonly Float64Array[];

  constructor(mujoco: Mujoco, robot: Robot, { simulation, start, inputs }: OurRuns) {
    this.peer = new MujocoPeer(mujoco, robot.description);
    this.title = robot.title;
    this.start = minimalState(simulation.mechanism, start, simulation.timestep);
    this.controls = inputs.map((input) => controlsOf(this.peer.map, input));
  }

  forward(): void {
    const { mujoco, model, data } = this.peer;
    this.restart();
    for (const control of this.controls) {
      data.ctrl.set(control);
      mujoco.mj_step(model, data);
    }
    this.requireFinite();
  }

  /** One-sided differences of every step by state and control. */
  jacobians(): void {
    const { mujoco, model, data } = this.peer;
    const [states, inputs] = [2 * model.nv + model.na, model.nu];
    const dState = new mujoco.DoubleBuffer(states * states);
    const dInput = new mujoco.DoubleBuffer(states * inputs);
    this.restart();
    for (const control of this.controls) {
      data.ctrl.set(control);
      mujoco.mjd_transitionFD(model, data, difference, false, dState, dInput, null, null);
      mujoco.mj_step(model, data);
    }
    const written = [dState, dInput].every((buffer) => buffer.GetView().some((entry: number) => entry !== 0));
    dState.delete();
    dInput.delete();
    if (!written) throw new Error("MuJoCo wrote no Jacobian");
    this.requireFinite();
  }

  restart(): void {
    this.peer.setState(this.start);
  }

  step(k: number): void {
    this.peer.data.ctrl.set(this.controls[k]);
    this.peer.step();
  }

  delete(): void {
    this.peer.delete();
  }

  private requireFinite(): void {
    if (this.peer.diverged) throw new Error(`${this.title} diverged in MuJoCo and was reset`);
  }
}
