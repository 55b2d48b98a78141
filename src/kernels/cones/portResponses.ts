/**
 * How the ports of a tree answer to impulses on ports, once its matrix is factored without any cone (treeSweeps.ts has the letters).
 * An impulse f on a body makes the joints above it move by ν₀, joint by joint on the way up,
 *   ν₀ = D⁻¹ tᵀ f,   f ← Aᶻᵀ (f − U ν₀),
 * and a port that sees its body's motion as r·v sees these joints as
 *   r·s,   r ← (r − (r·s) D⁻¹V) A.
 * So port i answers to an impulse on port j with W_ij = Σ (rᵢ·s)·ν₀ⱼ over the joints above both of their bodies. Every port is written
 * as its two rows, r·s and ν₀, over the coordinates of all joints, zero where they are not above its body. A limit's port is a
 * coordinate of its joint: there r·s = e, ν₀ = D⁻¹e, and what goes on is r = −(D⁻¹V)ᵀe A, f = −Aᶻᵀ U ν₀.
 *
 * Lists: "responses" for all contacts, "response.j.k" for coordinate k of joint j, and "ports.begin", "ports.visit", "ports.end" with one
 * call per limit and contact, of which some are picked (pickedLists.ts).
 */
import { worldIndex } from "../../mechanism/index.ts";
import { dot, mul, type Scalar, sub, sum } from "../../symbolic/index.ts";
import type { BoundSlots } from "../elimination/boundSlots.ts";
import { Sheet } from "../elimination/treeJoints.ts";
import { constraintsOf, isGrounded, type Limb, portsOf } from "../elimination/treeLimbs.ts";
import { registerNothing } from "../memory/holes.ts";
import { address, CallList, type Register } from "../memory/memory.ts";
import { type Addresses, addressesBefore, type KernelCall, pairedCalls } from "../memory/pairedCalls.ts";
import { type DataPlan, type NodePlace, slotOf } from "../memory/plan.ts";
import { sweepKernel } from "../species/library.ts";
import type { Kernel } from "../species/staging.ts";
import { portNumbers, sweepNumbers, visitNames, visitProgram } from "./portVisits.ts";
import { SlotResponses } from "./slotResponses.ts";

export interface ContactResponse {
  /** Its numbers (portVisits.ts), in f64. */
  readonly numbers: number;
  readonly body: number;
  /** Gap, and slip where there is friction. */
  readonly ports: 1 | 3;
  readonly gradient: number;
  readonly direction: number;
  /** Of its body: what impulses are added to. */
  readonly force: number;
}

/** One side of a limited coordinate. */
export interface LimitResponse {
  readonly numbers: number;
  readonly list: string;
  readonly joint: number;
  readonly coordinate: number;
  /** 1 of a lower limit, −1 of an upper one. */
  readonly sign: 1 | -1;
  /** The coordinate's step, and what impulses are added to. */
  readonly motion: number;
  readonly push: number;
}

/** Limits have the first numbers in the lists of visits, contacts follow. */
export interface PortResponses {
  readonly limits: readonly LimitResponse[];
  /** By number of the contact. */
  readonly contacts: readonly ContactResponse[];
  /** w, and how long it is. */
  readonly w: number;
  readonly size: number;
  /** What visits share (portVisits.ts). */
  readonly shared: number;
  /** Of contacts that are bound at run time; their visits come last, two per lane, of one port and of three. */
  readonly slots: SlotResponses | undefined;
}

export interface TreeAddresses {
  readonly limbs: readonly Limb[];
  /** By body. */
  readonly sweeps: readonly Addresses[];
  /** By node. */
  readonly nodes: readonly Addresses[];
  readonly isCoupled: (limb: Limb) => boolean;
  readonly bound: BoundSlots | undefined;
}

const six = [0, 1, 2, 3, 4, 5] as const;

/** Rows are full: longer ones than this cost more than they bring. */
const mostCoordinates = 96;

/**
 * Undefined for impacts, and where the mechanism has loops, contacts between bodies, bodies on their own, friction other than Coulomb's cone, cones of joints
 * that are no limits of single coordinates, or very many coordinates.
 */
export function planResponses(
  plan: DataPlan,
  tree: TreeAddresses,
  register: Register,
): { readonly places: PortResponses; readonly lists: ReadonlyMap<string, CallList> } | undefined {
  const { mechanism, nodes, pools, physics } = plan;
  const { limbs } = tree;
  if (physics !== "step" || mechanism.loopJoints.length > 0 || limbs.some(({ isLoose }) => isLoose)) return undefined;
  const isPredictable = ({ roles }: Pick<NodePlace, "roles">): boolean => roles.every((role) => role.isPredictable);
  if (!pools.every(isPredictable)) return undefined;
  if (limbs.reduce((count, limb) => count + freeOf(limb), 0) > mostCoordinates) return undefined;
  const mixes = new Set(limbs.filter(tree.isCoupled).map(({ joint }) => joint.index));
  const fits = nodes.every((node) => {
    const { kind, index, roles, bodies } = node;
    if (!isPredictable(node) || (kind === "contact" && bodies[0] !== worldIndex)) return false;
    return !(kind === "joint" && roles.length > 0 && mixes.has(index));
  });
  if (!fits || (pools.length === 0 && nodes.every(({ roles }) => roles.length === 0))) return undefined;
  return new ResponsePlanner(plan, tree, register).plan();
}

/** Rows of ports, one port's after another's: memory indices. */
interface PortRows {
  readonly rates: number;
  readonly answers: number;
}

class ResponsePlanner {
  private readonly data: DataPlan;
  private readonly tree: TreeAddresses;
  private readonly register: Register;
  private readonly limbOf: ReadonlyMap<number, Limb>;
  /** Where each limb's coordinates start. */
  private readonly starts = new Map<Limb, number>();
  /** Even. */
  private readonly size: number;
  private readonly w: number;
  private readonly shared: number;

  constructor(data: DataPlan, tree: TreeAddresses, register: Register) {
    this.data = data;
    this.tree = tree;
    this.register = register;
    this.limbOf = new Map(tree.limbs.map((limb) => [limb.body, limb]));
    let size = 0;
    for (const limb of tree.limbs) {
      this.starts.set(limb, size);
      size += freeOf(limb);
    }
    this.size = size + (size & 1);
    this.w = data.memory.reserve(this.size);
    this.shared = data.memory.reserve(sweepNumbers.size);
  }

  plan(): { readonly places: PortResponses; readonly lists: ReadonlyMap<string, CallList> } {
    const lists = new Map<string, CallList>(visitNames.map((name) => [`ports.${name}`, new CallList()]));
    const levels: KernelCall[][] = [];
    const contacts: ContactResponse[] = [];
    const { nodes } = this.data;
    const limits = nodes.flatMap(({ kind, index, roles }) =>
      kind === "joint" && roles.length > 0 ? this.limitsOf(index, lists) : [],
    );
    nodes.forEach((node, i) => {
      if (node.kind !== "contact") return;
      const ports = portsOf(node).values.length as 1 | 3;
      const [body, known] = [node.bodies[1], this.tree.nodes[i]];
      const at = (name: string): number => known.get(name) as number;
      const rows = this.reserve(ports);
      const from = { rows: at("gradient.1"), forces: at("direction.1") };
      this.climb(body, ports, rows, from, slotOf(node)).forEach((call, level) => {
        levels[level] = [...(levels[level] ?? []), call];
      });
      const [gradient, direction, force] = [from.rows, from.forces, at("force.1")].map((byte) => byte / 8);
      const numbers = this.visits(ports, rows, lists);
      contacts[node.index] = { numbers, body, ports, gradient, direction, force };
    });
    lists.set("responses", this.joined(levels));
    const { w, size, shared } = this;
    return { places: { limits, contacts, w, size, shared, slots: this.slots(lists) }, lists };
  }

  private slots(lists: Map<string, CallList>): SlotResponses | undefined {
    const { bound, limbs, sweeps } = this.tree;
    if (!bound) return undefined;
    const none = { rates: 0, answers: 0 };
    const slots = new SlotResponses(bound, {
      data: this.data,
      limbs,
      size: this.size,
      register: this.register,
      known: (limb) => this.addresses(limb, none, 0, { rows: 0, forces: 0 }),
      start: (limb) => this.starts.get(limb) as number,
      kernel: (limb, ports, joins) => limbKernel(freeOf(limb), ports, isGrounded(limb), joins),
      force: (body) => (sweeps[body].get("force") as number) / 8,
      visits: (ports, rates, answers) => this.visits(ports, { rates, answers }, lists),
    });
    const list = new CallList();
    list.hole(slots.segment, registerNothing(this.register));
    lists.set("slots.responses", list);
    return slots;
  }

  private limitsOf(joint: number, lists: Map<string, CallList>): LimitResponse[] {
    const limb = this.tree.limbs.find((each) => each.joint.index === joint) as Limb;
    const { coordinates } = this.data.mechanism.joints[joint];
    const sweep = this.tree.sweeps[limb.body];
    return coordinates.flatMap(({ lower, upper }, coordinate): LimitResponse[] => {
      if (lower === null && upper === null) return [];
      const list = `response.${joint}.${coordinate}`;
      const rows = this.reserve(1);
      const above = this.work(1);
      const first: KernelCall = {
        kernel: coordinateKernel(freeOf(limb), coordinate, isGrounded(limb)),
        addresses: this.addresses(limb, rows, 1, above),
      };
      const rest = isGrounded(limb) ? [] : this.climb(limb.parent, 1, rows, above, undefined);
      lists.set(list, this.joined([[first], ...rest.map((call) => [call])]));
      const motion = (sweep.get("motion") as number) / 8 + constraintsOf(limb) + coordinate;
      const push = (sweep.get("push") as number) / 8 + coordinate;
      const signs = [...(lower === null ? [] : [1 as const]), ...(upper === null ? [] : [-1 as const])];
      return signs.map((sign) => {
        const numbers = this.visits(1, rows, lists);
        return { numbers, list, joint, coordinate, sign, motion, push };
      });
    });
  }

  /** Adds the calls of a port, or of three, to the lists of visits; returns where its numbers are. */
  private visits(ports: 1 | 3, { rates, answers }: PortRows, lists: ReadonlyMap<string, CallList>): number {
    const numbers = this.data.memory.reserve(portNumbers.size);
    for (const name of visitNames) {
      const key = `ports.${name}.${ports}.${this.size}`;
      const program = this.register(key, () => visitProgram(name, ports, this.size));
      lists.get(`ports.${name}`)?.call(program, [numbers, rates, answers, this.w, this.shared].map(address));
    }
    return numbers;
  }

  /** One call per limb from this body to the root; rows that go on have places of their own on every level. */
  private climb(body: number, ports: 1 | 3, rows: PortRows, from: Work, slot: number | undefined): KernelCall[] {
    const calls: KernelCall[] = [];
    let work = from;
    for (let limb = this.limbOf.get(body); limb; limb = this.limbOf.get(limb.parent)) {
      const above = this.work(ports);
      const addresses = this.addresses(limb, rows, ports, above, work);
      calls.push({ kernel: limbKernel(freeOf(limb), ports, isGrounded(limb)), addresses, slot });
      work = above;
    }
    return calls;
  }

  /** `from`: the rows that come from below, unless there are none. */
  private addresses(limb: Limb, { rates, answers }: PortRows, ports: number, above: Work, from?: Work): Addresses {
    const known = this.tree.sweeps[limb.body];
    const own = new Map([
      ["rowsAbove", above.rows],
      ["forcesAbove", above.forces],
    ]);
    if (from) own.set("rows", from.rows).set("forces", from.forces);
    // columns of free coordinates
    const columns = address(6 * constraintsOf(limb));
    for (const name of ["motions", "motionsBefore"]) own.set(name, (known.get(name) as number) + columns);
    for (let port = 0; port < ports; port++) {
      const shift = this.size * port + (this.starts.get(limb) as number);
      own.set(`rates.${port}`, address(rates + shift)).set(`answers.${port}`, address(answers + shift));
    }
    return addressesBefore(known, own);
  }

  private work(ports: number): Work {
    const { memory } = this.data;
    return { rows: address(memory.reserve(6 * ports)), forces: address(memory.reserve(6 * ports)) };
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

/** Addresses of rows on their way up. */
interface Work {
  readonly rows: number;
  readonly forces: number;
}

const freeOf = (limb: Limb): number => 6 - constraintsOf(limb);

/** One limb, for the ports of a contact or for one port; `joins`: what goes on takes other rows along. */
function limbKernel(n: number, ports: 1 | 3, grounded: boolean, joins = false): Kernel {
  const key = `response.${n}.${ports}${grounded ? ".grounded" : ""}${joins ? ".joined" : ""}`;
  return sweepKernel(key, () => {
    const sheet = new Sheet();
    const [rows, forces] = [sheet.matrix("rows", ports, 6), sheet.matrix("forces", ports, 6)];
    const [motions, before] = [sheet.matrix("motions", n, 6), sheet.matrix("motionsBefore", n, 6)];
    const rates = rows.map((row) => motions.map((column) => dot(row, column)));
    const factors = sheet.matrix("factors", n, n);
    const answers = forces.map((force) =>
      solved(
        factors,
        before.map((column) => dot(force, column)),
      ),
    );
    finish(sheet, rates, answers, grounded, rows, forces, joins);
    return sheet.finish(`tree.${key}`);
  });
}

/** The first limb of a limit on one of its joint's coordinates. */
function coordinateKernel(n: number, coordinate: number, grounded: boolean): Kernel {
  const key = `response.${n}.limit.${coordinate}${grounded ? ".grounded" : ""}`;
  return sweepKernel(key, () => {
    const sheet = new Sheet();
    const unit: Scalar[] = Array.from({ length: n }, (_, k) => (k === coordinate ? 1 : 0));
    const answer = solved(sheet.matrix("factors", n, n), unit);
    const none: Scalar[][] = [six.map(() => 0)];
    finish(sheet, [unit], [answer], grounded, none, none);
    return sheet.finish(`tree.${key}`);
  });
}

/** Writes rates and answers, and the rows that go on. */
function finish(
  sheet: Sheet,
  rates: readonly Scalar[][],
  answers: readonly Scalar[][],
  grounded: boolean,
  rows: readonly Scalar[][],
  forces: readonly Scalar[][],
  joins = false,
): void {
  const n = rates[0].length;
  rates.forEach((rate, port) => {
    sheet.write(`rates.${port}`, rate);
    sheet.write(`answers.${port}`, answers[port]);
  });
  if (grounded) return;
  const pass = (name: string, all: readonly Scalar[][], shares: readonly Scalar[][], by: string, through: string) => {
    const [columns, carried] = [sheet.matrix(by, n, 6), sheet.matrix(through, 6, 6)];
    const beside = joins ? sheet.matrix(`${name}Beside`, all.length, 6) : undefined;
    all.forEach((row, port) => {
      const left = six.map((i) => sub(row[i], sum(columns.map((column, k) => mul(shares[port][k], column[i])))));
      // A = [1 B; 0 G]
      const on = six.map((j) => (j < 3 ? left[j] : sum(six.map((i) => mul(left[i], carried[i][j])))));
      const taken = on.map((entry, j) => (beside ? sum([entry, beside[port][j]]) : entry));
      sheet.write(`${name}Above`, taken, false, 6 * port);
    });
  };
  pass("rows", rows, rates, "pull", "carried");
  pass("forces", forces, answers, "response", "carriedBefore");
}

/** D⁻¹ g, with L and U in one, unit L, reciprocal pivots. */
function solved(factors: readonly Scalar[][], g: readonly Scalar[]): Scalar[] {
  const x = [...g];
  const minus = (i: number, j: number): void => {
    x[i] = sub(x[i], mul(factors[i][j], x[j]));
  };
  for (let i = 1; i < x.length; i++) for (let j = 0; j < i; j++) minus(i, j);
  for (let i = x.length - 1; i >= 0; i--) {
    for (let j = i + 1; j < x.length; j++) minus(i, j);
    x[i] = mul(x[i], factors[i][i]);
  }
  return x;
}
