/**
 * Symbolic analysis of a block-sparse matrix with a symmetric pattern: in which order to eliminate its nodes, and which
 * blocks fill in on the way. Done once, before any number is known.
 *
 * Eliminating a node joins all its remaining neighbours. A node with at most one remaining neighbour joins nothing, so
 * such leaves go first, level by level: a tree is eliminated with no fill at all, in O(n log n), and nodes of one level
 * (which are often alike) stand side by side. Where no leaf is left, the node whose neighbours have the smallest total
 * size goes next (minimum degree). Ties go to the lower level, then the smaller block, then the lower index, so the order
 * never depends on anything but the input.
 *
 * Nodes without a pivot. A joint's multiplier has a zero diagonal block, [M Gᵀ; G 0]: its pivot −G M⁻¹ Gᵀ comes from
 * bodies eliminated before it, and is regular only if those bodies are still free to move. Eliminated nodes form groups
 * (connected through each other). To a group, everything outside is ground: bodies not yet eliminated, and the
 * fixed world of a multiplier that has only one body. A group tied to ground once can still move at the other end of
 * the tie; tied twice it may be stuck, and the second pivot singular. So a multiplier may go only when
 *   1. a body of its own has gone before it, and
 *   2. afterwards its group has at most one tie to ground.
 * On a tree hung on the world this is the classic order, leaf bodies first and the joint to the world last. Bodies never
 * wait, so the elimination never gets stuck; multipliers that close a loop through the world come last of all.
 */
import { CandidateQueue } from "./candidateQueue.ts";

export interface Elimination {
  /** Nodes, first eliminated first. */
  readonly order: readonly number[];
  /** position[node] is its place in the order. */
  readonly position: readonly number[];
  /** later[node]: its neighbours at the time of its elimination, fill included, in elimination order. */
  readonly later: readonly (readonly number[])[];
  /** The longest chain of eliminations a node waits for. Nodes of one level share no block: they can go in any order. */
  readonly level: readonly number[];
  /** Off-diagonal blocks stored, as (earlier, later) pairs in elimination order; the transposed ones are stored too. */
  readonly blocks: readonly (readonly [number, number])[];
  /** How many of these pairs were not in the matrix. */
  readonly fill: number;
}

export interface OrderingOptions {
  /** Nodes whose diagonal block is zero until neighbours are eliminated. Default none. */
  readonly zeroDiagonal?: readonly boolean[];
}

/** Sizes of the diagonal blocks (0 is allowed: such a node takes no part), and the pairs of coupled nodes, in any order. */
export function eliminationOrder(
  sizes: readonly number[],
  edges: readonly (readonly [number, number])[],
  options: OrderingOptions = {},
): Elimination {
  const count = sizes.length;
  const original = adjacency(sizes, edges);
  const neighbours = original.map((set) => new Set(set));
  const pivots = new PivotRule(original, options.zeroDiagonal ?? []);
  const degree = neighbours.map((set) => [...set].reduce((sum, node) => sum + sizes[node], 0));
  const level = new Array<number>(count).fill(0);
  const order: number[] = [];
  const later: number[][] = new Array<number[]>(count);
  let fill = 0;

  const queue = new CandidateQueue(count);
  const enqueue = (node: number): void => {
    const cost = neighbours[node].size <= 1 ? 0 : degree[node];
    queue.put(node, [pivots.ready(node) ? 0 : 1, cost, level[node], sizes[node]]);
  };
  for (let node = 0; node < count; node++) enqueue(node);

  for (let node = queue.take(); node !== undefined; node = queue.take()) {
    // take the node out
    const remaining = [...neighbours[node]];
    order.push(node);
    later[node] = remaining;
    pivots.eliminate(node);
    for (const other of remaining) {
      neighbours[other].delete(node);
      degree[other] -= sizes[node];
      level[other] = Math.max(level[other], level[node] + 1);
    }

    // join its neighbours
    for (const [i, a] of remaining.entries()) {
      for (const b of remaining.slice(i + 1)) {
        if (neighbours[a].has(b)) continue;
        neighbours[a].add(b);
        neighbours[b].add(a);
        degree[a] += sizes[b];
        degree[b] += sizes[a];
        fill++;
      }
    }
    remaining.forEach(enqueue);
  }

  const position = new Array<number>(count);
  for (const [place, node] of order.entries()) position[node] = place;
  for (const list of later) list.sort((a, b) => position[a] - position[b]);
  const blocks = order.flatMap((node) => later[node].map((other) => [node, other] as const));
  return { order, position, later, level, blocks, fill };
}

/** Whether every node has at most one later neighbour: a forest, eliminated without fill. */
export function isForestOrder(elimination: Elimination): boolean {
  return elimination.later.every((list) => list.length <= 1);
}

function adjacency(sizes: readonly number[], edges: readonly (readonly [number, number])[]): Set<number>[] {
  const sets = sizes.map(() => new Set<number>());
  for (const [i, j] of edges) {
    for (const node of [i, j]) {
      if (!(node in sizes))
        throw new RangeError(`edge (${i}, ${j}): there is no node ${node}, only 0 to ${sizes.length - 1}`);
    }
    if (i === j) throw new RangeError(`edge (${i}, ${j}): a diagonal block is always there, leave it out`);
    if (sizes[i] === 0 || sizes[j] === 0) continue;
    sets[i].add(j);
    sets[j].add(i);
  }
  return sets;
}

/** Says when nodes with a zero diagonal block may be eliminated; the rule is at the top of the file. */
class PivotRule {
  readonly #original: readonly ReadonlySet<number>[];
  readonly #isMultiplier: readonly boolean[];
  readonly #eliminated: boolean[];
  /** Group of eliminated nodes, as a forest of parents; a root is its own parent. */
  readonly #parent: number[];
  /** Ties to ground of a group, at its root. */
  readonly #ties: number[];
  /** Bodies of a multiplier, all of them and those not yet eliminated. */
  readonly #bodies: number[];
  readonly #bodiesLeft: number[];

  constructor(original: readonly ReadonlySet<number>[], zeroDiagonal: readonly boolean[]) {
    this.#original = original;
    // without neighbours nothing will ever give a pivot, and waiting is no use
    this.#isMultiplier = original.map((set, node) => zeroDiagonal[node] === true && set.size > 0);
    this.#eliminated = original.map(() => false);
    this.#parent = original.map((_, node) => node);
    this.#ties = original.map(() => 0);
    this.#bodies = original.map((set) => [...set].filter((node) => !this.#isMultiplier[node]).length);
    this.#bodiesLeft = [...this.#bodies];
  }

  ready(node: number): boolean {
    if (!this.#isMultiplier[node]) return true;
    const left = this.#bodiesLeft[node];
    if (left === this.#bodies[node]) return false;
    const roots = new Set<number>();
    for (const other of this.#original[node]) if (this.#eliminated[other]) roots.add(this.#root(other));
    let ties = this.#tiesOf(node);
    for (const root of roots) ties += this.#ties[root];
    return ties <= 1;
  }

  eliminate(node: number): void {
    this.#eliminated[node] = true;
    if (this.#isMultiplier[node]) this.#ties[node] = this.#tiesOf(node);
    for (const other of this.#original[node]) {
      // a multiplier whose last body goes is no longer tied to it
      if (!this.#isMultiplier[node]) {
        this.#bodiesLeft[other]--;
        const freed = this.#bodiesLeft[other] === 0 && this.#bodies[other] > 1;
        if (this.#eliminated[other] && this.#isMultiplier[other] && freed) this.#ties[this.#root(other)]--;
      }
      if (this.#eliminated[other]) this.#merge(node, other);
    }
  }

  /** 1 if the multiplier, eliminated now, is tied to ground. */
  #tiesOf(node: number): number {
    return this.#bodiesLeft[node] > 0 || this.#bodies[node] === 1 ? 1 : 0;
  }

  #merge(a: number, b: number): void {
    const rootA = this.#root(a);
    const rootB = this.#root(b);
    if (rootA === rootB) return;
    this.#parent[rootB] = rootA;
    this.#ties[rootA] += this.#ties[rootB];
  }

  #root(node: number): number {
    let root = node;
    while (this.#parent[root] !== root) {
      // path halving keeps the trees flat
      this.#parent[root] = this.#parent[this.#parent[root]];
      root = this.#parent[root];
    }
    return root;
  }
}
