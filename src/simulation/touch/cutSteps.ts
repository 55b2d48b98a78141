/**
 * Steps in parts of any length, each with features of its own: what is fast is taken to where it meets something, then through the
 * impact, then on. A part that is not solved, or in which something passes through something else, or that ends deep in it, is cut where
 * its first impact is (fastPairs.ts), or in half; what is left of the step is tried as a whole each time. Parts are no longer than the
 * spins at their beginning can be written in.
 */

import type { System } from "../../kernels/index.ts";
import type { Pace } from "../division/pace.ts";
import { isSteppable } from "../states/stateChecks.ts";
import { mostIntervals } from "../states/stateWriter.ts";
import type { Stepper } from "../step/stepper.ts";
import type { StepOptions } from "../step/stepReport.ts";
import type { EnergyWatch } from "./energyWatch.ts";
import type { StepParts } from "./stepParts.ts";
import { afterPart, isDivided, partBefore } from "./touchOptions.ts";
import type { TouchSearch } from "./touchSearch.ts";

/** Parts that are tried at most. */
const mostTrials = 160;
/** The shortest that anything is cut in half to, as a part of the step. */
const shortest = 2 ** -16;
/** Parts of the step from which on they are taken as they come out. */
const short = 2 ** -8;
/** How much longer a part may be than the last one, after one that was too long. */
const growth = 2;

/** What takes the steps (touchSteps.ts). */
interface Taker {
  readonly active: { readonly stepper: Stepper; readonly system: System };
  readonly search: Pick<TouchSearch, "firstCut">;
  timestep: number;
  readonly paceBefore: Pace | undefined;
  readonly parts: StepParts;
  readonly energy: EnergyWatch;
}

/** What takes the parts (stepRounds.ts). */
interface Rounds {
  takePart(state: Float64Array, next: Float64Array, options: StepOptions, isShort: boolean): boolean;
}

export class CutSteps {
  /** Whether the last one ended faster than its interval can say. */
  isTooFast = false;

  private readonly touch: Taker;
  private readonly rounds: Rounds;
  private readonly current: Float64Array;
  private readonly trial: Float64Array;
  private readonly end: Float64Array;

  constructor(touch: Taker, rounds: Rounds, stateSize: number) {
    this.touch = touch;
    this.rounds = rounds;
    this.current = new Float64Array(stateSize);
    this.trial = new Float64Array(stateSize);
    this.end = new Float64Array(stateSize);
  }

  /** Whether a step with these options may be taken in such parts. */
  concerns(options: StepOptions): boolean {
    return !isDivided(options);
  }

  /** The step in parts, the first of which ends at the first cut; false where they are not solved either, or nothing says where to cut. */
  take(
    state: Float64Array,
    next: Float64Array,
    options: StepOptions,
    first = this.touch.search.firstCut(state, this.touch.timestep),
  ): boolean {
    const goBack = this.touch.parts.mark();
    const solved = this.takeParts(state, next, options, first);
    if (!solved) goBack();
    return solved;
  }

  private takeParts(state: Float64Array, next: Float64Array, options: StepOptions, first: number): boolean {
    const { touch, rounds, current, trial, end } = this;
    const { search } = touch;
    this.isTooFast = false;
    const h = touch.timestep;
    let own = options.interval ?? h;
    if (first === 0 && own === h) return false;
    let length = first || h;
    current.set(state);
    touch.parts.begin();
    let angles = touch.active.stepper.history.memoryOf(state)?.angles;
    /** The part that led to where the next one begins, s; none where forces act for as long as each part lasts. */
    let last = touch.paceBefore && partBefore(options) * h;
    /** The longest part that is tried. */
    let longest = Number.POSITIVE_INFINITY;
    try {
      for (let trials = 0, left = h; left > 0; trials++) {
        if (trials === mostTrials || length < shortest * h) return false;
        trial.set(current);
        const { writer, history } = touch.active.stepper;
        if (!(writer.changeInterval(trial, own, length) && isSteppable(touch.active.system.mechanism, trial, length))) {
          longest = length /= 2;
          continue;
        }
        if (angles) history.startNear(angles);
        touch.timestep = length;
        if (!rounds.takePart(trial, end, afterPart(options, length, last, left === h), length < short * h)) {
          const first = search.firstCut(trial, length);
          longest = length = first > 0 && first < length ? first : length / 2;
          continue;
        }
        angles = touch.active.stepper.turns.values.slice();
        own = length;
        if (last !== undefined) last = touch.active.stepper.lastPart;
        // what rounding leaves of a step is none
        left = left - length > 1e-12 * h ? left - length : 0;
        // equal parts, no longer than a few times what has been found to do
        longest *= growth;
        length = left / Math.max(1, Math.ceil(left / longest - 1e-9));
        current.set(end);
      }
    } finally {
      // whatever is thrown, the simulation keeps its time step
      touch.timestep = h;
    }
    const most = options.interval === undefined ? 1 : mostIntervals;
    const interval = touch.active.stepper.writer.writeEnd(next, current, h, own, most);
    if (interval === 0) next.set(current);
    // short parts are taken as they come out, all of them together are not, as their end is read
    if (touch.energy.bursts(state, next, partBefore(options))) return false;
    this.isTooFast = interval === 0;
    touch.parts.end(state, next, interval || h);
    return !this.isTooFast;
  }
}
