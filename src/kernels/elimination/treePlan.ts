/**
 * The elimination by limbs: its memory and its call lists. Those of a step are
 *   prepare     directions of ports at z
 *   linearise   gradients of ports at the iterate; they are kept until asked for again
 *   evaluate    the residual
 *   contacts    that of contacts alone
 *   factor      laws, then bodies and joints leaves first
 *   rebase      what a new residual changes of it, with the factors as they are
 *   rhs         right-hand sides of the condensed equations
 *   solve       for the step of velocities and multipliers
 *   recover     that of the cone variables
 * and those of gradients, which are made linear at a point that stands in memory:
 *   matrix      the matrix there, and the next poses, without residuals
 *   factor      as above, but for the laws
 *   solve       for the right-hand side in `step`, in place
 * The joints of a spanning tree are eliminated with the bodies below them. Whatever else ties bodies is in treeTies.ts.
 */
import { pushedPorts } from "../../equations/index.ts";
import { type Mechanism, worldIndex } from "../../mechanism/index.ts";
import { type PortResponses, planResponses, type TreeAddresses } from "../cones/portResponses.ts";
import { registerNothing } from "../memory/holes.ts";
import { address, CallList, type Register } from "../memory/memory.ts";
import { type KernelCall, pairedCalls } from "../memory/pairedCalls.ts";
import { type DataPlan, type PlannedNode, slotOf } from "../memory/plan.ts";
import type { Segment } from "../memory/segments.ts";
import { vectorLoop } from "../memory/vectorKernels.ts";
import {
  answersOfTreeJoint,
  kernelsOfMultipliers,
  kernelsOfTreeBody,
  kernelsOfTreeContact,
  kernelsOfTreeForce,
  kernelsOfTreeJoint,
  sweepKernel,
} from "../species/library.ts";
import type { Stage, StagedKernels } from "../species/staging.ts";
import { ArrangedTies } from "./arrangedTies.ts";
import { BoundSlots } from "./boundSlots.ts";
import { jointKernel } from "./treeJoints.ts";
import { constraintsOf, forcesOf, isGrounded, type Limb, limbsOf, portsOf } from "./treeLimbs.ts";
import { copyList, sweepCall } from "./treeLists.ts";
import type { TreeKernels } from "./treeNodes.ts";
import { type EliminatedNode, type Tie, treeOrder } from "./treeOrder.ts";
import { downSweep, rebaseSweep, reduceSweep, type Sweep, upSweep } from "./treeSweeps.ts";
import { TreeTies } from "./treeTies.ts";

/** Per body, memory indices of arrays that lie one body after another. */
interface BodyArrays {
  readonly inertia: number;
  readonly articulated: number;
  readonly base: number;
  readonly force: number;
  readonly motion: number;
}

type KernelSet = "residual" | "geometry" | "law";

export interface TreePlan {
  readonly lists: Map<string, CallList>;
  /**
   * Whether gradients of ports are still good after some iterations. Those of loops are not, where redundant rows must agree; nor are
   * laws that mix coordinates, which bend themselves.
   */
  readonly keepsGradients: boolean;
  /** Whether any body is more than loose (treeLimbs.ts). */
  readonly hasJoints: boolean;
  /** Of mechanisms with contacts that are bound at run time. */
  readonly bound: BoundSlots | undefined;
  readonly arranged: ArrangedTies | undefined;
  /** Of trees whose contacts and limits answer to each other through nothing but joints. */
  readonly responses: PortResponses | undefined;
}

/** The elimination as gradients know it: its order, and where everything lies. */
export interface LimbPlan extends DataPlan {
  /** Roots first. */
  readonly limbs: readonly Limb[];
  readonly order: readonly EliminatedNode[];
  /** Undefined where contacts are bound at run time: then there are the other two. */
  readonly ties: TreeTies | undefined;
  readonly arranged: ArrangedTies | undefined;
  readonly bound: BoundSlots | undefined;
  /** By body: addresses of the operands of its sweeps. */
  readonly sweeps: readonly ReadonlyMap<string, number>[];
  readonly isCoupled: (limb: Limb) => boolean;
  /** Memory index of the matrix as it was before factoring: 6 × 6 per body, then the blocks of ties. */
  readonly kept: number;
}

export function planLimbs(plan: DataPlan, register: Register): { plan: LimbPlan; lists: Map<string, CallList> } {
  const planner = new TreePlanner(plan, limbsOf(plan), register, false);
  return planner.ofGradients();
}

export function planTree(plan: DataPlan, register: Register): TreePlan {
  const limbs = limbsOf(plan);
  const planner = new TreePlanner(plan, limbs, register, true);
  const { keepsGradients, hasJoints, bound, arranged } = planner;
  const lists = planner.lists();
  const responses = planResponses(plan, planner.operands(limbs), register);
  for (const [name, list] of responses?.lists ?? []) lists.set(name, list);
  return { lists, keepsGradients, hasJoints, bound, arranged, responses: responses?.places };
}

class TreePlanner {
  private readonly plan: DataPlan;
  /** Those with ports: all but loose ones. */
  private readonly limbs: readonly Limb[];
  /** By number of their joint. */
  private readonly limbOf: ReadonlyMap<number, Limb>;
  private readonly kernels: readonly TreeKernels[];
  /** Joints whose forces depend on several of their coordinates. */
  private readonly coupled: ReadonlySet<PlannedNode>;
  private readonly register: Register;
  private readonly arrays: BodyArrays;
  /** By body: operands of its sweeps. */
  private readonly sweeps: Map<string, number>[] = [];
  /** Where nothing is bound at run time: the order and the ties are always the same. */
  private readonly order: readonly EliminatedNode[];
  private readonly ties: TreeTies | undefined;
  readonly arranged: ArrangedTies | undefined;
  readonly bound: BoundSlots | undefined;
  /** By node: operands of its kernels. */
  private readonly addresses: readonly Record<KernelSet, ReadonlyMap<string, number>>[];
  private readonly bodySets: readonly Record<"residual" | "geometry", ReadonlyMap<string, number>>[];

  constructor(plan: DataPlan, limbs: readonly Limb[], register: Register, isStep: boolean) {
    this.plan = plan;
    this.limbs = limbs.filter((limb) => !limb.isLoose);
    this.limbOf = new Map(limbs.map((limb) => [limb.joint.index, limb]));
    this.kernels = plan.nodes.map((node) => this.kernelsOf(node));
    this.coupled = new Set(plan.nodes.filter((_, i) => this.kernels[i].isCoupled));
    this.register = register;
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
    if (plan.pools.length === 0) {
      this.order = treeOrder(limbs, this.multipliers(), this.pairs(), plan.sizes);
      this.ties = new TreeTies(plan, this.order, this.arrays, register);
    } else {
      this.order = [];
      this.arranged = new ArrangedTies(plan, limbs, this.multipliers(), this.pairs(), this.arrays, register);
      for (const limb of this.limbs)
        this.arranged.addLimb(
          limb,
          { reduce: this.reduceCall(limb), up: this.upCall(limb), down: this.downCall(limb) },
          this.sweeps[limb.body],
        );
      this.bound = new BoundSlots(plan, this.arranged, this.arrays.articulated, isStep, register);
    }
    this.addresses = plan.nodes.map((node, i) => this.nodeAddresses(node, i));
    const { residual, geometry } = kernelsOfTreeBody(plan.physics);
    this.bodySets = plan.bodies.map(({ addresses: known }, i) => ({
      residual: this.withScratch(known, residual),
      geometry: this.withScratch(new Map([...known, ["diagonal", this.sweeps[i].get("diagonal") as number]]), geometry),
    }));
  }

  /** Operands by name, of all limbs and nodes. */
  operands(limbs: readonly Limb[]): TreeAddresses {
    const nodes = this.addresses.map(({ geometry }) => geometry);
    return { limbs, sweeps: this.sweeps, nodes, isCoupled: (limb) => this.isCoupled(limb), bound: this.bound };
  }

  lists(): Map<string, CallList> {
    const prepare = joined(
      this.of("prepare", "residual", "geometry", "law"),
      this.joints("direction", "carriedBefore", "motionsBefore"),
      this.ofSlots("prepare"),
    );
    return new Map([
      ["prepare", prepare],
      ["linearise", this.lineariseList()],
      ["evaluate", joined(this.of("evaluate", "residual"), this.ofSlots("evaluate"))],
      ["contacts", this.paired(this.contactCalls())],
      ["factor", joined(this.weighList(), this.factorList())],
      ...(this.hasJoints ? [["rebase", this.rebaseList()] as const] : []),
      ["rhs", this.rhsList()],
      ["solve", this.solveList()],
      ["recover", joined(this.of("recover", "law"), this.ofSlots("recover"))],
    ]);
  }

  ofGradients(): { plan: LimbPlan; lists: Map<string, CallList> } {
    const { plan, arrays, limbs, order, sweeps, register, ties, arranged, bound } = this;
    // slots have no right-hand sides of their own
    const { places, unknowns, fixedConeSize: coneSize, fixedEqualities: equalities } = plan;
    const bodies = 36 * plan.mechanism.bodies.length;
    const kept = plan.memory.reserve(bodies + (ties?.size ?? 0));
    // laws that mix coordinates are made in one go with the residual
    const evaluated = (stage: Stage): KernelCall[] =>
      this.calls(stage, "residual", (node) => this.kernels[node].isCoupled);
    const matrix = joined(
      this.paired([
        ...evaluated("prepare"),
        ...this.calls("prepare", "geometry"),
        ...this.calls("prepare", "law", (node) => !this.kernels[node].isCoupled),
      ]),
      this.joints("direction", "carriedBefore", "motionsBefore"),
      this.ofSlots("prepare"),
      this.paired(evaluated("evaluate")),
      this.lineariseList(),
      this.weighList(),
      copyList(register, kept, arrays.articulated, bodies),
      ties?.copyTo(kept + bodies) ?? new CallList(),
      this.paired(this.answerCalls()),
    );
    // the lists of a step take right-hand sides from residuals, and multipliers' from the step
    const solve = new CallList();
    vectorLoop(solve, register, "clear", [places.residual], unknowns + equalities);
    vectorLoop(solve, register, "negate", [places.residual, places.step], unknowns);
    if (coneSize > 0) vectorLoop(solve, register, "clear", [places.coneRhs], coneSize);
    const lists = new Map([
      ["matrix", matrix],
      ["factor", this.factorList()],
      ["solve", joined(solve, this.rebaseList(), this.rhsList(), this.solveList())],
    ]);
    const isCoupled = (limb: Limb): boolean => this.isCoupled(limb);
    return { plan: { ...plan, limbs, order, ties, arranged, bound, sweeps, isCoupled, kept }, lists };
  }

  /** Weights and slopes of laws that mix coordinates. */
  private answerCalls(): KernelCall[] {
    const { memory } = this.plan;
    return this.limbs
      .filter((limb) => this.isCoupled(limb))
      .map((limb) => {
        const { joint, below, body } = limb;
        const [constraints, forces] = [constraintsOf(limb), forcesOf(limb).length];
        const own = this.sweeps[body];
        own.set("forceWeights", address(memory.reserve(forces * (6 - constraints))));
        own.set("forceSlopes", address(memory.reserve(forces * constraints)));
        return {
          kernel: answersOfTreeJoint(joint.spec.species, below),
          addresses: new Map([...joint.addresses, ...own]),
        };
      });
  }

  /** A stage of some sets of kernels, of all bodies and of the nodes that are not left out. */
  private of(stage: Stage, ...sets: KernelSet[]): CallList {
    return this.paired(sets.flatMap((set) => this.calls(stage, set)));
  }

  private calls(stage: Stage, set: KernelSet, takesPart: (node: number) => boolean = () => true): KernelCall[] {
    const ofBodies = set === "law" ? undefined : kernelsOfTreeBody(this.plan.physics)[set];
    return [
      ...this.bodySets.flatMap((body) =>
        ofBodies && set !== "law" ? [{ kernel: ofBodies.kernels[stage], addresses: body[set] }] : [],
      ),
      ...this.kernels.flatMap((entry, i): KernelCall[] => {
        const slot = slotOf(this.plan.nodes[i]);
        return takesPart(i) ? [{ kernel: entry[set].kernels[stage], addresses: this.addresses[i][set], slot }] : [];
      }),
    ];
  }

  private lineariseList(): CallList {
    return joined(
      this.of("linearise", "geometry"),
      this.joints("gradient", "carried", "motions"),
      this.of("linearise", "law"),
      this.ofSlots("linearise"),
    );
  }

  /** The matrix before anything is eliminated: inertias, then what the laws add. */
  private weighList(): CallList {
    const { articulated, inertia } = this.arrays;
    return joined(
      copyList(this.register, articulated, inertia, 36 * this.plan.mechanism.bodies.length),
      this.ties?.clear() ?? this.hole(this.arranged?.clear),
      this.of("weigh", "law"),
      this.ofSlots("weigh"),
    );
  }

  private rhsList(): CallList {
    const { force, base } = this.arrays;
    // loose bodies gather their forces in the step itself, which starts from minus the residual
    const forces = this.hasJoints
      ? copyList(this.register, force, base, 6 * this.plan.mechanism.bodies.length)
      : new CallList();
    return joined(forces, this.of("rhs", "law"), this.ofSlots("rhs"));
  }

  /** A stage of the slots that are bound. */
  private ofSlots(stage: Stage): CallList {
    return this.hole(this.bound?.segments.get(stage));
  }

  /** Where calls that are written at run time stand. */
  private hole(segment: Segment | undefined): CallList {
    const list = new CallList();
    if (segment) list.hole(segment, registerNothing(this.register));
    return list;
  }

  /** The residual of contacts alone. */
  private contactCalls(): KernelCall[] {
    return this.plan.nodes.flatMap((node, i) => {
      const slot = slotOf(node);
      const kernel = this.kernels[i].residual.kernels.evaluate;
      return slot === undefined ? [] : [{ kernel, addresses: this.addresses[i].residual, slot }];
    });
  }

  /** Leaves first. */
  private factorList(): CallList {
    const { ties } = this;
    if (!ties) return this.hole(this.arranged?.factor);
    const list = new CallList();
    for (const elimination of this.order) {
      const { limb } = elimination;
      if (!limb) {
        ties.factorNode(list, elimination);
        continue;
      }
      list.append(this.reduceCall(limb));
      ties.factorLimb(list, limb, elimination, this.sweeps[limb.body]);
    }
    return list;
  }

  private reduceCall(limb: Limb): CallList {
    const [constraints, grounded, coupled] = [constraintsOf(limb), isGrounded(limb), this.isCoupled(limb)];
    const key = `reduce.${constraints}.${grounded}.${coupled}`;
    return this.sweepOf(limb, key, () => reduceSweep(constraints, grounded, coupled));
  }

  private upCall(limb: Limb): CallList {
    const [constraints, grounded] = [constraintsOf(limb), isGrounded(limb)];
    return this.sweepOf(limb, `up.${constraints}.${grounded}`, () => upSweep(constraints, grounded));
  }

  private downCall(limb: Limb): CallList {
    const [constraints, grounded, pushed] = [constraintsOf(limb), isGrounded(limb), this.pushedBySweep(limb)];
    const key = `down.${constraints}.${grounded}.${pushed.join("")}`;
    return this.sweepOf(limb, key, () => downSweep(constraints, grounded, pushed));
  }

  private sweepOf(limb: Limb, key: string, make: () => Sweep): CallList {
    const list = new CallList();
    sweepCall(list, this.register, key, make, this.sweeps[limb.body]);
    return list;
  }

  private rebaseList(): CallList {
    const list = new CallList();
    for (const limb of this.limbs) {
      const constraints = constraintsOf(limb);
      const known = this.sweeps[limb.body];
      sweepCall(list, this.register, `rebase.${constraints}`, () => rebaseSweep(constraints), known);
    }
    return list;
  }

  /** Leaves first, and back. */
  private solveList(): CallList {
    const { ties } = this;
    if (!ties) return this.hole(this.arranged?.solve);
    const list = new CallList();
    for (const elimination of this.order) {
      const { limb } = elimination;
      if (!limb) {
        ties.upNode(list, elimination);
        continue;
      }
      list.append(this.upCall(limb));
      ties.upLimb(list, limb, elimination, this.sweeps[limb.body]);
    }
    for (const elimination of [...this.order].reverse()) {
      const { limb } = elimination;
      if (!limb) {
        ties.downNode(list, elimination);
        continue;
      }
      ties.downLimb(list, limb, elimination, this.sweeps[limb.body]);
      list.append(this.downCall(limb));
    }
    return list;
  }

  private kernelsOf({ kind, index, spec }: PlannedNode): TreeKernels {
    if (kind === "contact") return kernelsOfTreeContact(spec.species);
    if (kind === "thruster" || kind === "drag") return kernelsOfTreeForce(spec.species);
    const limb = kind === "joint" ? this.limbOf.get(index) : undefined;
    if (!limb) return kernelsOfMultipliers(spec.species);
    return limb.isLoose ? kernelsOfTreeForce(spec.species) : kernelsOfTreeJoint(spec.species, limb.below);
  }

  get keepsGradients(): boolean {
    const { limbs, plan } = this;
    return this.hasJoints && plan.mechanism.loopJoints.length === 0 && !limbs.some((limb) => this.isCoupled(limb));
  }

  get hasJoints(): boolean {
    return this.limbs.length > 0;
  }

  private isCoupled({ joint }: Limb): boolean {
    return this.coupled.has(joint);
  }

  /** The port of each multiplier whose impulse the sweep leaves. A coupled law recovers the others. */
  private pushedBySweep(limb: Limb): number[] {
    const pushed = pushedPorts(portsOf(limb.joint));
    return this.isCoupled(limb) ? pushed.slice(0, constraintsOf(limb)) : pushed;
  }

  /** Whether a node keeps its multipliers: it is no joint of the tree. */
  private keepsMultipliers({ kind, index, block }: PlannedNode): boolean {
    return block >= 0 && !(kind === "joint" && this.limbOf.has(index));
  }

  /** Nodes that keep their multipliers. The terms of a gear share its node. */
  private multipliers(): Tie[] {
    const bodies = new Map<number, number[]>();
    for (const node of this.plan.nodes) {
      if (this.keepsMultipliers(node)) bodies.set(node.block, [...(bodies.get(node.block) ?? []), ...node.bodies]);
    }
    return [...bodies].map(([node, list]) => ({ node, bodies: [...new Set(list)] }));
  }

  /** Bodies that touch each other. */
  private pairs(): [number, number][] {
    return this.plan.nodes.flatMap(({ kind, bodies: [other, body] }): [number, number][] =>
      kind === "contact" && other !== worldIndex ? [[other, body]] : [],
    );
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
  private nodeAddresses(node: PlannedNode, i: number): Record<KernelSet, ReadonlyMap<string, number>> {
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
      known.set("block.own.own", this.block(node.block, node.block));
      for (const { body, k } of moving) {
        known.set(`block.${k}.own`, this.block(body, node.block));
        known.set(`block.own.${k}`, this.block(node.block, body));
      }
    }
    if (node.kind === "contact") {
      const rows = portsOf(node).values.length;
      for (const { body, k } of moving) {
        for (const name of ["direction", "gradient"]) known.set(`${name}.${k}`, address(memory.reserve(6 * rows)));
        for (const { body: other, k: l } of moving) known.set(`block.${k}.${l}`, this.block(body, other));
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

  /** Address of a block of ties that are always there. */
  private block(row: number, column: number): number {
    return (this.ties ?? (this.arranged as ArrangedTies)).block(row, column);
  }

  private withScratch(known: ReadonlyMap<string, number>, { scratchSize }: StagedKernels): Map<string, number> {
    return new Map([...known, ["scratch", address(this.plan.memory.reserve(scratchSize))]]);
  }

  /** Z and A of all joints. */
  private joints(rows: "direction" | "gradient", carried: string, motions: string): CallList {
    return this.paired(
      this.limbs.map((limb) => {
        const grounded = isGrounded(limb);
        const translations = translationsOf(limb.joint, this.plan.mechanism);
        const at = (name: string): number => this.sweeps[limb.body].get(name) as number;
        return {
          kernel: sweepKernel(`joint.${translations.join("")}.${grounded}`, () => jointKernel(translations, grounded)),
          addresses: new Map([
            ["child", at(`${rows}.${limb.below}`)],
            ["parent", at(`${rows}.${1 - limb.below}`)],
            ["motions", at(motions)],
            ["carried", at(carried)],
          ]),
        };
      }),
    );
  }

  private paired(calls: readonly KernelCall[]): CallList {
    return pairedCalls(calls, this.register, this.plan.sink);
  }
}

/** Which ports are translations: those of constraints come first, translations before rotations; so do those of free coordinates. */
function translationsOf({ index }: PlannedNode, { joints }: Mechanism): number[] {
  const { translation, rotation } = joints[index].shape;
  const range = (from: number, length: number): number[] => Array.from({ length }, (_, i) => from + i);
  return [...range(0, translation), ...range(translation + rotation, 3 - translation)];
}

function joined(...lists: readonly CallList[]): CallList {
  const all = new CallList();
  for (const list of lists) all.append(list);
  return all;
}
