/**
 * Which system steps of shapes that touch are taken with. Slots are those of one in which contacts are bound at run time (slotSystem.ts);
 * where a kind of feature has too few, a larger one takes over. Steps that are taken in stages because something may bounce have slots that
 * are contacts like all others, of an arrangement that is built for them (arrangement.ts).
 */
import type { Target } from "../../codegen/index.ts";
import type { Mechanism, MechanismTouch } from "../../mechanism/index.ts";
import { Arrangement } from "./arrangement.ts";
import type { FoundFeatures } from "./foundFeatures.ts";
import { type PlainKind, plainKinds } from "./plainKinds.ts";
import { groupsFor, keyOf, type SlotGroup } from "./slotGroups.ts";
import { grownPools, SlotSystem } from "./slotSystem.ts";
import type { PairSurfaces } from "./surfaces.ts";
import type { TouchMemory } from "./touchMemory.ts";

/** Arrangements that are kept. */
const mostArrangements = 12;
/** Slots of an arrangement that may stand empty, beside as many as there are features. */
const spareSlots = 16;

/** What steps with features are taken with. */
export type TouchSystem = Arrangement | SlotSystem;

export class TouchSystems {
  /** What the last step was taken with. */
  active: TouchSystem;

  private readonly mechanism: Mechanism & { readonly touch: MechanismTouch };
  private readonly surfaces: PairSurfaces;
  private readonly target: Target;
  private readonly arrangements: Arrangement[] = [];
  private slotted: SlotSystem | undefined;
  /** Kinds of features that room is made for as soon as one is needed. */
  private expected: readonly PlainKind[] | undefined;
  /** The arrangement last used in this run. */
  private last: Arrangement | undefined;
  private lazyPlain: Arrangement | undefined;
  private uses = 0;

  constructor(mechanism: Mechanism & { readonly touch: MechanismTouch }, surfaces: PairSurfaces, target: Target) {
    this.mechanism = mechanism;
    this.surfaces = surfaces;
    this.target = target;
    this.active = this.needsArrangement ? this.make([]) : this.slotSystem(mechanism.touch.pools);
    surfaces.readFrom(this.active.system);
  }

  /** Slots that are bound at run time do not bounce. */
  get needsArrangement(): boolean {
    return this.surfaces.mayBounce;
  }

  /** Puts the features into slots, and writes all slots. */
  arrange(features: FoundFeatures, state: Float64Array): void {
    const { active } = this;
    if (this.needsArrangement) {
      let taken = active instanceof Arrangement ? active : (this.last ?? this.arrangementOf([]));
      // which one depends on the last one and the features alone, so that runs can be carried on to the bit
      if (!taken.assign(features)) {
        taken = this.arrangementOf(this.wantedGroups(taken, features));
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
      this.expected ??= plainKinds(this.mechanism.touch, this.surfaces);
      const { length: bodies } = this.mechanism.bodies;
      taken = this.slotSystem(grownPools(taken.pools, features, this.surfaces, bodies, this.expected));
      taken.assign(features);
    }
    this.switchTo(taken, state);
    taken.write(features);
  }

  private wantedGroups({ groups, nodes }: Arrangement, features: FoundFeatures): SlotGroup[] {
    const isRoomy = nodes.length > spareSlots + 2 * features.count;
    const rule = (i: number): number => this.surfaces.rule(features.bodyShape[i], features.otherShape[i]);
    return groupsFor(features, rule, isRoomy ? [] : groups);
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
    const isArranged = memory ? memory.groups !== undefined : this.needsArrangement;
    const taken = isArranged
      ? this.arrangementOf(memory?.groups ?? [])
      : this.slotSystem(memory?.pools ?? this.slotted?.pools ?? this.mechanism.touch.pools);
    taken.empty();
    if (taken !== this.active) copyParameters(this.active, taken, this.mechanism);
    this.last = taken instanceof Arrangement ? taken : undefined;
    if (this.last) this.last.lastUse = ++this.uses;
    this.active = taken;
    this.surfaces.readFrom(taken.system);
    if (memory) taken.table.restore(memory.slots);
  }

  /** Parameters, wrenches and input go along, and so do turns of angles. */
  private switchTo(to: Arrangement | SlotSystem, state: Float64Array): void {
    const from = this.active;
    if (from === to) return;
    copyParameters(from, to, this.mechanism);
    const memory = from.stepper.history.memoryOf(state);
    to.stepper.history.restore(memory && { ...memory, warm: undefined });
    if (from instanceof SlotSystem && to instanceof SlotSystem) to.impulses.goOnFrom(from.impulses);
    this.active = to;
    this.surfaces.readFrom(to.system);
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
