/**
 * The way of a port's rows from node to node (portResponses.ts has the formulas): a call for each node that they arrive at, with the places
 * of what goes on.
 */
import { cached } from "../../math/index.ts";
import type { BoundSlots } from "../elimination/boundSlots.ts";
import { constraintsOf, isGrounded, type Limb } from "../elimination/treeLimbs.ts";
import type { EliminatedNode } from "../elimination/treeOrder.ts";
import type { TreeTies } from "../elimination/treeTies.ts";
import { address } from "../memory/memory.ts";
import { type Addresses, addressesBefore, type KernelCall } from "../memory/pairedCalls.ts";
import type { DataPlan } from "../memory/plan.ts";
import type { Kernel } from "../species/staging.ts";
import { PortAddresses, type Work } from "./portAddresses.ts";
import {
  type Arrival,
  coordinateKernel,
  type LimbShape,
  limbKernel,
  mixedKernel,
  multiplierKernel,
} from "./responseKernels.ts";

export interface TreeAddresses {
  readonly limbs: readonly Limb[];
  /** Addresses of sweeps by body. */
  readonly sweeps: readonly Addresses[];
  /** Memory index of the first body's twist. */
  readonly twists: number;
  /** Addresses of nodes by their number. */
  readonly nodes: readonly Addresses[];
  readonly isCoupled: (limb: Limb) => boolean;
  /** Leaves first; and what ties them, undefined where that comes and goes: then the order is that of the limbs alone. */
  readonly order: readonly EliminatedNode[];
  readonly ties: TreeTies | undefined;
  readonly bound: BoundSlots | undefined;
}

/** Rows of ports, one port's after another's: memory indices. */
export interface PortRows {
  readonly rates: number;
  readonly answers: number;
}

/** A call of a node's kernel. */
export interface ResponseCall extends KernelCall {
  readonly kernel: Kernel;
}

const none: readonly (Work & Arrival)[] = [];

export class RowWays {
  /** Where each node's coordinates start, and how many there are: an even number. */
  readonly starts = new Map<number, number>();
  readonly size: number;
  private readonly data: DataPlan;
  private readonly tree: TreeAddresses;
  /** What was found once: kernels of limbs on the way up a tree, and what is known of nodes. */
  private readonly limbKernels = { 1: new Map<number, Kernel>(), 3: new Map<number, Kernel>() };
  private readonly known = new Map<number, Addresses>();

  constructor(data: DataPlan, tree: TreeAddresses) {
    this.data = data;
    this.tree = tree;
    let size = 0;
    for (const eliminated of [...tree.order].reverse()) {
      this.starts.set(eliminated.node, size);
      size += coordinatesOf(eliminated, data);
    }
    this.size = size + (size & 1);
  }

  /** One call for each node that rows arrive at, leaves first; those that go on have places of their own at every node. */
  passOn(arrived: Map<number, Work>, ports: 1 | 3, rows: PortRows): ResponseCall[] {
    const calls: ResponseCall[] = [];
    for (const eliminated of this.tree.order)
      if (arrived.has(eliminated.node)) calls.push(this.callOf(eliminated, ports, rows, arrived));
    return calls;
  }

  /**
   * The call of a node; where a limit begins, of one of its joint's coordinates, or of all of them for rows over these that have arrived. What
   * goes on arrives at the nodes that are left around it.
   */
  callOf(
    { node, limb, later }: EliminatedNode,
    ports: 1 | 3,
    rows: PortRows,
    arrived: Map<number, Work>,
    limit?: number | "mixed",
  ): ResponseCall {
    const start = this.starts.get(node) as number;
    const [rates, answers] = [rows.rates, rows.answers].map((from) => address(from + start));
    const own = new PortAddresses(this.nodeAddresses(node, limb, later), rates, answers, address(this.size));
    own.from = arrived.get(node);
    const arrive = (other: number): Work & Arrival => {
      const size = this.data.sizes[other];
      const before = arrived.get(other);
      const work = before ?? this.work(ports * size);
      arrived.set(other, work);
      return { ...work, size, adds: before !== undefined };
    };
    const above = limb && !isGrounded(limb) ? arrive(limb.parent) : undefined;
    const ties = this.tree.ties ? later.map(arrive) : none;
    own.above = above;
    own.ties = ties;
    if (!limb) return { kernel: multiplierKernel(this.data.sizes[node], ports, ties), addresses: own };
    if (limit !== undefined) {
      const shape = { ...shapeOf(limb), above, ties };
      return { kernel: limit === "mixed" ? mixedKernel(shape) : coordinateKernel(limit, shape), addresses: own };
    }
    // on the way up a tree rows arrive once, so that the limb says all
    if (ties.length > 0 || above?.adds)
      return { kernel: limbKernel(ports, { ...shapeOf(limb), above, ties }), addresses: own };
    const kernel = cached(this.limbKernels[ports], node, () => limbKernel(ports, shapeOf(limb)));
    return { kernel, addresses: own };
  }

  /** What all calls of a node have in common. */
  private nodeAddresses(node: number, limb: Limb | undefined, later: readonly number[]): Addresses {
    return cached(this.known, node, () => {
      const own = new Map<string, number>();
      if (limb) this.addressTies(own, node, later);
      else this.addressMultipliers(own, node, later);
      return limb ? this.limbAddresses(limb, own) : own;
    });
  }

  limbAddresses(limb: Limb, own: Map<string, number>): Addresses {
    const known = this.tree.sweeps[limb.body];
    // columns of free coordinates
    const columns = address(6 * constraintsOf(limb));
    for (const name of ["motions", "motionsBefore"]) own.set(name, (known.get(name) as number) + columns);
    return addressesBefore(known, own);
  }

  private addressTies(own: Map<string, number>, node: number, later: readonly number[]): void {
    const { ties } = this.tree;
    later.forEach((other, i) => {
      if (ties) own.set(`weights.${i}`, ties.weightsOf(node, other)).set(`shares.${i}`, ties.sharesOf(node, other));
    });
  }

  private addressMultipliers(own: Map<string, number>, node: number, later: readonly number[]): void {
    const ties = this.tree.ties as TreeTies;
    own.set("factors", ties.factorsOf(node));
    later.forEach((other, i) => {
      own.set(`solved.${i}`, ties.solvedOf(node, other)).set(`block.${i}`, ties.block(other, node));
    });
  }

  private work(size: number): Work {
    const { memory } = this.data;
    return { rows: address(memory.reserve(size)), forces: address(memory.reserve(size)) };
  }
}

/** How many numbers rows have at a node. */
export function coordinatesOf({ node, limb }: EliminatedNode, { sizes }: DataPlan): number {
  return limb ? freeOf(limb) : sizes[node];
}

const freeOf = (limb: Limb): number => 6 - constraintsOf(limb);

/** The shape of a limb without its ties. */
export function shapeOf(limb: Limb): LimbShape {
  return { free: freeOf(limb), above: isGrounded(limb) ? undefined : { size: 6, adds: false }, ties: [] };
}
