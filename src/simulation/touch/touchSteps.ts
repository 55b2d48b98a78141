/**
 * Steps of a mechanism whose shapes touch each other. Per step:
 *   1. find the features with which shapes can touch in it (touchSearch.ts);
 *   2. put them into slots, each into the one that it had (arrangement.ts); where there are too few slots, another arrangement takes over;
 *   3. solve, with the features as contacts;
 *   4. look at the true distances where the step ends: where shapes overlap, their features are added as they are there, and back to 2.
 */
import type { Target } from "../../codegen/index.ts";
import type { Mechanism, MechanismTouch } from "../../mechanism/index.ts";
import type { StepOptions } from "../stepReport.ts";
import { Arrangement } from "./arrangement.ts";
import { FoundFeatures } from "./foundFeatures.ts";
import { groupsFor, keyOf, type SlotGroup } from "./slotGroups.ts";
import { PairSurfaces } from "./surfaces.ts";
import type { TouchMemory } from "./touchMemory.ts";
import { TouchSearch } from "./touchSearch.ts";

/** How often a step is solved at most. */
const mostRounds = 8;
/** Arrangements that are kept. */
const mostArrangements = 12;
/** Slots that may stand empty, beside as many as there are features. */
const spareSlots = 16;

export class TouchSteps {
  active: Arrangement;
  readonly search: TouchSearch;
  readonly features = new FoundFeatures();
  readonly surfaces: PairSurfaces;
  /** Whether features stay as they are, whatever the state: for steps to be compared or differentiated. */
  isHeld = false;
  /** How often the last step was solved, and the depth of the deepest overlap that it left, m. */
  rounds = 0;
  overlap = 0;

  private readonly mechanism: Mechanism;
  private readonly target: Target;
  private readonly byBlocks: boolean;
  private readonly arrangements: Arrangement[] = [];
  private uses = 0;
  private readonly model = (i: number): 0 | 1 =>
    this.surfaces.model(this.features.bodyShape[i], this.features.otherShape[i]);

  constructor(mechanism: Mechanism, touch: MechanismTouch, target: Target, byBlocks: boolean) {
    this.mechanism = mechanism;
    this.target = target;
    this.byBlocks = byBlocks;
    this.surfaces = new PairSurfaces(touch);
    this.search = new TouchSearch(touch);
    this.active = this.make([]);
  }

  /** Input, wrenches and parameters are in the memory of the active arrangement. */
  step(state: Float64Array, next: Float64Array, options: StepOptions): boolean {
    const { features, search } = this;
    if (this.isHeld) return this.active.stepper.step(state, next, options);
    const { f64, places } = this.active.system;
    const g = places.globals;
    const gravity = Math.hypot(f64[g + 1], f64[g + 2], f64[g + 3]);
    search.find(state, f64[g], gravity, features);
    let iterations = 0;
    let retries = 0;
    let solved = false;
    for (this.rounds = 1; ; this.rounds++) {
      this.arrange(state);
      const { stepper } = this.active;
      solved = stepper.step(state, next, options);
      iterations += stepper.report.iterations;
      retries += stepper.report.retries;
      if (!solved) break;
      const before = features.count;
      const crossed = search.addCrossed(next, this.rounds, features);
      this.overlap = search.deepest;
      if (crossed === 0 || features.count === before || this.rounds === mostRounds) break;
    }
    const { report } = this.active.stepper;
    report.iterations = iterations;
    report.retries = retries + this.rounds - 1;
    return solved;
  }

  /** Puts the features into slots, and writes all slots. */
  arrange(state: Float64Array): void {
    const { features } = this;
    let { active } = this;
    if (!active.assign(features)) {
      // which one depends on the last one and the features alone, so that runs can be carried on to the bit
      active = this.arrangementOf(this.wantedGroups());
      active.assign(features);
      this.switchTo(active, state);
    }
    active.lastUse = ++this.uses;
    active.write(features, state);
  }

  /** The arrangement with these groups, all slots empty. */
  private arrangementOf(groups: readonly SlotGroup[]): Arrangement {
    const found = this.arrangements.find((one) => isSame(one.groups, groups));
    found?.empty();
    return found ?? this.make(groups);
  }

  /** The mechanism without any feature, with the parameters of now. */
  get plain(): Arrangement {
    const [plain] = this.arrangements;
    if (plain !== this.active) copyParameters(this.active, plain, this.mechanism);
    return plain;
  }

  /** Which slots there are and what is in them, to be carried on. */
  save(): TouchMemory {
    return { groups: this.active.groups, slots: this.active.identities() };
  }

  /** Goes on with these slots; without any if they are left out. */
  restore(memory: TouchMemory | undefined): void {
    const before = this.active;
    const active = this.arrangementOf(memory?.groups ?? []);
    if (active !== before) copyParameters(before, active, this.mechanism);
    this.active = active;
    active.lastUse = ++this.uses;
    if (memory) active.recall(memory.slots);
  }

  private wantedGroups() {
    const { groups, nodes } = this.active;
    const isRoomy = nodes.length > spareSlots + 2 * this.features.count;
    return groupsFor(this.features, this.model, isRoomy ? [] : groups);
  }

  private make(groups: readonly SlotGroup[]): Arrangement {
    const { arrangements } = this;
    const made = new Arrangement(this.mechanism, groups, this.surfaces, this.target, this.byBlocks);
    if (arrangements.length === mostArrangements) {
      // the first one stays: it is the mechanism without features
      let oldest = 1;
      for (let i = 1; i < arrangements.length; i++)
        if (arrangements[i].lastUse < arrangements[oldest].lastUse && arrangements[i] !== this.active) oldest = i;
      arrangements.splice(oldest, 1);
    }
    arrangements.push(made);
    return made;
  }

  /** Parameters, wrenches and input go along, and so do turns of angles. */
  private switchTo(to: Arrangement, state: Float64Array): void {
    const from = this.active;
    if (from === to) return;
    copyParameters(from, to, this.mechanism);
    const memory = from.stepper.history.memoryOf(state);
    to.stepper.history.restore(memory && { ...memory, warm: undefined });
    this.active = to;
  }
}

/** Parameters, wrenches and input, from the memory of one arrangement into that of another. */
function copyParameters(from: Arrangement, to: Arrangement, { bodies, inputSize }: Mechanism): void {
  for (const [path, index] of from.parameters)
    to.system.f64[to.parameters.get(path) as number] = from.system.f64[index];
  const { wrench, input } = from.system.places;
  const there = to.system.places;
  to.system.f64.set(from.system.f64.subarray(wrench, wrench + 6 * bodies.length), there.wrench);
  to.system.f64.set(from.system.f64.subarray(input, input + inputSize), there.input);
}

function isSame(a: readonly SlotGroup[], b: readonly SlotGroup[]): boolean {
  return a.length === b.length && a.every((group, i) => group.count === b[i].count && keyOf(group) === keyOf(b[i]));
}
