/**
 * The direction along which two bodies that just touch are farthest apart, by the parts that they can touch with: searches by simplices and
 * polytopes know it to the root of rounding there. From a direction near by, f(n) of dualAscent.ts is largest
 *   on a face             at its normal: sides of boxes and hulls, ends of cylinders
 *   between two lines     across both: edges of boxes, sides of cylinders, axes of capsules
 *   beside one line       somewhere across it
 *   between curved parts  anywhere
 * f of any direction is a lower bound of the distance, so the largest is the best, whichever it is.
 */
import type { DualAscent } from "./dualAscent.ts";
import type { Minkowski } from "./minkowski.ts";
import { coreKind, type SupportCore } from "./supportCore.ts";
import { crossInto, dot } from "./vectors.ts";

/** Cosines to the direction, from which on a face may be met, and up to which a line may. */
const FACING = 0.8;
const ACROSS = 0.6;
/** Square of the sine of two lines below which their perpendicular says nothing. */
const PARALLEL = 1e-6;
/** Two as a rule: the second one finds nothing better. */
const mostRounds = 12;

const inPlace = Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1);

export class PartDirections {
  /** The best direction, after `climb`. */
  readonly n = new Float64Array(3);

  private readonly ascent: DualAscent;
  private height = 0;
  private readonly start = new Float64Array(3);
  /** Directions of edges and normals of faces, those of a first. */
  private readonly axes = Array.from({ length: 6 }, () => new Float64Array(3));

  constructor(ascent: DualAscent) {
    this.ascent = ascent;
  }

  /** The largest f that there is near a direction: from part to part, for as long as that goes up. */
  climb(body: Minkowski, from: Float64Array): number {
    const ofA = this.axesInto(0, body.a, inPlace);
    const all = this.axesInto(ofA, body.b, body.placement);
    this.height = Number.NEGATIVE_INFINITY;
    this.n.set(from);
    for (let round = 0; round < mostRounds; round++) {
      const before = this.height;
      this.tryParts(body, ofA, all);
      if (!(this.height > before + 1e-14 * body.scale)) break;
    }
    return this.height;
  }

  private tryParts(body: Minkowski, ofA: number, all: number): void {
    const { axes, start, ascent } = this;
    start.set(this.n);
    this.climbAcross(body, undefined);
    this.lookAtFaces(body, body.a.normals, inPlace);
    this.lookAtFaces(body, body.b.normals, body.placement);
    for (let i = 0; i < all; i++) {
      const cosine = Math.abs(dot(axes[i], start));
      if (cosine > FACING) {
        ascent.n.set(axes[i]);
        this.look(body);
      }
      if (cosine > ACROSS) continue;
      this.climbAcross(body, axes[i]);
      for (let j = ofA; i < ofA && j < all; j++) {
        crossInto(ascent.n, axes[i], axes[j]);
        if (dot(ascent.n, ascent.n) > PARALLEL) this.look(body);
      }
    }
  }

  /** Looks along the normals of a hull's faces that are met. */
  private lookAtFaces(body: Minkowski, normals: Float64Array, m: Float64Array): void {
    const { n } = this.ascent;
    for (let f = 0; f < normals.length; f += 3) {
      for (let k = 0; k < 3; k++)
        n[k] = m[3 + 3 * k] * normals[f] + m[4 + 3 * k] * normals[f + 1] + m[5 + 3 * k] * normals[f + 2];
      if (Math.abs(dot(n, this.start)) > FACING) this.look(body);
    }
  }

  private climbAcross(body: Minkowski, line: Float64Array | undefined): void {
    this.ascent.n.set(this.start);
    if (this.ascent.ascend(body, line) > this.height) this.keep();
  }

  /** Looks along the ascent's direction, of any length and sign. */
  private look(body: Minkowski): void {
    const { n, pair } = this.ascent;
    const scale = (dot(n, this.start) < 0 ? -1 : 1) / Math.sqrt(dot(n, n));
    for (let k = 0; k < 3; k++) n[k] *= scale;
    this.ascent.height = body.pair(pair, 0, n[0], n[1], n[2]);
    if (this.ascent.height > this.height) this.keep();
  }

  private keep(): void {
    this.height = this.ascent.height;
    this.n.set(this.ascent.n);
  }

  /** Writes the axes of a box, a cylinder or a segment after `count` others; returns how many there are then. */
  private axesInto(count: number, { kind }: SupportCore, m: Float64Array): number {
    const hasAxes = kind === coreKind.box || kind === coreKind.cylinder || kind === coreKind.segment;
    let at = count;
    for (let axis = kind === coreKind.box ? 0 : 2; hasAxes && axis < 3; axis++, at++)
      for (let k = 0; k < 3; k++) this.axes[at][k] = m[3 + 3 * k + axis];
    return at;
  }
}
