/** Impulses of joints, limits and contacts, summed over the substeps of a step. */
import type { NodePlace, System } from "../../kernels/index.ts";
import type { StepReadings } from "../runs/stepReadings.ts";

export class ImpulseSums {
  private readonly system: System;
  private readonly readings: StepReadings;
  /** Sums of the unknowns, then of b, along the axes of each part; and of the same impulses in the world. */
  private readonly sums: Float64Array;
  private readonly marked: Float64Array;
  private readonly world: Float64Array;

  constructor(system: System, readings: StepReadings) {
    const amounts = system.unknowns + system.coneSize;
    this.system = system;
    this.readings = readings;
    this.sums = new Float64Array(amounts + readings.size);
    this.world = this.sums.subarray(amounts);
    this.marked = new Float64Array(this.sums.length);
  }

  clear(): void {
    this.sums.fill(0);
  }

  /** To be called after each substep. */
  add(): void {
    this.addAmounts(this.system, this.system.coneSize);
    this.readings.addTo(this.world);
  }

  private addAmounts({ f64, places, unknowns }: System, cones: number): void {
    for (let i = 0; i < unknowns; i++) this.sums[i] += f64[places.unknown + i];
    for (let i = 0; i < cones; i++) this.sums[unknowns + i] += f64[places.coneB + i];
  }

  /** Forgets a slot that is another contact's now, with so many cone variables. */
  forget({ cone, index }: NodePlace, size: number): void {
    const { unknowns } = this.system;
    const at = this.readings.placeOf(index);
    this.sums.fill(0, unknowns + cone, unknowns + cone + size);
    this.world.fill(0, at, at + 3);
  }

  /** Takes over the sums of another system of the same mechanism: all but those of contacts that are bound at run time. */
  goOnFrom(other: ImpulseSums): void {
    this.sums.fill(0);
    this.sums.set(other.sums.subarray(0, this.system.unknowns + this.ownCones));
    this.world.set(other.world.subarray(0, this.readings.ownSize));
  }

  /** To be called after a substep that was taken in another system of the same mechanism: all but contacts that are bound at run time. */
  addFrom(other: ImpulseSums): void {
    this.addAmounts(other.system, this.ownCones);
    const world = new Float64Array(other.world.length);
    other.readings.addTo(world);
    for (let i = 0; i < this.readings.ownSize; i++) this.world[i] += world[i];
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

  /** To be called before parts that may be taken back. */
  mark(): void {
    this.marked.set(this.sums);
  }

  /** Takes back what was added since. */
  undo(): void {
    this.sums.set(this.marked);
  }

  /** Leaves the sums where readers of the step's impulses look; velocities stay those of the last substep. */
  restore(): void {
    const { f64, places, unknowns, mechanism, coneSize } = this.system;
    const bodies = 6 * mechanism.bodies.length;
    f64.set(this.sums.subarray(bodies, unknowns), places.unknown + bodies);
    f64.set(this.sums.subarray(unknowns, unknowns + coneSize), places.coneB);
    this.readings.end(this.world);
  }
}
