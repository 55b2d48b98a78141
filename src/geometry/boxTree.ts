/**
 * Binary tree of axis-aligned boxes that can be changed leaf by leaf [Catto 2019, "Dynamic bounding volume hierarchies"]. A new leaf
 * goes where the sum of the surface areas of all inner boxes, which is what a query costs, grows least; on the way back up, a child
 * changes places with a grandchild where that makes an inner box smaller, so that the tree keeps its quality while things move.
 *
 * Everything lies in flat arrays: leaves are nodes 0 … count − 1 by the caller's numbers, inner nodes follow. A box is six numbers, lower x, y, z and
 * upper x, y, z. Nothing is allocated after construction.
 */

/** Numbers per box. */
export const BOX_SIZE = 6;
const NONE = -1;

export class BoxTree {
  readonly #boxes: Float64Array;
  readonly #parent: Int32Array;
  readonly #left: Int32Array;
  readonly #right: Int32Array;
  /** Inner nodes that are not in use. */
  readonly #spare: Int32Array;
  #spareCount: number;
  readonly #stack: Int32Array;
  readonly #count: number;
  #root = NONE;
  /** Boxes compared by queries so far: what a query costs, as a count. */
  comparisons = 0;

  /** `boxes` holds those of the leaves, 6 numbers each; its owner writes a leaf's box before inserting the leaf, and leaves it alone until it is removed. */
  constructor(count: number) {
    const nodes = Math.max(1, 2 * count - 1);
    this.#count = count;
    this.#boxes = new Float64Array(BOX_SIZE * nodes);
    this.#parent = new Int32Array(nodes).fill(NONE);
    this.#left = new Int32Array(nodes).fill(NONE);
    this.#right = new Int32Array(nodes).fill(NONE);
    this.#spare = Int32Array.from({ length: Math.max(0, count - 1) }, (_, i) => nodes - 1 - i);
    this.#spareCount = this.#spare.length;
    this.#stack = new Int32Array(count + 1);
  }

  /** Boxes of leaves, by leaf. To be changed only while the leaf is not in the tree. */
  get boxes(): Float64Array {
    return this.#boxes;
  }

  has(leaf: number): boolean {
    return this.#root === leaf || this.#parent[leaf] !== NONE;
  }

  insert(leaf: number): void {
    if (this.#root === NONE) {
      this.#root = leaf;
      return;
    }
    const sibling = this.#bestSibling(leaf);
    const above = this.#parent[sibling];
    const node = this.#spare[--this.#spareCount];
    this.#left[node] = sibling;
    this.#right[node] = leaf;
    this.#parent[sibling] = node;
    this.#parent[leaf] = node;
    this.#replaceChild(above, sibling, node);
    this.#refit(node);
  }

  remove(leaf: number): void {
    if (this.#root === leaf) {
      this.#root = NONE;
      return;
    }
    const node = this.#parent[leaf];
    const above = this.#parent[node];
    const sibling = this.#left[node] === leaf ? this.#right[node] : this.#left[node];
    this.#replaceChild(above, node, sibling);
    this.#parent[leaf] = NONE;
    this.#spare[this.#spareCount++] = node;
    this.#refit(above);
  }

  /** Writes the leaves whose boxes meet that of `leaf`, itself left out, from `out[0]` on; returns how many, in no particular order. */
  query(leaf: number, out: Int32Array): number {
    if (this.#root === NONE) return 0;
    let found = 0;
    let depth = 0;
    this.#stack[depth++] = this.#root;
    while (depth > 0) {
      const node = this.#stack[--depth];
      this.comparisons++;
      if (!boxesMeet(this.#boxes, node, this.#boxes, leaf)) continue;
      if (node < this.#count) {
        if (node !== leaf) out[found++] = node;
        continue;
      }
      this.#stack[depth++] = this.#left[node];
      this.#stack[depth++] = this.#right[node];
    }
    return found;
  }

  /** Goes down to the child whose box grows less, and stops where a new parent above it costs no more than the best that is below. */
  #bestSibling(leaf: number): number {
    const boxes = this.#boxes;
    let node = this.#root;
    // what all boxes above the node grow by
    let inherited = 0;
    while (node >= this.#count) {
      const direct = unionArea(boxes, node, leaf);
      const grown = inherited + direct - area(boxes, node);
      const a = this.#left[node];
      const b = this.#right[node];
      const costA = this.#costBelow(a, leaf, grown);
      const costB = this.#costBelow(b, leaf, grown);
      if (inherited + direct < costA && inherited + direct < costB) break;
      inherited = grown;
      node = costA < costB ? a : b;
    }
    return node;
  }

  /** A leaf gets a parent about both; an inner node may take the new leaf in below, for which the growth of its box is the least price. */
  #costBelow(node: number, leaf: number, inherited: number): number {
    const union = unionArea(this.#boxes, node, leaf);
    return inherited + (node < this.#count ? union : union - area(this.#boxes, node));
  }

  #replaceChild(above: number, old: number, child: number): void {
    this.#parent[child] = above;
    if (above === NONE) this.#root = child;
    else if (this.#left[above] === old) this.#left[above] = child;
    else this.#right[above] = child;
  }

  /** Boxes from a node up to the root, and changed places where they help. */
  #refit(from: number): void {
    for (let node = from; node !== NONE; node = this.#parent[node]) {
      uniteInto(this.#boxes, node, this.#left[node], this.#right[node]);
      this.#rotate(node);
    }
  }

  /** One child changes places with a child of the other, where the other's box shrinks by it. */
  #rotate(node: number): void {
    const boxes = this.#boxes;
    let best = 0;
    let up = NONE;
    for (let side = 0; side < 2; side++) {
      const child = side === 0 ? this.#left[node] : this.#right[node];
      const other = side === 0 ? this.#right[node] : this.#left[node];
      if (other < this.#count) continue;
      const old = area(boxes, other);
      const gainLeft = old - unionArea(boxes, child, this.#right[other]);
      const gainRight = old - unionArea(boxes, child, this.#left[other]);
      if (gainLeft > best) {
        best = gainLeft;
        up = this.#left[other];
      }
      if (gainRight > best) {
        best = gainRight;
        up = this.#right[other];
      }
    }
    if (up === NONE) return;
    const inner = this.#parent[up];
    const kept = this.#left[inner] === up ? this.#right[inner] : this.#left[inner];
    const down = this.#left[node] === inner ? this.#right[node] : this.#left[node];
    this.#left[inner] = down;
    this.#right[inner] = kept;
    this.#parent[down] = inner;
    uniteInto(boxes, inner, down, kept);
    this.#left[node] = inner;
    this.#right[node] = up;
    this.#parent[up] = node;
  }
}

/** Whether box i of one array and box j of another have a point in common; a box with an entry that is no number meets none. */
export function boxesMeet(a: Float64Array, i: number, b: Float64Array, j: number): boolean {
  const p = BOX_SIZE * i;
  const q = BOX_SIZE * j;
  return (
    a[p] <= b[q + 3] &&
    b[q] <= a[p + 3] &&
    a[p + 1] <= b[q + 4] &&
    b[q + 1] <= a[p + 4] &&
    a[p + 2] <= b[q + 5] &&
    b[q + 2] <= a[p + 5]
  );
}

/** Half of a box's surface. */
function area(boxes: Float64Array, node: number): number {
  const p = BOX_SIZE * node;
  const x = boxes[p + 3] - boxes[p];
  const y = boxes[p + 4] - boxes[p + 1];
  const z = boxes[p + 5] - boxes[p + 2];
  return x * y + y * z + z * x;
}

/** Half of the surface of the box about two. */
function unionArea(boxes: Float64Array, a: number, b: number): number {
  const p = BOX_SIZE * a;
  const q = BOX_SIZE * b;
  const x = Math.max(boxes[p + 3], boxes[q + 3]) - Math.min(boxes[p], boxes[q]);
  const y = Math.max(boxes[p + 4], boxes[q + 4]) - Math.min(boxes[p + 1], boxes[q + 1]);
  const z = Math.max(boxes[p + 5], boxes[q + 5]) - Math.min(boxes[p + 2], boxes[q + 2]);
  return x * y + y * z + z * x;
}

function uniteInto(boxes: Float64Array, out: number, a: number, b: number): void {
  const o = BOX_SIZE * out;
  const p = BOX_SIZE * a;
  const q = BOX_SIZE * b;
  for (let k = 0; k < 3; k++) {
    boxes[o + k] = Math.min(boxes[p + k], boxes[q + k]);
    boxes[o + k + 3] = Math.max(boxes[p + k + 3], boxes[q + k + 3]);
  }
}
