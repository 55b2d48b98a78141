/**
 * A step of shapes that touch, or a part of one, in rounds: it is solved with the features that are known, the true distances are looked at where
 * it ends, and features of what overlaps there join for the next round. Where that does not help it is taken as several (heapSteps.ts, cutSteps.ts).
 */
import { type Pace, partBeforeOf } from "../division/pace.ts";
import type { StepOptions } from "../step/stepReport.ts";
import { CutSteps } from "./cutSteps.ts";
import type { EnergyWatch } from "./energyWatch.ts";
import type { FoundFeatures } from "./foundFeatures.ts";
import { HeapSteps, type HeapTaker } from "./heapSteps.ts";
import type { SlotSystem } from "./slotSystem.ts";
import { isDivided, isSharp, isSmooth, partBefore, staysWhole, undivided } from "./touchOptions.ts";
import type { TouchSearch } from "./touchSearch.ts";
import type { TouchSystems } from "./touchSystems.ts";

/** How often a step is solved at most: after five times, rims of cans that roll were up to 13 nm in what they roll on. */
const mostRounds = 8;
/** Part of a shape's size that an overlap may be before the step is taken in halves, and how often those of few bodies are halved for it. */
const deep = 1e-2;
const fewHalvings = 3;

/** What takes the steps (touchSteps.ts). */
interface Taker extends HeapTaker {
  readonly active: SlotSystem;
  readonly systems: TouchSystems;
  readonly features: FoundFeatures;
  readonly search: TouchSearch;
  readonly energy: EnergyWatch;
  /** Whether the step will be compared with others, or differentiated, with the features that it finds. */
  readonly isVaried: boolean;
  /** What is reported of the step. */
  overlap: number;
  passed: number;
  /** The pace with which it began, where it was to be divided and is not. */
  paceBefore: Pace | undefined;
  /** Puts the features that were found into slots. */
  arrange(state: Float64Array): void;
}

export class StepRounds {
  readonly cuts: CutSteps;
  private readonly touch: Taker;
  private readonly heap: HeapSteps;
  /** Where the last solve of the step led that left an overlap. */
  private readonly reached: Float64Array;

  constructor(touch: Taker, stateSize: number) {
    this.touch = touch;
    this.heap = new HeapSteps(touch, this);
    this.cuts = new CutSteps(touch, this, stateSize);
    this.reached = new Float64Array(stateSize);
  }

  /** The step, or at some depth a half of one. */
  take(state: Float64Array, next: Float64Array, options: StepOptions, depth = 0): boolean {
    const { touch, heap, cuts } = this;
    const { features, search } = touch;
    search.looksFar = touch.isVaried || isSmooth(options);
    this.find(state);
    const isHeap = heap.concerns(options);
    // loose bodies are tried once as a whole: where that fails, parts with features of their own cost less than other starts
    const isOnce = touch.energy.isLoose && heap.canHalve(options, depth) && !staysWhole(options);
    // what meets something fast is cut there as soon as the first attempt fails; what spins besides is from the start
    const couldCut = depth === 0 && cuts.concerns(options);
    const mayCut = couldCut && !staysWhole(options);
    const spins = (options.interval ?? touch.timestep) < touch.timestep;
    const isFast = couldCut && search.isFast;
    // what is met is asked for only where it decides on the first attempt
    let first = isFast && (spins || !mayCut) ? search.firstCut(state, touch.timestep) : 0;
    let isQuick = isFast && (mayCut || first > 0 || spins);
    if (mayCut && first > 0 && spins) {
      if (cuts.take(state, next, options, first)) return true;
      isQuick = false;
      this.find(state);
    }
    touch.overlap = 0;
    search.holdsRims = false;
    for (let round = 1, before = features.count; ; round++) {
      touch.surfaces.scale = 1;
      touch.arrange(state);
      const quick = isOnce || (isQuick && mayCut) ? { ...options, fallback: false } : options;
      const solved = isHeap || depth > 0 ? heap.once(state, next, options) : touch.solve(state, next, quick);
      if (isQuick && mayCut && !(solved && !touch.energy.gains(state, next, partBefore(options)))) {
        isQuick = false;
        if (!spins) first = search.firstCut(state, touch.timestep);
        if (spins || first > 0) {
          if (cuts.take(state, next, options, first)) return true;
          if (cuts.isTooFast) return false;
          search.holdsRims = false;
          this.find(state);
          before = features.count;
          round = 0;
          continue;
        }
        // nothing fast is met: once more, with all that may help
        if (!solved && !isHeap && !isOnce) {
          round--;
          continue;
        }
      }
      if (!solved && round > 1) {
        // what was added leaves no way out: with points of rims in place of rims
        features.count = before;
        if (!search.holdsRims && round < mostRounds) {
          search.holdsRims = true;
          search.addCrossed(state, this.reached, round, features);
          if (features.count > before) continue;
        }
      }
      if (!solved) {
        const isHalved = this.halvesHelp(options, depth);
        if (isHalved) {
          if (!this.startsDeep(state) && heap.halves(state, next, options, depth)) return true;
          this.findAll(state);
        }
        if (depth > 0 || !(isHalved || isHeap || round > 1)) return false;
        // as a whole, from what there was at first
        return this.takeWhole(state, next, depth, () =>
          isHeap ? heap.atLast(state, next, options) : touch.solve(state, next, options),
        );
      }
      before = features.count;
      search.holdsRims ||= round > 2;
      search.beginWay(state);
      const crossed = search.addCrossed(state, next, round, features);
      const passed = search.depthPassed(state, next);
      touch.overlap = search.deepest;
      const isLast = crossed === 0 || features.count === before || round === mostRounds;
      const isDeep = passed > 0 || (isLast && search.deepestPart > deep);
      const isWatched = isHeap || depth > 0 || touch.active.stepper.hadStages || isSharp(options);
      const isWrong = isDeep || (isLast && isWatched && touch.energy.gains(state, next, partBefore(options)));
      const canCut = mayCut && isDeep;
      const canHalve = isWrong && (isHeap || depth < fewHalvings) && this.halvesHelp(options, depth);
      if (isWrong && (canCut || canHalve)) {
        // what is in a shape so far has met it with another part than at the start: in parts, or as it was
        if (canCut && cuts.take(state, next, options)) return true;
        if (canCut && cuts.isTooFast) return false;
        if (canHalve && !this.startsDeep(state) && heap.halves(state, next, options, depth)) return true;
        this.findAll(state);
        return this.takeWhole(state, next, depth, () => touch.solve(state, next, options));
      }
      if (isLast) {
        touch.passed = Math.max(touch.passed, passed);
        // what was found after the last round has no slots
        features.count = before;
        touch.parts.endPiece(state, next, depth);
        return true;
      }
      this.reached.set(next);
      touch.active.stepper.history.again(state);
      // features that are found at its end need not hold before: a short part would throw apart what lies on the wrong side of one
      if (isDivided(options)) {
        touch.paceBefore = touch.active.stepper.history.paceOf(options);
        return this.take(state, next, undivided(options, partBeforeOf(touch.paceBefore)), depth);
      }
    }
  }

  /**
   * The step as it comes out, where none of its parts do: with the features that there are, and with those of what overlaps at its end as long
   * as it is solved with them. What is left is reported.
   */
  private takeWhole(state: Float64Array, next: Float64Array, depth: number, solve: () => boolean): boolean {
    const { touch } = this;
    const { features, search, systems } = touch;
    // always from the same start, so that a solve that is repeated has the same bits
    const solves = (): boolean => {
      touch.surfaces.scale = touch.friction = 1;
      touch.precision = undefined;
      touch.active.stepper.history.again(state);
      touch.arrange(state);
      touch.active.stepper.history.forget();
      return solve();
    };
    if (!solves()) return false;
    for (let round = 1; round <= mostRounds; round++) {
      const before = features.count;
      const { active } = touch;
      search.beginWay(state);
      search.addCrossed(state, next, round, features);
      if (features.count === before) break;
      if (solves()) continue;
      // as it was solved before, in the system in which it was
      features.count = before;
      systems.switchTo(active, state);
      if (!solves()) return false;
      break;
    }
    this.look(state, next);
    touch.parts.endPiece(state, next, depth);
    return true;
  }

  /** How deep shapes are in each other where a step has ended, or have been on the way there. */
  private look(state: Float64Array, next: Float64Array): void {
    const { touch } = this;
    const { search } = touch;
    search.beginWay(state);
    search.check(next);
    touch.passed = search.depthPassed(state, next);
    touch.overlap = search.deepest;
  }

  /**
   * A part of a step, in one attempt per round; false as well where it ends deep in a shape, has passed through one or, unless it `isShort`,
   * makes energy.
   */
  takePart(state: Float64Array, next: Float64Array, options: StepOptions, isShort: boolean): boolean {
    const { touch, heap } = this;
    const { features, search } = touch;
    this.find(state);
    const isHeap = heap.concerns(options);
    const once = { ...options, fallback: false };
    touch.surfaces.scale = 1;
    search.holdsRims = false;
    let before = features.count;
    for (let round = 1; round <= mostRounds; round++) {
      touch.arrange(state);
      if (!(isHeap ? heap.once(state, next, options) : touch.attempt(state, next, once))) return false;
      before = features.count;
      search.holdsRims ||= round > 2;
      search.beginWay(state);
      const crossed = search.addCrossed(state, next, round, features);
      if (search.depthPassed(state, next) > 0) return false;
      if (crossed === 0 || features.count === before) break;
    }
    const { deepest } = search;
    if (search.deepestPart > deep || (!isShort && touch.energy.gains(state, next, partBefore(options)))) return false;
    touch.overlap = deepest;
    features.count = before;
    touch.parts.endPiece(state, next, 1);
    return true;
  }

  /** Whether this step, or this part of one, is to be taken as two where it is not as it should be. */
  private halvesHelp(options: StepOptions, depth: number): boolean {
    return this.heap.canHalve(options, depth) && !staysWhole(options);
  }

  /** Whether shapes begin so deep in each other that the step is taken as it comes out: parts of it begin so too, and leave all the faster. */
  private startsDeep(state: Float64Array): boolean {
    const { search } = this.touch;
    search.checkStart(state);
    return search.deepestPart > deep;
  }

  private find(state: Float64Array): void {
    const { active, search, features } = this.touch;
    const { f64, places } = active.system;
    const g = places.globals;
    search.find(state, f64[g], Math.hypot(f64[g + 1], f64[g + 2], f64[g + 3]), features);
  }

  /** The same before a step is taken as it comes out, with features of all pairs that begin in each other: they would never come apart. */
  private findAll(state: Float64Array): void {
    this.find(state);
    this.touch.search.addUnheld(state, this.touch.features);
  }
}
