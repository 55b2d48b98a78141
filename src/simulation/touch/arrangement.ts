/**
 * One arrangement of slots, made ready to run: a system whose contacts are the mechanism's own and the slots of its groups, the stepper that
 * steps it, and which feature is in which slot.
 */
import type { Target } from "../../codegen/index.ts";
import { frictionPlace } from "../../equations/index.ts";
import { featureKinds, featureSizes, featureStride } from "../../geometry/index.ts";
import { buildSystem, type NodePlace, type System } from "../../kernels/index.ts";
import { bodyStateSize, type Mechanism, worldIndex } from "../../mechanism/index.ts";
import { Stepper } from "../stepper.ts";
import { arrangedMechanism, slotPrefix } from "./arrangedMechanism.ts";
import { awayInto } from "./awayValues.ts";
import type { FoundFeatures } from "./foundFeatures.ts";
import { groupKey, keyOf, type SlotGroup } from "./slotGroups.ts";
import type { PairSurfaces } from "./surfaces.ts";
import type { SlotIdentity } from "./touchMemory.ts";

const origin: ArrayLike<number> = [0, 0, 0, 1, 0, 0, 0];

export class Arrangement {
  readonly mechanism: Mechanism;
  readonly groups: readonly SlotGroup[];
  readonly system: System;
  readonly stepper: Stepper;
  /** Number of the feature in each slot, −1 for none. */
  readonly featureOf: Int32Array;
  /** Slot of each feature. */
  slotOf = new Int32Array(32);
  /** Memory of what is no slot's own: parameters that every arrangement has, by path. */
  readonly parameters: ReadonlyMap<string, number>;
  /** What was made for it: memory for gradients, say. */
  readonly resources = new Map<string, unknown>();
  /** When it was last used, to forget the oldest. */
  lastUse = 0;

  /** Nodes of the slots. */
  readonly nodes: readonly NodePlace[];
  private readonly firstOfGroup = new Map<number, { readonly first: number; readonly count: number }>();
  /** Identity of the feature that each slot was last used for. */
  private readonly bodyShape: Int32Array;
  private readonly otherShape: Int32Array;
  private readonly key: Float64Array;
  private readonly round: Uint8Array;
  private readonly kind: Uint8Array;
  private readonly surfaces: PairSurfaces;

  constructor(
    mechanism: Mechanism,
    groups: readonly SlotGroup[],
    surfaces: PairSurfaces,
    target: Target,
    byBlocks: boolean,
  ) {
    this.groups = groups;
    this.surfaces = surfaces;
    this.mechanism = arrangedMechanism(mechanism, groups, surfaces.bounces);
    this.system = buildSystem(this.mechanism, target, undefined, byBlocks);
    this.stepper = new Stepper(this.system, target);
    const own = mechanism.contacts.length;
    this.nodes = this.system.nodes.filter(({ kind, index }) => kind === "contact" && index >= own);
    const count = this.nodes.length;
    this.featureOf = new Int32Array(count).fill(-1);
    this.bodyShape = new Int32Array(count).fill(-1);
    this.otherShape = new Int32Array(count).fill(-1);
    this.key = new Float64Array(count);
    this.round = new Uint8Array(count);
    this.kind = Uint8Array.from(this.nodes, ({ index }) =>
      featureKinds.indexOf(this.mechanism.contacts[index].feature),
    );
    let first = 0;
    for (const group of groups) {
      this.firstOfGroup.set(keyOf(group), { first, count: group.count });
      first += group.count;
    }
    const prefix = `contacts.${slotPrefix(mechanism)}`;
    this.parameters = new Map([...this.system.parameters].filter(([path]) => !path.startsWith(prefix)));
  }

  /** No slot has had a feature, and nothing is known of the last step. */
  empty(): void {
    this.bodyShape.fill(-1);
    this.otherShape.fill(-1);
    this.stepper.history.restore(undefined);
  }

  /** What is in each slot; null for nothing. */
  identities(): (SlotIdentity | null)[] {
    return Array.from(this.bodyShape, (shape, slot) =>
      shape < 0 ? null : { shape, other: this.otherShape[slot], key: this.key[slot], round: this.round[slot] },
    );
  }

  recall(slots: readonly (SlotIdentity | null)[]): void {
    for (let slot = 0; slot < this.bodyShape.length; slot++) {
      const identity = slots[slot];
      this.bodyShape[slot] = identity?.shape ?? -1;
      this.otherShape[slot] = identity?.other ?? -1;
      this.key[slot] = identity?.key ?? 0;
      this.round[slot] = identity?.round ?? 0;
    }
  }

  /** Gives every feature a slot; false where they do not fit. Nothing is written. */
  assign(features: FoundFeatures): boolean {
    const { featureOf } = this;
    if (this.slotOf.length < features.count) this.slotOf = new Int32Array(2 * features.count);
    const { slotOf } = this;
    featureOf.fill(-1);
    // those that are in a slot already stay there
    for (let i = 0; i < features.count; i++) {
      const group = this.groupOf(features, i);
      if (!group) return false;
      slotOf[i] = -1;
      for (let slot = group.first; slot < group.first + group.count; slot++) {
        if (featureOf[slot] >= 0 || !this.isIn(slot, features, i)) continue;
        featureOf[slot] = i;
        slotOf[i] = slot;
        break;
      }
    }
    for (let i = 0; i < features.count; i++) {
      if (slotOf[i] >= 0) continue;
      const group = this.groupOf(features, i) as { first: number; count: number };
      let slot = group.first;
      while (slot < group.first + group.count && featureOf[slot] >= 0) slot++;
      if (slot === group.first + group.count) return false;
      featureOf[slot] = i;
      slotOf[i] = slot;
    }
    return true;
  }

  private groupOf(features: FoundFeatures, i: number) {
    const model = this.surfaces.model(features.bodyShape[i], features.otherShape[i]);
    return this.firstOfGroup.get(groupKey(features.kind[i], model, features.body[i], features.other[i]));
  }

  private isIn(slot: number, features: FoundFeatures, i: number): boolean {
    return (
      this.bodyShape[slot] === features.bodyShape[i] &&
      this.otherShape[slot] === features.otherShape[i] &&
      this.key[slot] === features.key[i] &&
      this.round[slot] === features.round[i]
    );
  }

  /** Writes the values of all slots, those without a feature as far away. Slots with a new feature start cold. */
  write(features: FoundFeatures, state: Float64Array): void {
    const { featureOf, nodes } = this;
    for (let slot = 0; slot < nodes.length; slot++) {
      const i = featureOf[slot];
      if (i >= 0) this.writeFeature(slot, features, i);
      else this.writeAway(slot, state);
    }
  }

  private writeFeature(slot: number, features: FoundFeatures, i: number): void {
    const { parameters, index } = this.nodes[slot];
    const { f64 } = this.system;
    const [own, other] = [features.bodyShape[i], features.otherShape[i]];
    if (!this.isIn(slot, features, i)) {
      this.startCold(slot);
      this.bodyShape[slot] = own;
      this.otherShape[slot] = other;
      this.key[slot] = features.key[i];
      this.round[slot] = features.round[i];
    }
    const friction = frictionPlace(this.mechanism.contacts[index].feature);
    const size = featureSizes[features.kind[i]];
    const from = i * featureStride;
    for (let k = 0; k < size; k++) f64[parameters + (k < friction ? k : k + 1)] = features.values[from + k];
    f64[parameters + friction] = this.surfaces.friction(own, other);
    if (this.mechanism.contacts[index].restitution !== null)
      f64[parameters + size + 1] = this.surfaces.restitution(own, other);
  }

  private writeAway(slot: number, state: Float64Array): void {
    const { parameters, bodies } = this.nodes[slot];
    const { f64 } = this.system;
    if (this.bodyShape[slot] !== -1) this.startCold(slot);
    this.bodyShape[slot] = this.otherShape[slot] = -1;
    const kind = this.kind[slot];
    const friction = frictionPlace(featureKinds[kind]);
    const [other, body] = bodies;
    const isWorld = other === worldIndex;
    awayInto(away, 0, kind, state, bodyStateSize * body, isWorld ? origin : state, isWorld ? 0 : bodyStateSize * other);
    for (let k = 0; k < featureSizes[kind]; k++) f64[parameters + (k < friction ? k : k + 1)] = away[k];
    f64[parameters + friction] = 1;
  }

  /** What the last steps have left of a slot says nothing of what is in it now. */
  private startCold(slot: number): void {
    const { cone, roles } = this.nodes[slot];
    this.stepper.solve.startCold(cone, roles.length === 1 ? 1 : 4);
  }
}

const away = new Float64Array(featureStride);
