/**
 * The two sides of a contact or joint between moving bodies: the bodies that either carries along by other joints and contacts. It
 * passes on no more than what its lighter side weighs; but a side that the world holds, by a joint or a contact, weighs as much as is put
 * on it. Bodies are nodes of a graph, the world is one more, and whatever ties two of them is an edge. Only an edge without which its ends
 * would fall apart has two sides, so one search for such edges (lowest number that a subtree reaches round its edge) serves all of them, in
 * time in proportion to their number.
 */
import type { NodePlace } from "../../kernels/index.ts";
import { type Mechanism, worldIndex } from "../../mechanism/index.ts";

export class SideMasses {
  private readonly count: number;
  /** Ends of joints that hold something. */
  private readonly joints: Int32Array;
  private edges: Int32Array = new Int32Array(64);
  private edgeCount = 0;
  // neighbours of node i: neighbour[start[i]] to neighbour[start[i + 1]]
  private readonly start: Int32Array;
  private neighbour: Int32Array = new Int32Array(64);
  private readonly cursor: Int32Array;
  // of the search
  private readonly found: Int32Array;
  private readonly lowest: Int32Array;
  private readonly above: Int32Array;
  private readonly root: Int32Array;
  private readonly below: Float64Array;
  private readonly stack: Int32Array;

  constructor({ bodies, joints }: Mechanism) {
    this.count = bodies.length + 1;
    const holding = joints.filter(({ shape }) => shape.translation + shape.rotation > 0);
    this.joints = Int32Array.from(holding.flatMap(({ parent, child }) => [parent, child]));
    const nodes = (length = this.count): Int32Array => new Int32Array(length);
    this.start = nodes(this.count + 1);
    this.cursor = nodes();
    this.found = nodes();
    this.lowest = nodes();
    this.above = nodes();
    this.root = nodes();
    this.stack = nodes();
    this.below = new Float64Array(this.count);
  }

  /** Updates the masses for these contacts, and masses by body. */
  update(contacts: readonly NodePlace[], mass: Float64Array): void {
    this.edgeCount = 0;
    for (let k = 0; k < this.joints.length; k += 2) this.addEdge(this.joints[k], this.joints[k + 1]);
    for (let k = 0; k < contacts.length; k++) {
      const { bodies, kind } = contacts[k];
      if (kind === "contact") this.addEdge(bodies[0], bodies[1]);
    }
    this.listNeighbours();
    this.search(mass);
  }

  /** Mass of the lighter side of a contact or joint between two bodies, Infinity where the world holds both. */
  lighter({ bodies: [other, body] }: NodePlace): number {
    const whole = this.wholeOf(body);
    // a joint that constrains nothing ties nothing
    if (this.root[other] !== this.root[body]) return Math.min(whole, this.wholeOf(other));
    const { below } = this;
    const child = this.isBridge(other, body) ? body : this.isBridge(body, other) ? other : -1;
    if (child < 0) return whole;
    // the world, where it is there, is the root
    return Math.min(below[child], whole - below[child]);
  }

  /** Mass of all that is tied to a body, Infinity where the world is. */
  private wholeOf(body: number): number {
    const root = this.root[body];
    return root === this.count - 1 ? Number.POSITIVE_INFINITY : this.below[root];
  }

  /** Whether `child` would fall off `parent` without their edge. */
  private isBridge(parent: number, child: number): boolean {
    return this.above[child] === parent && this.lowest[child] > this.found[parent];
  }

  private addEdge(i: number, j: number): void {
    if (2 * this.edgeCount === this.edges.length) {
      const longer = new Int32Array(2 * this.edges.length);
      longer.set(this.edges);
      this.edges = longer;
    }
    const world = this.count - 1;
    this.edges[2 * this.edgeCount] = i === worldIndex ? world : i;
    this.edges[2 * this.edgeCount + 1] = j === worldIndex ? world : j;
    this.edgeCount++;
  }

  private listNeighbours(): void {
    const { edges, start, cursor, count } = this;
    const ends = 2 * this.edgeCount;
    if (this.neighbour.length < ends) this.neighbour = new Int32Array(2 * ends);
    start.fill(0);
    for (let k = 0; k < ends; k++) start[edges[k] + 1]++;
    for (let i = 0; i < count; i++) start[i + 1] += start[i];
    for (let i = 0; i < count; i++) cursor[i] = start[i];
    for (let k = 0; k < ends; k += 2) {
      this.neighbour[cursor[edges[k]]++] = edges[k + 1];
      this.neighbour[cursor[edges[k + 1]]++] = edges[k];
    }
  }

  /** Depth first, from the world, then from whatever has not been reached. */
  private search(mass: Float64Array): void {
    const { found, lowest, above, below, start, cursor, neighbour, stack, count } = this;
    found.fill(0);
    let number = 0;
    for (let from = count - 1; from >= 0; from--) {
      if (found[from] > 0) continue;
      let depth = 0;
      stack[0] = from;
      above[from] = -1;
      this.reach(from, ++number, from, mass);
      while (depth >= 0) {
        const i = stack[depth];
        if (cursor[i] < start[i + 1]) {
          const j = neighbour[cursor[i]++];
          // several edges to the one above count as one
          if (j === above[i]) continue;
          if (found[j] > 0) {
            if (found[j] < lowest[i]) lowest[i] = found[j];
            continue;
          }
          above[j] = i;
          this.reach(j, ++number, from, mass);
          stack[++depth] = j;
          continue;
        }
        depth--;
        const up = above[i];
        if (up < 0) continue;
        below[up] += below[i];
        if (lowest[i] < lowest[up]) lowest[up] = lowest[i];
      }
    }
  }

  private reach(i: number, number: number, root: number, mass: Float64Array): void {
    this.found[i] = this.lowest[i] = number;
    this.root[i] = root;
    this.cursor[i] = this.start[i];
    this.below[i] = i < this.count - 1 ? mass[i] : 0;
  }
}
