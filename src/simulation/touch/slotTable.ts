/** Which feature each slot has: features are known again by the shapes that meet and by what of theirs does, so they keep their slot. */
import type { FoundFeatures } from "./foundFeatures.ts";
import type { SlotIdentity } from "./touchMemory.ts";

export class SlotTable {
  /** Number of the feature in each slot, −1 for none. */
  readonly featureOf: Int32Array;
  /** Slot of each feature. */
  slotOf = new Int32Array(32);

  // identity of the feature that each slot was last used for
  private readonly bodyShape: Int32Array;
  private readonly otherShape: Int32Array;
  private readonly key: Float64Array;
  private readonly round: Uint8Array;

  constructor(count: number) {
    this.featureOf = new Int32Array(count).fill(-1);
    this.bodyShape = new Int32Array(count).fill(-1);
    this.otherShape = new Int32Array(count).fill(-1);
    this.key = new Float64Array(count);
    this.round = new Uint8Array(count);
  }

  /** Gives every feature a slot among those of its kind, the one that it had or the lowest that is free; false where they do not fit. */
  assign(
    features: FoundFeatures,
    slotsOf: (i: number) => { readonly first: number; readonly count: number } | undefined,
  ): boolean {
    const { featureOf } = this;
    if (this.slotOf.length < features.count) this.slotOf = new Int32Array(2 * features.count);
    const { slotOf } = this;
    featureOf.fill(-1);
    for (let i = 0; i < features.count; i++) {
      const slots = slotsOf(i);
      if (!slots) return false;
      slotOf[i] = -1;
      for (let slot = slots.first; slot < slots.first + slots.count; slot++) {
        if (featureOf[slot] >= 0 || !this.isIn(slot, features, i)) continue;
        featureOf[slot] = i;
        slotOf[i] = slot;
        break;
      }
    }
    for (let i = 0; i < features.count; i++) {
      if (slotOf[i] >= 0) continue;
      const slots = slotsOf(i) as { first: number; count: number };
      let slot = slots.first;
      const end = slots.first + slots.count;
      while (slot < end && featureOf[slot] >= 0) slot++;
      if (slot === end) return false;
      featureOf[slot] = i;
      slotOf[i] = slot;
    }
    return true;
  }

  isIn(slot: number, features: FoundFeatures, i: number): boolean {
    return (
      this.bodyShape[slot] === features.bodyShape[i] &&
      this.otherShape[slot] === features.otherShape[i] &&
      this.key[slot] === features.key[i] &&
      this.round[slot] === features.round[i]
    );
  }

  hasFeature(slot: number): boolean {
    return this.bodyShape[slot] >= 0;
  }

  put(slot: number, features: FoundFeatures, i: number): void {
    this.bodyShape[slot] = features.bodyShape[i];
    this.otherShape[slot] = features.otherShape[i];
    this.key[slot] = features.key[i];
    this.round[slot] = features.round[i];
  }

  clear(slot: number): void {
    this.bodyShape[slot] = this.otherShape[slot] = -1;
  }

  /** What is in each slot; null for nothing. */
  save(): (SlotIdentity | null)[] {
    return Array.from(this.bodyShape, (shape, slot) =>
      shape < 0 ? null : { shape, other: this.otherShape[slot], key: this.key[slot], round: this.round[slot] },
    );
  }

  restore(slots: readonly (SlotIdentity | null)[]): void {
    for (let slot = 0; slot < this.bodyShape.length; slot++) {
      const identity = slots[slot];
      this.bodyShape[slot] = identity?.shape ?? -1;
      this.otherShape[slot] = identity?.other ?? -1;
      this.key[slot] = identity?.key ?? 0;
      this.round[slot] = identity?.round ?? 0;
    }
  }
}
