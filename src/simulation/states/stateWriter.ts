/** States as steps write them: next poses and velocities out of memory, and velocities in other intervals. */
import { bodyParameterNames } from "../../equations/index.ts";
import { nextLayout, type System } from "../../kernels/index.ts";
import type { Matrix3 } from "../../math/index.ts";
import { angularVelocityAt, bodyAt, poseSize, stateOffsets } from "../../math/index.ts";
import { isSteppable } from "./stateChecks.ts";
import { changeSpinInto } from "./timestepChange.ts";

/** A state may be written in this part of the step. */
export const mostIntervals = 64;

export class StateWriter {
  private readonly system: System;

  constructor(system: System) {
    this.system = system;
  }

  /** Next poses, their quaternions freed of rounding, and velocities. */
  writeNext(next: Float64Array): void {
    const { f64, places, mechanism } = this.system;
    for (let i = 0; i < mechanism.bodies.length; i++) {
      const pose = places.next + nextLayout.size * i;
      const velocity = places.unknown + 6 * i;
      const out = bodyAt(i);
      const w = f64[pose + 3];
      const x = f64[pose + 4];
      const y = f64[pose + 5];
      const z = f64[pose + 6];
      const scale = 1 / Math.sqrt(w * w + x * x + y * y + z * z);
      for (let k = 0; k < 3; k++) next[out + k] = f64[pose + k];
      for (let k = stateOffsets.orientation; k < poseSize; k++) next[out + k] = f64[pose + k] * scale;
      for (let k = 0; k < 6; k++) next[out + stateOffsets.velocity + k] = f64[velocity + k];
    }
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

  /** A state of interval `from` in the longest of h, h/2, … h/most that can express it; 0 if none can. */
  writeLongest(next: Float64Array, state: Float64Array, h: number, from: number, most: number): number {
    for (let parts = 1; parts <= most; parts *= 2) {
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
