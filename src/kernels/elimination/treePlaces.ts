/**
 * Where the bodies, joints and other nodes of the elimination by limbs lie: what a limb's sweeps work on (treeSweeps.ts), and the operands
 * of every node's kernels by name.
 */
import { worldIndex } from "../../mechanism/index.ts";
import { address } from "../memory/memory.ts";
import { type Addresses, addressesBefore } from "../memory/pairedCalls.ts";
import type { DataPlan, PlannedNode } from "../memory/plan.ts";
import {
  kernelsOfMultipliers,
  kernelsOfTreeBody,
  kernelsOfTreeContact,
  kernelsOfTreeForce,
  kernelsOfTreeJoint,
} from "../species/library.ts";
import type { StagedKernels } from "../species/staging.ts";
import { constraintsOf, isGrounded, type Limb, portsOf } from "./treeLimbs.ts";
import type { TreeKernels } from "./treeNodes.ts";
import type { Tie } from "./treeOrder.ts";

/** Per body, memory indices of arrays that lie one body after another. */
export interface BodyArrays {
  readonly inertia: number;
  readonly articulated: number;
  readonly base: number;
  readonly force: number;
  readonly motion: number;
}

export type KernelSet = "residual" | "geometry" | "law";

export class TreePlaces {
  /** Those with ports: all but loose ones. */
  readonly limbs: readonly Limb[];
  readonly kernels: readonly TreeKernels[];
  readonly arrays: BodyArrays;
  /** By body: operands of its sweeps. */
  readonly sweeps: Map<string, number>[] = [];
  /** By node and by body: operands of its kernels. There after `placeNodes`. */
  nodes: readonly Record<KernelSet, Addresses>[] = [];
  bodies: readonly Record<"residual" | "geometry", Addresses>[] = [];
  private readonly plan: DataPlan;
  /** By number of their joint. */
  private readonly limbOf: ReadonlyMap<number, Limb>;
  /** Joints whose forces depend on several of their coordinates. */
  private readonly coupled: ReadonlySet<PlannedNode>;

  constructor(plan: DataPlan, limbs: readonly Limb[]) {
    this.plan = plan;
    this.limbs = limbs.filter((limb) => !limb.isLoose);
    this.limbOf = new Map(limbs.map((limb) => [limb.joint.index, limb]));
    this.kernels = plan.nodes.map((node) => this.kernelsOf(node));
    this.coupled = new Set(plan.nodes.filter((_, i) => this.kernels[i].isCoupled));
    const { memory, mechanism } = plan;
    const each = (length: number): number => memory.reserve(length * mechanism.bodies.length);
    this.arrays = {
      inertia: each(36),
      articulated: each(36),
      base: each(6),
      force: each(6),
      motion: each(6),
    };
    for (const limb of limbs) this.placeLimb(limb);
  }

  /** Once ties have their places: `block` is the address of one that is always there. */
  placeNodes(block: (row: number, column: number) => number): void {
    this.nodes = this.plan.nodes.map((node, i) => this.nodeAddresses(node, i, block));
    const { residual, geometry } = kernelsOfTreeBody(this.plan.physics);
    this.bodies = this.plan.bodies.map(({ addresses: known }, i) => ({
      residual: this.withScratch(known, residual),
      geometry: this.withScratch(
        addressesBefore(known, new Map([["diagonal", this.sweeps[i].get("diagonal") as number]])),
        geometry,
      ),
    }));
  }

  isCoupled({ joint }: Limb): boolean {
    return this.coupled.has(joint);
  }

  /** Whether a node keeps its multipliers: it is no joint of the tree. */
  private keepsMultipliers({ kind, index, block }: PlannedNode): boolean {
    return block >= 0 && !(kind === "joint" && this.limbOf.has(index));
  }

  /** Nodes that keep their multipliers. The terms of a gear share its node. */
  multipliers(): Tie[] {
    const bodies = new Map<number, number[]>();
    for (const node of this.plan.nodes) {
      if (this.keepsMultipliers(node)) bodies.set(node.block, [...(bodies.get(node.block) ?? []), ...node.bodies]);
    }
    return [...bodies].map(([node, list]) => ({ node, bodies: [...new Set(list)] }));
  }

  /** Bodies that touch each other. */
  pairs(): [number, number][] {
    return this.plan.nodes.flatMap(({ kind, bodies: [other, body] }): [number, number][] =>
      kind === "contact" && other !== worldIndex ? [[other, body]] : [],
    );
  }

  private kernelsOf({ kind, index, spec }: PlannedNode): TreeKernels {
    if (kind === "contact") return kernelsOfTreeContact(spec.species);
    if (kind === "thruster" || kind === "drag") return kernelsOfTreeForce(spec.species);
    const limb = kind === "joint" ? this.limbOf.get(index) : undefined;
    if (!limb) return kernelsOfMultipliers(spec.species);
    return limb.isLoose ? kernelsOfTreeForce(spec.species) : kernelsOfTreeJoint(spec.species, limb.below);
  }

  /** Memory of a body and of the joint above it. */
  private placeLimb(limb: Limb): void {
    const { body, parent, joint } = limb;
    const { plan, arrays } = this;
    const { memory, places } = plan;
    const grounded = isGrounded(limb);
    const n = 6 - constraintsOf(limb);
    const own = new Map<string, number>();
    const set = (name: string, index: number): void => {
      own.set(name, address(index));
    };
    set("diagonal", arrays.inertia + 36 * body);
    set("articulated", arrays.articulated + 36 * body);
    this.sweeps[body] = own;
    if (limb.isLoose) {
      set("force", places.step + 6 * body);
      return;
    }
    set("base", arrays.base + 6 * body);
    set("force", arrays.force + 6 * body);
    set("carried", memory.reserve(grounded ? 0 : 36));
    set("carriedBefore", memory.reserve(grounded ? 0 : 36));
    set("motions", memory.reserve(36));
    set("motionsBefore", memory.reserve(36));
    for (const k of [0, 1]) {
      set(`gradient.${k}`, memory.reserve(36));
      set(`direction.${k}`, memory.reserve(36));
    }
    set("stiffness", memory.reserve(this.isCoupled(limb) ? n * n : n));
    set("push", memory.reserve(n));
    set("first", memory.reserve(n));
    set("factors", memory.reserve(n * n));
    set("response", memory.reserve(6 * n));
    set("pull", memory.reserve(6 * n));
    set("offset", memory.reserve(6));
    set("motion", arrays.motion + 6 * body);
    set("residual", places.residual + 6 * body);
    set("step", places.step + 6 * body);
    own.set("constraint", joint.addresses.get("residual.own") ?? plan.sink);
    own.set("impulses", joint.addresses.get("step.own") ?? plan.sink);
    if (!grounded) {
      set("articulatedAbove", arrays.articulated + 36 * parent);
      set("forceAbove", arrays.force + 6 * parent);
      set("stepAbove", places.step + 6 * parent);
    }
  }

  /** Operands of a node's three sets of kernels. */
  private nodeAddresses(
    node: PlannedNode,
    i: number,
    block: (row: number, column: number) => number,
  ): Record<KernelSet, Addresses> {
    const known = new Map(node.addresses);
    const { memory } = this.plan;
    const moving = node.bodies.flatMap((body, k) => (body === worldIndex ? [] : [{ body, k }]));
    for (const { body, k } of moving) {
      for (const name of ["diagonal", "articulated", "force"])
        known.set(`${name}.${k}`, this.sweeps[body].get(name) as number);
    }
    const limb = node.kind === "joint" ? this.limbOf.get(node.index) : undefined;
    if (limb && !limb.isLoose) {
      const names = ["gradient.0", "gradient.1", "direction.0", "direction.1", "stiffness", "push", "motion"];
      for (const name of [...names, "motions", "motionsBefore"])
        known.set(name, this.sweeps[limb.body].get(name) as number);
    }
    if (this.keepsMultipliers(node)) {
      known.set("block.own.own", block(node.block, node.block));
      for (const { body, k } of moving) {
        known.set(`block.${k}.own`, block(body, node.block));
        known.set(`block.own.${k}`, block(node.block, body));
      }
    }
    if (node.kind === "contact") {
      const rows = portsOf(node).values.length;
      for (const { body, k } of moving) {
        for (const name of ["direction", "gradient"]) known.set(`${name}.${k}`, address(memory.reserve(6 * rows)));
        for (const { body: other, k: l } of moving) known.set(`block.${k}.${l}`, block(body, other));
      }
    }
    const { residual, geometry, law, isCoupled } = this.kernels[i];
    const ofResidual = this.withScratch(known, residual);
    return {
      residual: ofResidual,
      geometry: this.withScratch(known, geometry),
      law: isCoupled ? ofResidual : this.withScratch(known, law),
    };
  }

  private withScratch(known: Addresses, { scratchSize }: StagedKernels): Addresses {
    return addressesBefore(known, new Map([["scratch", address(this.plan.memory.reserve(scratchSize))]]));
  }
}
