/** A call list over the vectors of a step: its unknowns, its rows, its cones and bodies. */
import type { Mechanism } from "../../mechanism/index.ts";
import type { Cone } from "../../solver/index.ts";
import type { BoundSlots } from "../elimination/boundSlots.ts";
import { registerNothing } from "../memory/holes.ts";
import {
  type Body,
  callOnAdjacent,
  callOnPairs,
  callOnRun,
  callOnSlots,
  entriesATrip,
  type Run,
  runsOf,
  type SlotEntry,
} from "../memory/lanes.ts";
import { CallList, type Register } from "../memory/memory.ts";
import type { NodePlace, Places } from "../memory/plan.ts";
import type { SolverPlaces } from "../memory/solverPlaces.ts";
import { longTrip, openLoop, type VectorLoop, vectorLoop } from "../memory/vectorKernels.ts";
import { totalStarts } from "./coneKernels.ts";

export interface Vectors {
  readonly mechanism: Mechanism;
  readonly nodes: readonly NodePlace[];
  readonly places: Places;
  readonly solver: SolverPlaces;
  readonly cones: readonly Cone[];
  /** Slot of every cone that comes and goes (slots.ts), by the offset of the cone. */
  readonly slots: ReadonlyMap<number, number>;
  /** Row of the residual and slack of every distance. */
  readonly gaps: readonly (readonly [number, number])[];
  readonly unknowns: number;
  /** Cone variables and rows but for those of slots. */
  readonly coneSize: number;
  readonly rows: number;
  /** Contacts that are bound at run time. */
  readonly bound: BoundSlots | undefined;
}

export class VectorList extends CallList {
  private readonly vectors: Vectors;
  private readonly register: Register;
  private readonly totals: number;

  constructor(vectors: Vectors, register: Register) {
    super();
    this.vectors = vectors;
    this.register = register;
    this.totals = vectors.solver.totals;
  }

  /** Starts all totals, or some that follow each other. */
  startTotals(from = 0, to = totalStarts.length): void {
    const starts = [this.totals, this.vectors.solver.totalStarts].map((start) => start + 2 * from);
    this.loop("copy", starts, 2 * (to - from));
  }

  loop(name: VectorLoop, starts: readonly number[], length: number): void {
    vectorLoop(this, this.register, name, starts, length);
  }

  onRuns(name: string, body: Body, runs: readonly Run[], given = this.vectors.solver.given): void {
    for (const run of runs) callOnRun(this, this.register, name, body, run, this.totals, given);
  }

  /** A call on so many entries that follow each other. */
  onRange(name: string, body: Body, starts: readonly number[], count: number, given?: number): void {
    if (count > 0) this.onRuns(name, body, [{ starts, strides: starts.map(() => 1), count }], given);
  }

  /** Calls on every body, whose numbers lie so far apart. */
  onBodies(name: string, body: Body, starts: readonly number[], strides: readonly number[]): void {
    this.onRuns(name, body, [{ starts, strides, count: this.vectors.mechanism.bodies.length }]);
  }

  /** Calls on entries that lie anywhere. */
  onPairs(name: string, body: Body, entries: readonly (readonly number[])[], given = this.vectors.solver.given): void {
    callOnPairs(this, this.register, name, body, entries, this.totals, given);
  }

  onSlots(name: string, body: Body, entries: readonly SlotEntry[], inRuns?: boolean): void {
    callOnSlots(this, this.register, name, body, entries, this.totals, this.vectors.solver.given, inRuns);
  }

  /** Calls on the cones of slots that are bound. */
  onBound(stage: string): void {
    const segment = this.vectors.bound?.segments.get(stage);
    if (segment) this.hole(segment, registerNothing(this.register));
  }

  /** A loop on all entries of all cones; of slots, as far as they are in use. */
  coneLoop(name: VectorLoop, at: readonly number[]): void {
    const { coneSize, bound } = this.vectors;
    this.loop(name, at, coneSize);
    bound?.pools.forEach(({ cone, kernels }, i) => {
      // α stays where it is
      const starts = at.map((start, o) => (o === 3 ? start : start + cone));
      this.whileInUse(i, kernels.coneSize, longTrip, () => openLoop(this, this.register, name, starts));
    });
  }

  onCones(name: string, body: Body, starts: readonly number[], given?: number): void {
    const { coneSize, bound } = this.vectors;
    this.onRange(name, body, starts, coneSize, given);
    bound?.pools.forEach(({ cone, kernels }, i) => {
      this.onOpen(name, body, starts, cone, i, kernels.coneSize, given);
    });
  }

  /** Calls on all rows from one on, as far as they are in use. */
  onRows(name: string, body: Body, starts: readonly number[], from = 0, given?: number): void {
    const { rows, unknowns, bound } = this.vectors;
    const first = starts.map((start) => start + from);
    this.onRange(name, body, first, rows - from, given);
    bound?.pools.forEach(({ equality, kernels }, i) => {
      this.onOpen(name, body, starts, unknowns + equality, i, kernels.equalities, given);
    });
  }

  private onOpen(
    name: string,
    body: Body,
    starts: readonly number[],
    from: number,
    pool: number,
    entries: number,
    given = this.vectors.solver.given,
  ): void {
    const moved = starts.map((start) => start + from);
    this.whileInUse(pool, entries, entriesATrip, () => {
      callOnAdjacent(this, this.register, name, body, moved, this.totals, given);
    });
  }

  /** Calls on entries of cones: those without a slot in runs, the others each by itself. */
  onEach(name: string, body: Body, entries: readonly ConeEntry[]): void {
    const { slots } = this.vectors;
    this.onRuns(name, body, runsOf(entries.filter(({ cone }) => !slots.has(cone)).map((entry) => entry.places)));
    const members = entries.flatMap(({ cone, places }) => {
      const slot = slots.get(cone);
      return slot === undefined ? [] : [{ slot, places }];
    });
    this.onSlots(name, body, members);
  }
}

/** Places of what is done to the cone of this offset. */
interface ConeEntry {
  readonly cone: number;
  readonly places: readonly number[];
}
