/**
 * In which order nodes are eliminated, and what fills in on the way. Nodes are limbs and multipliers (treeOrder.ts has what they are).
 *   - A node waits for others: a limb for those below it, multipliers for the limbs of their loop.
 *   - Eliminating a node joins all its neighbours; of a limb, the body above it too, unless it has no neighbours.
 *   - Of those that may go, one with at most one neighbour joins nothing and goes first, then whichever has the fewest numbers around it;
 *     among equals the one that comes first in the list of nodes.
 * Edges change from time to time, so this works on typed arrays that are kept: nothing is allocated once they are large enough. A run takes
 * time in proportion to the edges, those that fill in among them, and to the pairs of neighbours that are joined.
 */

/** What is fixed about the nodes. */
export interface GraphNodes {
  /** Nodes in the order in which equals go. */
  readonly nodes: readonly number[];
  /** How many numbers each node has, and the body above it, or −1. */
  readonly sizes: ArrayLike<number>;
  readonly above: ArrayLike<number>;
  /** Which nodes wait for each node, and how many it waits for itself. */
  readonly waiting: readonly (readonly number[])[];
}

/** Called for each node as it goes. */
export interface EliminationVisitor {
  /**
   * `later` has its neighbours in ascending order, `edges` the edges to them. `between` has the edges that join them to each other, row
   * by row of `width`, and in the last row those to the body above, −1 on the diagonal; it is filled where there is something to join.
   */
  eliminate(
    node: number,
    count: number,
    later: Int32Array,
    edges: Int32Array,
    between: Int32Array,
    width: number,
  ): void;
}

const none = -1;

export class EliminationGraph {
  /** Ends of every edge, the smaller number first. */
  from: Int32Array = new Int32Array(64);
  to: Int32Array = new Int32Array(64);
  edgeCount = 0;

  private readonly nodes: Int32Array;
  private readonly sizes: Int32Array;
  private readonly above: Int32Array;
  private readonly waiting: readonly Int32Array[];
  private readonly waitsFor: Int32Array;
  private readonly count: number;
  /** Each node's place in the order of equals. */
  private readonly rank: Int32Array;

  // neighbours as linked lists: half-edge 2e lies in the list of `from`, 2e + 1 in that of `to`
  private readonly head: Int32Array;
  private next: Int32Array = new Int32Array(128);
  /** Edges by their ends. */
  private table: Int32Array = new Int32Array(256).fill(none);

  // of the run
  private readonly left: Int32Array;
  private readonly isGone: Uint8Array;
  /** Neighbours and the body above: how many, and how many numbers. */
  private readonly degree: Int32Array;
  private readonly weight: Int32Array;
  private heap: Float64Array = new Float64Array(64);
  private heapSize = 0;
  private later: Int32Array = new Int32Array(16);
  private laterEdges: Int32Array = new Int32Array(16);
  private between: Int32Array = new Int32Array(256);

  constructor({ nodes, sizes, above, waiting }: GraphNodes) {
    this.count = sizes.length;
    if (this.count > 46340) throw new RangeError(`${this.count} nodes are more than edges can be numbered for`);
    this.nodes = Int32Array.from(nodes);
    this.sizes = Int32Array.from(sizes);
    this.above = Int32Array.from(above);
    this.waiting = waiting.map((list) => Int32Array.from(list));
    const empty = (): Int32Array => new Int32Array(this.count);
    this.waitsFor = empty();
    for (const list of waiting) for (const node of list) this.waitsFor[node]++;
    this.rank = empty();
    nodes.forEach((node, i) => {
      this.rank[node] = i;
    });
    this.head = empty().fill(none);
    this.left = empty();
    this.isGone = new Uint8Array(this.count);
    this.degree = empty();
    this.weight = empty();
  }

  /** Forgets all edges but the first `kept`. */
  reset(kept = 0): void {
    this.edgeCount = kept;
    this.table.fill(none);
    this.head.fill(none);
    for (let e = 0; e < kept; e++) {
      this.link(e);
      this.table[this.find(this.from[e], this.to[e])] = e;
    }
  }

  /** The edge between two nodes, made if there is none. */
  join(i: number, j: number): number {
    const [a, b] = i < j ? [i, j] : [j, i];
    const at = this.find(a, b);
    if (this.table[at] !== none) return this.table[at];
    const e = this.edgeCount++;
    if (e === this.from.length) this.growEdges();
    this.from[e] = a;
    this.to[e] = b;
    this.link(e);
    this.table[at] = e;
    if (4 * this.edgeCount > this.table.length) this.growTable();
    return e;
  }

  /** The edge between two nodes, or −1. */
  edge(i: number, j: number): number {
    return this.table[i < j ? this.find(i, j) : this.find(j, i)];
  }

  /** Eliminates all nodes; edges that fill in stay until the next reset. */
  run(visitor: EliminationVisitor): void {
    this.begin();
    const { nodes, left, isGone, waiting, above } = this;
    for (let done = 0; done < nodes.length; ) {
      const node = this.pop();
      if (node < 0) throw new RangeError("nodes that wait for each other cannot be eliminated");
      if (isGone[node] === 1) continue;
      isGone[node] = 1;
      done++;
      const count = this.gather(node);
      if (count > 0) this.joinAround(node, count, visitor);
      else visitor.eliminate(node, 0, this.later, this.laterEdges, this.between, 0);
      const parent = above[node];
      // whoever waited, and whoever has other neighbours now
      for (let k = 0; k < waiting[node].length; k++) left[waiting[node][k]]--;
      for (let k = 0; k < waiting[node].length; k++) this.push(waiting[node][k]);
      for (let k = 0; k < count; k++) this.push(this.later[k]);
      if (parent !== none && count > 0) this.push(parent);
    }
  }

  private begin(): void {
    const { nodes, left, isGone, degree, weight, above, sizes, head, next, from, to } = this;
    this.heapSize = 0;
    isGone.fill(0);
    left.set(this.waitsFor);
    for (let k = 0; k < nodes.length; k++) {
      const node = nodes[k];
      const parent = above[node];
      degree[node] = weight[node] = 0;
      let hasParent = false;
      for (let h = head[node]; h !== none; h = next[h]) {
        const other = h & 1 ? from[h >> 1] : to[h >> 1];
        degree[node]++;
        weight[node] += sizes[other];
        if (other === parent) hasParent = true;
      }
      if (parent !== none && !hasParent) {
        degree[node]++;
        weight[node] += sizes[parent];
      }
    }
    for (let k = 0; k < nodes.length; k++) this.push(nodes[k]);
  }

  /** Neighbours of a node that are left, in ascending order. */
  private gather(node: number): number {
    const { head, next, from, to, isGone } = this;
    let count = 0;
    for (let h = head[node]; h !== none; h = next[h]) {
      const other = h & 1 ? from[h >> 1] : to[h >> 1];
      if (isGone[other] === 1) continue;
      if (count === this.later.length) this.growLater();
      const { later, laterEdges } = this;
      let at = count++;
      for (; at > 0 && later[at - 1] > other; at--) {
        later[at] = later[at - 1];
        laterEdges[at] = laterEdges[at - 1];
      }
      later[at] = other;
      laterEdges[at] = h >> 1;
    }
    return count;
  }

  private joinAround(node: number, count: number, visitor: EliminationVisitor): void {
    const { later, above, degree, weight, sizes } = this;
    const parent = above[node];
    const needed = (count + 1) * count;
    if (needed > this.between.length) this.between = new Int32Array(2 * needed);
    const { between } = this;
    for (let i = 0; i < count; i++) {
      const other = later[i];
      between[i * count + i] = none;
      // one neighbour less; a child that is not tied to its parent was none of it
      degree[other]--;
      weight[other] -= sizes[node];
      for (let j = 0; j < i; j++) between[i * count + j] = between[j * count + i] = this.joinNew(other, later[j]);
      between[count * count + i] = parent === none || parent === other ? none : this.joinNew(other, parent);
    }
    visitor.eliminate(node, count, later, this.laterEdges, between, count);
  }

  /** Joins two nodes that are left, and counts. */
  private joinNew(i: number, j: number): number {
    const before = this.edgeCount;
    const e = this.join(i, j);
    if (this.edgeCount === before) return e;
    const { degree, weight, above, sizes } = this;
    if (above[i] !== j) {
      degree[i]++;
      weight[i] += sizes[j];
    }
    if (above[j] !== i) {
      degree[j]++;
      weight[j] += sizes[i];
    }
    return e;
  }

  // the heap: cost and rank of nodes that wait for nobody, as one number; outdated entries are passed over

  private key(node: number): number {
    const cost = this.degree[node] <= 1 ? 0 : this.weight[node];
    return cost * this.count + this.rank[node];
  }

  private push(node: number): void {
    if (this.left[node] > 0 || this.isGone[node] === 1) return;
    if (this.heapSize === this.heap.length) {
      const larger = new Float64Array(2 * this.heap.length);
      larger.set(this.heap);
      this.heap = larger;
    }
    const { heap } = this;
    const key = this.key(node);
    let at = this.heapSize++;
    while (at > 0) {
      const up = (at - 1) >> 1;
      if (heap[up] <= key) break;
      heap[at] = heap[up];
      at = up;
    }
    heap[at] = key;
  }

  /** The node with the least key, −1 where none is ready. */
  private pop(): number {
    const { heap } = this;
    for (;;) {
      if (this.heapSize === 0) return none;
      const least = heap[0];
      const last = heap[--this.heapSize];
      let at = 0;
      for (;;) {
        let down = 2 * at + 1;
        if (down >= this.heapSize) break;
        if (down + 1 < this.heapSize && heap[down + 1] < heap[down]) down++;
        if (heap[down] >= last) break;
        heap[at] = heap[down];
        at = down;
      }
      heap[at] = last;
      const node = this.nodes[least % this.count];
      if (this.isGone[node] === 0 && this.key(node) === least) return node;
    }
  }

  private link(e: number): void {
    const { head, next, from, to } = this;
    next[2 * e] = head[from[e]];
    head[from[e]] = 2 * e;
    next[2 * e + 1] = head[to[e]];
    head[to[e]] = 2 * e + 1;
  }

  /** Where the edge stands in the table, or would. */
  private find(a: number, b: number): number {
    const { table, from, to } = this;
    const mask = table.length - 1;
    let at = Math.imul(a * this.count + b, 0x9e3779b1) >>> 7;
    for (;;) {
      at &= mask;
      const e = table[at];
      if (e === none || (from[e] === a && to[e] === b)) return at;
      at++;
    }
  }

  private growEdges(): void {
    const size = 2 * this.from.length;
    this.from = grown(this.from, size);
    this.to = grown(this.to, size);
    this.next = grown(this.next, 2 * size);
  }

  private growTable(): void {
    this.table = new Int32Array(2 * this.table.length).fill(none);
    for (let e = 0; e < this.edgeCount; e++) this.table[this.find(this.from[e], this.to[e])] = e;
  }

  private growLater(): void {
    const size = 2 * this.later.length;
    this.later = grown(this.later, size);
    this.laterEdges = grown(this.laterEdges, size);
  }
}

function grown(array: Int32Array, size: number): Int32Array {
  const larger = new Int32Array(size);
  larger.set(array);
  return larger;
}
