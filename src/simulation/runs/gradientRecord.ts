/**
 * What a rollout keeps for gradients: of every step the point on the central path at the gradients' κ, and the parameters and
 * wrenches it was taken with (once, for as long as they do not change). Never matrices or factors: those are made again.
 * With checkpoints only the conditions are kept, and the points come from taking the steps again.
 */
import type { System } from "../../kernels/index.ts";
import { ArgumentError, type OptionNames, requireOptionNames } from "../../mechanism/index.ts";
import type { BounceRecord } from "../bounce/bounceRecord.ts";
import type { StepDivision } from "../division/stepDivision.ts";
import { type GradientPath, gradientPath, gradientPathNames, type PathParameter } from "../step/pathParameter.ts";
import type { SlotSystem } from "../touch/slotSystem.ts";
import type { PieceWithPoints } from "../touch/stepPieces.ts";
import type { TouchSteps } from "../touch/touchSteps.ts";
import type { RunMemory } from "./continuation.ts";

/** Where to differentiate: at the end of each step, or smoothed. */
export interface RecordOptions extends GradientPath {
  /**
   * Keep only every n-th state and no points. Gradients then take the steps between again, one stretch at a time, with the inputs
   * as they were: half the speed, for memory that no longer grows with what a step holds. Default: keep everything.
   */
  readonly checkpointEvery?: number;
}

const recordOptionNames: OptionNames<RecordOptions> = { ...gradientPathNames, checkpointEvery: true };

const pointsPerChunk = 32;

/** A step to be differentiated. */
export interface KeptStep {
  /** Memory up to `dataEnd` when it was taken: parameters and wrenches. */
  readonly data: Float64Array;
  /** One a substep; empty between checkpoints. */
  readonly points: readonly Float64Array[];
  /** What is kept of bounces, one per substep; undefined where nothing bounced. */
  readonly bounces: readonly (BounceRecord | undefined)[];
  /** The time step over the intervals of the states before and after it. */
  readonly from: number;
  readonly to: number;
  /** Its parts, where a tolerance divided it. */
  readonly division: StepDivision | undefined;
  /** What it was taken with where shapes touch, in whose memory `data` and `points` lie, and which of its slots were bound to what. */
  readonly taken?: SlotSystem | undefined;
  readonly bonds?: Int32Array | undefined;
  /** What surfaces have given its features (TouchSteps.combined). */
  readonly combined?: Int32Array | undefined;
  /** The steps that it was taken as, where there were several, with points of their own in place of `points`. */
  readonly pieces?: readonly PieceWithPoints[] | undefined;
}

/** What a step has kept for gradients. */
export type FoundPoints = Pick<KeptStep, "points" | "bounces" | "pieces">;

export class GradientRecord {
  /** Where on the central path its points lie. */
  readonly path: PathParameter;
  /** 1 when every step is kept. */
  readonly every: number;
  readonly steps: KeptStep[] = [];
  /** What the step after each checkpoint carried on. */
  readonly memories: (RunMemory | undefined)[] = [];
  /** The simulation that the rollout was taken with, for whoever differentiates. */
  readonly simulation: unknown;

  private readonly system: System;
  private readonly parameterStart: number;
  private data: Float64Array | undefined;
  private changes = Number.NaN;
  private chunk = new Float64Array(0);
  private chunkEnd = 0;

  constructor(simulation: unknown, system: System, options: RecordOptions) {
    requireOptionNames("options.gradients", options, recordOptionNames);
    this.simulation = simulation;
    this.system = system;
    this.path = gradientPath(options);
    this.every = options.checkpointEvery ?? 1;
    if (!(Number.isInteger(this.every) && this.every > 0)) {
      throw new ArgumentError("out-of-range", "checkpointEvery", `${this.every}: give a whole number, 1 or more`);
    }
    this.parameterStart = Math.min(system.dataEnd, ...system.nodes.map((node) => node.parameters));
  }

  get keepsPoints(): boolean {
    return this.every === 1;
  }

  /**
   * Keeps the step that has just been taken with its points, none where the solver did not get to κ. `changes` counts how often
   * parameters and wrenches were set so far.
   */
  keep(
    { points: found, bounces, pieces }: FoundPoints,
    division: StepDivision | undefined,
    from: number,
    to: number,
    changes: number,
    touching?: Pick<TouchSteps, "active" | "combined">,
  ): void {
    const points: Float64Array[] = [];
    const taken = touching?.active;
    if (this.keepsPoints && !pieces) for (const point of found) points.push(this.kept(point));
    this.steps.push({
      // features change from step to step
      data: taken ? taken.system.f64.slice(0, taken.system.dataEnd) : this.conditions(changes),
      points,
      bounces: this.keepsPoints ? bounces : [],
      from,
      to,
      division,
      taken,
      bonds: taken?.system.touch?.bonds,
      combined: touching?.combined,
      pieces: this.keepsPoints ? pieces : undefined,
    });
  }

  /** A copy; many share one array, which is cheaper to make than as many small ones. */
  private kept(point: Float64Array): Float64Array {
    const { length } = point;
    if (this.chunkEnd + length > this.chunk.length) {
      this.chunk = new Float64Array(pointsPerChunk * length);
      this.chunkEnd = 0;
    }
    const copy = this.chunk.subarray(this.chunkEnd, this.chunkEnd + length);
    copy.set(point);
    this.chunkEnd += length;
    return copy;
  }

  /** Parameters and wrenches as they are, shared with the last step where nothing has changed. */
  private conditions(changes: number): Float64Array {
    const { f64, dataEnd } = this.system;
    const { data } = this;
    const isKept = data !== undefined && (changes === this.changes || this.isSame(data));
    this.changes = changes;
    if (!isKept) this.data = f64.slice(0, dataEnd);
    return this.data as Float64Array;
  }

  private isSame(data: Float64Array): boolean {
    const { f64, places, mechanism, dataEnd } = this.system;
    const { wrench, state } = places;
    return (
      isSameIn(f64, data, 0, state) &&
      isSameIn(f64, data, wrench, wrench + 6 * mechanism.bodies.length) &&
      isSameIn(f64, data, this.parameterStart, dataEnd)
    );
  }
}

function isSameIn(a: Float64Array, b: Float64Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (a[i] !== b[i]) return false;
  return true;
}
