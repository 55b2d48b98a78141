/**
 * Steps of a mechanism whose shapes touch each other. Per step:
 *   1. find the features with which shapes can touch in it (touchSearch.ts);
 *   2. put them into slots, each into the one that it had;
 *   3. solve, with the features as contacts;
 *   4. look at the true distances where the step ends: where shapes overlap, their features are added as they are there, and back to 2.
 *
 * Slots are those of a system in which contacts are bound at run time (slotSystem.ts). Steps that are to be differentiated, divided by a
 * tolerance or taken in stages because something bounces have slots that are contacts like all others, of an arrangement that is built for
 * them (arrangement.ts).
 */
import type { Target } from "../../codegen/index.ts";
import type { Mechanism, MechanismTouch } from "../../mechanism/index.ts";
import type { Precision, StepOptions } from "../stepReport.ts";
import { Arrangement } from "./arrangement.ts";
import { FoundFeatures } from "./foundFeatures.ts";
import { groupsFor, keyOf, type SlotGroup } from "./slotGroups.ts";
import { grownPools, SlotSystem } from "./slotSystem.ts";
import { PairSurfaces } from "./surfaces.ts";
import type { TouchMemory } from "./touchMemory.ts";
import { TouchSearch } from "./touchSearch.ts";

/** How often a step is solved at most. */
const mostRounds = 5;
/** Features from which a step may be taken with less friction, and with how much of it. */
const heap = 100;
const easedFriction = [1, 0.7, 0.4] as const;
/** Arrangements that are kept. */
const mostArrangements = 12;
/** Slots of an arrangement that may stand empty, beside as many as there are features. */
const spareSlots = 16;

export class TouchSteps {
  /** What the last step was taken with. */
  active: Arrangement | SlotSystem;
  readonly search: TouchSearch;
  readonly features = new FoundFeatures();
  readonly surfaces: PairSurfaces;
  /** How often the last step was solved, and the depth of the deepest overlap that it left, m. */
  rounds = 0;
  overlap = 0;

  private readonly mechanism: Mechanism & { readonly touch: MechanismTouch };
  private readonly target: Target;
  private readonly arrangements: Arrangement[] = [];
  private slotted: SlotSystem | undefined;
  /** The arrangement last used in this run. */
  private last: Arrangement | undefined;
  private lazyPlain: Arrangement | undefined;
  private held = false;
  /** To which the last step was solved. */
  private precision: Precision = "exact";
  private uses = 0;
  private readonly rule = (i: number): number =>
    this.surfaces.rule(this.features.bodyShape[i], this.features.otherShape[i]);

  constructor(mechanism: Mechanism & { readonly touch: MechanismTouch }, target: Target) {
    this.mechanism = mechanism;
    this.target = target;
    this.surfaces = new PairSurfaces(mechanism.touch);
    this.search = new TouchSearch(mechanism.touch);
    this.active = this.needsArrangement({}) ? this.make([]) : this.slotSystem(mechanism.touch.pools);
  }

  /** Whether features stay as they are, whatever the state: for steps to be compared or differentiated. */
  get isHeld(): boolean {
    return this.held;
  }

  /** The contacts of a step that was taken to be differentiated. */
  get arrangement(): Arrangement | undefined {
    return this.active instanceof Arrangement ? this.active : undefined;
  }

  /** Steps from here on have the features of the last one, as contacts of an arrangement, until `release`. */
  hold(state: Float64Array): void {
    this.arrange(state, true);
    this.held = true;
  }

  release(): void {
    this.held = false;
  }

  /** Input, wrenches and parameters are in the memory of what is active. */
  step(state: Float64Array, next: Float64Array, options: StepOptions): boolean {
    const { features, search } = this;
    if (this.held) return this.active.stepper.step(state, next, options);
    const { f64, places } = this.active.system;
    const g = places.globals;
    const gravity = Math.hypot(f64[g + 1], f64[g + 2], f64[g + 3]);
    const needsArrangement = this.needsArrangement(options);
    search.find(state, f64[g], gravity, features);
    let iterations = 0;
    let retries = 0;
    let solved = false;
    let before = 0;
    this.overlap = 0;
    for (this.rounds = 1; ; this.rounds++) {
      this.surfaces.scale = 1;
      this.arrange(state, needsArrangement);
      solved = this.solve(state, next, options);
      const { report } = this.active.stepper;
      iterations += report.iterations;
      retries += report.retries;
      if (!solved && this.rounds > 1) {
        // what was added leaves no way out: without it, and the overlap is reported
        features.count = before;
        this.arrange(state, needsArrangement);
        solved = this.solve(state, next, options);
        search.survey(next, 0);
        this.overlap = search.deepest;
        break;
      }
      if (!solved) break;
      before = features.count;
      const crossed = search.addCrossed(state, next, this.rounds, features);
      this.overlap = search.deepest;
      if (crossed === 0 || features.count === before || this.rounds === mostRounds) break;
    }
    const { report } = this.active.stepper;
    report.iterations = iterations;
    report.retries = retries + this.rounds - 1;
    report.overlap = this.overlap;
    report.frictionScale = this.surfaces.scale;
    report.precision = solved && this.precision === "fast" ? "fast" : undefined;
    this.surfaces.scale = 1;
    return solved;
  }

  /**
   * Solves the step as it is arranged. Where the first attempt of a heap fails, which is wedged as a rule, it is taken with less friction
   * before it is taken in ever smaller parts: there hundreds of contacts find no way out either. What no attempt solves is solved to less
   * precision.
   */
  private solve(state: Float64Array, next: Float64Array, options: StepOptions): boolean {
    const { active, features, surfaces } = this;
    const { stepper } = active;
    this.precision = "exact";
    if (options.fallback === false || features.count === 0) return stepper.step(state, next, options);
    const { report } = stepper;
    let [iterations, retries] = [0, 0];
    const attempt = (taken: StepOptions): boolean => {
      const solved = stepper.step(state, next, taken);
      iterations += report.iterations;
      retries += report.retries;
      report.iterations = iterations;
      report.retries = retries++;
      return solved;
    };
    if (features.count >= heap) {
      const once = { ...options, fallback: false };
      const less = this.mayBeFast(options) ? { ...once, precision: "fast" as const } : undefined;
      for (const taken of less ? [once, less] : [once]) {
        this.precision = taken === less ? "fast" : "exact";
        for (const scale of easedFriction) {
          surfaces.scale = scale;
          if (scale < 1 || taken === less) active.write(features, state);
          if (attempt(taken)) return true;
        }
      }
      this.precision = "exact";
      surfaces.scale = 1;
      active.write(features, state);
    }
    if (attempt(options)) return true;
    if (!this.mayBeFast(options)) return false;
    this.precision = "fast";
    return attempt({ ...options, precision: "fast" });
  }

  /** Whether the options leave it open where on the central path a step ends. */
  private mayBeFast({ kappa, relativeKappa, tolerance, precision = "exact", exact }: StepOptions): boolean {
    const isGiven = kappa !== undefined || relativeKappa !== undefined || tolerance !== undefined;
    return !isGiven && !exact && precision === "exact";
  }

  /** Slots that are bound at run time do not bounce, and have neither gradients nor parts that a tolerance asks for. */
  private needsArrangement({ hold, errorTolerance, division }: StepOptions): boolean {
    return this.surfaces.mayBounce || hold !== undefined || errorTolerance !== undefined || division !== undefined;
  }

  /** Puts the features into slots, and writes all slots. */
  private arrange(state: Float64Array, needsArrangement: boolean): void {
    const { features, active } = this;
    if (needsArrangement) {
      let taken = active instanceof Arrangement ? active : (this.last ?? this.arrangementOf([]));
      // which one depends on the last one and the features alone, so that runs can be carried on to the bit
      if (!taken.assign(features)) {
        taken = this.arrangementOf(this.wantedGroups(taken));
        taken.assign(features);
      }
      this.switchTo(taken, state);
      taken.lastUse = ++this.uses;
      this.last = taken;
      taken.write(features, state);
      return;
    }
    let taken = active instanceof SlotSystem ? active : this.slotSystem(this.slotted?.pools ?? []);
    if (!taken.assign(features)) {
      taken = this.slotSystem(grownPools(taken.pools, features, this.surfaces, this.mechanism.bodies.length));
      taken.assign(features);
    }
    this.switchTo(taken, state);
    taken.write(features);
  }

  private wantedGroups({ groups, nodes }: Arrangement): SlotGroup[] {
    const isRoomy = nodes.length > spareSlots + 2 * this.features.count;
    return groupsFor(this.features, this.rule, isRoomy ? [] : groups);
  }

  /** The arrangement with these groups, all slots empty. */
  private arrangementOf(groups: readonly SlotGroup[]): Arrangement {
    const found = this.arrangements.find((one) => isSame(one.groups, groups));
    if (found !== this.active) found?.empty();
    return found ?? this.make(groups);
  }

  /** The system with these pools, all slots empty. */
  private slotSystem(pools: SlotSystem["pools"]): SlotSystem {
    const { slotted } = this;
    if (slotted && JSON.stringify(slotted.pools) === JSON.stringify(pools)) {
      if (slotted !== this.active) slotted.empty();
      return slotted;
    }
    this.slotted = new SlotSystem(this.mechanism, pools, this.surfaces, this.target);
    return this.slotted;
  }

  private make(groups: readonly SlotGroup[]): Arrangement {
    const { arrangements } = this;
    const made = new Arrangement(this.mechanism, groups, this.surfaces, this.target);
    if (arrangements.length === mostArrangements) {
      const spare = arrangements.filter((one) => one !== this.active);
      const oldest = spare.reduce((first, one) => (one.lastUse < first.lastUse ? one : first));
      arrangements.splice(arrangements.indexOf(oldest), 1);
    }
    arrangements.push(made);
    return made;
  }

  /** The mechanism without any feature, with the parameters of now. */
  get plain(): Arrangement {
    this.lazyPlain ??= new Arrangement(this.mechanism, [], this.surfaces, this.target);
    copyParameters(this.active, this.lazyPlain, this.mechanism);
    return this.lazyPlain;
  }

  /** Which slots there are and what is in them, to be carried on. */
  save(): TouchMemory {
    const { active } = this;
    const slots = active.table.save();
    return active instanceof Arrangement ? { groups: active.groups, slots } : { pools: active.pools, slots };
  }

  /** Goes on with these slots; without any if they are left out. */
  restore(memory: TouchMemory | undefined): void {
    const isArranged = memory ? memory.groups !== undefined : this.needsArrangement({});
    const taken = isArranged
      ? this.arrangementOf(memory?.groups ?? [])
      : this.slotSystem(memory?.pools ?? this.slotted?.pools ?? this.mechanism.touch.pools);
    taken.empty();
    if (taken !== this.active) copyParameters(this.active, taken, this.mechanism);
    this.last = taken instanceof Arrangement ? taken : undefined;
    if (this.last) this.last.lastUse = ++this.uses;
    this.active = taken;
    if (memory) taken.table.restore(memory.slots);
  }

  /** Parameters, wrenches and input go along, and so do turns of angles. */
  private switchTo(to: Arrangement | SlotSystem, state: Float64Array): void {
    const from = this.active;
    if (from === to) return;
    copyParameters(from, to, this.mechanism);
    const memory = from.stepper.history.memoryOf(state);
    to.stepper.history.restore(memory && { ...memory, warm: undefined });
    this.active = to;
  }
}

type Source = Pick<Arrangement, "system" | "parameters">;

/** Parameters, wrenches and input, from one memory into another. */
function copyParameters(from: Source, to: Source, { bodies, inputSize }: Mechanism): void {
  const copy = (start: number, there: number, size: number): void =>
    to.system.f64.set(from.system.f64.subarray(start, start + size), there);
  const { globals, bodyParameters, wrench, input, state } = from.system.places;
  const there = to.system.places;
  if (from instanceof SlotSystem && to instanceof SlotSystem) {
    // the same nodes in the same order: by the thousand, names would take longer than the step
    const [start, end] = from.system.nodeParameters;
    copy(globals, there.globals, bodyParameters - globals);
    copy(bodyParameters, there.bodyParameters, state - bodyParameters);
    copy(start, to.system.nodeParameters[0], end - start);
  } else
    for (const [path, index] of from.parameters)
      to.system.f64[to.parameters.get(path) as number] = from.system.f64[index];
  copy(wrench, there.wrench, 6 * bodies.length);
  copy(input, there.input, inputSize);
}

function isSame(a: readonly SlotGroup[], b: readonly SlotGroup[]): boolean {
  return a.length === b.length && a.every((group, i) => group.count === b[i].count && keyOf(group) === keyOf(b[i]));
}
