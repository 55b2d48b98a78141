/**
 * The way from a simplex that is nearly nearest to the nearest points themselves. The parts that the simplex names (contactSet.ts) leave the
 * normal no, one or two degrees of freedom, in which Newton's method finds it (dualAscent.ts).
 *
 * What it returns is certain: for any points of the bodies |b − a| is at least their distance, and for any unit normal f(n) is at
 * most that. Points with b − a = f(n) n are nearest, however they were found.
 */
import { ContactSet } from "./contactSet.ts";
import { DualAscent } from "./dualAscent.ts";
import type { Minkowski } from "./minkowski.ts";
import type { Simplex } from "./simplex.ts";
import { coreKind, type SupportCore } from "./supportCore.ts";
import { crossInto, dot } from "./vectors.ts";

export class Sharpening {
  readonly ascent = new DualAscent();
  /** Nearest points and unit vector from a to b, where `run` returned true. */
  readonly pointOfA = new Float64Array(3);
  readonly pointOfB = new Float64Array(3);

  private readonly a = new ContactSet();
  private readonly b = new ContactSet();
  private readonly axisOfA = new Float64Array([0, 0, 1]);
  private readonly originOfA = new Float64Array(3);
  private readonly axisOfB = new Float64Array(3);
  private readonly originOfB = new Float64Array(3);
  private readonly gap = new Float64Array(3);

  /**
   * Tries to end the search at the parts that the simplex names; true where the nearest points are proved. Where they are not, the
   * direction and the height of `ascent` are a lower bound of the distance all the same.
   */
  run(body: Minkowski, simplex: Simplex, n: Float64Array): boolean {
    if (!this.place(body, simplex, n)) return false;
    const { pointOfA, pointOfB, ascent } = this;
    let square = 0;
    for (let k = 0; k < 3; k++) square += (pointOfB[k] - pointOfA[k] - ascent.height * ascent.n[k]) ** 2;
    return square <= (1e-10 * body.scale) ** 2;
  }

  private place(body: Minkowski, simplex: Simplex, n: Float64Array): boolean {
    const { a, b, ascent } = this;
    this.setFrames(body);
    a.find(body.a, simplex, 3, this.axisOfA, this.originOfA, n);
    b.find(body.b, simplex, 6, this.axisOfB, this.originOfB, n);

    if (this.tryEnd(body, body.a, this.axisOfA, this.originOfA, n, true)) return true;
    if (this.tryEnd(body, body.b, this.axisOfB, this.originOfB, n, false)) return true;

    if (a.dimension === 2 || b.dimension === 2) {
      const face = a.dimension === 2 ? a : b;
      const side = dot(face.direction, n) < 0 ? -1 : 1;
      for (let k = 0; k < 3; k++) ascent.n[k] = side * face.direction[k];
      this.evaluate(body);
      const [foot, point] = face === a ? [this.pointOfA, this.pointOfB] : [this.pointOfB, this.pointOfA];
      // of a line that lies along the face, support is any point: one that the simplex has over the face will do
      if (!face.holds(point) && !this.slide(body, simplex, face === a ? b : a, point)) return false;
      if (!face.holds(point)) return false;
      face.footInto(foot, point);
      return true;
    }
    if (a.dimension === 1 && b.dimension === 1) return this.crossing(body, n);
    ascent.n.set(n);
    const line = a.dimension === 1 ? a : b.dimension === 1 ? b : undefined;
    ascent.ascend(body, line?.direction);
    this.takePoints();
    if (!line) return ascent.miss <= 1e-10 * body.scale;
    if (ascent.miss > 1e-10 * body.scale) return false;
    this.placeLines(body);
    return line === a ? onLine(this.pointOfA, a, this.pointOfB) : onLine(this.pointOfB, b, this.pointOfA);
  }

  /** Moves a point along the line of its body to where the simplex is nearest; false where it has no line, or that is beyond its ends. */
  private slide(body: Minkowski, simplex: Simplex, line: ContactSet, point: Float64Array): boolean {
    if (line.dimension !== 1) return false;
    this.placeLines(body);
    simplex.combine(this.gap, line === this.a ? 3 : 6);
    return onLine(point, line, this.gap);
  }

  /** Axes and middles of cylinders, in a's frame. */
  setFrames(body: Minkowski): void {
    const m = body.placement;
    for (let k = 0; k < 3; k++) {
      this.originOfB[k] = m[k];
      this.axisOfB[k] = m[5 + 3 * k];
    }
  }

  /** The flat end of a cylinder: the normal is its axis. */
  private tryEnd(
    body: Minkowski,
    core: SupportCore,
    axis: Float64Array,
    origin: Float64Array,
    n: Float64Array,
    isA: boolean,
  ): boolean {
    if (core.kind !== coreKind.cylinder) return false;
    const along = dot(axis, n);
    if (Math.abs(along) < 0.9) return false;
    const { ascent, pointOfA, pointOfB } = this;
    for (let k = 0; k < 3; k++) ascent.n[k] = Math.sign(along) * axis[k];
    const height = this.evaluate(body);
    const point = isA ? pointOfB : pointOfA;
    let square = 0;
    let onAxis = 0;
    for (let k = 0; k < 3; k++) onAxis += (point[k] - origin[k]) * axis[k];
    for (let k = 0; k < 3; k++) square += (point[k] - origin[k] - onAxis * axis[k]) ** 2;
    if (square > core.x * core.x) return false;
    for (let k = 0; k < 3; k++) {
      if (isA) pointOfA[k] = pointOfB[k] - height * ascent.n[k];
      else pointOfB[k] = pointOfA[k] + height * ascent.n[k];
    }
    return true;
  }

  /** Two lines, across both of which the normal stands. */
  private crossing(body: Minkowski, n: Float64Array): boolean {
    const { a, b, ascent, pointOfA, pointOfB, gap } = this;
    crossInto(ascent.n, a.direction, b.direction);
    const length = Math.sqrt(dot(ascent.n, ascent.n));
    if (length < 1e-5) {
      // parallel lines leave the normal open: what stays is the one that was given
      ascent.n.set(n);
      this.evaluate(body);
      return false;
    }
    const side = dot(ascent.n, n) < 0 ? -1 : 1;
    for (let k = 0; k < 3; k++) ascent.n[k] *= side / length;
    this.evaluate(body);
    this.placeLines(body);
    // s, t of a.corner + s a.first and b.corner + t b.first
    for (let k = 0; k < 3; k++) gap[k] = b.corner[k] - a.corner[k];
    const aa = dot(a.first, a.first);
    const ab = dot(a.first, b.first);
    const bb = dot(b.first, b.first);
    const ga = dot(a.first, gap);
    const gb = dot(b.first, gap);
    const determinant = aa * bb - ab * ab;
    const s = (bb * ga - ab * gb) / determinant;
    const t = (ab * ga - aa * gb) / determinant;
    if (!(s >= 0 && s <= 1 && t >= 0 && t <= 1)) return false;
    for (let k = 0; k < 3; k++) {
      pointOfA[k] = a.corner[k] + s * a.first[k];
      pointOfB[k] = b.corner[k] + t * b.first[k];
    }
    return true;
  }

  private evaluate(body: Minkowski): number {
    const { ascent } = this;
    ascent.height = body.pair(ascent.pair, 0, ascent.n[0], ascent.n[1], ascent.n[2]);
    this.takePoints();
    return ascent.height;
  }

  private takePoints(): void {
    for (let k = 0; k < 3; k++) {
      this.pointOfA[k] = this.ascent.pair[3 + k];
      this.pointOfB[k] = this.ascent.pair[6 + k];
    }
  }

  /** Ends of the side lines of cylinders at the current normal. */
  private placeLines(body: Minkowski): void {
    if (body.a.kind === coreKind.cylinder && this.a.dimension === 1) {
      placeSide(this.a, body.a, this.axisOfA, this.originOfA, this.pointOfA);
    }
    if (body.b.kind === coreKind.cylinder && this.b.dimension === 1) {
      placeSide(this.b, body.b, this.axisOfB, this.originOfB, this.pointOfB);
    }
  }
}

function placeSide(
  set: ContactSet,
  core: SupportCore,
  axis: Float64Array,
  origin: Float64Array,
  point: Float64Array,
): void {
  let height = 0;
  for (let k = 0; k < 3; k++) height += (point[k] - origin[k]) * axis[k];
  for (let k = 0; k < 3; k++) {
    set.corner[k] = point[k] - (height + core.z) * axis[k];
    set.first[k] = 2 * core.z * axis[k];
  }
}

/** The foot of a point on a line, where it lies between the ends. */
function onLine(out: Float64Array, line: ContactSet, point: Float64Array): boolean {
  let along = 0;
  for (let k = 0; k < 3; k++) along += (point[k] - line.corner[k]) * line.first[k];
  const share = along / dot(line.first, line.first);
  if (!(share >= 0 && share <= 1)) return false;
  for (let k = 0; k < 3; k++) out[k] = line.corner[k] + share * line.first[k];
  return true;
}
