/**
 * The elimination of a mechanism whose ties change while it runs: contacts that are bound to bodies from time to time (boundSlots.ts).
 * It does what treeTies.ts does once and for all, again and again: the order (eliminationGraph.ts), places for the blocks that tie nodes and
 * for those that fill in, and the calls that factor and solve, written into segments. Programs are there beforehand, so each works on one
 * pair of nodes (tiePrograms.ts, tieBlocks.ts). X of a node that is no limb takes the place of its block.
 */
import { address, type Register } from "../memory/memory.ts";
import type { DataPlan } from "../memory/plan.ts";
import { Segment } from "../memory/segments.ts";
import { ArrangedSolve } from "./arrangedSolve.ts";
import { ArrangedTransposed, type TransposedLimbPlace, type TransposedRows } from "./arrangedTransposed.ts";
import { stride } from "./blockKernels.ts";
import { EliminationGraph, type EliminationVisitor } from "./eliminationGraph.ts";
import { fillIn, type LimbCalls, type LimbSweeps, limbCalls, operandCodes } from "./limbCalls.ts";
import { doubled, TieBlocks } from "./tieBlocks.ts";
import { clearWidth, TiePrograms } from "./tiePrograms.ts";
import { constraintsOf, type Limb } from "./treeLimbs.ts";
import { graphNodes, joinTies, type Tie } from "./treeOrder.ts";

/** Most edges of the graph per node, those that fill in among them; and most products of blocks. A pile of 1,000 bodies has half of that. */
const edgesPerNode = 64;
const productsPerNode = 2000;
/** Slots per node beyond which there is room for each with each: piles of bodies that lie in each other. */
const slotsPerNode = 16;
/** Edges that fill in per edge of a contact where there are few slots, beside those that limbs pass on to the bodies above them. */
const fillPerSlot = 16;
const clearWords = 16;

export class ArrangedTies implements EliminationVisitor {
  readonly clear: Segment;
  readonly factor: Segment;
  /** What factors and solves while no contact takes part, by the segments whose places they take. */
  readonly free = new Map<Segment, Segment>();
  /** The solve with the transposed matrix, which gradients take. */
  transposed: ArrangedTransposed | undefined;
  /** f64 that the pool wants. */
  readonly poolSize: number;
  /** Blocks of the matrix off the diagonal in the last arrangement, and products of blocks. */
  fill = 0;
  products = 0;

  private readonly graph: EliminationGraph;
  private readonly blocks: TieBlocks;
  private readonly programs: TiePrograms;
  private readonly solving: ArrangedSolve;
  private readonly keptEdges: number;
  private readonly mostEdges: number;
  /** Most edges where nothing is bound. */
  private readonly freeEdges: number;
  /** Edges of ties themselves, before any fills in. */
  private tiedEdges = 0;
  private readonly register: Register;
  private readonly sizes: Int32Array;
  /** Each node's class of size, and addresses of its factors, its right-hand side and its step. */
  readonly classOf: Int32Array;
  readonly factors: Int32Array;
  readonly force: Int32Array;
  readonly step: Int32Array;
  readonly limbs: (LimbCalls | undefined)[];

  // the order, and of each node's later neighbours: number, A_cd or X, A_dc, W, S
  readonly order: Int32Array;
  readonly laterStart: Int32Array;
  ordered = 0;
  later: Int32Array = new Int32Array(64);
  toLater: Int32Array = new Int32Array(64);
  fromLater: Int32Array = new Int32Array(64);
  weightsOf: Int32Array = new Int32Array(64);
  private sharesOf: Int32Array = new Int32Array(64);
  private readonly filled = new Int32Array(9);
  private words: Int32Array = new Int32Array(0);

  constructor(
    plan: DataPlan,
    limbs: readonly Limb[],
    ties: readonly Tie[],
    pairs: readonly (readonly [number, number])[],
    arrays: { readonly articulated: number; readonly force: number; readonly twist: number },
    register: Register,
  ) {
    const { memory, places, starts, bodies } = plan;
    this.register = register;
    this.sizes = Int32Array.from(plan.sizes);
    const nodes = graphNodes(limbs, ties, plan.sizes);
    this.graph = new EliminationGraph(nodes);
    joinTies(this.graph, ties, pairs);
    const kept = this.graph.edgeCount;
    this.keptEdges = kept;
    const count = plan.sizes.length;
    const loose = new Set(limbs.flatMap(({ body, isLoose }) => (isLoose ? [body] : [])));
    const isPlain = (node: number): boolean => node >= bodies.length || loose.has(node);

    this.blocks = new TieBlocks(plan, this.graph, ties, arrays);
    const reserveFactors = (node: number): number => memory.reserve(this.sizes[node] * stride(this.sizes[node]));
    this.factors = new Int32Array(count);
    for (const node of nodes.nodes) if (isPlain(node)) this.factors[node] = address(reserveFactors(node));
    this.step = Int32Array.from(starts.slice(0, count), (start, node) =>
      address(node < bodies.length ? arrays.twist + 6 * node : places.step + start),
    );
    this.force = Int32Array.from(plan.sizes, (_, node) =>
      isPlain(node) ? this.step[node] : address(arrays.force + 6 * node),
    );
    this.limbs = new Array(count).fill(undefined);

    // programs for every class of size that takes part
    const frees = limbs.filter(({ isLoose }) => !isLoose).map((limb) => 6 - constraintsOf(limb));
    const plainSizes = nodes.nodes.filter(isPlain).map((node) => this.sizes[node]);
    const inners = [...frees, ...plainSizes].filter((size) => size > 0);
    this.programs = new TiePrograms(
      nodes.nodes.map((node) => this.sizes[node]),
      inners,
      register,
    );
    this.classOf = this.sizes.map((size) => this.classes.indexOf(size));

    // room: as much as a dense matrix takes, or what piles are known to need
    const n = nodes.nodes.length;
    const slots = plan.pools.reduce((sum, pool) => sum + (pool.otherMoves ? pool.count : 0), 0);
    const fillPer = fillPerSlot + 2 * depthOf(limbs);
    const edges = Math.min((n * (n - 1)) / 2, Math.max(edgesPerNode * n, slots), kept + fillPer * slots);
    const crowded = n * (slots - slotsPerNode * n);
    const products = Math.min((n * (n - 1) * (2 * n - 1)) / 6, Math.max(productsPerNode * n, crowded), edges * n);
    const largest = Math.max(6, ...this.classes);
    const block = largest * stride(largest);
    this.mostEdges = edges;
    this.poolSize = edges * block * (frees.length > 0 ? 4 : 2) + clearWidth;
    this.clear = new Segment("clear", clearWords);
    this.factor = new Segment("factor", 7 * products + 20 * edges + 32 * n);
    this.solving = new ArrangedSolve(this, this.programs, 20 * edges + 48 * n);
    this.freeEdges = Math.min(edges, (1 + fillPer) * kept);
    this.order = new Int32Array(n);
    this.laterStart = new Int32Array(n + 1);
  }

  /** Sizes of nodes, each once. */
  get classes(): readonly number[] {
    return this.programs.classes;
  }

  /** Address of a block of ties that stay. */
  block(row: number, column: number): number {
    return this.blocks.fixedBlock(row, column);
  }

  get solve(): Segment {
    return this.solving.segment;
  }

  /** The limb's own sweeps, and the addresses that those of its ties know. */
  addLimb(limb: Limb, sweeps: LimbSweeps, known: ReadonlyMap<string, number>): void {
    this.limbs[limb.body] = limbCalls(limb, sweeps, known, this.classes, this.register);
  }

  /** The solve with the transposed matrix takes part from here on. */
  addTransposed(limbs: ReadonlyMap<number, TransposedLimbPlace>, rows: TransposedRows): Segment {
    this.transposed = new ArrangedTransposed(this, limbs, rows, this.mostEdges, this.register);
    return this.transposed.segment;
  }

  /** Makes room for calls that factor and solve while no contact takes part, whatever is bound. */
  keepFree(): void {
    const { freeEdges: edges } = this;
    const { length: n } = this.order;
    this.free.set(this.clear, new Segment("free.clear", clearWords));
    this.free.set(this.factor, new Segment("free.factor", (7 * n + 20) * edges + 32 * n));
    this.free.set(this.solve, new Segment("free.solve", 20 * edges + 48 * n));
  }

  get segments(): readonly Segment[] {
    const { clear, factor, solve, transposed, free } = this;
    return [clear, factor, solve, ...free.values(), ...(transposed ? [transposed.segment] : [])];
  }

  /** Takes memory once it is there: all of its words, and where the pool begins, in bytes. */
  load(words: Int32Array, poolStart: number): void {
    this.words = words;
    this.solving.load(words);
    this.transposed?.load(words);
    this.blocks.load(poolStart, poolStart + address(this.poolSize));
    this.arrange(new Int32Array(0), 0);
    for (const [segment, twin] of this.free) twin.copyFrom(segment);
  }

  /** Arranges the elimination for so many pairs of bodies that are tied, one after the other in `pairs`; the same pair may be there more than once. */
  arrange(pairs: Int32Array, count: number): void {
    const { graph } = this;
    graph.reset(this.keptEdges);
    this.blocks.reset();
    for (let k = 0; k < count; k++) graph.join(pairs[2 * k], pairs[2 * k + 1]);
    this.tiedEdges = graph.edgeCount;
    this.ordered = this.products = 0;
    this.laterStart[0] = 0;
    this.factor.begin();
    graph.run(this);
    this.factor.finish();
    this.fill = graph.edgeCount;
    this.solving.write(this);
    this.transposed?.write(this);
    this.writeClear();
  }

  /** Blocks of ties off the diagonal as they are before factoring, and diagonal ones of multipliers: nodes and addresses. */
  get tiedBlocks(): { readonly row: number; readonly column: number; readonly at: number }[] {
    const { graph, sizes, blocks } = this;
    const tied = [];
    for (let e = 0; e < this.tiedEdges; e++) {
      const [from, to] = [graph.from[e], graph.to[e]];
      tied.push({ row: from, column: to, at: blocks.of(e, true) });
      tied.push({ row: to, column: from, at: blocks.of(e, false) });
    }
    for (let node = 0; node < sizes.length; node++)
      if (blocks.isOfMultipliers(node)) tied.push({ row: node, column: node, at: blocks.diagonal[node] });
    return tied;
  }

  /** All memory. */
  get memory(): Float64Array {
    return new Float64Array(this.words.buffer);
  }

  /** Address of the block between two nodes that are tied, after `arrange`. */
  blockBetween(row: number, column: number): number {
    return this.blocks.of(this.graph.edge(row, column), row < column);
  }

  eliminate(
    node: number,
    count: number,
    later: Int32Array,
    edges: Int32Array,
    between: Int32Array,
    width: number,
  ): void {
    this.blocks.placeEdges();
    const first = this.laterStart[this.ordered];
    this.order[this.ordered++] = node;
    this.laterStart[this.ordered] = first + count;
    while (first + count > this.later.length) this.growLater();
    for (let k = 0; k < count; k++) {
      this.later[first + k] = later[k];
      this.toLater[first + k] = this.blocks.of(edges[k], node < later[k]);
      this.fromLater[first + k] = this.blocks.of(edges[k], node > later[k]);
    }
    const limb = this.limbs[node];
    if (limb) this.factorLimb(limb, first, count, between, width);
    else this.factorPlain(node, first, count, between, width);
  }

  private factorPlain(node: number, first: number, count: number, between: Int32Array, width: number): void {
    const { words, factor, later, toLater, fromLater, classOf, factors, programs } = this;
    const { diagonal } = this.blocks;
    const own = classOf[node];
    const classes = this.classes.length;
    if (count === 1) {
      const other = later[first];
      const at = factor.call(programs.eliminate[own * classes + classOf[other]], 7);
      words[at] = diagonal[node];
      words[at + 1] = factors[node];
      words[at + 2] = words[at + 3] = toLater[first];
      words[at + 4] = fromLater[first];
      words[at + 5] = words[at + 6] = diagonal[other];
      this.products++;
      return;
    }
    const begin = factor.call(programs.factor[own], 2);
    words[begin] = diagonal[node];
    words[begin + 1] = factors[node];
    for (let k = first; k < first + count; k++) {
      const at = factor.call(programs.columns[own * classes + classOf[later[k]]], 3);
      words[at] = factors[node];
      words[at + 1] = words[at + 2] = toLater[k];
    }
    this.subtractProducts(first, count, this.sizes[node], fromLater, toLater, between, width);
  }

  private factorLimb(limb: LimbCalls, first: number, count: number, between: Int32Array, width: number): void {
    const { words, factor, later, toLater, fromLater, classOf, filled, sizes, weightsOf, sharesOf } = this;
    const { free, above } = limb;
    factor.copy(limb.reduce, 1);
    for (let k = first; k < first + count; k++) {
      const other = later[k];
      const size = sizes[other];
      weightsOf[k] = this.blocks.reserveWeights(free * stride(size));
      sharesOf[k] = this.blocks.reserveWeights(size * stride(free));
      filled[-operandCodes.toTie] = toLater[k];
      filled[-operandCodes.fromTie] = fromLater[k];
      filled[-operandCodes.weights] = weightsOf[k];
      filled[-operandCodes.shares] = sharesOf[k];
      if (above >= 0) {
        const e = between[count * width + (k - first)];
        filled[-operandCodes.fromAbove] = e < 0 ? this.blocks.diagonal[above] : this.blocks.of(e, above < other);
        filled[-operandCodes.toAbove] = e < 0 ? this.blocks.diagonal[above] : this.blocks.of(e, above > other);
      }
      fillIn(words, factor, filled, limb.tie[classOf[other]]);
    }
    if (free > 0) this.subtractProducts(first, count, free, sharesOf, weightsOf, between, width);
  }

  /** A_kj ← A_kj − left_k right_j of all pairs of later neighbours. */
  private subtractProducts(
    first: number,
    count: number,
    inner: number,
    left: Int32Array,
    right: Int32Array,
    between: Int32Array,
    width: number,
  ): void {
    const { words, factor, later, classOf, blocks, programs } = this;
    const { product } = programs;
    const { diagonal, place } = blocks;
    for (let i = 0; i < count; i++) {
      const row = later[first + i];
      const ofRow = programs.productsOf(classOf[row], inner);
      for (let j = 0; j < count; j++) {
        const column = later[first + j];
        const e = between[i * width + j];
        const at = factor.call(product[ofRow + classOf[column]], 4);
        // later neighbours are in ascending order
        words[at] = i === j ? diagonal[row] : i < j ? place[e] : place[e] + blocks.transposedShift(e);
        words[at + 1] = words[at];
        words[at + 2] = left[first + i];
        words[at + 3] = right[first + j];
      }
    }
    this.products += count * count;
  }

  private writeClear(): void {
    const { clear, blocks } = this;
    clear.begin();
    this.clearStretch(blocks.fixedStart, blocks.fixedEnd);
    this.clearStretch(blocks.poolStart, blocks.blocksEnd);
    clear.finish();
  }

  private clearStretch(start: number, end: number): void {
    if (end <= start) return;
    // what the last trip takes along is cleared anyway, or not used before it is written
    const at = this.clear.call(this.programs.clear, 1);
    this.words[at - 1] = Math.ceil((end - start) / address(clearWidth));
    this.words[at] = start;
  }

  private growLater(): void {
    this.later = doubled(this.later);
    this.toLater = doubled(this.toLater);
    this.fromLater = doubled(this.fromLater);
    this.weightsOf = doubled(this.weightsOf);
    this.sharesOf = doubled(this.sharesOf);
  }
}

/** Limbs of the longest way to the world. */
function depthOf(limbs: readonly Limb[]): number {
  const depths = new Map<number, number>();
  let most = 0;
  for (const { body, parent } of limbs) {
    const depth = 1 + (depths.get(parent) ?? 0);
    depths.set(body, depth);
    most = Math.max(most, depth);
  }
  return most;
}
