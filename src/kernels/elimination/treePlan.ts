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
 *   recoverMixed, limitsOfMixed    for predicted starts: impulses of laws that mix coordinates, and limits there as ports
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
import { balanceOf, stepOfTwist, wrenchOf } from "../../equations/index.ts";
import { type PortResponses, planResponses } from "../cones/portResponses.ts";
import type { TreeAddresses } from "../cones/rowWays.ts";
import { registerNothing } from "../memory/holes.ts";
import { CallList, joined, type Register } from "../memory/memory.ts";
import type { KernelCall } from "../memory/pairedCalls.ts";
import type { DataPlan } from "../memory/plan.ts";
import type { Segment } from "../memory/segments.ts";
import { vectorLoop } from "../memory/vectorKernels.ts";
import type { Stage } from "../species/staging.ts";
import { ArrangedTies } from "./arrangedTies.ts";
import { BoundSlots } from "./boundSlots.ts";
import { TreeCalls } from "./treeCalls.ts";
import { type Limb, limbsOf } from "./treeLimbs.ts";
import { copyList } from "./treeLists.ts";
import { type EliminatedNode, treeOrder } from "./treeOrder.ts";
import { TreePlaces } from "./treePlaces.ts";
import { TreeTies } from "./treeTies.ts";

export interface TreePlan {
  readonly lists: Map<string, CallList>;
  /** Whether any body is more than loose (treeLimbs.ts). */
  readonly hasJoints: boolean;
  /** Slots for contacts that are bound at run time, and the elimination that is arranged for them; undefined where there are none. */
  readonly bound: BoundSlots | undefined;
  readonly arranged: ArrangedTies | undefined;
  /** How contacts and limits answer to impulses on each other, of trees where that goes through nothing but joints. */
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
  /** Addresses of the operands of each body's sweeps. */
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
  const { hasJoints, bound, arranged, ones } = planner;
  const lists = planner.lists();
  const responses = planResponses(plan, planner.operands(limbs), register);
  for (const [name, list] of responses?.lists ?? []) lists.set(name, list);
  return { lists, hasJoints, bound, arranged, ones, responses: responses?.places };
}

class TreePlanner {
  private readonly plan: DataPlan;
  private readonly at: TreePlaces;
  private readonly calls: TreeCalls;
  private readonly register: Register;
  /** The order and the ties where they are always the same, since nothing is bound at run time. */
  private readonly order: readonly EliminatedNode[];
  private readonly ties: TreeTies | undefined;
  readonly arranged: ArrangedTies | undefined;
  readonly bound: BoundSlots | undefined;

  constructor(plan: DataPlan, limbs: readonly Limb[], register: Register, isStep: boolean) {
    this.plan = plan;
    this.register = register;
    const at = new TreePlaces(plan, limbs, isStep);
    this.at = at;
    const calls = new TreeCalls(plan, at, register);
    this.calls = calls;
    if (plan.pools.length === 0) {
      this.order = treeOrder(limbs, at.multipliers(), at.pairs(), plan.sizes);
      this.ties = new TreeTies(plan, this.order, at.arrays, register);
    } else {
      this.order = [];
      this.arranged = new ArrangedTies(plan, limbs, at.multipliers(), at.pairs(), at.arrays, register);
      for (const limb of at.limbs) {
        const sweeps = { reduce: calls.reduce(limb), up: calls.up(limb), down: calls.down(limb) };
        this.arranged.addLimb(limb, sweeps, at.sweeps[limb.body]);
      }
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
    const { calls, hasJoints } = this;
    const prepare = joined(
      calls.of("prepare", "residual", "geometry", "law"),
      calls.joints("direction"),
      this.ofSlots("prepare"),
    );
    // where all bodies are on their own, steps of velocities are twists
    const stepsOfTwists = hasJoints ? calls.ofBodies("recover", "basis") : new CallList();
    return new Map([
      ["prepare", prepare],
      ["linearise", this.lineariseList()],
      ["evaluate", joined(calls.basesOfMixed(), calls.of("evaluate", "residual"), this.ofSlots("evaluate"))],
      ["contacts", calls.contacts()],
      ["balances", calls.converted("balances", balanceOf, this.plan.places.residual)],
      ["factor", joined(this.weighList(), this.factorList())],
      ...(hasJoints ? [["rebase", calls.rebase()] as const] : []),
      ["rhs", this.rhsList()],
      ["solve", joined(this.solveList(), stepsOfTwists)],
      ["recover", joined(calls.of("recover", "law"), this.ofSlots("recover"))],
      ["recoverMixed", calls.paired(calls.calls("recover", "law", (node) => this.at.kernels[node].isCoupled))],
      ["limitsOfMixed", calls.limitsOfMixed()],
    ]);
  }

  ofGradients(): { plan: LimbPlan; lists: Map<string, CallList> } {
    const { plan, calls, order, register, ties, arranged, bound } = this;
    const { arrays, limbs, sweeps, ones } = this.at;
    // slots have no right-hand sides of their own
    const { places, unknowns, fixedConeSize: coneSize, fixedEqualities: equalities } = plan;
    const bodies = 36 * plan.mechanism.bodies.length;
    const kept = plan.memory.reserve(bodies + (ties?.size ?? 0));
    // laws that mix coordinates are made in one go with the residual
    const evaluated = (stage: Stage): KernelCall[] =>
      calls.calls(stage, "residual", (node) => this.at.kernels[node].isCoupled);
    const matrix = joined(
      calls.paired([
        ...evaluated("prepare"),
        ...calls.calls("prepare", "geometry"),
        ...calls.calls("prepare", "law", (node) => !this.at.kernels[node].isCoupled),
      ]),
      calls.joints("direction"),
      this.ofSlots("prepare"),
      calls.basesOfMixed(),
      calls.paired(evaluated("evaluate")),
      this.lineariseList(),
      this.weighList(),
      calls.answers(),
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
    const enter = calls.converted("enter", wrenchOf, places.step);
    const leave = calls.converted("leave", stepOfTwist, places.step);
    const found = this.hasJoints ? copyList(register, places.step, arrays.twist, size) : new CallList();
    const solveTwists = joined(rhs, calls.rebase(), this.rhsList(), this.solveList(), found);
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

  private lineariseList(): CallList {
    const { calls } = this;
    return joined(
      calls.of("linearise", "geometry"),
      calls.joints("gradient"),
      calls.of("linearise", "law"),
      this.ofSlots("linearise"),
    );
  }

  /** The matrix before anything is eliminated: inertias, then what the laws add. */
  private weighList(): CallList {
    const { articulated, inertia } = this.at.arrays;
    return joined(
      copyList(this.register, articulated, inertia, 36 * this.plan.mechanism.bodies.length),
      this.ties?.clear() ?? this.hole(this.arranged?.clear),
      this.calls.of("weigh", "law"),
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
    return joined(forces, this.calls.of("rhs", "law"), this.ofSlots("rhs"));
  }

  /** A stage of the slots that are bound. */
  private ofSlots(stage: Stage): CallList {
    return this.hole(this.bound?.segments.get(stage));
  }

  /** A place in a list for calls that are written at run time. */
  private hole(segment: Segment | undefined): CallList {
    const list = new CallList();
    if (segment) list.hole(segment, registerNothing(this.register));
    return list;
  }

  /** Leaves first. */
  private factorList(): CallList {
    const { ties, calls, at } = this;
    if (!ties) return this.hole(this.arranged?.factor);
    const list = new CallList();
    for (const elimination of this.order) {
      const { limb } = elimination;
      if (!limb) ties.factorNode(list, elimination);
      else {
        list.append(calls.reduce(limb));
        ties.factorLimb(list, limb, elimination, at.sweeps[limb.body]);
      }
    }
    return list;
  }

  /** Leaves first, and back. */
  private solveList(): CallList {
    const { ties, calls, at } = this;
    if (!ties) return this.hole(this.arranged?.solve);
    const list = new CallList();
    for (const elimination of this.order) {
      const { limb } = elimination;
      if (!limb) ties.upNode(list, elimination);
      else {
        list.append(calls.up(limb));
        ties.upLimb(list, limb, elimination, at.sweeps[limb.body]);
      }
    }
    for (const elimination of [...this.order].reverse()) {
      const { limb } = elimination;
      if (!limb) ties.downNode(list, elimination);
      else {
        ties.downLimb(list, limb, elimination, at.sweeps[limb.body]);
        list.append(calls.down(limb));
      }
    }
    return list;
  }

  get ones(): readonly number[] {
    return this.at.ones;
  }

  get hasJoints(): boolean {
    return this.at.limbs.length > 0;
  }
}
