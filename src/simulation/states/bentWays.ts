/**
 * Kinetic energy as it is read, ½ m v² of chords, grows with the interval where joints bend the ways of bodies. Where an interval h₁ becomes H,
 * momenta along the ways stay, and the chord of a body that joints accelerate by a gains what it has across its way:
 *   ΔE = Σ ½ m |a|² (H² − h₁²)/4.
 * A run that comes back to a long interval while links are fast would keep that energy when they are slow. So it comes back where there is
 * little to gain.
 */
import { bodyParameterNames } from "../../equations/index.ts";
import type { System } from "../../kernels/index.ts";
import { angularVelocityAt, bodyAt, velocityAt } from "../../math/index.ts";
import type { Mechanism } from "../../mechanism/index.ts";
import { kineticEnergy } from "./energy.ts";

/**
 * Part of the kinetic energy that a change of the interval may add. With less than that, robots that random torques throw about stay in parts
 * that they no longer need: a humanoid took 62 iterations per step instead of 34 with 0.003.
 */
const mostGain = 1e-2;

/**
 * Links whip where one of them turns by this many radians per time step, or more. Below it, a chord is shorter than its arc by 1/2400 at most.
 * What rests must not count: where the kinetic energy is itself a rounding error, the next rounding error may double it.
 */
const whip = 0.1;

/** Whether any body of a state turns so far in h. */
export function whips(state: Float64Array, bodies: number, h: number): boolean {
  const most = (whip / h) ** 2;
  for (let body = 0; body < bodies; body++) {
    const at = angularVelocityAt(body);
    if (state[at] ** 2 + state[at + 1] ** 2 + state[at + 2] ** 2 > most) return true;
  }
  return false;
}

/** Whether a joint holds nothing at all, as a floating one. */
export function isFree({ shape }: Mechanism["joints"][number]): boolean {
  return shape.translation + shape.rotation === 0;
}

export class BentWays {
  private readonly system: System;
  /** Bodies that a joint holds. */
  private readonly held: readonly number[];

  constructor(system: System) {
    const { joints, bodies } = system.mechanism;
    this.system = system;
    const holding = joints.filter((joint) => !isFree(joint));
    this.held = bodies
      .map(({ index }) => index)
      .filter((body) => holding.some(({ parent, child }) => parent === body || child === body));
  }

  /**
   * The fewest parts of the time step h in which a state is to be written that a part of `from` has led to, the last one solved in this
   * memory: 1, 2, 4, … `most`. Gravity bends ways as well; what that adds in one interval is taken back in another.
   */
  fewestIntervals(state: Float64Array, h: number, from: number, most: number): number {
    const { f64, places, mechanism } = this.system;
    if (!whips(state, mechanism.bodies.length, h)) return 1;
    let squares = 0;
    for (const body of this.held) {
      const mass = places.bodyParameters + bodyParameterNames.length * body;
      const share = f64[mass + bodyParameterNames.length - 1];
      const at = velocityAt(body);
      for (let k = 0; k < 3; k++) {
        const acceleration = (state[at + k] - f64[places.state + at + k]) / from;
        squares += f64[mass] * (acceleration ** 2 - (share * f64[places.globals + 1 + k]) ** 2);
      }
    }
    let kinetic = 0;
    for (let body = 0; body < mechanism.bodies.length; body++)
      kinetic += kineticEnergy(state, bodyAt(body), f64, places.bodyParameters + bodyParameterNames.length * body);
    const gain = (interval: number): number => (squares * (interval ** 2 - from ** 2)) / 8;
    let parts = 1;
    while (parts < most && h / parts > from && gain(h / parts) > mostGain * kinetic) parts *= 2;
    return parts;
  }
}
