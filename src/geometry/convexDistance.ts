/**
 * Signed distance of any two convex bodies by their support points, with nearest (deepest) points and normal.
 *   apart        Gilbert, Johnson and Keerthi's simplices [GJK 1988], sharpened where bodies are curved (sharpen.ts)
 *   overlapping  a polytope that grows inside b − a [van den Bergen 2001], sharpened likewise (expandingPolytope.ts)
 * Lower and upper bounds of the distance meet at the end: flat bodies to rounding, curved ones to about 1e-14 of their size.
 */
import { ExpandingPolytope } from "./expandingPolytope.ts";
import { Minkowski } from "./minkowski.ts";
import { PartDirections } from "./partDirections.ts";
import { Sharpening } from "./sharpen.ts";
import { pairSize, Simplex } from "./simplex.ts";
import { isCurved, type SupportCore } from "./supportCore.ts";

const manyIterations = 120;

export class ConvexDistance {
  /** Unit vector along which b leaves a, and the nearest points, all in a's frame. */
  readonly normal = new Float64Array(3);
  readonly pointOfA = new Float64Array(3);
  readonly pointOfB = new Float64Array(3);
  /** How many support pairs the last call looked at, Newton's not counted. */
  iterations = 0;
  /** Whether bounds met. */
  isProved = false;

  private readonly body = new Minkowski();
  private readonly simplex = new Simplex();
  private readonly sharpening = new Sharpening();
  private readonly polytope = new ExpandingPolytope();
  private readonly parts = new PartDirections(this.sharpening.ascent);
  private readonly pair = new Float64Array(pairSize);
  private readonly best = new Float64Array(3);

  /** `placement` is b's frame in a's: position, then rows of the rotation matrix. */
  between(a: SupportCore, b: SupportCore, placement: Float64Array): number {
    const { body, normal, pointOfA, pointOfB } = this;
    body.set(a, b, placement);
    const curved = isCurved(a) || isCurved(b);
    let distance = this.coreDistance(curved);
    if (curved && !this.isProved) distance = this.climbed();
    for (let k = 0; k < 3; k++) {
      pointOfA[k] += a.radius * normal[k];
      pointOfB[k] -= b.radius * normal[k];
    }
    return distance - a.radius - b.radius;
  }

  /** What simplices and polytopes leave open where bodies just touch; the points are moved to be as far apart. */
  private climbed(): number {
    const { body, normal, pointOfA, pointOfB, parts } = this;
    const height = parts.climb(body, normal);
    normal.set(parts.n);
    for (let k = 0; k < 3; k++) {
      const middle = (pointOfA[k] + pointOfB[k]) / 2;
      pointOfA[k] = middle - (height / 2) * normal[k];
      pointOfB[k] = middle + (height / 2) * normal[k];
    }
    return height;
  }

  private coreDistance(curved: boolean): number {
    const { body, simplex, pair, normal, best } = this;
    const m = body.placement;
    const start = Math.sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
    for (let k = 0; k < 3; k++) normal[k] = start > 0 ? m[k] / start : k === 2 ? 1 : 0;
    best.set(normal);
    let lower = body.pair(pair, 0, normal[0], normal[1], normal[2]);
    simplex.count = 0;
    simplex.push(pair, 0);
    let nextSharpening = 0.03 * body.scale;
    let last = Number.POSITIVE_INFINITY;
    let isPlaced = false;
    this.isProved = false;

    for (this.iterations = 1; this.iterations < manyIterations; this.iterations++) {
      simplex.reduce();
      const { nearest } = simplex;
      const upper = Math.sqrt(nearest[0] * nearest[0] + nearest[1] * nearest[1] + nearest[2] * nearest[2]);
      if (simplex.count === 4 || upper <= 1e-10 * body.scale) return this.overlap(curved);
      if (!(upper < last)) break;
      last = upper;
      for (let k = 0; k < 3; k++) normal[k] = nearest[k] / upper;
      const height = body.pair(pair, 0, normal[0], normal[1], normal[2]);
      if (height > lower) {
        lower = height;
        best.set(normal);
      }
      // the last points that are sound: rounding may spoil a simplex that is nearly flat
      if (upper - height <= 1e-6 * body.scale) {
        simplex.combine(this.pointOfA, 3);
        simplex.combine(this.pointOfB, 6);
        isPlaced = true;
      }
      if (upper - height <= 1e-15 * body.scale) {
        this.isProved = true;
        break;
      }
      if (curved && upper - height <= nextSharpening) {
        if (this.sharpened()) return this.sharpening.ascent.height;
        nextSharpening = (upper - height) / 4;
      }
      if (simplex.has(pair, 0)) break;
      simplex.push(pair, 0);
    }
    // near contact a simplex gives the distance to rounding but no good normal: its parts do
    if (!this.isProved && this.sharpened()) return this.sharpening.ascent.height;
    if (!isPlaced) {
      simplex.combine(this.pointOfA, 3);
      simplex.combine(this.pointOfB, 6);
    }
    // the upper bound is exact where bodies are flat; where bounds of curved ones did not meet, the lower one errs to the safe side
    if (!curved || last - lower <= 1e-10 * body.scale) return last;
    normal.set(best);
    return lower;
  }

  private sharpened(): boolean {
    const { sharpening, normal } = this;
    if (!sharpening.run(this.body, this.simplex, normal) || !(sharpening.ascent.height > 0)) return false;
    normal.set(sharpening.ascent.n);
    this.pointOfA.set(sharpening.pointOfA);
    this.pointOfB.set(sharpening.pointOfB);
    this.isProved = true;
    return true;
  }

  private overlap(curved: boolean): number {
    const { polytope, normal, pointOfA, pointOfB } = this;
    const height = polytope.run(this.body, this.simplex, curved);
    this.iterations += polytope.iterations;
    // next to nothing is a depth at which a polytope may end by rounding
    this.isProved = polytope.isProved && (!curved || height < -1e-6 * this.body.scale);
    normal.set(polytope.normal);
    pointOfA.set(polytope.pointOfA);
    pointOfB.set(polytope.pointOfB);
    return height;
  }
}
