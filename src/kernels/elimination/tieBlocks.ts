/**
 * Places for the blocks of an elimination whose ties change (arrangedTies.ts). Ties that are always there (loops, gears, contacts by hand)
 * have blocks at fixed places. All other blocks come from a pool behind the lists: blocks from its beginning, W and S of limbs
 * (tieSweeps.ts) from its end. An edge has two blocks, one behind the other: from its first node to its second, and back.
 */
import { OutOfMemory } from "../../codegen/index.ts";
import { address } from "../memory/memory.ts";
import type { DataPlan } from "../memory/plan.ts";
import { stride } from "./blockKernels.ts";
import type { EliminationGraph } from "./eliminationGraph.ts";
import type { Tie } from "./treeOrder.ts";

export class TieBlocks {
  /** Address of the diagonal block, by node. */
  readonly diagonal: Int32Array;
  /** Address of the first block, by edge; there after `placeEdges`. */
  place: Int32Array = new Int32Array(64);
  /** Blocks of ties that stay, in bytes; and what is in use of the pool. */
  readonly fixedStart: number;
  readonly fixedEnd: number;
  poolStart = 0;
  blocksEnd = 0;

  private readonly graph: EliminationGraph;
  private readonly sizes: Int32Array;
  private readonly fixed: Int32Array;
  private placed = 0;
  private poolEnd = 0;
  private weightsStart = 0;

  /** The edges of the graph are those that stay. */
  constructor(
    { memory, sizes }: DataPlan,
    graph: EliminationGraph,
    ties: readonly Tie[],
    arrays: { readonly articulated: number },
  ) {
    this.graph = graph;
    this.sizes = Int32Array.from(sizes);
    this.fixedStart = address(memory.length);
    const fixed: number[] = [];
    for (let e = 0; e < graph.edgeCount; e++) fixed.push(address(memory.reserve(this.length(e))));
    this.fixed = Int32Array.from(fixed);
    this.diagonal = Int32Array.from(sizes, (_, node) => address(arrays.articulated + 36 * node));
    for (const { node } of ties) this.diagonal[node] = address(memory.reserve(sizes[node] * stride(sizes[node])));
    this.fixedEnd = address(memory.length);
  }

  /** Tells where the pool begins and ends, in bytes. */
  load(poolStart: number, poolEnd: number): void {
    this.poolStart = poolStart;
    this.poolEnd = poolEnd;
  }

  /** Address of a block of ties that stay. */
  fixedBlock(row: number, column: number): number {
    if (row === column) return this.diagonal[row];
    const e = this.graph.edge(row, column);
    return row < column ? this.fixed[e] : this.fixed[e] + this.transposedShift(e);
  }

  /** Whether the diagonal block of a node is that of multipliers. */
  isOfMultipliers(node: number): boolean {
    return this.diagonal[node] >= this.fixedStart && this.diagonal[node] < this.fixedEnd;
  }

  /** Nothing of the pool is in use. */
  reset(): void {
    this.placed = 0;
    this.blocksEnd = this.poolStart;
    this.weightsStart = this.poolEnd;
  }

  /** Gives edges their places as they come up. */
  placeEdges(): void {
    const { graph, fixed } = this;
    while (graph.edgeCount > this.place.length) this.place = doubled(this.place);
    for (; this.placed < graph.edgeCount; this.placed++) {
      if (this.placed < fixed.length) {
        this.place[this.placed] = fixed[this.placed];
        continue;
      }
      this.place[this.placed] = this.blocksEnd;
      this.blocksEnd += address(this.length(this.placed));
    }
    if (this.blocksEnd > this.weightsStart) throw outOfRoom();
  }

  /** Address of so many f64 for a limb's W or S. */
  reserveWeights(length: number): number {
    this.weightsStart -= address(length + (length & 1));
    if (this.blocksEnd > this.weightsStart) throw outOfRoom();
    return this.weightsStart;
  }

  /** Address of the block of an edge, or of the one back. */
  of(e: number, isForward: boolean): number {
    return isForward ? this.place[e] : this.place[e] + this.transposedShift(e);
  }

  /** The way from the block of an edge to the one back, in bytes. */
  transposedShift(e: number): number {
    return address(this.sizes[this.graph.from[e]] * stride(this.sizes[this.graph.to[e]]));
  }

  /** f64 of both blocks of an edge. */
  private length(e: number): number {
    const [i, j] = [this.sizes[this.graph.from[e]], this.sizes[this.graph.to[e]]];
    return i * stride(j) + j * stride(i);
  }
}

export function doubled(array: Int32Array): Int32Array {
  const larger = new Int32Array(2 * array.length);
  larger.set(array);
  return larger;
}

function outOfRoom(): OutOfMemory {
  return new OutOfMemory("too many bodies touch each other at once for the memory of this mechanism");
}
