/** Impulses of joints, limits and contacts, summed over the substeps of a step. */
import type { System } from "../../kernels/index.ts";

export class ImpulseSums {
  private readonly system: System;
  /** Of the unknowns, then of b. */
  private readonly sums: Float64Array;
  private readonly marked: Float64Array;

  constructor(system: System) {
    this.system = system;
    this.sums = new Float64Array(system.unknowns + system.coneSize);
    this.marked = new Float64Array(this.sums.length);
  }

  clear(): void {
    this.sums.fill(0);
  }

  /** After each substep. */
  add(): void {
    const { f64, places, unknowns, coneSize } = this.system;
    for (let i = 0; i < unknowns; i++) this.sums[i] += f64[places.unknown + i];
    for (let i = 0; i < coneSize; i++) this.sums[unknowns + i] += f64[places.coneB + i];
  }

  /** Of cone variables that are another contact's now. */
  forget(at: number, size: number): void {
    const { unknowns } = this.system;
    this.sums.fill(0, unknowns + at, unknowns + at + size);
  }

  /** Takes over the sums of another system of the same mechanism: all but those of contacts that are bound at run time. */
  goOnFrom(other: ImpulseSums): void {
    const { unknowns } = this.system;
    this.sums.fill(0);
    this.sums.set(other.sums.subarray(0, unknowns + this.ownCones));
  }

  /** After a substep that was taken in another system of the same mechanism: all but contacts that are bound at run time. */
  addFrom({ f64, places }: System): void {
    const { unknowns } = this.system;
    const { ownCones } = this;
    for (let i = 0; i < unknowns; i++) this.sums[i] += f64[places.unknown + i];
    for (let i = 0; i < ownCones; i++) this.sums[unknowns + i] += f64[places.coneB + i];
  }

  /** Cone variables of joints and of the mechanism's own contacts, which come first. */
  private get ownCones(): number {
    const { touch, coneSize } = this.system;
    return touch ? touch.nodes.reduce((first, { cone }) => Math.min(first, cone), coneSize) : coneSize;
  }

  /** The sums so far, for `goBackTo`. */
  copy(): Float64Array {
    return this.sums.slice();
  }

  goBackTo(sums: Float64Array): void {
    this.sums.set(sums);
  }

  /** Before parts that may be taken back. */
  mark(): void {
    this.marked.set(this.sums);
  }

  /** Takes back what was added since. */
  undo(): void {
    this.sums.set(this.marked);
  }

  /** Leaves the sums where readers of the step's impulses look; velocities stay those of the last substep. */
  restore(): void {
    const { f64, places, unknowns, mechanism } = this.system;
    const bodies = 6 * mechanism.bodies.length;
    f64.set(this.sums.subarray(bodies, unknowns), places.unknown + bodies);
    f64.set(this.sums.subarray(unknowns), places.coneB);
  }
}
