/** Which feature each slot has: features are known again by the shapes that meet and by what of theirs does, so they keep their slot. */
import type { FoundFeatures } from "./foundFeatures.ts";
import type { SlotIdentity } from "./touchMemory.ts";

/** The range of slots of a feature's kind, by its number; undefined where there are none. */
type SlotsOf = (i: number) => { readonly first: number; readonly count: number } | undefined;

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
  /** Slots by hash, twice as long as it needs to be; and of a range of slots, by its first, where the free ones may begin. */
  private readonly table: Int32Array;
  private readonly nextFree: Int32Array;
  /** Whether the hash table is that of what is in the slots. */
  private isListed = false;
  /** How many features have slots as they were last given; −1 where that is not known. */
  private given = -1;
  /** Whether the features are, one by one, those of before, in the slots that they had. */
  isSame = false;

  constructor(count: number) {
    this.featureOf = new Int32Array(count).fill(-1);
    this.bodyShape = new Int32Array(count).fill(-1);
    this.otherShape = new Int32Array(count).fill(-1);
    this.key = new Float64Array(count);
    this.round = new Uint8Array(count);
    this.table = new Int32Array(2 ** Math.ceil(Math.log2(2 * count + 2)));
    this.nextFree = new Int32Array(count);
  }

  /** Whether these features, one by one, are in the slots that were last given. */
  private hasSame(features: FoundFeatures, slotsOf: SlotsOf): boolean {
    const { slotOf } = this;
    if (features.count !== this.given) return false;
    for (let i = 0; i < features.count; i++) {
      const slot = slotOf[i];
      const slots = slotsOf(i);
      if (!slots || slot < slots.first || slot >= slots.first + slots.count) return false;
      if (!this.isIn(slot, features, i)) return false;
    }
    return true;
  }

  /** Gives every feature a slot among those of its kind, the one that it had or the lowest that is free; false where they do not fit. */
  assign(features: FoundFeatures, slotsOf: SlotsOf): boolean {
    const { featureOf, nextFree } = this;
    this.isSame = this.hasSame(features, slotsOf);
    if (this.isSame) return true;
    this.given = -1;
    if (this.slotOf.length < features.count) this.slotOf = new Int32Array(2 * features.count);
    const { slotOf } = this;
    featureOf.fill(-1);
    if (!this.isListed) this.index();
    for (let i = 0; i < features.count; i++) {
      const slots = slotsOf(i);
      if (!slots) return false;
      const slot = this.find(features, i, slots.first, slots.first + slots.count);
      slotOf[i] = slot;
      if (slot >= 0) featureOf[slot] = i;
      nextFree[slots.first] = slots.first;
    }
    for (let i = 0; i < features.count; i++) {
      if (slotOf[i] >= 0) continue;
      const { first, count } = slotsOf(i) as { first: number; count: number };
      let slot = nextFree[first];
      while (slot < first + count && featureOf[slot] >= 0) slot++;
      if (slot === first + count) return false;
      nextFree[first] = slot + 1;
      featureOf[slot] = i;
      slotOf[i] = slot;
    }
    this.given = features.count;
    return true;
  }

  /** Lists slots by the identity of what is in them: in `table`, those of equal hashes one after the other. */
  private index(): void {
    const { table, bodyShape, otherShape, key } = this;
    const mask = table.length - 1;
    this.isListed = true;
    table.fill(-1);
    for (let slot = 0; slot < bodyShape.length; slot++) {
      if (bodyShape[slot] < 0) continue;
      let at = hash(bodyShape[slot], otherShape[slot], key[slot]) & mask;
      while (table[at] >= 0) at = (at + 1) & mask;
      table[at] = slot;
    }
  }

  /** The first slot in a range that has the feature and has not been given away; −1 for none. */
  private find(features: FoundFeatures, i: number, from: number, to: number): number {
    const { table, featureOf } = this;
    const mask = table.length - 1;
    let at = hash(features.bodyShape[i], features.otherShape[i], features.key[i]) & mask;
    for (; table[at] >= 0; at = (at + 1) & mask) {
      const slot = table[at];
      if (slot >= from && slot < to && featureOf[slot] < 0 && this.isIn(slot, features, i)) return slot;
    }
    return -1;
  }

  isIn(slot: number, features: FoundFeatures, i: number): boolean {
    return (
      this.bodyShape[slot] === features.bodyShape[i] &&
      this.otherShape[slot] === features.otherShape[i] &&
      this.key[slot] === features.key[i] &&
      this.round[slot] === features.round[i]
    );
  }

  put(slot: number, features: FoundFeatures, i: number): void {
    this.isListed = false;
    this.bodyShape[slot] = features.bodyShape[i];
    this.otherShape[slot] = features.otherShape[i];
    this.key[slot] = features.key[i];
    this.round[slot] = features.round[i];
  }

  /** Nothing is known any more of features that are in no slot now, bound or just carried on: what is found later is new. */
  clearFree(): void {
    const { featureOf, bodyShape, otherShape } = this;
    for (let slot = 0; slot < bodyShape.length; slot++) {
      if (featureOf[slot] >= 0 || bodyShape[slot] < 0) continue;
      this.isListed = false;
      bodyShape[slot] = otherShape[slot] = -1;
    }
  }

  /** Tells what is in slots. */
  tell(listener: { add(body: number, other: number, key: number, round: number): void }): void {
    const { round, bodyShape, otherShape, key } = this;
    for (let slot = 0; slot < round.length; slot++)
      if (bodyShape[slot] >= 0) listener.add(bodyShape[slot], otherShape[slot], key[slot], round[slot]);
  }

  /** What is in each slot; null for nothing. */
  save(): (SlotIdentity | null)[] {
    return Array.from(this.bodyShape, (shape, slot) =>
      shape < 0 ? null : { shape, other: this.otherShape[slot], key: this.key[slot], round: this.round[slot] },
    );
  }

  restore(slots: readonly (SlotIdentity | null)[]): void {
    this.isListed = false;
    this.given = -1;
    for (let slot = 0; slot < this.bodyShape.length; slot++) {
      const identity = slots[slot];
      this.bodyShape[slot] = identity?.shape ?? -1;
      this.otherShape[slot] = identity?.other ?? -1;
      this.key[slot] = identity?.key ?? 0;
      this.round[slot] = identity?.round ?? 0;
    }
  }
}

function hash(bodyShape: number, otherShape: number, key: number): number {
  // keys may be beyond 32 bits
  const low = key | 0;
  const high = (key / 2 ** 32) | 0;
  const mixed =
    Math.imul(bodyShape, 0x9e3779b1) ^ Math.imul(otherShape + 1, 0x85ebca6b) ^ Math.imul(low ^ high, 0xc2b2ae35);
  return mixed ^ (mixed >>> 15);
}
