/** Contacts of shapes apart from steps: the features of all pairs that are near each other, in slots of a system of their own. */
import type { Target } from "../../codegen/index.ts";
import type { Mechanism, MechanismTouch } from "../../mechanism/index.ts";
import { FoundFeatures } from "./foundFeatures.ts";
import { grownPools, SlotSystem } from "./slotSystem.ts";
import { PairSurfaces } from "./surfaces.ts";
import { readingsOf, type TouchReading, touchRecord } from "./touchReadings.ts";
import { TouchSearch } from "./touchSearch.ts";

export class NearTouches {
  private readonly mechanism: Mechanism;
  private readonly target: Target;
  private readonly search: TouchSearch;
  private readonly surfaces: PairSurfaces;
  private readonly features = new FoundFeatures();
  private slots: SlotSystem;

  constructor(mechanism: Mechanism & { readonly touch: MechanismTouch }, target: Target) {
    this.mechanism = mechanism;
    this.target = target;
    this.search = new TouchSearch(mechanism.touch);
    this.surfaces = new PairSurfaces(mechanism.touch);
    this.slots = new SlotSystem(mechanism, mechanism.touch.pools, this.surfaces, target);
  }

  /**
   * A system with a contact for every feature whose gap is below `limit`, m, at the end of a step between two states. `from`: the memory
   * that has the parameters.
   */
  at(from: SlotSystem["system"], state: Float64Array, next: Float64Array, limit: number): SlotSystem["system"] {
    const { features, mechanism, surfaces, search, target } = this;
    surfaces.readFrom(from);
    search.findNearEnd(state, next, limit, features);
    if (!this.slots.assign(features)) {
      const pools = grownPools(this.slots.pools, features, surfaces, mechanism.bodies.length, []);
      this.slots = new SlotSystem(mechanism, pools, surfaces, target);
      this.slots.assign(features);
    }
    this.slots.write(features);
    return this.slots.system;
  }

  /** What the contacts bear as memory has it. */
  get readings(): TouchReading[] {
    const { slots, features, mechanism } = this;
    return readingsOf(touchRecord(slots, features, slots.system.f64), mechanism);
  }
}
