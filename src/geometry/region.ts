/** The flat part that a rim stands over: a whole plane, the face of a polyhedron that is shape a, or the end of a cylinder. */
import type { CylinderView } from "./cylinderView.ts";
import type { Polyhedron } from "./polyhedron.ts";

export class Region {
  /** Unit normal, to what stands over it, and a point of the plane, in a's frame. */
  readonly normal = new Float64Array(3);
  readonly point = new Float64Array(3);
  /** Sides: point and inward unit normal each, and the edge. None where the region is round or has no bounds. */
  sideCount = 0;
  private points = new Float64Array(48);
  private inward = new Float64Array(48);
  edges = new Int32Array(16);
  /** Radius of a disc; infinite where there are no bounds. */
  private radius = Number.POSITIVE_INFINITY;

  setPlane(point: Float64Array, normal: Float64Array): this {
    this.point.set(point);
    this.normal.set(normal);
    this.sideCount = 0;
    this.radius = Number.POSITIVE_INFINITY;
    return this;
  }

  /** A face of shape a. */
  setFace(shape: Polyhedron, face: number): this {
    const { vertices, normals, faceStart, loop, loopEdges } = shape;
    const start = faceStart[face];
    const count = faceStart[face + 1] - start;
    if (count > this.edges.length) this.grow(count);
    this.sideCount = count;
    this.radius = Number.POSITIVE_INFINITY;
    for (let k = 0; k < 3; k++) {
      this.normal[k] = normals[3 * face + k];
      this.point[k] = vertices[3 * loop[start] + k];
    }
    const [nx, ny, nz] = this.normal;
    for (let i = 0; i < count; i++) {
      const v = 3 * loop[start + i];
      const w = 3 * loop[start + (i + 1 === count ? 0 : i + 1)];
      const dx = vertices[w] - vertices[v];
      const dy = vertices[w + 1] - vertices[v + 1];
      const dz = vertices[w + 2] - vertices[v + 2];
      const length = Math.sqrt(dx * dx + dy * dy + dz * dz);
      for (let k = 0; k < 3; k++) this.points[3 * i + k] = vertices[v + k];
      this.inward[3 * i] = (ny * dz - nz * dy) / length;
      this.inward[3 * i + 1] = (nz * dx - nx * dz) / length;
      this.inward[3 * i + 2] = (nx * dy - ny * dx) / length;
      this.edges[i] = loopEdges[start + i];
    }
    return this;
  }

  /** A triangle, anticlockwise seen against its normal; nothing crosses its sides. */
  setTriangle(p: Float64Array, q: Float64Array, r: Float64Array, normal: Float64Array): this {
    this.setPlane(p, normal);
    this.sideCount = 3;
    const [nx, ny, nz] = normal;
    for (let i = 0; i < 3; i++) {
      const [v, w] = i === 0 ? [p, q] : i === 1 ? [q, r] : [r, p];
      const [dx, dy, dz] = [w[0] - v[0], w[1] - v[1], w[2] - v[2]];
      const length = Math.sqrt(dx * dx + dy * dy + dz * dz);
      for (let k = 0; k < 3; k++) this.points[3 * i + k] = v[k];
      this.inward[3 * i] = (ny * dz - nz * dy) / length;
      this.inward[3 * i + 1] = (nz * dx - nx * dz) / length;
      this.inward[3 * i + 2] = (nx * dy - ny * dx) / length;
    }
    return this;
  }

  /** The corners of a triangle, nine numbers. */
  cornersInto(out: Float64Array): void {
    for (let k = 0; k < 9; k++) out[k] = this.points[k];
  }

  setEnd(view: CylinderView, end: number): this {
    view.endInto(this.point, end);
    for (let k = 0; k < 3; k++) this.normal[k] = end === 0 ? -view.axis[k] : view.axis[k];
    this.sideCount = 0;
    this.radius = view.radius;
    return this;
  }

  heightOf(p: Float64Array): number {
    const { normal: n, point: q } = this;
    return n[0] * (p[0] - q[0]) + n[1] * (p[1] - q[1]) + n[2] * (p[2] - q[2]);
  }

  /** How far inside of the bounds a point's foot is; negative outside. */
  insideBy(p: Float64Array): number {
    if (this.radius < Number.POSITIVE_INFINITY) {
      const height = this.heightOf(p);
      let square = 0;
      for (let k = 0; k < 3; k++) square += (p[k] - this.point[k] - height * this.normal[k]) ** 2;
      return this.radius - Math.sqrt(square);
    }
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.sideCount; i++) {
      const margin = this.sideOf(i, p);
      if (margin < least) least = margin;
    }
    return least;
  }

  private sideOf(i: number, p: Float64Array): number {
    const { inward, points } = this;
    const c = 3 * i;
    return (
      inward[c] * (p[0] - points[c]) + inward[c + 1] * (p[1] - points[c + 1]) + inward[c + 2] * (p[2] - points[c + 2])
    );
  }

  /** How many things a rim may cross: sides, or the rim of a disc. */
  get crossable(): number {
    return this.radius < Number.POSITIVE_INFINITY ? 1 : this.sideCount;
  }

  /**
   * Where a rim crosses side i: A + B cos φ + C sin φ = 0 of the angle φ, written to out as cos, sin, cos, sin. For a disc the sum is the
   * square of the distance from its middle, less that of its radius. False where it does not cross.
   */
  crossingsInto(out: Float64Array, i: number, view: CylinderView, middle: Float64Array): boolean {
    const { radius: r, x, y } = view;
    let [constant, cosine, sine] = [0, 0, 0];
    if (this.radius < Number.POSITIVE_INFINITY) {
      const height = this.heightOf(middle);
      for (let k = 0; k < 3; k++) {
        const d = middle[k] - this.point[k] - height * this.normal[k];
        constant += d * d;
        cosine += 2 * r * d * x[k];
        sine += 2 * r * d * y[k];
      }
      constant += r * r - this.radius * this.radius;
    } else {
      constant = this.sideOf(i, middle);
      for (let k = 0; k < 3; k++) {
        cosine += r * this.inward[3 * i + k] * x[k];
        sine += r * this.inward[3 * i + k] * y[k];
      }
    }
    const size = Math.sqrt(cosine * cosine + sine * sine);
    if (!(Math.abs(constant) < size)) return false;
    const c = -constant / size;
    const s = Math.sqrt(1 - c * c);
    out[0] = (cosine * c - sine * s) / size;
    out[1] = (sine * c + cosine * s) / size;
    out[2] = (cosine * c + sine * s) / size;
    out[3] = (sine * c - cosine * s) / size;
    return true;
  }

  /** Unit normal, at p, of what bounds the region there: side i, or the disc. */
  boundInto(out: Float64Array, i: number, p: Float64Array): void {
    if (this.radius === Number.POSITIVE_INFINITY) {
      for (let k = 0; k < 3; k++) out[k] = this.inward[3 * i + k];
      return;
    }
    const height = this.heightOf(p);
    let square = 0;
    for (let k = 0; k < 3; k++) {
      out[k] = p[k] - this.point[k] - height * this.normal[k];
      square += out[k] * out[k];
    }
    const length = Math.sqrt(square) || 1;
    for (let k = 0; k < 3; k++) out[k] /= length;
  }

  private grow(count: number): void {
    this.points = new Float64Array(6 * count);
    this.inward = new Float64Array(6 * count);
    this.edges = new Int32Array(2 * count);
  }
}
