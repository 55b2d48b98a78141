/**
 * A priority queue of nodes with keys that change: a binary heap in which old entries stay and are skipped. Keys are
 * compared entry by entry, smaller first, then nodes by index.
 */
interface Candidate {
  readonly node: number;
  readonly key: readonly number[];
}

export class CandidateQueue {
  readonly #heap: Candidate[] = [];
  /** The entry that counts, for each node still in the queue. */
  readonly #current: (Candidate | undefined)[];

  constructor(count: number) {
    this.#current = new Array<Candidate | undefined>(count).fill(undefined);
  }

  /** Adds a node, or changes its key. */
  put(node: number, key: readonly number[]): void {
    const candidate = { node, key };
    this.#current[node] = candidate;
    const heap = this.#heap;
    let at = heap.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (compare(heap[above], candidate) <= 0) break;
      heap[at] = heap[above];
      at = above;
    }
    heap[at] = candidate;
  }

  /** Removes the node with the smallest key; undefined when the queue is empty. */
  take(): number | undefined {
    for (let top = this.#pop(); top !== undefined; top = this.#pop()) {
      if (this.#current[top.node] !== top) continue;
      this.#current[top.node] = undefined;
      return top.node;
    }
    return undefined;
  }

  #pop(): Candidate | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return top;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && compare(heap[below + 1], heap[below]) < 0) below++;
      if (compare(last, heap[below]) <= 0) break;
      heap[at] = heap[below];
      at = below;
    }
    heap[at] = last;
    return top;
  }
}

function compare(a: Candidate, b: Candidate): number {
  for (let i = 0; i < a.key.length; i++) {
    if (a.key[i] !== b.key[i]) return a.key[i] - b.key[i];
  }
  return a.node - b.node;
}
