/**
 * Steps of a mechanism whose shapes touch each other. Per step:
 *   1. find the features with which shapes can touch in it (touchSearch.ts);
 *   2. put them into slots, each into the one that it had;
 *   3. solve, with the features as contacts;
 *   4. look at the true distances where the step ends: where shapes overlap, their features are added as they are there, and back to 2;
 *   5. where something has passed through something else on the way (fastPairs.ts), or is deep in it, or has met it so fast that the first
 *      attempt fails or makes energy, the step is taken in parts that end where it is met (cutSteps.ts).
 * Which system has the slots is decided in touchSystems.ts.
 */
import type { Target } from "../../codegen/index.ts";
import type { Mechanism, MechanismTouch } from "../../mechanism/index.ts";
import { leavesEndOpen } from "../step/pathSchedule.ts";
import type { Precision, StepOptions } from "../step/stepReport.ts";
import { combinedParameters } from "./combinedParameters.ts";
import { CutSteps } from "./cutSteps.ts";
import { EnergyWatch } from "./energyWatch.ts";
import { FoundFeatures } from "./foundFeatures.ts";
import { HeapSteps } from "./heapSteps.ts";
import type { SlotSystem } from "./slotSystem.ts";
import { StepParts } from "./stepParts.ts";
import { StepPieces } from "./stepPieces.ts";
import { PairSurfaces } from "./surfaces.ts";
import type { TouchMemory } from "./touchMemory.ts";
import { isDivided, isSharp, isSmooth, staysWhole, undivided } from "./touchOptions.ts";
import { readingsOf, type TouchReading, touchesOfPieces, touchRecord } from "./touchReadings.ts";
import { TouchSearch } from "./touchSearch.ts";
import { TouchSystems } from "./touchSystems.ts";

/** How often a step is solved at most: after five times, rims of cans that roll were up to 13 nm in what they roll on. */
const mostRounds = 8;
/** Part of a shape's size that an overlap may be before the step is taken in halves, and how often those of few bodies are halved for it. */
const deep = 1e-2;
const fewHalvings = 3;
export class TouchSteps {
  readonly search: TouchSearch;
  readonly features = new FoundFeatures();
  readonly surfaces: PairSurfaces;
  /** How often the last step was solved, and the depth of the deepest overlap that it left, m; −0 is no integer to V8. */
  rounds = 0;
  overlap = -0;
  /** How deep shapes have been in each other on the way that have come out again, m. */
  passed = -0;

  private readonly mechanism: Mechanism & { readonly touch: MechanismTouch };
  private readonly systems: TouchSystems;
  private held = false;
  /** Whether the step will be compared with others, or differentiated, with the features that it finds. */
  isVaried = false;
  private readonly heap = new HeapSteps(this);
  private readonly cuts: CutSteps;
  /** What the last step was taken as, where that is more than one piece, or asked for. */
  readonly pieces: StepPieces;
  /** Whether the last step was taken as several, and whether its options kept it from what a plain step would have tried on its way. */
  isInPieces = false;
  isCurtailed = false;
  /** Whether it was to be divided and was not, since features of its end were needed. */
  isUndivided = false;
  /** What the last step took: iterations, attempts beyond the first; and by what it differs from what was asked for. */
  private iterations = 0;
  private retries = 0;
  precision: Precision | undefined;
  friction = 1;
  readonly energy: EnergyWatch;
  readonly parts = new StepParts(this);
  /** Where the last solve of the step led that left an overlap. */
  private readonly reached: Float64Array;
  constructor(mechanism: Mechanism & { readonly touch: MechanismTouch }, target: Target) {
    this.mechanism = mechanism;
    this.reached = new Float64Array(mechanism.stateSize);
    this.surfaces = new PairSurfaces(mechanism.touch);
    this.search = new TouchSearch(mechanism.touch);
    this.pieces = new StepPieces(mechanism, this.surfaces, target);
    this.systems = new TouchSystems(mechanism, this.surfaces, target);
    this.cuts = new CutSteps(this, mechanism.stateSize);
    this.energy = new EnergyWatch(this, mechanism);
  }

  /** What the last step was taken with. */
  get active(): SlotSystem {
    return this.systems.active;
  }

  /** The mechanism without any feature, with the parameters of now. */
  get plain(): SlotSystem {
    return this.systems.plain;
  }

  /** Makes ready what steps need in which round parts first meet something. */
  prepareRound(): void {
    this.systems.prepareRound();
  }

  /** Which slots there are and what is in them, to be carried on. */
  save(): TouchMemory {
    return this.systems.save();
  }

  /** Goes on with these slots; without any if they are left out. */
  restore(memory: TouchMemory | undefined): void {
    this.systems.restore(memory);
  }

  private arrange(state: Float64Array): void {
    this.systems.arrange(this.features, state);
  }

  /** Whether features stay as they are, whatever the state: for steps to be compared or differentiated. */
  get isHeld(): boolean {
    return this.held;
  }

  /** What shapes touched with in the last step. */
  get touches(): TouchReading[] {
    const { mechanism, active, features } = this;
    if (this.isInPieces) return touchesOfPieces(this.pieces.list, mechanism);
    return readingsOf(touchRecord(active, features, active.system.f64), mechanism);
  }

  /** What two surfaces have given the features of the last step (combinedParameters.ts). */
  get combined(): Int32Array {
    return combinedParameters(this.active, this.features, this.surfaces);
  }

  /** Steps from here on have the features of the last one, its pieces and its friction, until `release`. */
  hold(state: Float64Array): void {
    this.surfaces.scale = this.active.stepper.report.frictionScale ?? 1;
    if (!this.isInPieces) this.arrange(state);
    this.held = true;
  }

  release(): void {
    this.surfaces.scale = 1;
    this.isVaried = false;
    this.held = false;
  }

  /** Input, wrenches and parameters are in the memory of what is active. */
  step(state: Float64Array, next: Float64Array, options: StepOptions): boolean {
    const { held, active } = this;
    const own = this.isUndivided ? undivided(options) : options;
    if (held && this.isInPieces) return this.pieces.retake(state, next, own, active);
    if (held) return active.stepper.step(state, next, own);
    this.begin(state);
    const solved = this.take(state, next, options);
    const { report } = this.active.stepper;
    report.iterations = this.iterations;
    report.retries = this.retries;
    report.substeps = Math.max(report.substeps, this.pieces.list.length);
    report.overlap = Math.max(this.overlap, this.passed);
    report.frictionScale = this.friction;
    report.precision = solved ? this.precision : undefined;
    if (!solved && this.cuts.isTooFast) report.status = "tooFast";
    this.surfaces.scale = 1;
    return solved;
  }

  private begin(state: Float64Array): void {
    const { table, stepper } = this.active;
    this.search.corners.begin(table, stepper.history, state);
    this.iterations = this.rounds = this.passed = 0;
    this.parts.whole = this.timestep;
    this.retries = -1;
    this.friction = 1;
    this.isInPieces = this.isCurtailed = this.isUndivided = this.cuts.isTooFast = false;
    this.pieces.list.length = 0;
    this.precision = undefined;
  }

  /** Length of a step, or of the part of it that is being taken. */
  get timestep(): number {
    const { f64, places } = this.active.system;
    return f64[places.globals];
  }

  set timestep(h: number) {
    const { f64, places } = this.active.system;
    f64[places.globals] = h;
  }

  /** The step, or at some depth a half of one. */
  take(state: Float64Array, next: Float64Array, options: StepOptions, depth = 0): boolean {
    const { features, search, heap, cuts } = this;
    search.looksFar = this.isVaried || isSmooth(options);
    this.find(state);
    const isHeap = heap.concerns(options);
    // loose bodies are tried once as a whole: where that fails, parts with features of their own cost less than other starts
    const isOnce = this.energy.isLoose && heap.canHalve(options, depth) && !staysWhole(options);
    // what meets something fast is cut there as soon as the first attempt fails; what spins besides is from the start
    const couldCut = depth === 0 && cuts.concerns(options);
    const mayCut = couldCut && !staysWhole(options);
    const spins = (options.interval ?? this.timestep) < this.timestep;
    const isFast = couldCut && search.isFast;
    // what is met is asked for only where it decides on the first attempt
    let first = isFast && (spins || !mayCut) ? search.firstCut(state, this.timestep) : 0;
    let isQuick = isFast && (mayCut || first > 0 || spins);
    // whether a plain step is cut depends on its own attempt
    if (isQuick && !mayCut) this.isCurtailed = true;
    if (mayCut && first > 0 && spins) {
      if (cuts.take(state, next, options, first)) return true;
      isQuick = false;
      this.find(state);
    }
    this.overlap = 0;
    search.holdsRims = false;
    for (let round = 1, before = features.count; ; round++) {
      this.surfaces.scale = 1;
      this.arrange(state);
      this.rounds++;
      const quick = isOnce || (isQuick && mayCut) ? { ...options, fallback: false } : options;
      const solved = isHeap || depth > 0 ? heap.once(state, next, options) : this.solve(state, next, quick);
      if (isQuick && mayCut && !(solved && !this.energy.gains(state, next))) {
        isQuick = false;
        if (!spins) first = search.firstCut(state, this.timestep);
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
          isHeap ? heap.atLast(state, next, options) : this.solve(state, next, options),
        );
      }
      before = features.count;
      search.holdsRims ||= round > 2;
      search.beginWay(state);
      const crossed = search.addCrossed(state, next, round, features);
      const passed = search.depthPassed(state, next);
      this.overlap = search.deepest;
      const isLast = crossed === 0 || features.count === before || round === mostRounds;
      const isDeep = passed > 0 || (isLast && search.deepestPart > deep);
      const isWatched = isHeap || depth > 0 || this.active.stepper.hadStages || isSharp(options);
      const isWrong = isDeep || (isLast && isWatched && this.energy.gains(state, next));
      const canCut = mayCut && isDeep;
      const canHalve = isWrong && (isHeap || depth < fewHalvings) && this.halvesHelp(options, depth);
      if (isDeep && couldCut && !mayCut) this.isCurtailed = true;
      if (isWrong && (canCut || canHalve)) {
        // what is in a shape so far has met it with another part than at the start: in parts, or as it was
        if (canCut && cuts.take(state, next, options)) return true;
        if (canCut && cuts.isTooFast) return false;
        if (canHalve && !this.startsDeep(state) && heap.halves(state, next, options, depth)) return true;
        this.findAll(state);
        return this.takeWhole(state, next, depth, () => this.solve(state, next, options));
      }
      this.passed = Math.max(this.passed, passed);
      if (isLast) {
        // what was found after the last round has no slots
        features.count = before;
        this.parts.endPiece(state, next, depth);
        return true;
      }
      this.reached.set(next);
      this.active.stepper.history.again(state);
      // features that are found at its end need not hold before: a short part would throw apart what lies on the wrong side of one
      if (isDivided(options)) {
        this.isUndivided = true;
        return this.take(state, next, undivided(options), depth);
      }
    }
  }

  /**
   * The step as it comes out, where none of its parts do: with the features that there are, and with those of what overlaps at its end as long
   * as it is solved with them. What is left is reported.
   */
  private takeWhole(state: Float64Array, next: Float64Array, depth: number, solve: () => boolean): boolean {
    const { features, search, systems } = this;
    // always from the same start, so that a solve that is repeated has the same bits
    const solves = (): boolean => {
      this.surfaces.scale = this.friction = 1;
      this.precision = undefined;
      this.active.stepper.history.again(state);
      this.arrange(state);
      this.active.stepper.history.forget();
      return solve();
    };
    if (!solves()) return false;
    for (let round = 1; round <= mostRounds; round++) {
      const before = features.count;
      const { active } = this;
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
    this.parts.endPiece(state, next, depth);
    return true;
  }

  /** How deep shapes are in each other where a step has ended, or have been on the way there. */
  private look(state: Float64Array, next: Float64Array): void {
    const { search } = this;
    search.beginWay(state);
    search.check(next);
    this.passed = search.depthPassed(state, next);
    this.overlap = search.deepest;
  }

  /**
   * A part of a step, in one attempt per round; false as well where it ends deep in a shape, has passed through one or, unless it `isShort`,
   * makes energy.
   */
  takePart(state: Float64Array, next: Float64Array, options: StepOptions, isShort: boolean): boolean {
    const { features, search, heap } = this;
    this.find(state);
    const isHeap = heap.concerns(options);
    const once = { ...options, fallback: false };
    this.surfaces.scale = 1;
    search.holdsRims = false;
    let before = features.count;
    for (let round = 1; round <= mostRounds; round++) {
      this.arrange(state);
      this.rounds++;
      if (!(isHeap ? heap.once(state, next, options) : this.attempt(state, next, once))) return false;
      before = features.count;
      search.holdsRims ||= round > 2;
      search.beginWay(state);
      const crossed = search.addCrossed(state, next, round, features);
      if (search.depthPassed(state, next) > 0) return false;
      if (crossed === 0 || features.count === before) break;
    }
    const { deepest } = search;
    if (search.deepestPart > deep || (!isShort && this.energy.gains(state, next))) return false;
    this.overlap = deepest;
    features.count = before;
    this.parts.endPiece(state, next, 1);
    return true;
  }

  /** Whether steps with these options may be taken as several, with features of their own. */
  mayHalve(options: StepOptions): boolean {
    return (this.isUndivided || !isDivided(options)) && (options.interval ?? this.timestep) === this.timestep;
  }

  /** Whether this step, or this part of one, is to be taken as two where it is not as it should be. */
  private halvesHelp(options: StepOptions, depth: number): boolean {
    if (!this.heap.canHalve(options, depth)) return false;
    if (staysWhole(options)) this.isCurtailed = true;
    return !staysWhole(options);
  }

  /** Whether shapes begin so deep in each other that the step is taken as it comes out: parts of it begin so too, and leave all the faster. */
  private startsDeep(state: Float64Array): boolean {
    this.search.checkStart(state);
    return this.search.deepestPart > deep;
  }

  private find(state: Float64Array): void {
    const { f64, places } = this.active.system;
    const g = places.globals;
    this.search.find(state, f64[g], Math.hypot(f64[g + 1], f64[g + 2], f64[g + 3]), this.features);
  }

  /** The same before a step is taken as it comes out, with features of all pairs that begin in each other: they would never come apart. */
  private findAll(state: Float64Array): void {
    this.find(state);
    this.search.addUnheld(state, this.features);
  }

  /** One call of the stepper, counted. */
  attempt(state: Float64Array, next: Float64Array, options: StepOptions): boolean {
    const { stepper } = this.active;
    stepper.part = this.timestep / this.parts.whole;
    stepper.watch.isOn = this.features.count === 0 && !this.energy.isLoose;
    const solved = stepper.step(state, next, options);
    if (!solved && options.fallback === false) this.isCurtailed = true;
    this.iterations += stepper.report.iterations;
    this.retries += 1 + stepper.report.retries;
    return solved;
  }

  /** Solves the step as it is arranged. What no attempt solves is solved to less precision. */
  solve(state: Float64Array, next: Float64Array, options: StepOptions): boolean {
    if (this.attempt(state, next, options)) return true;
    if (options.fallback === false || this.features.count === 0 || !leavesEndOpen(options)) return false;
    const solved = this.attempt(state, next, { ...options, precision: "fast" });
    if (solved) this.precision = "fast";
    return solved;
  }
}
