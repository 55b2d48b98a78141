/**
 * The elimination by limbs: its memory and its call lists. Those of a step are
 *   prepare     directions of ports at z
 *   linearise   gradients of ports at the iterate; they are kept until asked for again
 *   evaluate    the residual
 *   contacts    that of contacts alone
 *   balances    rows of balances from the wrenches that residuals are, in place
 *   factor      laws, then bodies and joints leaves first
 *   rebase      what a new residual changes of it, with the factors as they are
 *   rhs         right-hand sides of the condensed equations
 *   solve       for twists (equations/twist.ts), from which those of velocities follow, and multipliers
 *   recover     that of the cone variables
 * and those of gradients, which are made linear at a point that stands in memory:
 *   matrix      the matrix there, and the next poses, without residuals
 *   keep        a copy of it, for refinements
 *   factor      as above, but for the laws
 *   solve       for the right-hand side in `step`, in place: enter, solveTwists, leave
 *   enter       wrenches from right-hand sides of balances, in place
 *   solveTwists twists from wrenches, in place
 *   leave       steps of velocities from twists, in place
 * The joints of a spanning tree are eliminated with the bodies below them. Whatever else ties bodies is in treeTies.ts.
 */
import { balanceOf, pushedPorts, stepOfTwist, type TwistBasis, wrenchOf } from "../../equations/index.ts";
import { bodyAt } from "../../math/index.ts";
import type { Mechanism } from "../../mechanism/index.ts";
import type { Scalar } from "../../symbolic/index.ts";
import { type PortResponses, planResponses } from "../cones/portResponses.ts";
import type { TreeAddresses } from "../cones/rowWays.ts";
import { registerNothing } from "../memory/holes.ts";
import { address, CallList, joined, type Register } from "../memory/memory.ts";
import { type KernelCall, pairedCalls } from "../memory/pairedCalls.ts";
import { nextLayout } from "../memory/placement.ts";
import { type DataPlan, type PlannedNode, slotOf } from "../memory/plan.ts";
import type { Segment } from "../memory/segments.ts";
import { vectorLoop } from "../memory/vectorKernels.ts";
import { answersOfTreeJoint, sweepKernel } from "../species/library.ts";
import type { Stage } from "../species/staging.ts";
import { ArrangedTies } from "./arrangedTies.ts";
import { BoundSlots } from "./boundSlots.ts";
import type { BodyKernels } from "./treeBodies.ts";
import { conversionKernel, jointKernel } from "./treeJoints.ts";
import { constraintsOf, forcesOf, isGrounded, type Limb, limbsOf, portsOf } from "./treeLimbs.ts";
import { copyList, sweepCall } from "./treeLists.ts";
import { type EliminatedNode, treeOrder } from "./treeOrder.ts";
import { type KernelSet, TreePlaces } from "./treePlaces.ts";
import { downSweep, rebaseSweep, reduceSweep, type Sweep, upSweep } from "./treeSweeps.ts";
import { TreeTies } from "./treeTies.ts";

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
  /** Memory indices of numbers that are always one. */
  readonly ones: readonly number[];
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
  /** Memory indices of numbers that are always one. */
  readonly ones: readonly number[];
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
  const { keepsGradients, hasJoints, bound, arranged, ones } = planner;
  const lists = planner.lists();
  const responses = planResponses(plan, planner.operands(limbs), register);
  for (const [name, list] of responses?.lists ?? []) lists.set(name, list);
  return { lists, keepsGradients, hasJoints, bound, arranged, ones, responses: responses?.places };
}

class TreePlanner {
  private readonly plan: DataPlan;
  private readonly at: TreePlaces;
  private readonly register: Register;
  /** Where nothing is bound at run time: the order and the ties are always the same. */
  private readonly order: readonly EliminatedNode[];
  private readonly ties: TreeTies | undefined;
  readonly arranged: ArrangedTies | undefined;
  readonly bound: BoundSlots | undefined;

  constructor(plan: DataPlan, limbs: readonly Limb[], register: Register, isStep: boolean) {
    this.plan = plan;
    this.register = register;
    const at = new TreePlaces(plan, limbs, isStep);
    this.at = at;
    if (plan.pools.length === 0) {
      this.order = treeOrder(limbs, at.multipliers(), at.pairs(), plan.sizes);
      this.ties = new TreeTies(plan, this.order, at.arrays, register);
    } else {
      this.order = [];
      this.arranged = new ArrangedTies(plan, limbs, at.multipliers(), at.pairs(), at.arrays, register);
      for (const limb of at.limbs)
        this.arranged.addLimb(
          limb,
          { reduce: this.reduceCall(limb), up: this.upCall(limb), down: this.downCall(limb) },
          at.sweeps[limb.body],
        );
      this.bound = new BoundSlots(plan, this.arranged, at.arrays, isStep, register);
    }
    const ties = this.ties ?? (this.arranged as ArrangedTies);
    at.placeNodes((row, column) => ties.block(row, column));
  }

  /** Operands by name, of all limbs and nodes. */
  operands(limbs: readonly Limb[]): TreeAddresses {
    const { at, bound, ties } = this;
    const nodes = at.nodes.map(({ geometry }) => geometry);
    const order = ties ? this.order : [...limbs].reverse().map((limb) => ({ node: limb.body, limb, later: [] }));
    const { twist: twists } = at.arrays;
    return { limbs, sweeps: at.sweeps, twists, nodes, isCoupled: (limb) => at.isCoupled(limb), order, ties, bound };
  }

  lists(): Map<string, CallList> {
    const prepare = joined(
      this.of("prepare", "residual", "geometry", "law"),
      this.joints("direction"),
      this.ofSlots("prepare"),
    );
    return new Map([
      ["prepare", prepare],
      ["linearise", this.lineariseList()],
      ["evaluate", joined(this.basesOfMixed(), this.of("evaluate", "residual"), this.ofSlots("evaluate"))],
      ["contacts", this.paired(this.contactCalls())],
      ["balances", this.converted("balances", balanceOf, this.plan.places.residual)],
      ["factor", joined(this.weighList(), this.factorList())],
      ...(this.hasJoints ? [["rebase", this.rebaseList()] as const] : []),
      ["rhs", this.rhsList()],
      ["solve", joined(this.solveList(), this.stepsOfTwists())],
      ["recover", joined(this.of("recover", "law"), this.ofSlots("recover"))],
    ]);
  }

  ofGradients(): { plan: LimbPlan; lists: Map<string, CallList> } {
    const { plan, order, register, ties, arranged, bound } = this;
    const { arrays, limbs, sweeps, ones } = this.at;
    // slots have no right-hand sides of their own
    const { places, unknowns, fixedConeSize: coneSize, fixedEqualities: equalities } = plan;
    const bodies = 36 * plan.mechanism.bodies.length;
    const kept = plan.memory.reserve(bodies + (ties?.size ?? 0));
    // laws that mix coordinates are made in one go with the residual
    const evaluated = (stage: Stage): KernelCall[] =>
      this.calls(stage, "residual", (node) => this.at.kernels[node].isCoupled);
    const matrix = joined(
      this.paired([
        ...evaluated("prepare"),
        ...this.calls("prepare", "geometry"),
        ...this.calls("prepare", "law", (node) => !this.at.kernels[node].isCoupled),
      ]),
      this.joints("direction"),
      this.ofSlots("prepare"),
      this.basesOfMixed(),
      this.paired(evaluated("evaluate")),
      this.lineariseList(),
      this.weighList(),
      this.paired(this.answerCalls()),
    );
    const keep = joined(
      copyList(register, kept, arrays.articulated, bodies),
      ties?.copyTo(kept + bodies) ?? new CallList(),
    );
    // the lists of a step take right-hand sides from residuals, and multipliers' from the step
    const rhs = new CallList();
    vectorLoop(rhs, register, "clear", [places.residual], unknowns + equalities);
    vectorLoop(rhs, register, "negate", [places.residual, places.step], unknowns);
    if (coneSize > 0) vectorLoop(rhs, register, "clear", [places.coneRhs], coneSize);
    const size = 6 * plan.mechanism.bodies.length;
    const enter = this.converted("enter", wrenchOf, places.step);
    const leave = this.converted("leave", stepOfTwist, places.step);
    const found = this.hasJoints ? copyList(register, places.step, arrays.twist, size) : new CallList();
    const solveTwists = joined(rhs, this.rebaseList(), this.rhsList(), this.solveList(), found);
    const lists = new Map([
      ["matrix", matrix],
      ["keep", keep],
      ["factor", this.factorList()],
      ["enter", enter],
      ["solveTwists", solveTwists],
      ["leave", leave],
      ["solve", joined(enter, solveTwists, leave)],
    ]);
    const isCoupled = (limb: Limb): boolean => this.at.isCoupled(limb);
    return { plan: { ...plan, limbs, order, ties, arranged, bound, sweeps, isCoupled, ones, kept }, lists };
  }

  /** Where all bodies are on their own, they are the same. */
  private stepsOfTwists(): CallList {
    return this.hasJoints ? this.paired(this.bodyCalls("recover", "basis")) : new CallList();
  }

  private bodyCalls(stage: Stage, set: keyof BodyKernels): KernelCall[] {
    return this.at.bodies.map((addresses, i) => ({
      kernel: this.at.kernelsOfBody(i)[set].kernels[stage],
      addresses: addresses[set],
    }));
  }

  /** What the iterate says of them: laws that mix coordinates want it with the residual. */
  private basesOfMixed(): CallList {
    if (!this.at.limbs.some((limb) => this.at.isCoupled(limb))) return new CallList();
    return this.paired(this.bodyCalls("linearise", "geometry"));
  }

  /** Six numbers of all bodies, which lie one after another, by their bases, in place. */
  private converted(
    name: string,
    convert: (six: readonly Scalar[], basis: TwistBasis) => Scalar[],
    start: number,
  ): CallList {
    const kernel = sweepKernel(`basis.${name}`, () => conversionKernel(name, convert));
    return this.paired(
      this.at.limbs.map(({ body }) => ({
        kernel,
        addresses: new Map([
          ["basis", this.at.basisOf(body)],
          ["numbers", address(start + 6 * body)],
        ]),
      })),
    );
  }

  /** Weights and slopes of laws that mix coordinates. */
  private answerCalls(): KernelCall[] {
    const { memory } = this.plan;
    return this.at.limbs
      .filter((limb) => this.at.isCoupled(limb))
      .map((limb) => {
        const { joint, below, body } = limb;
        const [constraints, forces] = [constraintsOf(limb), forcesOf(limb).length];
        const own = this.at.sweeps[body];
        own.set("forceWeights", address(memory.reserve(forces * (6 - constraints))));
        own.set("forceSlopes", address(memory.reserve(forces * constraints)));
        const bases = joint.bodies.map((index, k): [string, number] => [`basis.${k}`, this.at.basisOf(index)]);
        return {
          kernel: answersOfTreeJoint(joint.spec.species, below),
          addresses: new Map([...joint.addresses, ...own, ...bases]),
        };
      });
  }

  /** A stage of some sets of kernels, of all bodies and of the nodes that are not left out. */
  private of(stage: Stage, ...sets: KernelSet[]): CallList {
    return this.paired(sets.flatMap((set) => this.calls(stage, set)));
  }

  private calls(stage: Stage, set: KernelSet, takesPart: (node: number) => boolean = () => true): KernelCall[] {
    return [
      ...(set === "law" ? [] : this.bodyCalls(stage, set)),
      ...this.at.kernels.flatMap((entry, i): KernelCall[] => {
        const slot = slotOf(this.plan.nodes[i]);
        return takesPart(i) ? [{ kernel: entry[set].kernels[stage], addresses: this.at.nodes[i][set], slot }] : [];
      }),
    ];
  }

  private lineariseList(): CallList {
    return joined(
      this.of("linearise", "geometry"),
      this.joints("gradient"),
      this.of("linearise", "law"),
      this.ofSlots("linearise"),
    );
  }

  /** The matrix before anything is eliminated: inertias, then what the laws add. */
  private weighList(): CallList {
    const { articulated, inertia } = this.at.arrays;
    return joined(
      copyList(this.register, articulated, inertia, 36 * this.plan.mechanism.bodies.length),
      this.ties?.clear() ?? this.hole(this.arranged?.clear),
      this.of("weigh", "law"),
      this.ofSlots("weigh"),
    );
  }

  private rhsList(): CallList {
    const { force, base, twist } = this.at.arrays;
    const { length: bodies } = this.plan.mechanism.bodies;
    const forces = new CallList();
    if (this.hasJoints) vectorLoop(forces, this.register, "copy", [force, base], 6 * bodies);
    // loose bodies gather their forces where they are solved for; where there are no others, that is the step, which the solver starts
    if (this.hasJoints && this.at.limbs.length < bodies)
      vectorLoop(forces, this.register, "negate", [twist, this.plan.places.residual], 6 * bodies);
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
      const kernel = this.at.kernels[i].residual.kernels.evaluate;
      return slot === undefined ? [] : [{ kernel, addresses: this.at.nodes[i].residual, slot }];
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
      ties.factorLimb(list, limb, elimination, this.at.sweeps[limb.body]);
    }
    return list;
  }

  private reduceCall(limb: Limb): CallList {
    const [constraints, grounded, coupled] = [constraintsOf(limb), isGrounded(limb), this.at.isCoupled(limb)];
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
    sweepCall(list, this.register, key, make, this.at.sweeps[limb.body]);
    return list;
  }

  private rebaseList(): CallList {
    const list = new CallList();
    for (const limb of this.at.limbs) {
      const constraints = constraintsOf(limb);
      const known = this.at.sweeps[limb.body];
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
      ties.upLimb(list, limb, elimination, this.at.sweeps[limb.body]);
    }
    for (const elimination of [...this.order].reverse()) {
      const { limb } = elimination;
      if (!limb) {
        ties.downNode(list, elimination);
        continue;
      }
      ties.downLimb(list, limb, elimination, this.at.sweeps[limb.body]);
      list.append(this.downCall(limb));
    }
    return list;
  }

  get keepsGradients(): boolean {
    const { plan, at } = this;
    return this.hasJoints && plan.mechanism.loopJoints.length === 0 && !at.limbs.some((limb) => at.isCoupled(limb));
  }

  get ones(): readonly number[] {
    return this.at.ones;
  }

  get hasJoints(): boolean {
    return this.at.limbs.length > 0;
  }

  /** The port of each multiplier whose impulse the sweep leaves. A coupled law recovers the others. */
  private pushedBySweep(limb: Limb): number[] {
    const pushed = pushedPorts(portsOf(limb.joint));
    return this.at.isCoupled(limb) ? pushed.slice(0, constraintsOf(limb)) : pushed;
  }

  /** Z and d of all joints, at z or at the iterate. */
  private joints(rows: "direction" | "gradient"): CallList {
    const isNext = rows === "gradient";
    const { mechanism, places, physics } = this.plan;
    // in an impact nothing moves on
    const placeOf = (body: number): number =>
      address(
        isNext && physics === "step"
          ? places.next + nextLayout.size * body + nextLayout.position
          : places.state + bodyAt(body),
      );
    return this.paired(
      this.at.limbs.map((limb) => {
        const translations = translationsOf(limb.joint, mechanism);
        const grounded = isGrounded(limb);
        const at = (name: string): number => this.at.sweeps[limb.body].get(name) as number;
        return {
          kernel: sweepKernel(`joint.${translations.join("")}.${grounded}`, () => jointKernel(translations, grounded)),
          addresses: new Map([
            ["ports", at(`${rows}.${limb.below}`)],
            ["place", placeOf(limb.body)],
            ["placeAbove", placeOf(limb.parent)],
            ["motions", at(isNext ? "motions" : "motionsBefore")],
            ["arm", at(isNext ? "arm" : "armBefore")],
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
