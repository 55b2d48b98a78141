/**
 * Shapes for tests of the narrow phase, written apart from it: which points belong to a shape, how far it reaches along a direction,
 * and poses drawn at random at a wanted distance.
 */
import { type BoundedShape, prepareShape, type ShapeDimensions } from "../../src/geometry/index.ts";
import { type Quaternion, quaternion, type Random, type Vector3, vector } from "../../src/math/index.ts";

export type BoundedKind = BoundedShape["kind"];
export const boundedKinds: readonly BoundedKind[] = ["sphere", "capsule", "box", "hull", "cylinder", "ellipsoid"];

/** A number between lo and hi whose logarithm is uniform. */
export const logUniform = (random: Random, lo: number, hi: number): number =>
  Math.exp(random.uniform(Math.log(lo), Math.log(hi)));

export function randomDirection(random: Random): Vector3 {
  return vector.normalize([random.normal(), random.normal(), random.normal()]);
}

export function randomOrientation(random: Random): Quaternion {
  return quaternion.normalize([random.normal(), random.normal(), random.normal(), random.normal()]);
}

/** Dimensions about `size`, of ratios up to `ratio`. */
export function randomDimensions(kind: BoundedKind, random: Random, size = 1, ratio = 3): ShapeDimensions {
  const length = (): number => size * logUniform(random, 1 / ratio, ratio);
  switch (kind) {
    case "sphere":
      return { kind, radius: length() };
    case "capsule":
      return { kind, radius: length() / 2, length: length() };
    case "cylinder":
      return { kind, radius: length(), length: length() };
    case "box":
      return { kind, size: [length(), length(), length()] };
    case "ellipsoid":
      return { kind, radii: [length(), length(), length()] };
    case "hull":
      return { kind, points: Array.from({ length: 20 }, () => vector.scale(randomDirection(random), length())) };
  }
}

export function randomShape(kind: BoundedKind, random: Random, size = 1, ratio = 3): BoundedShape {
  return prepareShape(randomDimensions(kind, random, size, ratio)) as BoundedShape;
}

/** The largest n·x over the shape, in its own frame. */
export function reachAlong(shape: BoundedShape, n: Vector3): number {
  switch (shape.kind) {
    case "sphere":
      return shape.radius * vector.norm(n);
    case "capsule":
      return shape.halfLength * Math.abs(n[2]) + shape.radius * vector.norm(n);
    case "box":
      return n.reduce((sum, entry, k) => sum + Math.abs(entry) * shape.halfSize[k], 0);
    case "cylinder":
      return shape.halfLength * Math.abs(n[2]) + shape.radius * Math.hypot(n[0], n[1]);
    case "ellipsoid":
      return Math.hypot(n[0] * shape.radii[0], n[1] * shape.radii[1], n[2] * shape.radii[2]);
    case "hull":
      return Math.max(...verticesOf(shape).map((v) => vector.dot(n, v)));
  }
}

export function verticesOf(shape: Extract<BoundedShape, { kind: "hull" | "box" }>): Vector3[] {
  const { vertices, vertexCount } = shape.polyhedron;
  return Array.from({ length: vertexCount }, (_, v) => [vertices[3 * v], vertices[3 * v + 1], vertices[3 * v + 2]]);
}

/** How far a point is outside of the shape, at least, and zero inside: no more than its distance (for ellipsoids to first order). */
export function outside(shape: BoundedShape, p: Vector3): number {
  switch (shape.kind) {
    case "sphere":
      return Math.max(0, vector.norm(p) - shape.radius);
    case "capsule": {
      const along = Math.max(-shape.halfLength, Math.min(shape.halfLength, p[2]));
      return Math.max(0, vector.norm([p[0], p[1], p[2] - along]) - shape.radius);
    }
    case "box":
      return Math.max(0, ...p.map((entry, k) => Math.abs(entry) - shape.halfSize[k]));
    case "cylinder":
      return Math.max(0, Math.abs(p[2]) - shape.halfLength, Math.hypot(p[0], p[1]) - shape.radius);
    case "ellipsoid": {
      const scaled: Vector3 = [p[0] / shape.radii[0], p[1] / shape.radii[1], p[2] / shape.radii[2]];
      const level = vector.norm(scaled) - 1;
      const slope = vector.norm([scaled[0] / shape.radii[0], scaled[1] / shape.radii[1], scaled[2] / shape.radii[2]]);
      return Math.max(0, (level * (level + 1)) / slope);
    }
    case "hull": {
      const { normals, offsets, faceCount } = shape.polyhedron;
      let most = 0;
      for (let f = 0; f < faceCount; f++) {
        const n: Vector3 = [normals[3 * f], normals[3 * f + 1], normals[3 * f + 2]];
        most = Math.max(most, vector.dot(n, p) - offsets[f]);
      }
      return most;
    }
  }
}

/** Radius of a ball about the origin that holds the shape. */
export function sizeOf(shape: BoundedShape): number {
  switch (shape.kind) {
    case "sphere":
      return shape.radius;
    case "capsule":
      return shape.halfLength + shape.radius;
    case "box":
      return vector.norm(shape.halfSize);
    case "cylinder":
      return Math.hypot(shape.radius, shape.halfLength);
    case "ellipsoid":
      return Math.max(...shape.radii);
    case "hull":
      return Math.max(...verticesOf(shape).map((v) => vector.norm(v)));
  }
}

/** b's frame in a's. */
export interface Frame {
  readonly position: Vector3;
  readonly orientation: Quaternion;
}

export function placementFrom({ position, orientation }: Frame): Float64Array {
  return Float64Array.of(...position, ...quaternion.toMatrix(orientation).flat());
}

/** Distance of a and b along the unit vector n, from a to b: what any direction proves. */
export function heightAlong(a: BoundedShape, b: BoundedShape, frame: Frame, n: Vector3): number {
  const inB = quaternion.rotateInverse(frame.orientation, vector.scale(n, -1));
  return vector.dot(n, frame.position) - reachAlong(a, n) - reachAlong(b, inB);
}
