/** The cone variables of the last solved step, from which the next may start, and slacks of the one before it; all of them in memory. */
import type { System } from "../../kernels/index.ts";
import { copyInto } from "../copyInto.ts";
import type { ConePoint } from "../runs/continuation.ts";

export class LastPairs {
  /** Pairs of the last step; of slots, of those that are bound. */
  readonly last: ConePoint;
  private readonly before: Float64Array;
  private readonly run: () => void;
  private hasBefore = false;

  constructor({ f64, solver, coneSize, runner }: System) {
    const view = (start: number): Float64Array => f64.subarray(start, start + coneSize);
    this.last = { b: view(solver.last.b), c: view(solver.last.c) };
    this.before = view(solver.last.before);
    this.run = runner("remember");
  }

  /** Slacks of the step before the last, where it led to that. */
  get slacksBefore(): Float64Array | undefined {
    return this.hasBefore ? this.before : undefined;
  }

  /** Keeps those of a solved step, which are in memory; `goesOn`: it went on from the one that was kept. */
  remember(goesOn: boolean): void {
    this.run();
    this.hasBefore = goesOn;
    // slacks that are not known have not changed
    if (!goesOn) this.before.set(this.last.c);
  }

  /** Nothing is known any more of these cone variables: another contact has taken their place. */
  forget(at: number, size: number): void {
    this.last.b.fill(0, at, at + size);
    this.last.c.fill(0, at, at + size);
  }

  /** Goes on from what another run has kept. */
  recall({ b, c }: ConePoint, before: Float64Array | undefined): void {
    // what was kept may have other slots behind it
    copyInto(this.last.b, 0, b, 0, Math.min(b.length, this.before.length));
    copyInto(this.last.c, 0, c, 0, Math.min(c.length, this.before.length));
    const slacks = before ?? this.last.c;
    copyInto(this.before, 0, slacks, 0, Math.min(slacks.length, this.before.length));
    this.hasBefore = before !== undefined;
  }
}
