/**
 * Pieces that a step of shapes that touch was taken as: its halves, and halves of those, or parts that end where something fast is
 * met, each with features of its own (heapSteps.ts, cutSteps.ts); or the
 * step itself, where it is kept as one piece. A piece is a step by itself, so it has all that its gradients need: the memory that it was
 * taken with, which slots were bound to what, and where it began and ended.
 *
 * Points for gradients are kept when a piece is taken (step/gradientPoints.ts). A second system of the same slots takes the step again from other states
 * with pieces and features held, for differences to be compared with.
 */
import type { Target } from "../../codegen/index.ts";
import type { Mechanism } from "../../mechanism/index.ts";
import type { BounceHold } from "../bounce/bounceHold.ts";
import type { BounceRecord } from "../bounce/bounceRecord.ts";
import { copyInto } from "../copyInto.ts";
import type { StepDivision } from "../division/stepDivision.ts";
import { mostIntervals } from "../states/stateWriter.ts";
import type { KeptPoints } from "../step/keptPoints.ts";
import type { Stepper } from "../step/stepper.ts";
import { copyReportInto, type StepOptions } from "../step/stepReport.ts";
import { SlotSystem } from "./slotSystem.ts";
import type { PairSurfaces } from "./surfaces.ts";
import type { PieceTouches } from "./touchReadings.ts";

/** Iterations of an attempt whose matrix is relaxed where it jams. */
const iterations = 50;
/** `touches` are none of a step that is one piece. */
export interface StepPiece extends PieceTouches {
  /** What it was taken with, that memory up to `dataEnd`, and which slots were bound to what (TouchSlots.bonds). */
  readonly taken: SlotSystem;
  readonly data: Float64Array;
  readonly bonds: Int32Array | undefined;
  /** What surfaces have given its features (TouchSteps.combined). */
  readonly combined: Int32Array;
  /** States that it began with and ended with, both in its own interval. */
  readonly start: Float64Array;
  readonly next: Float64Array;
  /** Equal parts that it was solved in, and the angles near which it began. */
  readonly substeps: number;
  /** The same where forces act for other times than those of its parts. */
  readonly division: StepDivision | undefined;
  readonly angles: Float64Array;
  /** Points for gradients, in the order in which the step was asked for them. */
  kept: readonly PiecePoints[];
}

/** One per substep, none where one was not found; and what is kept of bounces. */
export interface PiecePoints {
  readonly points: readonly Float64Array[];
  readonly bounces: readonly (BounceRecord | undefined)[];
}
export type PieceWithPoints = StepPiece & PiecePoints;

/** Copies of what a stepper has kept in its last step, of so many substeps. */
export function keptPoints(kept: readonly Readonly<KeptPoints>[], substeps: number): PiecePoints[] {
  return kept.map(({ points, count, bounces }) => ({
    points: count === substeps ? points.slice(0, count).map((point) => point.slice()) : [],
    bounces: bounces.slice(),
  }));
}

/** How a piece is solved: in how many equal parts, and with which natural units of the cones in each of them. */
interface PieceManner {
  parts: number;
  readonly units: Float64Array[];
}

export class StepPieces {
  /** Those of the last step; none of a step that was taken whole. */
  readonly list: StepPiece[] = [];

  private readonly mechanism: Mechanism;
  private readonly surfaces: PairSurfaces;
  private readonly target: Target;
  /** How its pieces are solved: as it is held, and as it is being collected. */
  private held: readonly PieceManner[] | undefined;
  private collected: PieceManner[] | undefined;
  /** And what bounces are chosen by, of the systems that pieces are retaken with. */
  private readonly heldBounces = new Set<BounceHold>();

  constructor(mechanism: Mechanism, surfaces: PairSurfaces, target: Target) {
    this.mechanism = mechanism;
    this.surfaces = surfaces;
    this.target = target;
  }

  /** The pieces with their points of one kind. */
  withPoints(kind: number): PieceWithPoints[] {
    return this.list.map((piece) => {
      const { points, bounces } = piece.kept[kind];
      const division = piece.division && inParts(points.length, piece.division).division;
      return { ...piece, division, points, bounces };
    });
  }

  /** Takes the step from another state, in its pieces and with their features; `active` has the input, reports, and is left the impulses. */
  retake(state: Float64Array, next: Float64Array, options: StepOptions, active: SlotSystem): boolean {
    const { f64, places } = active.system;
    const { report, writer } = active.stepper;
    const h = f64[places.globals];
    const work = state.slice();
    let interval = options.interval ?? h;
    let iterations = 0;
    let substeps = 0;
    active.impulses.clear();
    for (const [k, piece] of this.list.entries()) {
      const { system, stepper, impulses } = this.load(piece, k);
      copyInto(system.f64, system.places.input, f64, places.input, this.mechanism.inputSize);
      const length = system.f64[system.places.globals];
      stepper.writer.changeInterval(work, interval, length);
      interval = length;
      piece.start.set(work);
      const solved = solve(stepper, piece, this.partsOf(k), work, options);
      iterations += stepper.report.iterations;
      copyReportInto(report, stepper.report);
      if (!solved) return false;
      substeps += stepper.report.substeps;
      if (options.points) piece.kept = keptPoints(stepper.solve.kept, stepper.report.substeps);
      if (this.collected) this.collected[k].parts = stepper.report.substeps;
      active.impulses.addFrom(impulses);
      piece.next.set(work);
    }
    active.impulses.restore();
    report.iterations = iterations;
    report.substeps = substeps;
    report.interval = writer.writeLongest(next, work, h, interval, options.interval === undefined ? 1 : mostIntervals);
    if (report.interval === 0) report.status = "tooFast";
    return report.interval > 0;
  }

  /**
   * Holds how pieces are solved as it is in what is retaken meanwhile: smooth contacts may leave no solution in as few parts as sharp
   * ones do; and what bounces are chosen by. Undefined lets it go.
   */
  holdManner(retake: (() => void) | undefined): void {
    this.held = undefined;
    for (const hold of this.heldBounces) hold.end();
    this.heldBounces.clear();
    if (!retake) return;
    const collected = this.list.map(({ substeps }): PieceManner => ({ parts: substeps, units: [] }));
    this.collected = collected;
    try {
      retake();
    } finally {
      this.collected = undefined;
    }
    this.held = collected;
  }

  /** The number of equal parts in which piece k is to be solved. */
  private partsOf(k: number): number {
    return this.held?.[k].parts ?? this.list[k].substeps;
  }

  /** The second system, with the memory of a piece: cold, and with its slots bound. */
  private load({ taken, data, bonds, size }: StepPiece, k: number): SlotSystem {
    const { resources, pools } = taken;
    if (!resources.has(twinKey))
      resources.set(twinKey, new SlotSystem(this.mechanism, pools, this.surfaces, this.target));
    const twin = resources.get(twinKey) as SlotSystem;
    const { system, stepper } = twin;
    system.f64.set(data);
    if (bonds) system.touch?.rebind(bonds);
    stepper.history.restore(undefined);
    stepper.part = size;
    const { collected } = this;
    if (stepper.bounceHold) this.holdBounce(stepper.bounceHold, k);
    stepper.solve.fixedUnits = this.held?.[k].units;
    stepper.solve.onKept =
      collected && ((substep) => (collected[k].units[substep] = stepper.solve.naturalUnits.slice()));
    return twin;
  }

  /** What is found while pieces are collected stays while they are held. */
  private holdBounce(hold: BounceHold, k: number): void {
    hold.scope = `piece ${k}: `;
    if (!this.collected || this.heldBounces.has(hold)) return;
    hold.begin();
    this.heldBounces.add(hold);
  }
}

const twinKey = "pieces.twin";

/** One piece, from where it begins, in so many parts if it can be. */
function solve(stepper: Stepper, piece: StepPiece, parts: number, end: Float64Array, options: StepOptions): boolean {
  const take = (how: StepOptions): boolean => {
    stepper.history.startNear(piece.angles);
    return stepper.step(piece.start, end, { ...how, ...inParts(parts, piece.division) });
  };
  return relaxed(stepper, () => take(once(options))) || take(options);
}

/** A division in equal parts, forces acting for as long as each of them, unless the first is known to follow on one of another size. */
function inParts(count: number, given: StepDivision | undefined): StepOptions {
  const size = 1 / count;
  const division = { parts: new Array<number>(count).fill(size), before: given?.before ?? size, drive: given?.drive };
  return { interval: undefined, continuation: undefined, division: count > 1 || given ? division : undefined };
}

/** Options for one attempt. */
function once(options: StepOptions): StepOptions {
  return { ...options, fallback: false, maxIterations: options.maxIterations ?? iterations };
}

/** Runs with a matrix that is relaxed where it jams. */
function relaxed<T>(stepper: Stepper, run: () => T): T {
  stepper.solve.relaxes = true;
  try {
    return run();
  } finally {
    stepper.solve.relaxes = false;
  }
}
