/**
 * Steps of heaps, in which hundreds of contacts wedge each other: one that jams fails them all, and the solver's other starts, made for single
 * bodies, fail as well. A heap is solved
 *   1. in one attempt, whose matrix is relaxed where it jams (solver/interiorPoint.ts);
 *   2. where that ends near the end of the central path, which folds there, a little above, at κ' = 1e-6, at which bodies creep by 1e-6 g h:
 *      from where it is, or from the start;
 *   3. in two halves, each with the features that it finds, and so on: bodies that turn by a third of a radian in a step meet with another
 *      normal at its end than at its beginning, where impulses act;
 *   4. to less precision, and with less friction at last.
 */
import type { Pace } from "../division/pace.ts";
import { foldedKappa, foldsBelow } from "../step/attempts.ts";
import { leavesEndOpen } from "../step/pathSchedule.ts";
import type { Stepper } from "../step/stepper.ts";
import type { Precision, StepOptions } from "../step/stepReport.ts";
import type { EnergyWatch } from "./energyWatch.ts";
import type { FoundFeatures } from "./foundFeatures.ts";
import type { StepParts } from "./stepParts.ts";
import type { PairSurfaces } from "./surfaces.ts";
import { afterPart, isDivided, partBefore } from "./touchOptions.ts";

/** Features from which a step is solved as a heap. */
const heap = 20;
/** Iterations of an attempt. */
const iterations = 50;
/** How often a step is halved at most: after six times, 5 steps of 4,000 of piles ended with an overlap, and one made 3.7 times its energy. */
const mostHalvings = 8;
/** How much of the friction a heap is left with that has no solution otherwise. */
const easedFriction = [1, 0.7, 0.4] as const;

/** What takes the steps (touchSteps.ts). */
export interface HeapTaker {
  readonly active: {
    readonly stepper: Stepper;
    write(features: FoundFeatures): void;
  };
  readonly features: FoundFeatures;
  readonly surfaces: PairSurfaces;
  timestep: number;
  readonly paceBefore: Pace | undefined;
  friction: number;
  precision: Precision | undefined;
  mayHalve(options: StepOptions): boolean;
  attempt(state: Float64Array, next: Float64Array, options: StepOptions): boolean;
  solve(state: Float64Array, next: Float64Array, options: StepOptions): boolean;
  readonly parts: StepParts;
  readonly energy: EnergyWatch;
}

/** What takes a step, or at some depth a half of one (stepRounds.ts). */
interface Rounds {
  take(state: Float64Array, next: Float64Array, options: StepOptions, depth: number): boolean;
}

export class HeapSteps {
  private readonly touch: HeapTaker;
  private readonly rounds: Rounds;
  /** States in the middle of steps and their parts, and at their ends. */
  private readonly middles: Float64Array[] = [];
  private readonly ends: Float64Array[] = [];

  constructor(touch: HeapTaker, rounds: Rounds) {
    this.touch = touch;
    this.rounds = rounds;
  }

  concerns(options: StepOptions): boolean {
    return options.fallback !== false && !isDivided(options) && this.touch.features.count >= heap;
  }

  /** The step as it is arranged, in one attempt. */
  once(state: Float64Array, next: Float64Array, options: StepOptions): boolean {
    if (this.relaxed(state, next, options)) return true;
    const { result } = this.touch.active.stepper.solver;
    const isFolded = leavesEndOpen(options) && result.mu < foldsBelow;
    return isFolded && this.relaxed(state, next, { ...options, relativeKappa: foldedKappa });
  }

  /** One attempt, whose matrix is relaxed where it jams. */
  private relaxed(state: Float64Array, next: Float64Array, options: StepOptions): boolean {
    const { touch } = this;
    const { solve } = touch.active.stepper;
    solve.relaxes = true;
    try {
      const maxIterations = options.maxIterations ?? iterations;
      return touch.attempt(state, next, { ...options, fallback: false, maxIterations });
    } finally {
      solve.relaxes = false;
    }
  }

  /** Whether a step that failed can be taken as two. */
  canHalve(options: StepOptions, depth: number): boolean {
    return depth < mostHalvings && (depth > 0 || this.touch.mayHalve(options));
  }

  /** Two steps of half the length, each with halves of its own if need be. */
  halves(state: Float64Array, next: Float64Array, options: StepOptions, depth: number): boolean {
    const { touch, rounds } = this;
    const h = touch.timestep;
    this.middles[depth] ??= new Float64Array(state.length);
    this.ends[depth] ??= new Float64Array(state.length);
    const [middle, end] = [this.middles[depth], this.ends[depth]];
    const { stepper } = touch.active;
    if (depth === 0) touch.parts.begin();
    const goBack = touch.parts.mark();
    middle.set(state);
    stepper.writer.changeInterval(middle, h, h / 2);
    stepper.history.startNear(stepper.turns.start);
    const last = touch.paceBefore && partBefore(options) * h;
    const second = (): StepOptions => afterPart(options, h / 2, last && touch.active.stepper.lastPart, false);
    touch.timestep = h / 2;
    try {
      if (
        !rounds.take(middle, end, afterPart(options, h / 2, last, true), depth + 1) ||
        !rounds.take(end, middle, second(), depth + 1)
      ) {
        goBack();
        return false;
      }
    } finally {
      // whatever is thrown, the simulation keeps its time step
      touch.timestep = h;
    }
    const longest = this.writeEnd(middle, next, h, depth === 0 && options.interval !== undefined);
    // the shortest halves are taken as they come out, all of them together are not: what pushes an overlap out in ever shorter ones is ever faster
    if (longest === 0 || (depth === 0 && touch.energy.bursts(state, next, partBefore(options)))) {
      goBack();
      return false;
    }
    if (depth === 0) touch.parts.end(state, next, longest);
    return true;
  }

  /** Writes the end, from the interval of a half; in that one where it is too fast for the whole and may be. Returns the interval, 0 for none. */
  private writeEnd(end: Float64Array, next: Float64Array, h: number, mayBeShorter: boolean): number {
    const { writer } = this.touch.active.stepper;
    return writer.writeEnd(next, end, h, h / 2, mayBeShorter ? 2 : 1);
  }

  /** What no part of it could be solved without: less precision, less friction. */
  atLast(state: Float64Array, next: Float64Array, options: StepOptions): boolean {
    const { touch } = this;
    const { active, features, surfaces } = touch;
    const mayBeFast = leavesEndOpen(options);
    for (const scale of easedFriction) {
      surfaces.scale = scale;
      active.write(features);
      if (!this.relaxed(state, next, mayBeFast ? { ...options, precision: "fast" } : options)) continue;
      touch.friction = scale;
      if (mayBeFast) touch.precision = "fast";
      return true;
    }
    surfaces.scale = 1;
    active.write(features);
    return touch.solve(state, next, options);
  }
}
