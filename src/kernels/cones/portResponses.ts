/**
 * How the ports of a tree answer to impulses on ports, once its matrix is factored without any cone (treeSweeps.ts has the letters).
 * An impulse f on a body makes the joints above it move by ν₀, joint by joint on the way up,
 *   ν₀ = D⁻¹ tᵀ f,   f ← Aᶻᵀ (f − U ν₀),
 * and a port that sees its body's motion as r·v sees these joints as
 *   r·s,   r ← (r − (r·s) D⁻¹V) A.
 * So port i answers to an impulse on port j with W_ij = Σ (rᵢ·s)·ν₀ⱼ over the joints above both of their bodies. Every port is written
 * as its two rows, r·s and ν₀, over the coordinates of all joints, zero where they are not above its body. A limit's port is a
 * coordinate of its joint: there r·s = e, ν₀ = D⁻¹e, and what goes on is r = −(D⁻¹V)ᵀe A, f = −Aᶻᵀ U ν₀. Where its distance depends on
 * several of them, as on the tilt of a ball joint, its rates g and pushes p (equations/law.ts) take the place of e: r·s = g, ν₀ = D⁻¹p.
 * Ties d of a limb (tieSweeps.ts) take their share of it, and multipliers pass it on to the nodes e that are left when they go,
 *   r_d ← r_d − (r·s) W_d,   f_d ← f_d − S_d ν₀;        y = D_d⁻¹ f_d,   r_e ← r_e − r_d X_de,   f_e ← f_e − A_ed y,
 * so that the rows go over multipliers too, with r_d and y there.
 *
 * Lists: "responses" for all contacts, with their rates; and by limit and contact, of which some are picked (pickedLists.ts),
 *   ports.respond                              of a limit, its rows
 *   ports.begin, ports.visit, ports.end        portVisits.ts
 *   ports.solved, ports.push                   portStarts.ts, like the others:
 *   ports.place                                of a limit, its pair
 *   ports.free, ports.limits, ports.clear      before the free step, rates of limits after it, w = 0
 *   ports.leap                                 w, before a sweep
 *   ports.land, ports.landing, ports.far       after the sweeps: unknowns, slacks and pairs of limits and gears, and pairs alone
 *   slacks, place                              of contacts
 */
import type { Program } from "../../codegen/index.ts";
import { frictionPlace } from "../../equations/index.ts";
import { cached } from "../../math/index.ts";
import { worldIndex } from "../../mechanism/index.ts";
import { constraintsOf, type Limb, portsOf } from "../elimination/treeLimbs.ts";
import type { EliminatedNode } from "../elimination/treeOrder.ts";
import { registerNothing } from "../memory/holes.ts";
import { singleProgram } from "../memory/lanes.ts";
import { address, CallList, joined, type Register } from "../memory/memory.ts";
import { aloneCall, type KernelCall, pairedCalls } from "../memory/pairedCalls.ts";
import { NumberedList } from "../memory/pickedLists.ts";
import { type DataPlan, type NodePlace, type PlannedNode, slotOf } from "../memory/plan.ts";
import type { Segment } from "../memory/segments.ts";
import type { Work } from "./portAddresses.ts";
import { startingLists } from "./portLists.ts";
import type { ConePlace, ContactResponse, LimitResponse } from "./portPlaces.ts";
import { gatherSolved, placeNearLimit, pushContact, pushLimit, pushMixed } from "./portStarts.ts";
import { portNumbers, sweepNumbers, visitNames, visitProgram } from "./portVisits.ts";
import { limbKernel } from "./responseKernels.ts";
import { coordinatesOf, type PortRows, RowWays, shapeOf, type TreeAddresses } from "./rowWays.ts";
import { SlotResponses } from "./slotResponses.ts";

/** Limits have the first numbers in the lists of visits, contacts follow. */
export interface PortResponses {
  readonly limits: readonly LimitResponse[];
  /** Numbers of all limits, one after another. */
  readonly limitNumbers: number;
  /** Responses by number of the contact. */
  readonly contacts: readonly ContactResponse[];
  /** w, behind it that of the last sweep, and how long each is. */
  readonly w: number;
  readonly size: number;
  /** What visits share (portVisits.ts). */
  readonly shared: number;
  /** Responses of contacts that are bound at run time; their visits come last, two per lane, of one port and of three. */
  readonly slots: SlotResponses | undefined;
}

/** Rows are full: longer ones than this cost more than they bring; and without a coordinate nothing answers. */
const mostCoordinates = 96;

/**
 * Undefined for impacts, and where the mechanism has contacts between bodies, bodies on their own, friction other than Coulomb's cone, cones of joints
 * that are no limits, limits of joints that close loops, no coordinates or very many; with contacts that are bound at run
 * time, where it has loops.
 */
export function planResponses(
  plan: DataPlan,
  tree: TreeAddresses,
  register: Register,
): { readonly places: PortResponses; readonly lists: ReadonlyMap<string, CallList> } | undefined {
  const { mechanism, nodes, pools, physics } = plan;
  const { limbs, ties } = tree;
  const { loopJoints } = mechanism;
  if (physics !== "step" || limbs.some(({ isLoose }) => isLoose)) return undefined;
  if (loopJoints.length > 0 && !ties) return undefined;
  const isPredictable = ({ roles }: Pick<NodePlace, "roles">): boolean => roles.every((role) => role.isPredictable);
  if (!pools.every(isPredictable)) return undefined;
  const order = withoutRanges(tree.order, nodes);
  const coordinates = order.reduce((sum, each) => sum + coordinatesOf(each, plan), 0);
  if (coordinates === 0 || coordinates > mostCoordinates) return undefined;
  const closes = new Set(loopJoints);
  const fits = nodes.every((node) => {
    const { kind, index, roles, bodies } = node;
    if (!isPredictable(node) || (kind === "contact" && bodies[0] !== worldIndex)) return false;
    return !(kind === "joint" && roles.length > 0 && closes.has(index));
  });
  if (!fits || (pools.length === 0 && nodes.every(({ roles }) => roles.length === 0))) return undefined;
  return new ResponsePlanner(plan, { ...tree, order }, register).plan();
}

class ResponsePlanner {
  private readonly data: DataPlan;
  private readonly tree: TreeAddresses;
  private readonly register: Register;
  private readonly ways: RowWays;
  /** Size of a row. */
  private readonly size: number;
  private readonly w: number;
  private readonly shared: number;
  private readonly visitLists = new Map(
    [...visitNames, "respond", "push", "place", "solved"].map((name) => [`ports.${name}`, new NumberedList()]),
  );

  /** What visits call, by number of ports. */
  private readonly visitsOf = new Map<number, readonly VisitCall[]>();

  /** Numbers of limits lie one after another, so that loops can go over them; how many have theirs. */
  private readonly limitNumbers: number;
  private limitCount = 0;

  constructor(data: DataPlan, tree: TreeAddresses, register: Register) {
    this.data = data;
    this.tree = tree;
    this.register = register;
    this.ways = new RowWays(data, tree);
    this.size = this.ways.size;
    this.w = data.memory.reserve(2 * this.size);
    this.shared = data.memory.reserve(sweepNumbers.size);
    const sides = data.nodes.reduce((sum, { kind, roles }) => (kind === "joint" ? sum + roles.length : sum), 0);
    this.limitNumbers = data.memory.reserve(portNumbers.size * sides);
  }

  plan(): { readonly places: PortResponses; readonly lists: ReadonlyMap<string, CallList> } {
    const levels: KernelCall[][] = [];
    const contacts: ContactResponse[] = [];
    const { nodes } = this.data;
    const limits = nodes.flatMap((node) => (node.kind === "joint" && node.roles.length > 0 ? this.limitsOf(node) : []));
    nodes.forEach((node, i) => {
      if (node.kind !== "contact") return;
      const ports = portsOf(node).values.length as 1 | 3;
      const [body, known] = [node.bodies[1], this.tree.nodes[i]];
      const at = (name: string): number => known.get(name) as number;
      const rows = this.reserve(ports);
      const from = { rows: at("gradient.1"), forces: at("direction.1") };
      this.ways.passOn(new Map([[body, from]]), ports, rows).forEach((call, level) => {
        levels[level] ??= [];
        levels[level].push({ ...call, slot: slotOf(node) });
      });
      const [gradient, direction, force, twist] = [from.rows, from.forces, at("force.1"), at("twist.1")].map(
        (byte) => byte / 8,
      );
      const numbers = this.visits(ports, rows);
      const { cone, row } = this.coneOf(node, 0);
      this.call("ports.push", `ports.push.${ports}`, () => pushContact(ports), [numbers, direction, force]);
      this.callSolved(ports, numbers, cone);
      const { feature } = this.data.mechanism.contacts[node.index];
      const coefficient = node.parameters + frictionPlace(feature);
      contacts[node.index] = { numbers, ports, gradient, twist, cone, row, coefficient };
    });
    const { w, size, shared } = this;
    const slots = this.slots();
    const leap = shared + sweepNumbers.leap;
    const started = startingLists(this.data, { limits, contacts, w, size, leap }, this.register);
    const lists = new Map<string, CallList>([...this.visitLists, ...started.lists]);
    lists.set("responses", joined(this.joined(levels), started.gatherContacts));
    for (const [name, list] of slots?.lists ?? []) lists.set(name, list);
    return {
      places: { limits, limitNumbers: this.limitNumbers, contacts, w, size, shared, slots: slots?.responses },
      lists,
    };
  }

  private slots(): { readonly responses: SlotResponses; readonly lists: Map<string, CallList> } | undefined {
    const { bound, limbs, sweeps } = this.tree;
    if (!bound) return undefined;
    const responses = new SlotResponses(bound, {
      data: this.data,
      limbs,
      size: this.size,
      register: this.register,
      known: (limb) => this.ways.limbAddresses(limb, new Map()),
      start: (limb) => this.ways.starts.get(limb.body) as number,
      kernel: (limb, ports, joins) => limbKernel(ports, shapeOf(limb), joins),
      force: (body) => (sweeps[body].get("force") as number) / 8,
      twists: this.tree.twists,
      visits: (ports, rates, answers) => this.visits(ports, { rates, answers }),
    });
    const listOf = (segment: Segment): CallList => {
      const list = new CallList();
      list.hole(segment, registerNothing(this.register));
      return list;
    };
    const lists = new Map([...responses.segments].map(([name, segment]) => [name, listOf(segment)]));
    return { responses, lists };
  }

  private limitsOf(node: PlannedNode): LimitResponse[] {
    const eliminated = this.tree.order.find(({ limb }) => limb?.joint.index === node.index) as EliminatedNode;
    const limb = eliminated.limb as Limb;
    if (this.tree.isCoupled(limb)) return this.mixedLimitsOf(node, eliminated, limb);
    const { joints, bodies } = this.data.mechanism;
    const sweep = this.tree.sweeps[limb.body];
    let side = 0;
    return joints[node.index].coordinates.flatMap(({ lower, upper, motion: kind }, coordinate): LimitResponse[] => {
      if (lower === null && upper === null) return [];
      const rows = this.reserve(1);
      const arrived = new Map<number, Work>();
      const calls = this.wayOf(eliminated, rows, arrived, coordinate);
      const motion = (sweep.get("motion") as number) / 8 + constraintsOf(limb) + coordinate;
      const push = (sweep.get("push") as number) / 8 + coordinate;
      const length = kind === "rotation" ? 1 : bodies[node.bodies[1]].gyration;
      const signs = [...(lower === null ? [] : [1 as const]), ...(upper === null ? [] : [-1 as const])];
      return signs.map((sign) => {
        const numbers = this.visits(1, rows, this.limitNumbers + portNumbers.size * this.limitCount++);
        const { cone, row } = this.coneOf(node, side++);
        this.callLimit(calls, numbers, cone);
        this.call("ports.push", "ports.push.limit", pushLimit, [numbers, push]);
        return { numbers, length, sign, motion, cone, row };
      });
    });
  }

  /** Limits on several coordinates at once. */
  private mixedLimitsOf(node: PlannedNode, eliminated: EliminatedNode, limb: Limb): LimitResponse[] {
    const sweep = this.tree.sweeps[limb.body];
    const constraints = constraintsOf(limb);
    const free = 6 - constraints;
    const [limitRates, limitPushes, push] = ["limitRates", "limitPushes", "push"].map(
      (name) => (sweep.get(name) as number) / 8,
    );
    const motion = (sweep.get("motion") as number) / 8 + constraints;
    return node.roles.map((_, side) => {
      const rows = this.reserve(1);
      const [rates, pushes] = [limitRates, limitPushes].map((from) => from + free * side);
      const arrived = new Map<number, Work>([[eliminated.node, { rows: address(rates), forces: address(pushes) }]]);
      const calls = this.wayOf(eliminated, rows, arrived, "mixed");
      const numbers = this.visits(1, rows, this.limitNumbers + portNumbers.size * this.limitCount++);
      const { cone, row } = this.coneOf(node, side);
      this.callLimit(calls, numbers, cone);
      this.call("ports.push", `ports.push.mixed.${free}`, () => pushMixed(free), [numbers, push, pushes]);
      return { numbers, length: 1, sign: 1, motion, cone, row, mixed: { free, rates } };
    });
  }

  /** Calls by which a limit's rows come about, from its own limb on. */
  private wayOf(
    eliminated: EliminatedNode,
    rows: PortRows,
    arrived: Map<number, Work>,
    limit: number | "mixed",
  ): SingleCall[] {
    const first = this.ways.callOf(eliminated, 1, rows, arrived, limit);
    arrived.delete(eliminated.node);
    return [first, ...this.ways.passOn(arrived, 1, rows)].map(({ kernel, addresses }) =>
      aloneCall(kernel, addresses, this.register),
    );
  }

  private callLimit(way: readonly SingleCall[], numbers: number, cone: number): void {
    for (const { program, places } of way) this.list("ports.respond").call(program, places);
    this.callPlace(numbers, cone);
    this.callSolved(1, numbers, cone);
  }

  private coneOf({ cone, equality }: PlannedNode, side: number): ConePlace {
    return { cone: cone + side, row: this.data.unknowns + equality + side };
  }

  private callSolved(ports: 1 | 3, numbers: number, cone: number): void {
    const { coneB, coneC, globals } = this.data.places;
    const places = [numbers, coneB + cone, coneC + cone, globals];
    this.call("ports.solved", `ports.solved.${ports}`, () => gatherSolved(ports), places);
  }

  private callPlace(numbers: number, cone: number): void {
    const { places, solver } = this.data;
    const vectors = [solver.weight, places.coneB, places.coneC, solver.beta, solver.gamma].map((start) => start + cone);
    const operands = [numbers, ...vectors];
    const make = (): Program => singleProgram("limits.near", operands.length, placeNearLimit);
    this.call("ports.place", "limits.near", make, [...operands, solver.totals, solver.units.numbers]);
  }

  /** The next number in all lists of which some are picked: the visits of a port, or of three. Returns where its numbers are. */
  private visits(
    ports: 1 | 3,
    { rates, answers }: PortRows,
    numbers = this.data.memory.reserve(portNumbers.size),
  ): number {
    for (const list of this.visitLists.values()) list.next();
    const places = [numbers, rates, answers, this.w, this.shared].map(address);
    for (const { list, program } of this.visitCalls(ports)) list.call(program, places);
    return numbers;
  }

  /** What visits call. */
  private visitCalls(ports: 1 | 3): readonly VisitCall[] {
    return cached(this.visitsOf, ports, () =>
      visitNames.map((name) => {
        const key = `ports.${name}.${ports}.${this.size}`;
        return {
          list: this.list(`ports.${name}`),
          program: this.register(key, () => visitProgram(name, ports, this.size)),
        };
      }),
    );
  }

  private list(name: string): NumberedList {
    return this.visitLists.get(name) as NumberedList;
  }

  private call(list: string, key: string, make: () => Program, places: readonly number[]): void {
    this.list(list).call(this.register(key, make), places.map(address));
  }

  private reserve(ports: number): PortRows {
    const { memory } = this.data;
    return { rates: memory.reserve(ports * this.size), answers: memory.reserve(ports * this.size) };
  }

  private joined(levels: readonly (readonly KernelCall[])[]): CallList {
    const all = new CallList();
    for (const calls of levels) all.append(pairedCalls(calls, this.register, this.data.sink));
    return all;
  }
}

type SingleCall = ReturnType<typeof aloneCall>;

interface VisitCall {
  readonly list: NumberedList;
  readonly program: number;
}

/** Ranges of gears do not push in the free step, so that nothing goes through their multipliers. */
function withoutRanges(order: readonly EliminatedNode[], nodes: readonly PlannedNode[]): EliminatedNode[] {
  const ranges = new Set(
    nodes.flatMap(({ kind, roles, block }) => (kind === "gear" && roles.length > 0 ? [block] : [])),
  );
  return order
    .filter(({ node }) => !ranges.has(node))
    .map(({ later, ...rest }) => ({ ...rest, later: later.filter((other) => !ranges.has(other)) }));
}
