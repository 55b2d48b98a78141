/**
 * One arrangement of slots, made ready to run: a system whose contacts are the mechanism's own and the slots of its groups, the stepper that
 * steps it, and which feature is in which slot.
 */
import type { Target } from "../../codegen/index.ts";
import { frictionPlace } from "../../equations/index.ts";
import { featureKinds, featureSizes, featureStride } from "../../geometry/index.ts";
import { buildSystem, type NodePlace, type System } from "../../kernels/index.ts";
import { bodyStateSize } from "../../math/index.ts";
import { type Mechanism, worldIndex } from "../../mechanism/index.ts";
import { Stepper } from "../step/stepper.ts";
import { arrangedMechanism, slotPrefix } from "./arrangedMechanism.ts";
import { awayInto } from "./awayValues.ts";
import type { FoundFeatures } from "./foundFeatures.ts";
import { groupKey, keyOf, type SlotGroup } from "./slotGroups.ts";
import { SlotTable } from "./slotTable.ts";
import type { PairSurfaces } from "./surfaces.ts";
import { coneSizeOf, writeContact } from "./writeContact.ts";

const origin: ArrayLike<number> = [0, 0, 0, 1, 0, 0, 0];

export class Arrangement {
  readonly mechanism: Mechanism;
  readonly groups: readonly SlotGroup[];
  readonly system: System;
  readonly stepper: Stepper;
  readonly table: SlotTable;
  /** Memory of what is no slot's own: parameters that every arrangement has, by path. */
  readonly parameters: ReadonlyMap<string, number>;
  /** What was made for it: memory for gradients, say. */
  readonly resources = new Map<string, unknown>();
  /** Steps are taken in parts by its stepper. */
  readonly impulses = undefined;
  /** When it was last used, to forget the oldest. */
  lastUse = 0;

  /** Nodes of the slots. */
  readonly nodes: readonly NodePlace[];
  private readonly firstOfGroup = new Map<number, { readonly first: number; readonly count: number }>();
  private readonly kind: Uint8Array;
  private readonly surfaces: PairSurfaces;

  constructor(mechanism: Mechanism, groups: readonly SlotGroup[], surfaces: PairSurfaces, target: Target) {
    this.groups = groups;
    this.surfaces = surfaces;
    this.mechanism = arrangedMechanism(mechanism, groups, surfaces.bounces);
    this.system = buildSystem(this.mechanism, target);
    this.stepper = new Stepper(this.system, target);
    const own = mechanism.contacts.length;
    this.nodes = this.system.nodes.filter(({ kind, index }) => kind === "contact" && index >= own);
    const count = this.nodes.length;
    this.table = new SlotTable(count);
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
    this.table.restore([]);
    this.stepper.history.restore(undefined);
  }

  modelOf(slot: number): SlotGroup["model"] {
    return this.mechanism.contacts[this.nodes[slot].index].model as SlotGroup["model"];
  }

  /** Gives every feature a slot; false where they do not fit. Nothing is written. */
  assign(features: FoundFeatures): boolean {
    return this.table.assign(features, (i) => this.groupOf(features, i));
  }

  private groupOf(features: FoundFeatures, i: number) {
    const rule = this.surfaces.rule(features.bodyShape[i], features.otherShape[i]);
    return this.firstOfGroup.get(groupKey(features.kind[i], rule, features.body[i], features.other[i]));
  }

  /** Writes the values of all slots, those without a feature as far away. Slots with a new feature start cold. */
  write(features: FoundFeatures, state: Float64Array): void {
    const { nodes } = this;
    const { featureOf } = this.table;
    for (let slot = 0; slot < nodes.length; slot++) {
      const i = featureOf[slot];
      if (i >= 0) this.writeFeature(slot, features, i);
      else this.writeAway(slot, state);
    }
  }

  private writeFeature(slot: number, features: FoundFeatures, i: number): void {
    const { parameters, index } = this.nodes[slot];
    const { f64 } = this.system;
    if (!this.table.isIn(slot, features, i)) {
      this.startCold(slot);
      this.table.put(slot, features, i);
    }
    const { restitution } = this.mechanism.contacts[index];
    writeContact(f64, parameters, features, i, this.surfaces, restitution !== null);
  }

  private writeAway(slot: number, state: Float64Array): void {
    const { parameters, bodies } = this.nodes[slot];
    const { f64 } = this.system;
    if (this.table.hasFeature(slot)) this.startCold(slot);
    this.table.clear(slot);
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
    const node = this.nodes[slot];
    this.stepper.solve.startCold(node.cone, coneSizeOf(node));
  }
}

const away = new Float64Array(featureStride);
