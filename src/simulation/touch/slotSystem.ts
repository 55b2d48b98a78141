/**
 * Steps with slots of one system: contacts whose bodies are bound at run time (kernels/elimination/boundSlots.ts). Features come and go without anything
 * being built; what is not bound costs nothing. Where a kind of feature has too few slots, another system with more takes over.
 */
import type { Target } from "../../codegen/index.ts";
import { featureKinds } from "../../geometry/index.ts";
import { buildSystem, type NodePlace, type System, type TouchSlots } from "../../kernels/index.ts";
import { type Mechanism, type TouchPool, worldIndex } from "../../mechanism/index.ts";
import { ImpulseSums } from "../division/impulseSums.ts";
import { Stepper } from "../step/stepper.ts";
import type { ExpectedKind, MovingSide } from "./expectedKinds.ts";
import { type FoundFeatures, ruleNumber, touchRules } from "./foundFeatures.ts";
import { SlotTable } from "./slotTable.ts";
import type { PairSurfaces } from "./surfaces.ts";
import { coneSizeOf, writeContact } from "./writeContact.ts";

/** Least slots of a kind that is needed at all. */
const fewest = 16;

export class SlotSystem {
  readonly pools: readonly TouchPool[];
  readonly system: System;
  readonly stepper: Stepper;
  readonly resources = new Map<string, unknown>();
  readonly table: SlotTable;
  /** Impulses of steps that are taken in parts. */
  readonly impulses: ImpulseSums;

  /** None where there are no pools. */
  private readonly slots: TouchSlots | undefined;
  private readonly surfaces: PairSurfaces;
  private readonly coneSizes: Int32Array;
  private readonly poolOf = new Map<number, { readonly first: number; readonly count: number }>();

  constructor(mechanism: Mechanism, pools: readonly TouchPool[], surfaces: PairSurfaces, target: Target) {
    this.pools = pools;
    this.surfaces = surfaces;
    this.system = buildSystem(mechanism, target, undefined, "step", pools);
    this.stepper = new Stepper(this.system, target);
    this.impulses = new ImpulseSums(this.system, this.stepper.readings);
    this.slots = this.system.touch;
    this.table = new SlotTable(this.nodes.length);
    this.coneSizes = Int32Array.from(this.nodes, coneSizeOf);
    for (const pool of this.slots?.pools ?? []) this.poolOf.set(keyOfPool(pool), pool);
  }

  get parameters(): ReadonlyMap<string, number> {
    return this.system.parameters;
  }

  get nodes(): readonly NodePlace[] {
    return this.slots?.nodes ?? [];
  }

  /** Nothing is bound, and nothing is known of the last step. */
  empty(): void {
    this.table.restore([]);
    this.stepper.history.restore(undefined);
  }

  /** Gives every feature a slot; false where they do not fit. Nothing is written. */
  assign(features: FoundFeatures): boolean {
    return this.table.assign(features, (i) => this.poolOf.get(this.keyOf(features, i)));
  }

  private keyOf(features: FoundFeatures, i: number): number {
    const rule = this.surfaces.rule(features.bodyShape[i], features.otherShape[i]);
    return poolKey(features.kind[i], rule, movingOf(features, i));
  }

  /** Binds and writes what the features need, and releases the rest. */
  write(features: FoundFeatures): void {
    const { slots, table } = this;
    if (!slots) return;
    if (!table.isSame) this.leaveOthers(slots);
    for (let i = 0; i < features.count; i++) this.writeFeature(slots, table.slotOf[i], features, i);
    slots.arrange();
  }

  /** Nothing is in slots any more that no feature has. */
  private leaveOthers(slots: TouchSlots): void {
    const { table } = this;
    for (let k = 0; k < slots.bound.length; k++) if (table.featureOf[slots.bound[k]] < 0) slots.release(slots.bound[k]);
    table.clearFree();
  }

  private writeFeature(slots: TouchSlots, slot: number, features: FoundFeatures, i: number): void {
    const { table } = this;
    const { f64 } = this.system;
    const node = slots.nodes[slot];
    if (!table.isIn(slot, features, i)) {
      const size = this.coneSizes[slot];
      this.stepper.problem.pairs.forget(node.cone, size);
      this.impulses.forget(node, size);
      table.put(slot, features, i);
    }
    const [body, other] = [features.body[i], features.other[i]];
    // what moves is the body of the slot
    if (body === worldIndex) slots.bind(slot, body, other);
    else slots.bind(slot, other, body);
    writeContact(f64, node.parameters, features, i, this.surfaces);
  }
}

/**
 * Pools with room for these features, twice where there was too little, and for one per body to begin with: what is not bound costs little,
 * and another system takes long to build. Kinds that are there stay; `expected` ones are added.
 */
export function grownPools(
  before: readonly TouchPool[],
  features: FoundFeatures,
  surfaces: PairSurfaces,
  bodies: number,
  expected: readonly ExpectedKind[],
): TouchPool[] {
  const pools = new Map<number, TouchPool>();
  for (const { kind, rule, moving } of expected) {
    const pool = { feature: featureKinds[kind], ...touchRules[rule], ...movingSides[moving] };
    pools.set(poolKey(kind, rule, moving), { ...pool, count: powerOfTwo(Math.max(fewest, bodies)) });
  }
  for (const pool of before) pools.set(keyOfPool(pool), pool);
  const needs = new Map<number, TouchPool>();
  for (let i = 0; i < features.count; i++) {
    const rule = surfaces.rule(features.bodyShape[i], features.otherShape[i]);
    const moving = movingOf(features, i);
    const key = poolKey(features.kind[i], rule, moving);
    const count = (needs.get(key)?.count ?? 0) + 1;
    needs.set(key, { feature: featureKinds[features.kind[i]], ...touchRules[rule], ...movingSides[moving], count });
  }
  for (const [key, need] of needs) {
    const had = pools.get(key)?.count ?? 0;
    if (need.count <= had) continue;
    const count = Math.max(fewest, bodies, need.count + Math.ceil(need.count / 2), 2 * had);
    pools.set(key, { ...need, count: powerOfTwo(count) });
  }
  // an order that does not depend on how they came about
  return [...pools].sort(([a], [b]) => a - b).map(([, pool]) => pool);
}

/** The power by a shift: one by `**` is a floating-point number to V8, and so would be every place in memory that is counted from it, each a small object. */
function powerOfTwo(count: number): number {
  return 1 << Math.ceil(Math.log2(count));
}

function keyOfPool(pool: TouchPool): number {
  const moving = pool.otherMoves ? "both" : pool.coreOnWorld ? "met" : "core";
  return poolKey(featureKinds.indexOf(pool.feature), ruleNumber(pool), moving);
}

function movingOf({ body, other }: FoundFeatures, i: number): MovingSide {
  if (body[i] === worldIndex) return "met";
  return other[i] === worldIndex ? "core" : "both";
}

/** What pools say of which sides move, and a number for each. */
const movingSides = {
  core: { otherMoves: false },
  both: { otherMoves: true },
  met: { otherMoves: false, coreOnWorld: true },
} as const satisfies Record<MovingSide, Pick<TouchPool, "otherMoves" | "coreOnWorld">>;
const movingNumbers = { core: 0, both: 1, met: 2 } as const;

function poolKey(kind: number, rule: number, moving: MovingSide): number {
  return (kind * touchRules.length + rule) * 3 + movingNumbers[moving];
}
