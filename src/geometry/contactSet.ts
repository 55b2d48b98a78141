/**
 * Which part of a body is nearest, told from the corners of a simplex: a point, a line (an edge, the side of a cylinder) or a flat
 * face. The nearest points of two such parts follow in closed form once the normal is known.
 */
import { pairSize, type Simplex } from "./simplex.ts";
import { coreKind, type SupportCore } from "./supportCore.ts";
import { crossInto, dot } from "./vectors.ts";

/** Corners with less weight than this say nothing about the part that is nearest. */
const leastWeight = 1e-7;

export class ContactSet {
  /** 0 for a point, 1 for a line, 2 for a face. */
  dimension = 0;
  /** First corner, which a line or a face goes through. */
  readonly corner = new Float64Array(3);
  /** Vectors to the other corners. */
  readonly first = new Float64Array(3);
  readonly second = new Float64Array(3);
  /** Unit direction of a line, unit normal of a face. */
  readonly direction = new Float64Array(3);

  private readonly difference = new Float64Array(3);

  /** Finds the part from the points of one body in a simplex; they stand at `offset` in its pairs. `axis` is that of a cylinder, `origin` its middle. */
  find(
    core: SupportCore,
    simplex: Simplex,
    offset: number,
    axis: Float64Array,
    origin: Float64Array,
    n: Float64Array,
  ): void {
    this.dimension = 0;
    if (core.kind === coreKind.ellipsoid) return;
    if (core.kind === coreKind.cylinder) this.findSide(simplex, offset, axis, origin, n);
    else this.findFlat(simplex, offset);
  }

  /** A cylinder lies on its side where corners come from both ends, or where the normal is square to its axis. */
  private findSide(simplex: Simplex, offset: number, axis: Float64Array, origin: Float64Array, n: Float64Array): void {
    let below = Math.abs(dot(axis, n)) < 1e-6;
    let above = below;
    for (let i = 0; i < simplex.count; i++) {
      if (simplex.weights[i] < leastWeight) continue;
      const at = i * pairSize + offset;
      let height = 0;
      for (let k = 0; k < 3; k++) height += (simplex.pairs[at + k] - origin[k]) * axis[k];
      if (height < 0) below = true;
      else above = true;
    }
    if (!below || !above) return;
    this.dimension = 1;
    this.direction.set(axis);
  }

  private findFlat(simplex: Simplex, offset: number): void {
    const { corner, first, second, direction, difference } = this;
    let count = 0;
    for (let i = 0; i < simplex.count; i++) {
      if (simplex.weights[i] < leastWeight) continue;
      const at = i * pairSize + offset;
      if (count === 0) {
        for (let k = 0; k < 3; k++) corner[k] = simplex.pairs[at + k];
        count = 1;
        continue;
      }
      for (let k = 0; k < 3; k++) difference[k] = simplex.pairs[at + k] - corner[k];
      if (dot(difference, difference) === 0) continue;
      if (count === 1) {
        first.set(difference);
        count = 2;
      } else if (difference[0] !== first[0] || difference[1] !== first[1] || difference[2] !== first[2]) {
        second.set(difference);
        count = 3;
      }
    }
    this.dimension = count - 1;
    if (count === 2) direction.set(first);
    if (count === 3) crossInto(direction, first, second);
    if (count < 2) return;
    const length = Math.sqrt(dot(direction, direction));
    for (let k = 0; k < 3; k++) direction[k] /= length;
  }

  /** Whether a point, taken across the normal into the plane of the face, lies in the triangle of its corners. */
  holds(point: Float64Array): boolean {
    const { corner, first, second, difference } = this;
    for (let k = 0; k < 3; k++) difference[k] = point[k] - corner[k];
    const aa = dot(first, first);
    const ab = dot(first, second);
    const bb = dot(second, second);
    const ap = dot(first, difference);
    const bp = dot(second, difference);
    const determinant = aa * bb - ab * ab;
    const s = (bb * ap - ab * bp) / determinant;
    const t = (aa * bp - ab * ap) / determinant;
    const slack = 1e-9;
    return s >= -slack && t >= -slack && s + t <= 1 + slack;
  }

  /** The foot of a point on the plane of the face. */
  footInto(out: Float64Array, point: Float64Array): void {
    const { corner, direction, difference } = this;
    for (let k = 0; k < 3; k++) difference[k] = point[k] - corner[k];
    const height = dot(difference, direction);
    for (let k = 0; k < 3; k++) out[k] = point[k] - height * direction[k];
  }
}
