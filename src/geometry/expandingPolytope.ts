/**
 * How deep two bodies are in each other: a polytope with corners on the surface of b − a, which holds the origin, grows at the face
 * that is nearest to the origin [van den Bergen 2001]. The offset of that face is at most the depth, and the support function along
 * its normal is at least that; they meet. Where bodies are curved they meet slowly, so promising faces are sharpened (sharpen.ts)
 * and growth goes on only until no other face can hide a lesser depth.
 */
import type { Minkowski } from "./minkowski.ts";
import { Sharpening } from "./sharpen.ts";
import { pairSize, Simplex } from "./simplex.ts";
import { crossInto, dot } from "./vectors.ts";

const manyCorners = 160;
const manyFaces = 640;
/** Part of the size of bodies: a normal along which they are this much deeper than along the best is another one. */
const DEEPER = 1e-9;

export class ExpandingPolytope {
  readonly normal = new Float64Array(3);
  readonly pointOfA = new Float64Array(3);
  readonly pointOfB = new Float64Array(3);
  iterations = 0;
  isProved = false;

  private readonly corners = new Float64Array(manyCorners * pairSize);
  private cornerCount = 0;
  /** Three corners each, outward normal 3 and offset. */
  private readonly faceCorners = new Int32Array(manyFaces * 3);
  private readonly facePlanes = new Float64Array(manyFaces * 4);
  private faceCount = 0;
  private readonly horizon = new Int32Array(manyFaces * 6);
  private readonly sharpening = new Sharpening();
  private readonly simplex = new Simplex();
  private readonly n = new Float64Array(3);
  private readonly u = new Float64Array(3);
  private readonly v = new Float64Array(3);
  private depth = 0;
  /** Whether points belong to the least depth already. */
  private isPlaced = false;

  /** Signed distance along `normal`, ≤ 0 up to rounding, from a simplex that holds or touches the origin. */
  run(body: Minkowski, simplex: Simplex, curved: boolean): number {
    this.iterations = 0;
    this.isProved = false;
    this.isPlaced = false;
    this.depth = Number.POSITIVE_INFINITY;
    if (!this.start(body, simplex)) return this.flat(body);
    const { facePlanes, corners, n } = this;
    const exact = 1e-14 * body.scale;
    const enough = curved ? 1e-7 * body.scale : exact;
    let nextSharpening = 0.1 * body.scale;
    let elsewhere = 0;

    for (; this.cornerCount < manyCorners && this.faceCount < manyFaces - 64; this.iterations++) {
      const face = this.nearestFace();
      const offset = facePlanes[4 * face + 3];
      if (this.depth - offset <= (this.isPlaced ? enough : exact)) {
        this.isProved = true;
        if (!this.isPlaced) this.placeOn(body, face, true);
        break;
      }
      for (let k = 0; k < 3; k++) n[k] = -facePlanes[4 * face + k];
      const at = this.cornerCount * pairSize;
      const depth = -body.pair(corners, at, n[0], n[1], n[2]);
      if (depth < this.depth) {
        this.depth = depth;
        this.normal.set(n);
        this.isPlaced = false;
      }
      const isElsewhere = dot(n, this.normal) < 0.98 && elsewhere++ < 16;
      if (curved && (depth - offset <= nextSharpening || isElsewhere)) {
        this.sharpen(body, face);
        if (!isElsewhere) nextSharpening = (depth - offset) / 4;
      }
      // a corner that does not stand out ends the search: rounding is reached
      if (!this.grow(body)) {
        this.isProved = true;
        if (!this.isPlaced) this.placeOn(body, face, true);
        break;
      }
    }

    // what is left: points of the nearest face, about at the depth that was found
    if (!this.isProved && !this.isPlaced) this.placeOn(body, this.nearestFace(), false);
    return -this.depth;
  }

  /** Four corners with room between them, from those of the simplex and support points across it; false where b − a is flat. */
  private start(body: Minkowski, simplex: Simplex): boolean {
    const { corners, u, v, n } = this;
    for (let i = 0; i < simplex.count * pairSize; i++) corners[i] = simplex.pairs[i];
    this.cornerCount = Math.min(simplex.count, 4);
    this.faceCount = 0;
    const least = 1e-9 * body.scale;
    if (this.cornerCount === 4 && this.volume() <= least ** 3) this.cornerCount = 3;
    if (this.cornerCount === 1) {
      for (let axis = 0; axis < 6 && this.cornerCount === 1; axis++) {
        for (let k = 0; k < 3; k++) n[k] = k === axis >> 1 ? (axis & 1 ? 1 : -1) : 0;
        this.addCorner(body, n);
        this.edgeInto(u, 1);
        if (dot(u, u) <= least * least) this.cornerCount = 1;
      }
    }
    if (this.cornerCount === 1) return false;
    if (this.cornerCount === 2) {
      this.edgeInto(u, 1);
      const axis = leastEntry(u);
      for (let k = 0; k < 3; k++) v[k] = k === axis ? 1 : 0;
      crossInto(v, v, u);
      for (let turn = 0; turn < 4 && this.cornerCount === 2; turn++) {
        normaliseInto(n, v);
        this.addCorner(body, n);
        this.edgeInto(n, 2);
        crossInto(n, n, u);
        if (dot(n, n) <= dot(u, u) * least * least) this.cornerCount = 2;
        crossInto(v, u, v);
        const length = Math.sqrt(dot(u, u));
        for (let k = 0; k < 3; k++) v[k] /= length;
      }
    }
    if (this.cornerCount === 2) return false;
    if (this.cornerCount === 3) {
      this.edgeInto(u, 1);
      this.edgeInto(v, 2);
      crossInto(u, u, v);
      if (!normaliseInto(n, u)) return false;
      this.addCorner(body, n);
      if (this.volume() <= least * dot(u, u) ** 0.5) {
        this.cornerCount = 3;
        for (let k = 0; k < 3; k++) n[k] = -n[k];
        this.addCorner(body, n);
        if (this.volume() <= least * dot(u, u) ** 0.5) {
          this.normal.set(n);
          return false;
        }
      }
    }
    this.addFace(0, 1, 2);
    this.addFace(0, 3, 1);
    this.addFace(0, 2, 3);
    this.addFace(1, 3, 2);
    // outward: the fourth corner is below the first face
    const height = this.heightOver(0, 3);
    if (height > 0) {
      this.faceCount = 0;
      this.addFace(0, 2, 1);
      this.addFace(0, 1, 3);
      this.addFace(0, 3, 2);
      this.addFace(1, 2, 3);
    }
    return true;
  }

  /** b − a has no inside: bodies touch, along the normal of the plane that it lies in, or along any that is square to its line. */
  private flat(body: Minkowski): number {
    const { normal, corners, u, v } = this;
    if (this.cornerCount === 1) normal.set([0, 0, 1]);
    else if (this.cornerCount === 2) {
      this.edgeInto(u, 1);
      const axis = leastEntry(u);
      for (let k = 0; k < 3; k++) v[k] = k === axis ? 1 : 0;
      crossInto(v, v, u);
      normaliseInto(normal, v);
    }
    const height = body.pair(corners, 0, normal[0], normal[1], normal[2]);
    for (let k = 0; k < 3; k++) {
      this.pointOfA[k] = corners[3 + k];
      this.pointOfB[k] = corners[6 + k];
    }
    this.isProved = true;
    return height;
  }

  private sharpen(body: Minkowski, face: number): void {
    const { sharpening, simplex, n } = this;
    this.faceSimplex(face);
    const isPlaced = sharpening.run(body, simplex, n);
    const depth = -sharpening.ascent.height;
    if (!(depth < this.depth + 1e-12 * body.scale)) return;
    if (!(depth < this.depth) && !isPlaced) return;
    this.depth = depth;
    this.normal.set(sharpening.ascent.n);
    this.isPlaced = isPlaced;
    if (!isPlaced) return;
    this.pointOfA.set(sharpening.pointOfA);
    this.pointOfB.set(sharpening.pointOfB);
  }

  /**
   * Points at the depth of a face, and its normal: of those in its plane, the triangle that the origin is over. Where bodies just touch,
   * rounding leaves slivers in that plane whose normals are anything, the opposite one too: they are no faces of b − a, which is far
   * deeper along them, and give no normal.
   */
  private placeOn(body: Minkowski, face: number, isNormal: boolean): void {
    const { facePlanes, simplex } = this;
    const offset = facePlanes[4 * face + 3] + 1e-13 * body.scale;
    let least = Number.POSITIVE_INFINITY;
    for (let f = 0; f < this.faceCount; f++) {
      if (facePlanes[4 * f + 3] > offset) continue;
      this.faceSimplex(f);
      const distance = dot(simplex.nearest, simplex.nearest);
      if (!(distance < least) || (isNormal && !this.isLeast(body, f))) continue;
      least = distance;
      if (isNormal) for (let k = 0; k < 3; k++) this.normal[k] = -facePlanes[4 * f + k];
      simplex.combine(this.pointOfA, 3);
      simplex.combine(this.pointOfB, 6);
    }
    if (isNormal && least === Number.POSITIVE_INFINITY) this.placeOn(body, face, false);
  }

  /** Whether b − a is no deeper along a face's normal than the depth that was found. */
  private isLeast(body: Minkowski, face: number): boolean {
    const { facePlanes, corners, cornerCount, depth } = this;
    const [x, y, z] = [facePlanes[4 * face], facePlanes[4 * face + 1], facePlanes[4 * face + 2]];
    return -body.pair(corners, cornerCount * pairSize, -x, -y, -z) <= depth + DEEPER * body.scale;
  }

  private faceSimplex(face: number): void {
    const { simplex, corners, faceCorners } = this;
    simplex.count = 0;
    for (let k = 0; k < 3; k++) simplex.push(corners, faceCorners[3 * face + k] * pairSize);
    simplex.reduce();
  }

  private nearestFace(): number {
    const { facePlanes } = this;
    let best = 0;
    for (let f = 1; f < this.faceCount; f++) if (facePlanes[4 * f + 3] < facePlanes[4 * best + 3]) best = f;
    return best;
  }

  /** Takes the corner after the last one in: faces that see it make way for a fan from it to their rim. */
  private grow(body: Minkowski): boolean {
    const { horizon, faceCorners, facePlanes } = this;
    const corner = this.cornerCount;
    let edges = 0;
    let kept = 0;
    const count = this.faceCount;
    for (let f = 0; f < count; f++) {
      if (this.heightOver(f, corner) <= 1e-12 * body.scale) {
        for (let k = 0; k < 3; k++) faceCorners[3 * kept + k] = faceCorners[3 * f + k];
        for (let k = 0; k < 4; k++) facePlanes[4 * kept + k] = facePlanes[4 * f + k];
        kept++;
        continue;
      }
      for (let k = 0; k < 3; k++) {
        edges = toggleEdge(horizon, edges, faceCorners[3 * f + k], faceCorners[3 * f + ((k + 1) % 3)]);
      }
    }
    if (kept === count) return false;
    this.faceCount = kept;
    this.cornerCount++;
    for (let e = 0; e < edges; e++) this.addFace(horizon[2 * e], horizon[2 * e + 1], corner);
    return true;
  }

  private addFace(i: number, j: number, k: number): void {
    const { faceCorners, facePlanes, corners, u, v } = this;
    const f = this.faceCount++;
    faceCorners[3 * f] = i;
    faceCorners[3 * f + 1] = j;
    faceCorners[3 * f + 2] = k;
    for (let c = 0; c < 3; c++) {
      u[c] = corners[j * pairSize + c] - corners[i * pairSize + c];
      v[c] = corners[k * pairSize + c] - corners[i * pairSize + c];
    }
    crossInto(u, u, v);
    const length = Math.sqrt(dot(u, u));
    const at = 4 * f;
    // a face without area is never the nearest, and nothing sees it
    facePlanes[at + 3] = length > 0 ? 0 : Number.POSITIVE_INFINITY;
    for (let c = 0; c < 3; c++) {
      facePlanes[at + c] = length > 0 ? u[c] / length : 0;
      facePlanes[at + 3] += facePlanes[at + c] * corners[i * pairSize + c];
    }
  }

  private heightOver(face: number, corner: number): number {
    const { facePlanes, corners } = this;
    const at = 4 * face;
    const c = corner * pairSize;
    return (
      facePlanes[at] * corners[c] +
      facePlanes[at + 1] * corners[c + 1] +
      facePlanes[at + 2] * corners[c + 2] -
      facePlanes[at + 3]
    );
  }

  private addCorner(body: Minkowski, n: Float64Array): void {
    body.pair(this.corners, this.cornerCount++ * pairSize, n[0], n[1], n[2]);
  }

  private edgeInto(out: Float64Array, corner: number): void {
    for (let k = 0; k < 3; k++) out[k] = this.corners[corner * pairSize + k] - this.corners[k];
  }

  /** Six times the volume of the first four corners. */
  private volume(): number {
    const { u, v } = this;
    const w = this.sharpening.pointOfA;
    this.edgeInto(u, 1);
    this.edgeInto(v, 2);
    this.edgeInto(w, 3);
    crossInto(u, u, v);
    return Math.abs(dot(u, w));
  }
}

/** Adds a directed edge to a list, or takes its reverse out of it. */
function toggleEdge(edges: Int32Array, count: number, from: number, to: number): number {
  for (let e = 0; e < count; e++) {
    if (edges[2 * e] !== to || edges[2 * e + 1] !== from) continue;
    edges[2 * e] = edges[2 * (count - 1)];
    edges[2 * e + 1] = edges[2 * (count - 1) + 1];
    return count - 1;
  }
  edges[2 * count] = from;
  edges[2 * count + 1] = to;
  return count + 1;
}

function leastEntry(v: Float64Array): number {
  const [x, y, z] = [Math.abs(v[0]), Math.abs(v[1]), Math.abs(v[2])];
  return x <= y && x <= z ? 0 : y <= z ? 1 : 2;
}

function normaliseInto(out: Float64Array, v: Float64Array): boolean {
  const length = Math.sqrt(dot(v, v));
  if (!(length > 0)) return false;
  for (let k = 0; k < 3; k++) out[k] = v[k] / length;
  return true;
}
