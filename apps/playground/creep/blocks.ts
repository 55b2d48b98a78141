/** The same block in two engines, behind one contract. */
import { compile, maximalState, minimalState, Simulation } from "dojo-sim";
import type { MujocoPeer } from "../../../experiments/peers/mujoco.ts";
import { DriftMeter } from "./driftMeter.ts";
import type { CreepSettings } from "./settings.ts";
import { corners, slopeDescription } from "./slope.ts";

export interface Reading {
  /** Way down the slope since the start, m. */
  readonly moved: number;
  /** m/s down the slope. */
  readonly drift: number;
  /** Height of the lowest corner above the slope, m; negative inside. */
  readonly height: number;
  /** What went wrong, if anything. */
  readonly fault?: string;
}

export interface Block {
  step(): void;
  reading(): Reading;
  dispose(): void;
}

/** In our engine. */
export class EngineBlock implements Block {
  private readonly simulation: Simulation;
  private readonly input: Float64Array;
  private readonly meter: DriftMeter;
  private state: Float64Array;
  private height = 0;
  private fault: string | undefined;

  constructor(settings: CreepSettings) {
    const description = slopeDescription(settings);
    const mechanism = compile(description);
    const { kappa } = settings;
    this.simulation = new Simulation(mechanism, kappa === undefined ? {} : { kappa, exact: true });
    this.input = new Float64Array(this.simulation.inputSize);
    this.state = maximalState(mechanism, description.states?.rest);
    this.meter = new DriftMeter(settings.timestep);
    this.meter.push(this.state[0]);
  }

  step(): void {
    const { status, next } = this.simulation.step(this.state, this.input);
    if (status !== "solved") this.fault = `a step ended as ${status}`;
    this.state.set(next);
    this.meter.push(this.state[0]);
    const heights = Array.from({ length: corners }, (_, i) => this.simulation.contact(`corner${i}`).distance);
    this.height = Math.min(...heights);
  }

  reading(): Reading {
    const { fault, height } = this;
    const reading = { moved: this.state[0], drift: this.meter.speed, height };
    return fault ? { ...reading, fault } : reading;
  }

  dispose(): void {}
}

/** In MuJoCo. The peer must be of the same slope; it is the block's from here on. */
export class MujocoBlock implements Block {
  private readonly peer: MujocoPeer;
  private readonly meter: DriftMeter;

  constructor(settings: CreepSettings, peer: MujocoPeer) {
    const description = slopeDescription(settings);
    const mechanism = compile(description);
    this.peer = peer;
    peer.model.opt.impratio = settings.impratio;
    peer.model.opt.noslip_iterations = settings.noslip;
    peer.setState(minimalState(mechanism, maximalState(mechanism, description.states?.rest)));
    this.meter = new DriftMeter(settings.timestep);
    this.meter.push(this.place);
  }

  private get place(): number {
    return this.peer.state[0];
  }

  step(): void {
    this.peer.step();
    this.meter.push(this.place);
  }

  reading(): Reading {
    const height = Math.min(...this.peer.distances());
    const reading = { moved: this.place, drift: this.meter.speed, height };
    return this.peer.diverged ? { ...reading, fault: "MuJoCo diverged and began anew" } : reading;
  }

  /** Memory of MuJoCo is not collected. */
  dispose(): void {
    this.peer.delete();
  }
}
