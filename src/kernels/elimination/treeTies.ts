/**
 * What ties limbs to each other besides the joints above them: joints that close loops, gears, contacts between moving bodies. Joints and
 * gears keep their multipliers, which are nodes of their own, and so are loose bodies. Blocks of the matrix between these nodes, and those that fill in, lie
 * together: they start from zero and are added to. Here are the lists for a limb's ties and for nodes that are no limbs; those of a limb
 * itself are in treePlan.ts.
 */

import { address, CallList, type Register } from "../memory/memory.ts";
import type { DataPlan } from "../memory/plan.ts";
import { registerShared } from "../memory/sharedPrograms.ts";
import { vectorLoop } from "../memory/vectorKernels.ts";
import {
  factorRowProgram,
  forwardAllProgram,
  stride,
  subtractMatVecProgram,
  subtractProductsProgram,
} from "./blockKernels.ts";
import { tieSweep, tiesDownSweep, tiesUpSweep } from "./tieSweeps.ts";
import { constraintsOf, isGrounded, type Limb } from "./treeLimbs.ts";
import { copyList, sweepCall } from "./treeLists.ts";
import type { EliminatedNode } from "./treeOrder.ts";
import type { Sweep } from "./treeSweeps.ts";

/** Where bodies have their 6 × 6 blocks, forces and steps: memory indices of the first. */
interface BodyPlaces {
  readonly articulated: number;
  readonly force: number;
  readonly twist: number;
}

export class TreeTies {
  private readonly plan: DataPlan;
  private readonly register: Register;
  private readonly bodies: BodyPlaces;
  /** Blocks off the bodies' diagonal, by "row,column": they lie between `start` and `end`. */
  private readonly blocks = new Map<string, number>();
  private readonly start: number;
  private readonly end: number;
  /** Factors of nodes that are no limbs, X of theirs by "node,later", W and S of limbs' by "body,node". */
  private readonly factors = new Map<number, number>();
  private readonly solved = new Map<string, number>();
  private readonly weights = new Map<string, number>();
  private readonly shares = new Map<string, number>();
  /** Nodes that are no limbs: their right-hand sides are gathered where they are solved for. */
  private readonly plain: ReadonlySet<number>;

  constructor(plan: DataPlan, order: readonly EliminatedNode[], bodies: BodyPlaces, register: Register) {
    this.plan = plan;
    this.register = register;
    this.bodies = bodies;
    const { memory, sizes } = plan;
    this.plain = new Set(order.flatMap(({ node, limb }) => (limb ? [] : [node])));
    this.start = memory.length;
    for (const { node, limb, later } of order) {
      const above = limb && later.length > 0 && !isGrounded(limb) ? [limb.parent] : [];
      const around = [...later, ...above];
      if (!limb) this.reserveBlock(node, node);
      for (const other of later) {
        this.reserveBlock(node, other);
        this.reserveBlock(other, node);
      }
      for (const i of around) for (const j of around) this.reserveBlock(i, j);
    }
    this.end = memory.length;
    for (const { node, limb, later } of order) {
      if (!limb) this.factors.set(node, memory.reserve(sizes[node] * stride(sizes[node])));
      for (const other of later) {
        const key = `${node},${other}`;
        const free = limb ? 6 - constraintsOf(limb) : sizes[node];
        (limb ? this.weights : this.solved).set(key, memory.reserve(free * stride(sizes[other])));
        if (limb) this.shares.set(key, memory.reserve(sizes[other] * stride(free)));
      }
    }
  }

  /** Addresses of what the elimination of a node leaves: D, or of a limb nothing; X (W of a limb) and S by the nodes it is tied to. */
  factorsOf(node: number): number {
    return address(this.factors.get(node) as number);
  }

  solvedOf(node: number, later: number): number {
    return this.at(this.solved, node, later);
  }

  weightsOf(node: number, later: number): number {
    return this.at(this.weights, node, later);
  }

  sharesOf(node: number, later: number): number {
    return this.at(this.shares, node, later);
  }

  /** Address of a block; undefined where the matrix has none. */
  block(row: number, column: number): number {
    if (row === column && row < this.plan.bodies.length) return address(this.bodies.articulated + 36 * row);
    return address(this.blocks.get(`${row},${column}`) as number);
  }

  clear(): CallList {
    const list = new CallList();
    if (this.end > this.start) vectorLoop(list, this.register, "clear", [this.start], this.end - this.start);
    return list;
  }

  /** Numbers of all blocks together. */
  get size(): number {
    return this.end - this.start;
  }

  /** Rows and columns of all blocks, by node, and where each lies among them. */
  get places(): { readonly row: number; readonly column: number; readonly offset: number }[] {
    return [...this.blocks].map(([key, index]) => {
      const [row, column] = key.split(",").map(Number);
      return { row, column, offset: index - this.start };
    });
  }

  /** All blocks, one after another, to a place in memory. */
  copyTo(target: number): CallList {
    return this.size > 0 ? copyList(this.register, target, this.start, this.size) : new CallList();
  }

  /** Calls that factor a limb's ties, after the limb's own elimination. */
  factorLimb(list: CallList, limb: Limb, { node, later }: EliminatedNode, known: ReadonlyMap<string, number>): void {
    const [constraints, grounded] = [constraintsOf(limb), isGrounded(limb)];
    const { sizes } = this.plan;
    for (const other of later) {
      const size = sizes[other];
      this.sweep(list, `${constraints}.${size}.${grounded}`, () => tieSweep(constraints, size, grounded), known, {
        toTie: this.block(node, other),
        fromTie: this.block(other, node),
        weights: this.at(this.weights, node, other),
        shares: this.at(this.shares, node, other),
        fromAbove: grounded ? 0 : this.block(limb.parent, other),
        toAbove: grounded ? 0 : this.block(other, limb.parent),
      });
    }
    if (constraints === 6) return;
    for (const row of later)
      this.subtractProducts(list, row, later, 6 - constraints, this.at(this.shares, node, row), (column) =>
        this.at(this.weights, node, column),
      );
  }

  /** A node that is no limb: multipliers, or a loose body. */
  factorNode(list: CallList, { node, later }: EliminatedNode): void {
    const n = this.plan.sizes[node];
    const sizes = later.map((other) => this.plan.sizes[other]);
    list.call(
      registerShared(this.register, `factorRow.${n}.${sizes.join(".")}`, () => factorRowProgram(n, sizes)),
      [
        this.block(node, node),
        address(this.factors.get(node) as number),
        ...later.flatMap((other) => [this.block(node, other), this.at(this.solved, node, other)]),
      ],
    );
    for (const row of later)
      this.subtractProducts(list, row, later, n, this.block(row, node), (column) => this.at(this.solved, node, column));
  }

  /** Calls that carry a limb's ties up, after the limb's own sweep. */
  upLimb(list: CallList, limb: Limb, { node, later }: EliminatedNode, known: ReadonlyMap<string, number>): void {
    if (later.length === 0) return;
    const constraints = constraintsOf(limb);
    const sizes = later.map((other) => this.plan.sizes[other]);
    this.sweep(list, `up.${constraints}.${sizes.join(".")}`, () => tiesUpSweep(constraints, sizes), known, {
      ...this.named("fromTie", later, (other) => this.block(other, node)),
      ...this.named("force", later, (other) => this.force(other)),
    });
  }

  upNode(list: CallList, { node, later }: EliminatedNode): void {
    const n = this.plan.sizes[node];
    const sizes = later.map((other) => this.plan.sizes[other]);
    list.call(
      registerShared(this.register, `forwardAll.${n}.${sizes.join(".")}`, () => forwardAllProgram(n, sizes)),
      [
        address(this.factors.get(node) as number),
        this.step(node),
        ...later.flatMap((other) => [this.block(other, node), this.force(other)]),
      ],
    );
  }

  /** Calls that carry a limb's ties down, before the limb's own sweep. */
  downLimb(list: CallList, limb: Limb, { node, later }: EliminatedNode, known: ReadonlyMap<string, number>): void {
    if (later.length === 0) return;
    const constraints = constraintsOf(limb);
    const sizes = later.map((other) => this.plan.sizes[other]);
    this.sweep(list, `down.${constraints}.${sizes.join(".")}`, () => tiesDownSweep(constraints, sizes), known, {
      ...this.named("step", later, (other) => this.step(other)),
      ...this.named("toTie", later, (other) => this.block(node, other)),
      ...this.named("weights", later, (other) => this.at(this.weights, node, other)),
    });
  }

  downNode(list: CallList, { node, later }: EliminatedNode): void {
    const rows = this.plan.sizes[node];
    for (const other of later) {
      const columns = this.plan.sizes[other];
      list.call(
        registerShared(this.register, `subtractMatVec.${rows}.${columns}`, () => subtractMatVecProgram(rows, columns)),
        [this.step(node), this.at(this.solved, node, other), this.step(other)],
      );
    }
  }

  /** Where a node's right-hand side is gathered. */
  private force(node: number): number {
    return this.plain.has(node) ? this.step(node) : address(this.bodies.force + 6 * node);
  }

  /** What is solved for. */
  private step(node: number): number {
    const { bodies, places, starts } = this.plan;
    return address(node < bodies.length ? this.bodies.twist + 6 * node : places.step + starts[node]);
  }

  private at(places: ReadonlyMap<string, number>, node: number, other: number): number {
    return address(places.get(`${node},${other}`) as number);
  }

  private reserveBlock(row: number, column: number): void {
    const { memory, sizes, bodies } = this.plan;
    const key = `${row},${column}`;
    if (this.blocks.has(key) || (row === column && row < bodies.length)) return;
    this.blocks.set(key, memory.reserve(sizes[row] * stride(sizes[column])));
  }

  /** A row of blocks ← itself − left·(right of every column), with `inner` columns on the left. */
  private subtractProducts(
    list: CallList,
    row: number,
    columns: readonly number[],
    inner: number,
    left: number,
    right: (column: number) => number,
  ): void {
    const rows = this.plan.sizes[row];
    const sizes = columns.map((column) => this.plan.sizes[column]);
    list.call(
      registerShared(this.register, `subtractProducts.${rows}.${inner}.${sizes.join(".")}`, () =>
        subtractProductsProgram(rows, inner, sizes),
      ),
      [left, ...columns.flatMap((column) => [this.block(row, column), right(column)])],
    );
  }

  /** Operands that a sweep has one of for every tie. */
  private named(name: string, nodes: readonly number[], at: (node: number) => number): Record<string, number> {
    return Object.fromEntries(nodes.map((node, i) => [`${name}.${i}`, at(node)]));
  }

  private sweep(
    list: CallList,
    key: string,
    make: () => Sweep,
    known: ReadonlyMap<string, number>,
    own: Readonly<Record<string, number>>,
  ): void {
    sweepCall(list, this.register, `tie.${key}`, make, new Map([...known, ...Object.entries(own)]));
  }
}
