/**
 * Steps and parts of steps in which links that nothing drives gain energy, as they do where they whip: a chord of half a radian says little
 * of the way. They are taken in more parts.
 */
import type { System } from "../../kernels/index.ts";
import { isFree, whips } from "../states/bentWays.ts";
import { gainsEnergy } from "../states/kineticGain.ts";
import { Undriven } from "../states/undriven.ts";
import { leavesEndOpen } from "./pathSchedule.ts";
import type { StepOptions } from "./stepReport.ts";

/**
 * Part of the kinetic energy that a part of a step may add, and a whole step. Whole steps are those of a variational integrator: the energy
 * that is read goes up and down by some percent where links whip, and comes back. To take them in parts makes such a swing a loss.
 */
const mostGain = 1e-2;
const mostWholeGain = 0.1;
/** Parts in which a step is taken whatever it gains. */
const finest = 8;

export class GainWatch {
  /** Whether steps are looked at here: not where shapes touch, which are looked at where their features are known (touch/energyWatch.ts). */
  isOn: boolean;
  /** Whether links have gained energy in a part of the step that is being taken. */
  hasSeen = false;

  private readonly system: System;
  private readonly undriven: Undriven;

  constructor(system: System) {
    this.system = system;
    this.undriven = new Undriven(system.mechanism);
    this.isOn = !system.mechanism.joints.every(isFree);
  }

  /** Whether a step that is taken in so many parts is to be looked at: its end may then be written in a shorter interval, and nothing but touching acts. */
  concerns(options: StepOptions, count: number): boolean {
    const { interval, fallback } = options;
    return this.isOn && count < finest && interval !== undefined && fallback !== false && leavesEndOpen(options);
  }

  /** Whether they do from one state to the other, in a step that is taken in so many parts. */
  gains(from: Float64Array, to: Float64Array, count: number): boolean {
    const { f64, places, mechanism } = this.system;
    const { length } = mechanism.bodies;
    // the time step in memory is that of the part
    const h = count * f64[places.globals];
    if (!whips(from, length, h) && !whips(to, length, h)) return false;
    const most = count === 1 ? mostWholeGain : mostGain;
    const gains = gainsEnergy(this.system, from, to, most, 0) && this.undriven.holds(this.system);
    this.hasSeen ||= gains;
    return gains;
  }
}
