/**
 * Pairs of shapes that may touch: those whose boxes meet. The caller writes an axis-aligned box for every shape, grown by what a step
 * can move it, and gets the pairs in ascending order. Which pairs come out depends on the boxes alone, not on what was there before.
 *
 * Inside, every shape has a wider box in a tree, and pairs of wider boxes are kept from update to update. While a shape stays in its
 * wider box an update looks at it once and changes nothing; when it leaves, it gets a new one, and its pairs are found again. So bodies far apart cost six comparisons each.
 *
 * Half-spaces have no box: they are compared with every shape that may touch them, in closed form.
 */
import { BOX_SIZE, BoxTree, boxesMeet } from "./boxTree.ts";
import { PairList } from "./pairList.ts";

/** How much wider the boxes in the tree are on every side, as a share of a box's longest edge. */
const ROOM = 0.1;

/** How many updates ahead they look, for a shape that moves on as it did: no farther than a longest edge. */
const AHEAD = 8;
/** A new wider box is at most 6.6 longest edges long, wide and high together; one beyond this is of a shape that was faster once. */
const TOO_ROOMY = 8;

/** Whether two shapes may touch at all. Asked when a pair comes near, not in every update; its answer must not change over time. */
export type PairFilter = (a: number, b: number) => boolean;

export interface BroadPhaseOptions {
  /** Shapes without a box. Default none. */
  readonly isHalfSpace?: (shape: number) => boolean;
  /** Default: every pair. */
  readonly mayTouch?: PairFilter;
}

export class BroadPhase {
  /**
   * Six numbers per shape, written by the caller before `update`: lower x, y, z and upper x, y, z of its box in the world, or of a
   * half-space its unit normal 3 and offset (n·x ≤ offset is solid) and two that are not read. A box whose lower end is above its upper
   * end, or is no number, touches nothing.
   */
  readonly bounds: Float64Array;
  /** The pairs of the last update, `first[i] < second[i]`, in ascending order; those with a half-space come after all others. */
  first = new Int32Array(64);
  second = new Int32Array(64);
  count = 0;

  readonly #tree: BoxTree;
  readonly #mayTouch: PairFilter;
  /** Pairs of wider boxes that meet. */
  readonly #near: PairList;
  /** Shapes that left their wider box in this update. */
  readonly #moved: Uint8Array;
  readonly #found: Int32Array;
  /** The bounds of the last update. */
  readonly #before: Float64Array;
  readonly #boxed: Int32Array;
  readonly #halfSpaces: readonly { readonly shape: number; readonly others: Int32Array }[];

  constructor(shapes: number, { isHalfSpace = () => false, mayTouch = () => true }: BroadPhaseOptions = {}) {
    this.bounds = new Float64Array(BOX_SIZE * shapes);
    this.#before = new Float64Array(BOX_SIZE * shapes);
    this.#tree = new BoxTree(shapes);
    this.#near = new PairList(shapes);
    this.#mayTouch = mayTouch;
    this.#moved = new Uint8Array(shapes);
    this.#found = new Int32Array(shapes);
    const all = Array.from({ length: shapes }, (_, shape) => shape);
    this.#boxed = Int32Array.from(all.filter((shape) => !isHalfSpace(shape)));
    this.#halfSpaces = all.filter(isHalfSpace).map((shape) => ({
      shape,
      others: this.#boxed.filter((other) => mayTouch(Math.min(shape, other), Math.max(shape, other))),
    }));
  }

  /** Boxes compared in the tree so far: what searching costs, as a count that no machine changes. */
  get comparisons(): number {
    return this.#tree.comparisons;
  }

  /** Finds the pairs of the boxes that are in `bounds` now. */
  update(): void {
    if (this.#renewBoxes()) this.#renewNear();
    this.#before.set(this.bounds);
    this.count = 0;
    const near = this.#near;
    for (let i = 0; i < near.count; i++) {
      const a = near.first(i);
      const b = near.second(i);
      if (boxesMeet(this.bounds, a, this.bounds, b)) this.#give(a, b);
    }
    for (let k = 0; k < this.#halfSpaces.length; k++) {
      const { shape, others } = this.#halfSpaces[k];
      for (let i = 0; i < others.length; i++) {
        if (this.#reachesHalfSpace(others[i], shape))
          this.#give(Math.min(shape, others[i]), Math.max(shape, others[i]));
      }
    }
  }

  /** New wider boxes for shapes that left theirs; whether there were any. */
  #renewBoxes(): boolean {
    const { bounds } = this;
    const tree = this.#tree;
    const moved = this.#moved;
    const wide = tree.boxes;
    let any = false;
    for (let k = 0; k < this.#boxed.length; k++) {
      const shape = this.#boxed[k];
      const p = BOX_SIZE * shape;
      moved[shape] = 0;
      const x = bounds[p + 3] - bounds[p];
      const y = bounds[p + 4] - bounds[p + 1];
      const z = bounds[p + 5] - bounds[p + 2];
      const longest = Math.max(x, y, z);
      const isThere = tree.has(shape);
      if (isThere && isInside(bounds, wide, p) && isFitting(wide, p, longest)) continue;
      const isBox = x >= 0 && y >= 0 && z >= 0;
      if (!isBox && !isThere) continue;
      any = true;
      moved[shape] = 1;
      if (isThere) tree.remove(shape);
      if (!isBox) continue;
      const room = ROOM * longest;
      for (let j = 0; j < 3; j++) {
        // by its middle: boxes may grow and shrink from one update to the next
        const now = bounds[p + j] + bounds[p + j + 3];
        const ahead = isThere ? (AHEAD / 2) * (now - this.#before[p + j] - this.#before[p + j + 3]) : 0;
        wide[p + j] = bounds[p + j] - room + Math.min(0, Math.max(ahead, -longest));
        wide[p + j + 3] = bounds[p + j + 3] + room + Math.max(0, Math.min(ahead, longest));
      }
      tree.insert(shape);
    }
    return any;
  }

  /** Pairs of wider boxes: those of shapes that moved are found again. */
  #renewNear(): void {
    const near = this.#near;
    const moved = this.#moved;
    const found = this.#found;
    near.removeMarked(moved);
    for (let k = 0; k < this.#boxed.length; k++) {
      const shape = this.#boxed[k];
      if (!moved[shape] || !this.#tree.has(shape)) continue;
      const count = this.#tree.query(shape, found);
      for (let i = 0; i < count; i++) {
        const other = found[i];
        // of two that moved, the lower one finds the pair
        if (moved[other] && other < shape) continue;
        if (this.#mayTouch(Math.min(shape, other), Math.max(shape, other))) near.add(shape, other);
      }
    }
    near.sort();
  }

  /** The corner of the box that lies deepest along −n: n·c − |n|·e ≤ offset. */
  #reachesHalfSpace(shape: number, halfSpace: number): boolean {
    const { bounds } = this;
    const p = BOX_SIZE * shape;
    const q = BOX_SIZE * halfSpace;
    let depth = 0;
    for (let j = 0; j < 3; j++) {
      const n = bounds[q + j];
      // a box may be endless where the normal does not look
      if (n !== 0) depth += n * (n > 0 ? bounds[p + j] : bounds[p + j + 3]);
      if (!(bounds[p + j] <= bounds[p + j + 3])) return false;
    }
    return depth <= bounds[q + 3];
  }

  #give(a: number, b: number): void {
    if (this.count === this.first.length) {
      this.first = longer(this.first);
      this.second = longer(this.second);
    }
    this.first[this.count] = a;
    this.second[this.count++] = b;
  }
}

function isInside(bounds: Float64Array, wide: Float64Array, p: number): boolean {
  return (
    wide[p] <= bounds[p] &&
    wide[p + 1] <= bounds[p + 1] &&
    wide[p + 2] <= bounds[p + 2] &&
    bounds[p + 3] <= wide[p + 3] &&
    bounds[p + 4] <= wide[p + 4] &&
    bounds[p + 5] <= wide[p + 5]
  );
}

function isFitting(wide: Float64Array, p: number, longest: number): boolean {
  return wide[p + 3] - wide[p] + wide[p + 4] - wide[p + 1] + wide[p + 5] - wide[p + 2] <= TOO_ROOMY * longest;
}

function longer(list: Int32Array): Int32Array<ArrayBuffer> {
  const twice = new Int32Array(2 * list.length);
  twice.set(list);
  return twice;
}
