/**
 * Pairs of shapes that may be near each other, kept from step to step with what is known of their distances.
 *
 * The list comes from boxes that are wider than a step asks for, and stands until a shape has gone farther than its box is wide. Where
 * there are few shapes, as a robot has, it is the list of all pairs that may touch, and stands for good. Of each pair it has a unit vector
 * along which the two were apart when they were last looked at, as it turns with either of them, and a *bound*: the distance then, plus the
 * ways that both had gone. While that exceeds the ways gone by now and the ways to come, the pair need not be looked at.
 *
 * Nothing here changes what is found, only what it takes to find it: who skips a pair by its bound would have found nothing.
 */
import type { BroadPhase } from "../../geometry/index.ts";
import { directionSize } from "./keptSeparation.ts";

/** How many times as wide as a step asks for boxes are. */
const ROOM = 6;
/** Pairs that may touch, up to which all of them are listed: a look at each is no more than a look at boxes. */
const FEW = 1000;

export class NearPairs {
  count = 0;
  first = new Int32Array(64);
  second = new Int32Array(64);
  /** Each pair's distance plus ways gone when it was looked at, −∞ before; the vector, in the frames of both shapes, NaN before. */
  bound = new Float64Array(64);
  direction = new Float64Array(directionSize * 64);

  private readonly listsAll: boolean;
  private readonly broad: BroadPhase;
  private readonly isHalfSpace: (shape: number) => boolean;
  /** Where the way of each shape ends on which the list holds, and how wide boxes are. */
  private readonly limit: Float64Array;
  readonly width: Float64Array;
  private oldFirst = new Int32Array(64);
  private oldSecond = new Int32Array(64);
  private oldBound = new Float64Array(64);
  private oldDirection = new Float64Array(directionSize * 64);

  constructor(
    broad: BroadPhase,
    shapes: number,
    isHalfSpace: (shape: number) => boolean,
    mayTouch: (a: number, b: number) => boolean,
  ) {
    this.broad = broad;
    this.isHalfSpace = isHalfSpace;
    this.limit = new Float64Array(shapes).fill(Number.NEGATIVE_INFINITY);
    this.width = new Float64Array(shapes);
    this.listsAll = shapes * shapes <= 4 * FEW && this.listAll(shapes, mayTouch);
    this.clear();
  }

  /** Forgets all that was known of distances. */
  clear(): void {
    if (this.listsAll) {
      this.bound.fill(Number.NEGATIVE_INFINITY);
      this.direction.fill(Number.NaN);
      return;
    }
    this.count = 0;
    this.limit.fill(Number.NEGATIVE_INFINITY);
  }

  /** Lists all pairs in the order of the broad phase, if they are few. */
  private listAll(shapes: number, mayTouch: (a: number, b: number) => boolean): boolean {
    const pairs: [number, number][] = [];
    for (let a = 0; a < shapes; a++)
      for (let b = a + 1; b < shapes; b++)
        if (!(this.isHalfSpace(a) && this.isHalfSpace(b)) && mayTouch(a, b)) pairs.push([a, b]);
    if (pairs.length > FEW) return false;
    pairs.sort(([a, b], [c, d]) => (this.isBefore(a, b, c, d) ? -1 : 1));
    this.grow(pairs.length);
    this.first.set(pairs.map(([a]) => a));
    this.second.set(pairs.map(([, b]) => b));
    this.count = pairs.length;
    return true;
  }

  /** Whether the list has all pairs that meet where shapes have gone so far and may go as far as `moves` besides. */
  holds(travelled: Float64Array, moves: Float64Array): boolean {
    if (this.listsAll) return true;
    const { limit } = this;
    for (let i = 0; i < limit.length; i++) if (!(travelled[i] + moves[i] <= limit[i])) return false;
    return true;
  }

  /** Sets how wide boxes are to be, for shapes that may go as far as `moves` in a step, and whose last way may have led through others. */
  widen(moves: Float64Array, lastWay: Float64Array): void {
    const { width } = this;
    for (let i = 0; i < width.length; i++) width[i] = ROOM * moves[i] + (lastWay[i] || 0);
  }

  /** Takes the pairs of the broad phase, whose boxes are `width` wider than shapes are. */
  take(travelled: Float64Array): void {
    const { broad, limit, width } = this;
    for (let i = 0; i < limit.length; i++) limit[i] = travelled[i] + width[i];
    const before = this.count;
    [this.first, this.oldFirst] = [this.oldFirst, this.first];
    [this.second, this.oldSecond] = [this.oldSecond, this.second];
    [this.bound, this.oldBound] = [this.oldBound, this.bound];
    [this.direction, this.oldDirection] = [this.oldDirection, this.direction];
    if (this.first.length < broad.count) this.grow(broad.first.length);
    const { first, second, bound, direction, oldFirst, oldSecond, oldBound, oldDirection } = this;
    // both lists are in the same order
    for (let i = 0, k = 0; i < broad.count; i++) {
      const a = broad.first[i];
      const b = broad.second[i];
      first[i] = a;
      second[i] = b;
      while (k < before && this.isBefore(oldFirst[k], oldSecond[k], a, b)) k++;
      const isKnown = k < before && oldFirst[k] === a && oldSecond[k] === b;
      bound[i] = isKnown ? oldBound[k] : Number.NEGATIVE_INFINITY;
      for (let j = 0; j < directionSize; j++)
        direction[directionSize * i + j] = isKnown ? oldDirection[directionSize * k + j] : Number.NaN;
    }
    this.count = broad.count;
  }

  /** Compares pairs in the order of the broad phase: pairs with half-spaces come last, one half-space after the other. */
  private isBefore(a: number, b: number, c: number, d: number): boolean {
    const space = this.spaceOf(a, b);
    const other = this.spaceOf(c, d);
    if (space !== other) return space < other;
    if (space >= 0) return a + b < c + d;
    return a !== c ? a < c : b < d;
  }

  private spaceOf(a: number, b: number): number {
    return this.isHalfSpace(a) ? a : this.isHalfSpace(b) ? b : -1;
  }

  private grow(length: number): void {
    this.first = new Int32Array(length);
    this.second = new Int32Array(length);
    this.bound = new Float64Array(length);
    this.direction = new Float64Array(directionSize * length);
  }
}
