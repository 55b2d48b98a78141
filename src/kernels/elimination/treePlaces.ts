/**
 * Where the bodies, joints and other nodes of the elimination by limbs lie: what a limb's sweeps work on (treeSweeps.ts), and the operands
 * of every node's kernels by name.
 */
import { basisLayout } from "../../equations/index.ts";
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
import type { BodyKernels } from "./treeBodies.ts";
import { constraintsOf, isGrounded, type Limb, portsOf } from "./treeLimbs.ts";
import type { TreeKernels } from "./treeNodes.ts";
import type { Tie } from "./treeOrder.ts";

/** Memory indices of arrays that lie one body after another. */
export interface BodyArrays {
  readonly inertia: number;
  readonly articulated: number;
  readonly base: number;
  readonly force: number;
  readonly motion: number;
  /** What the elimination solves for, and the basis that it is in (equations/twist.ts). */
  readonly twist: number;
  readonly basis: number;
}

export type KernelSet = "residual" | "geometry" | "law";

export class TreePlaces {
  /** Those with ports: all but loose ones. */
  readonly limbs: readonly Limb[];
  readonly kernels: readonly TreeKernels[];
  readonly arrays: BodyArrays;
  /** Operands of each body's sweeps. */
  readonly sweeps: Map<string, number>[] = [];
  /** Operands of the kernels of each node and each body. There after `placeNodes`. */
  nodes: readonly Record<KernelSet, Addresses>[] = [];
  bodies: readonly Record<"residual" | "geometry" | "basis", Addresses>[] = [];
  private readonly plan: DataPlan;
  private readonly isStep: boolean;
  /** Bodies on their own. */
  private readonly loose: ReadonlySet<number>;
  /** Limbs by the number of their joint. */
  private readonly limbOf: ReadonlyMap<number, Limb>;
  /** Joints whose forces depend on several of their coordinates. */
  private readonly coupled: ReadonlySet<PlannedNode>;

  constructor(plan: DataPlan, limbs: readonly Limb[], isStep: boolean) {
    this.plan = plan;
    this.isStep = isStep;
    this.loose = new Set(limbs.flatMap(({ body, isLoose }) => (isLoose ? [body] : [])));
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
      // bodies on their own are solved for as they are
      twist: this.limbs.length > 0 ? each(6) : plan.places.step,
      basis: each(basisLayout.size),
    };
    for (const limb of limbs) this.placeLimb(limb);
  }

  /** Once ties have their places: `block` is the address of one that is always there. */
  placeNodes(block: (row: number, column: number) => number): void {
    this.nodes = this.plan.nodes.map((node, i) => this.nodeAddresses(node, i, block));
    this.bodies = this.plan.bodies.map(({ addresses }, i) => {
      const { residual, geometry, basis } = this.kernelsOfBody(i);
      const own = new Map([
        ["diagonal", this.sweeps[i].get("diagonal") as number],
        ["basis", this.basisOf(i)],
        ["twist", this.twistOf(i)],
      ]);
      const known = addressesBefore(addresses, own);
      return {
        residual: this.withScratch(known, residual),
        geometry: this.withScratch(known, geometry),
        basis: this.withScratch(known, basis),
      };
    });
  }

  kernelsOfBody(body: number): BodyKernels {
    return kernelsOfTreeBody(this.plan.physics, this.loose.has(body), this.isStep);
  }

  twistOf(body: number): number {
    return address(this.arrays.twist + 6 * body);
  }

  basisOf(body: number): number {
    return address(this.arrays.basis + basisLayout.size * body);
  }

  /** The diagonals of R and L of bodies on their own (equations/twist.ts); nothing else but T changes of their bases. */
  get ones(): number[] {
    const { rotation, spin, size } = basisLayout;
    return [...this.loose].flatMap((body) =>
      [rotation, spin].flatMap((start) => [0, 4, 8].map((entry) => this.arrays.basis + size * body + start + entry)),
    );
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

  private kernelsOf({ kind, index, spec, bodies }: PlannedNode): TreeKernels {
    if (kind === "contact") return kernelsOfTreeContact(spec.species);
    if (kind === "thruster" || kind === "drag") return kernelsOfTreeForce(spec.species, this.loose.has(bodies[1]));
    const limb = kind === "joint" ? this.limbOf.get(index) : undefined;
    if (!limb) return kernelsOfMultipliers(spec.species);
    return limb.isLoose ? kernelsOfTreeForce(spec.species, true) : kernelsOfTreeJoint(spec.species, limb.below);
  }

  /** Memory of a body and of the joint above it. */
  private placeLimb(limb: Limb): void {
    const { body, parent, joint } = limb;
    const { plan, arrays } = this;
    const { memory } = plan;
    const grounded = isGrounded(limb);
    const n = 6 - constraintsOf(limb);
    const own = new Map<string, number>();
    const set = (name: string, index: number): void => {
      own.set(name, address(index));
    };
    set("diagonal", arrays.inertia + 36 * body);
    set("articulated", arrays.articulated + 36 * body);
    this.sweeps[body] = own;
    set("basis", arrays.basis + basisLayout.size * body);
    if (limb.isLoose) {
      set("force", arrays.twist + 6 * body);
      return;
    }
    set("base", arrays.base + 6 * body);
    set("force", arrays.force + 6 * body);
    set("arm", memory.reserve(grounded ? 0 : 3));
    set("armBefore", memory.reserve(grounded ? 0 : 3));
    set("motions", memory.reserve(36));
    set("motionsBefore", memory.reserve(36));
    set(`gradient.${limb.below}`, memory.reserve(36));
    set(`direction.${limb.below}`, memory.reserve(36));
    set("stiffness", memory.reserve(this.isCoupled(limb) ? n * n : n));
    set("push", memory.reserve(n));
    set("first", memory.reserve(n));
    set("factors", memory.reserve(n * n));
    set("response", memory.reserve(6 * n));
    set("pull", memory.reserve(6 * n));
    set("offset", memory.reserve(6));
    set("motion", arrays.motion + 6 * body);
    set("residual", plan.places.residual + 6 * body);
    set("twist", arrays.twist + 6 * body);
    own.set("constraint", joint.addresses.get("residual.own") ?? plan.sink);
    own.set("impulses", joint.addresses.get("step.own") ?? plan.sink);
    if (!grounded) {
      set("articulatedAbove", arrays.articulated + 36 * parent);
      set("forceAbove", arrays.force + 6 * parent);
      set("twistAbove", arrays.twist + 6 * parent);
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
      known.set(`basis.${k}`, this.basisOf(body));
      known.set(`twist.${k}`, this.twistOf(body));
    }
    const limb = node.kind === "joint" ? this.limbOf.get(node.index) : undefined;
    if (limb && !limb.isLoose) {
      const names = [`gradient.${limb.below}`, `direction.${limb.below}`, "stiffness", "push", "motion"];
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
