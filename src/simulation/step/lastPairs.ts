/** The cone variables of the last solved step, from which the next may start, and slacks of the one before it. */
import type { System } from "../../kernels/index.ts";
import type { Cone } from "../../solver/index.ts";
import { copyInto } from "../copyInto.ts";
import type { ConePoint } from "../runs/continuation.ts";

const noCones: readonly Cone[] = [];

export class LastPairs {
  /** Of the last step. */
  readonly last: ConePoint;
  /** Whether those of slots are kept too: where starts are predicted. */
  ofSlots = false;
  private readonly system: System;
  private readonly before: Float64Array;
  private hasBefore = false;

  constructor(system: System) {
    const { coneSize } = system;
    this.system = system;
    this.last = { b: new Float64Array(coneSize), c: new Float64Array(coneSize) };
    this.before = new Float64Array(coneSize);
  }

  /** Slacks of the step before the last, where it led to that. */
  get slacksBefore(): Float64Array | undefined {
    return this.hasBefore ? this.before : undefined;
  }

  /** Keeps those of a solved step; `goesOn`: it went on from the one that was kept. */
  remember({ b, c }: ConePoint, goesOn: boolean): void {
    const { last, before } = this;
    const size = this.system.fixedConeSize;
    if (goesOn) copyInto(before, 0, last.c, 0, size);
    this.hasBefore = goesOn;
    copyInto(last.b, 0, b, 0, size);
    copyInto(last.c, 0, c, 0, size);
    if (!this.ofSlots) return;
    // nobody asks for those of slots that are not bound
    const bound = this.system.touch?.boundCones ?? noCones;
    for (let i = 0; i < bound.length; i++) {
      const { offset, size: entries } = bound[i];
      for (let k = offset; k < offset + entries; k++) {
        last.b[k] = b[k];
        last.c[k] = c[k];
      }
    }
  }

  /** Nothing is known any more of these cone variables: another contact has taken their place. */
  forget(at: number, size: number): void {
    this.last.b.fill(0, at, at + size);
    this.last.c.fill(0, at, at + size);
  }

  /** Goes on from what another run has kept. */
  recall({ b, c }: ConePoint, before: Float64Array | undefined): void {
    const size = this.ofSlots ? this.system.coneSize : this.system.fixedConeSize;
    copyInto(this.last.b, 0, b, 0, size);
    copyInto(this.last.c, 0, c, 0, size);
    if (before) copyInto(this.before, 0, before, 0, this.system.fixedConeSize);
    this.hasBefore = before !== undefined;
  }
}
