/**
 * A spring and a damper from a point of a body p to a target t, as the mouse pulls. Both act on the velocity at the end of the step,
 * v₀ without the pull, which a force f changes by a f. So no stiffness is too much for a light link:
 *   f = k (t − p − h v₊) − c v₊,   v₊ = v₀ + a f    ⇒    f = (k (t − p − h v₀) − c v₀) / (1 + (h k + c) a)
 * v₀ and a are found by trying: a step without the pull, and one with the force that the last a gives. A robot that friction holds has
 * a = 0 until the force is enough.
 */
import type { Simulation, StepOptions } from "dojo-sim";
import type { Pull } from "../protocol.ts";
import { placeOf, setForce, type Vector } from "./bodyPoint.ts";
import { groupMassesOf } from "./sceneInfo.ts";

/** Pulled as far as the scene reaches, a robot feels this many times its weight; and never more than the next many. */
const strength = 2;
const mostStrength = 6;
/** What is loose among others feels so many times that: enough to lift what lies on it, too little to make a light card spin too fast for h. */
const looseStrength = 2;
/** Part of the critical damping. */
const damping = 0.7;

export class PullSpring {
  private pull: Pull;
  private readonly mass: number;
  private readonly stiffness: number;
  /** a of the formula. */
  private mobility: number;

  /** `reach` is half the scene's size. */
  constructor(simulation: Simulation, pull: Pull, reach: number) {
    this.pull = pull;
    const { bodies } = simulation.mechanism;
    const all = bodies.reduce((sum, { mass }) => sum + mass, 0);
    this.mass = Math.min(all, looseStrength * groupMassesOf(simulation.mechanism)[pull.body]);
    this.stiffness = (strength * this.weight) / reach;
    this.mobility = simulation.timestep / bodies[pull.body].mass;
  }

  /** Point and target, in the world. */
  line(state: Float64Array): number[] {
    const { body, point, target } = this.pull;
    return [...placeOf(state, body, point).position, ...target];
  }

  /** Goes on with another target; false when it is another point. */
  moveTo(pull: Pull): boolean {
    const same = pull.body === this.pull.body && pull.point.every((entry, k) => entry === this.pull.point[k]);
    if (same) this.pull = pull;
    return same;
  }

  /** Sets the force of the next step. */
  apply(simulation: Simulation, state: Float64Array, input: Float64Array, options: StepOptions): void {
    const { body, point } = this.pull;
    const velocityUnder = (force: Vector): Vector => {
      setForce(simulation, state, body, point, force);
      return placeOf(simulation.step(state, input, options).next, body, point).velocity;
    };
    const free = velocityUnder([0, 0, 0]);
    const tried = this.force(simulation.timestep, state, free);
    const size = Math.hypot(...tried);
    if (size > 1e-6 * this.weight) {
      const moved = velocityUnder(tried);
      this.mobility = Math.hypot(moved[0] - free[0], moved[1] - free[1], moved[2] - free[2]) / size;
    }
    setForce(simulation, state, body, point, this.force(simulation.timestep, state, free));
  }

  private get weight(): number {
    return 9.81 * this.mass;
  }

  private force(h: number, state: Float64Array, v: Vector): Vector {
    const { body, point, target } = this.pull;
    const { position: p } = placeOf(state, body, point);
    const { stiffness: k, mobility: a } = this;
    const c = 2 * damping * Math.sqrt(k * Math.min(this.mass, h / a));
    const share = 1 / (1 + (h * k + c) * a);
    const along = (axis: 0 | 1 | 2): number => share * (k * (target[axis] - p[axis] - h * v[axis]) - c * v[axis]);
    const [x, y, z] = [along(0), along(1), along(2)];
    const cut = Math.min(1, (mostStrength * this.weight) / Math.max(1e-12, Math.hypot(x, y, z)));
    return [cut * x, cut * y, cut * z];
  }
}
