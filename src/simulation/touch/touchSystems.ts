/**
 * Which system steps of shapes that touch are taken with: slots are those of one in which contacts are bound at run time (slotSystem.ts);
 * where a kind of feature has too few, a larger one takes over.
 */
import type { Target } from "../../codegen/index.ts";
import type { Mechanism, MechanismTouch } from "../../mechanism/index.ts";
import { copyParameters } from "../copyParameters.ts";
import { type ExpectedKind, expectedKinds } from "./expectedKinds.ts";
import { FoundFeatures } from "./foundFeatures.ts";
import { grownPools, SlotSystem } from "./slotSystem.ts";
import type { PairSurfaces } from "./surfaces.ts";
import type { TouchMemory } from "./touchMemory.ts";

/** Each has memory of its own, and takes a hundredth to a tenth of a second to make. */
const mostKept = 3;

export class TouchSystems {
  /** What the last step was taken with. */
  active: SlotSystem;

  private readonly mechanism: Mechanism & { readonly touch: MechanismTouch };
  private readonly surfaces: PairSurfaces;
  private readonly target: Target;
  /** Systems by their pools, the last used one last. */
  private readonly kept = new Map<string, SlotSystem>();
  /** Kinds of features that there is room for besides those that have been met, and whether round ones are among them. */
  private expected: readonly ExpectedKind[] | undefined;
  private expectsRound = false;
  private lazyPlain: SlotSystem | undefined;

  constructor(mechanism: Mechanism & { readonly touch: MechanismTouch }, surfaces: PairSurfaces, target: Target) {
    this.mechanism = mechanism;
    this.surfaces = surfaces;
    this.target = target;
    this.active = this.slotSystem(this.roomFor(new FoundFeatures(), mechanism.touch.pools));
    surfaces.readFrom(this.active.system);
  }

  /** Puts the features into slots, and writes all slots. */
  arrange(features: FoundFeatures, state: Float64Array): void {
    let taken = this.active;
    if (!taken.assign(features)) {
      taken = this.slotSystem(this.roomFor(features, taken.pools));
      taken.assign(features);
    }
    this.switchTo(taken, state);
    taken.write(features);
  }

  /** These pools with room for the features, and for all that are expected. */
  private roomFor(features: FoundFeatures, pools: SlotSystem["pools"]): SlotSystem["pools"] {
    this.expected ??= expectedKinds(this.mechanism.touch, this.surfaces, this.expectsRound);
    return grownPools(pools, features, this.surfaces, this.mechanism.bodies.length, this.expected);
  }

  /** Makes the system ready that takes over where round parts first meet something: built in that step, it holds the step up. */
  prepareRound(): void {
    if (this.expectsRound) return;
    this.expectsRound = true;
    this.expected = undefined;
    this.slotSystem(this.roomFor(new FoundFeatures(), this.active.pools)).system.loadAll();
  }

  /** The system with these pools, all slots empty unless it is the active one. Whoever goes back to an earlier step finds that of then. */
  private slotSystem(pools: SlotSystem["pools"]): SlotSystem {
    const { kept } = this;
    const key = JSON.stringify(pools);
    const found = kept.get(key);
    if (found && found !== this.active) found.empty();
    const system = found ?? new SlotSystem(this.mechanism, pools, this.surfaces, this.target);
    kept.delete(key);
    kept.set(key, system);
    if (kept.size > mostKept) {
      const [oldest] = [...kept].find(([, one]) => one !== this.active) ?? [];
      if (oldest !== undefined) kept.delete(oldest);
    }
    return system;
  }

  /** The mechanism without any feature, with the parameters of now. */
  get plain(): SlotSystem {
    this.lazyPlain ??= new SlotSystem(this.mechanism, [], this.surfaces, this.target);
    copyParameters(this.active.system, this.lazyPlain.system);
    return this.lazyPlain;
  }

  /** Which slots there are and what is in them, to be carried on. */
  save(): TouchMemory {
    const { pools, table } = this.active;
    return { pools, slots: table.save() };
  }

  /** Goes on with these slots; without any if they are left out. */
  restore(memory: TouchMemory | undefined): void {
    const taken = this.slotSystem(memory?.pools ?? this.active.pools);
    taken.empty();
    if (taken !== this.active) copyParameters(this.active.system, taken.system);
    this.active = taken;
    this.surfaces.readFrom(taken.system);
    if (memory) taken.table.restore(memory.slots);
  }

  /** Steps from this state are taken with another system: parameters, wrenches and input go along, and so do turns of angles. */
  switchTo(to: SlotSystem, state: Float64Array): void {
    const from = this.active;
    if (from === to) return;
    copyParameters(from.system, to.system);
    const memory = from.stepper.history.memoryOf(state);
    to.stepper.history.restore(memory && { ...memory, warm: undefined });
    to.impulses.goOnFrom(from.impulses);
    this.active = to;
    this.surfaces.readFrom(to.system);
  }
}
