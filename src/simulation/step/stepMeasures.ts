/** What the lists of a step have measured, read from their totals in memory: of rows, of cones, and of the last direction. */
import { type System, totals } from "../../kernels/index.ts";
import { type Measures, newMeasures } from "../../solver/index.ts";

export class StepMeasures {
  readonly values: Measures = newMeasures();
  private readonly system: System;
  /** All totals, two lanes each. */
  private readonly lanes: Float64Array;
  /** |ω₊|² of the fastest body where rows were last read. */
  private turnSquare = 0.5;

  constructor(system: System) {
    const start = system.solver.totals;
    this.system = system;
    this.lanes = system.f64.subarray(start, start + 2 * Object.keys(totals).length);
  }

  readRows(): void {
    const { values } = this;
    values.residual = this.largest(totals.residual);
    values.residualViolation = this.largest(totals.residualViolation);
    // numbers cannot hold the tolerance, so that nothing would ever violate it: gravity of 1e155
    if (values.residualViolation === 0 && values.residual > 1) values.residualViolation = Infinity;
    values.gapViolation = this.largest(totals.gap);
    this.turnSquare = this.largest(totals.turn);
  }

  /** `degree`: how many cones take part. */
  readCones(degree: number): void {
    const { values } = this;
    values.mu = this.sum(totals.mu) / Math.max(1, degree);
    values.complementarityViolation = this.largest(totals.violation);
    values.pathDistance = this.largest(totals.path);
    values.smallestEigenvalue = this.smallest(totals.eigenvalue);
  }

  readDirection(degree: number, corrected: boolean): void {
    const { values } = this;
    values.boundary = this.smallest(totals.boundary);
    values.slope = this.sum(totals.slope) / degree;
    values.curvature = this.sum(totals.curvature) / degree;
    if (!corrected) values.secondOrder = this.largest(totals.second);
  }

  /** The equations live where every |ψ₊| = h |ω₊| / 2 < 1. */
  turnsLessThanHalf(): boolean {
    const h = this.timestep;
    return 0.25 * h * h * this.largest(totals.turn) < 1;
  }

  /** Whether a step can start from where rows were last read, as stateChecks.ts has it: h |ω₊| < √2. What is solved is finite, and its quaternions are rotations. */
  get isSteppable(): boolean {
    const h = this.timestep;
    return h * h * this.turnSquare < 2;
  }

  private get timestep(): number {
    return this.system.f64[this.system.places.globals];
  }

  private sum(total: number): number {
    return this.lanes[2 * total] + this.lanes[2 * total + 1];
  }

  private largest(total: number): number {
    return Math.max(this.lanes[2 * total], this.lanes[2 * total + 1]);
  }

  private smallest(total: number): number {
    return Math.min(this.lanes[2 * total], this.lanes[2 * total + 1]);
  }
}
