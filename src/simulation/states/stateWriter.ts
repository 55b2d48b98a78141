/** States as steps write them: next poses and velocities out of memory, and velocities in other intervals. */
import { bodyParameterNames } from "../../equations/index.ts";
import type { System } from "../../kernels/index.ts";
import { angularVelocityAt, type Matrix3 } from "../../math/index.ts";
import { copyInto } from "../copyInto.ts";
import { BentWays } from "./bentWays.ts";
import { isSteppable } from "./stateChecks.ts";
import { changeSpinInto } from "./timestepChange.ts";

/** A state may be written in this part of the step. */
export const mostIntervals = 64;

export class StateWriter {
  private readonly system: System;
  private readonly runNext: () => void;
  private readonly ways: BentWays;

  constructor(system: System) {
    this.system = system;
    this.runNext = system.runner("next");
    this.ways = new BentWays(system);
  }

  /** Next poses, their quaternions freed of rounding, and velocities. */
  writeNext(next: Float64Array): void {
    const { f64, solver } = this.system;
    this.runNext();
    copyInto(next, 0, f64, solver.nextState, next.length);
  }

  /** Returns whether the interval `to` can express every body's momentum. */
  changeInterval(state: Float64Array, from: number, to: number): boolean {
    let fits = true;
    if (from === to) return fits;
    const { f64, places, mechanism } = this.system;
    for (let body = 0; body < mechanism.bodies.length; body++) {
      const inertia = places.bodyParameters + bodyParameterNames.length * body + 1;
      if (!changeSpinInto(state, angularVelocityAt(body), f64, inertia, from, to)) fits = false;
    }
    return fits;
  }

  /** The end of a step in parts, the last of which is `from` and stands in memory: as `writeLongest`, and where links whip in `from` itself (bentWays.ts). */
  writeEnd(next: Float64Array, state: Float64Array, h: number, from: number, most: number): number {
    const fewest = most > 1 ? this.ways.fewestIntervals(state, h, from, most) : 1;
    return this.writeLongest(next, state, h, from, most, fewest);
  }

  /** A state of interval `from` in the longest of h, h/2, … h/most that can express it; 0 if none can. */
  writeLongest(next: Float64Array, state: Float64Array, h: number, from: number, most: number, fewest = 1): number {
    for (let parts = fewest; parts <= most; parts *= 2) {
      next.set(state);
      if (this.changeInterval(next, from, h / parts) && isSteppable(this.system.mechanism, next, h / parts))
        return h / parts;
    }
    return 0;
  }

  inertia(body: number): Matrix3 {
    const { f64, places } = this.system;
    const at = places.bodyParameters + bodyParameterNames.length * body;
    const [xx, yy, zz, xy, xz, yz] = [f64[at + 1], f64[at + 2], f64[at + 3], f64[at + 4], f64[at + 5], f64[at + 6]];
    return [
      [xx, xy, xz],
      [xy, yy, yz],
      [xz, yz, zz],
    ];
  }
}
