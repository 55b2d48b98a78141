/**
 * Shapes made ready for narrow phases. Each has its own frame: spheres, boxes, cylinders, capsules and ellipsoids about its origin,
 * cylinders and capsules along z; a half-space is solid where z ≤ 0; a height field lies over x and y about its origin, solid below.
 */
import type { Vector3 } from "../math/index.ts";
import { hullOf } from "./hull.ts";
import { boxPolyhedron, type Polyhedron, pointCore, polyhedron, segmentCore } from "./polyhedron.ts";
import { type Terrain, terrainOf } from "./terrain.ts";

/** What a shape is made from: the dimensions of a description's shape, without its placement. */
export type ShapeDimensions =
  | { readonly kind: "sphere"; readonly radius: number }
  | { readonly kind: "capsule"; readonly radius: number; readonly length: number }
  | { readonly kind: "box"; readonly size: Vector3 }
  | { readonly kind: "hull"; readonly points: readonly Vector3[] }
  | { readonly kind: "cylinder"; readonly radius: number; readonly length: number }
  | { readonly kind: "ellipsoid"; readonly radii: Vector3 }
  | { readonly kind: "halfSpace" }
  | {
      readonly kind: "heightField";
      /** Extent along x and y. */
      readonly size: readonly [number, number];
      /** Rows along x, from the least y to the largest: heights[j][i] is z at place i along x and j along y, evenly spaced. At least 2 × 2. */
      readonly heights: readonly (readonly number[])[];
    };

export type ShapeKind = ShapeDimensions["kind"];

/** All kinds in the order of their numbers, which is the order in which pairs of kinds are written down (pairs.ts). */
export const shapeKinds = [
  "sphere",
  "capsule",
  "box",
  "hull",
  "cylinder",
  "ellipsoid",
  "halfSpace",
  "heightField",
] as const satisfies readonly ShapeKind[];

export interface SphereShape {
  readonly kind: "sphere";
  readonly number: 0;
  readonly radius: number;
  /** The centre: what is to be grown by the radius. */
  readonly polyhedron: Polyhedron;
}

export interface CapsuleShape {
  readonly kind: "capsule";
  readonly number: 1;
  readonly radius: number;
  /** Half the distance between the centres of the ends, which are at z = ∓halfLength. */
  readonly halfLength: number;
  /** The axis between the centres of the ends: what is to be grown by the radius. */
  readonly polyhedron: Polyhedron;
}

export interface BoxShape {
  readonly kind: "box";
  readonly number: 2;
  readonly halfSize: Vector3;
  /** What points are grown by: nothing. */
  readonly radius: 0;
  readonly polyhedron: Polyhedron;
}

export interface HullShape {
  readonly kind: "hull";
  readonly number: 3;
  readonly radius: 0;
  readonly polyhedron: Polyhedron;
}

export interface CylinderShape {
  readonly kind: "cylinder";
  readonly number: 4;
  readonly radius: number;
  readonly halfLength: number;
}

export interface EllipsoidShape {
  readonly kind: "ellipsoid";
  readonly number: 5;
  readonly radii: Vector3;
}

export interface HalfSpaceShape {
  readonly kind: "halfSpace";
  readonly number: 6;
}

export interface HeightFieldShape {
  readonly kind: "heightField";
  readonly number: 7;
  readonly terrain: Terrain;
  readonly size: readonly [number, number];
  readonly lowest: number;
  readonly highest: number;
}

export type ConvexShape =
  | SphereShape
  | CapsuleShape
  | BoxShape
  | HullShape
  | CylinderShape
  | EllipsoidShape
  | HalfSpaceShape;

/** Shapes that are a polyhedron (a point, a segment, a body) grown by a radius. */
export type FlatShape = SphereShape | CapsuleShape | BoxShape | HullShape;

export type TouchShape = ConvexShape | HeightFieldShape;

/** The prepared shape of a kind. */
export type ShapeOf<K extends ShapeKind> = Extract<TouchShape, { kind: K }>;

/** Makes a shape ready. Dimensions are taken to be sound (finite and positive): descriptions are checked where they are compiled. */
export function prepareShape(dimensions: ShapeDimensions): TouchShape {
  switch (dimensions.kind) {
    case "sphere":
      return { kind: "sphere", number: 0, radius: dimensions.radius, polyhedron: pointCore() };
    case "capsule": {
      const halfLength = dimensions.length / 2;
      const axis = segmentCore(halfLength);
      return { kind: "capsule", number: 1, radius: dimensions.radius, halfLength, polyhedron: axis };
    }
    case "box": {
      const [x, y, z] = dimensions.size;
      const cuboid = boxPolyhedron(dimensions.size);
      return { kind: "box", number: 2, halfSize: [x / 2, y / 2, z / 2], radius: 0, polyhedron: cuboid };
    }
    case "hull":
      return { kind: "hull", number: 3, radius: 0, polyhedron: polyhedronOf(dimensions.points) };
    case "cylinder":
      return { kind: "cylinder", number: 4, radius: dimensions.radius, halfLength: dimensions.length / 2 };
    case "ellipsoid":
      return { kind: "ellipsoid", number: 5, radii: dimensions.radii };
    case "halfSpace":
      return { kind: "halfSpace", number: 6 };
    case "heightField": {
      const terrain = terrainOf(dimensions.size, dimensions.heights);
      const lowest = terrain.heights.reduce((least, h) => Math.min(least, h), Number.POSITIVE_INFINITY);
      const highest = terrain.heights.reduce((most, h) => Math.max(most, h), Number.NEGATIVE_INFINITY);
      return { kind: "heightField", number: 7, terrain, size: dimensions.size, lowest, highest };
    }
  }
}

/** Polyhedra of hulls that were asked for, with the coordinates that they were made from: a simulation and its checks share one. */
const hulls = new WeakMap<readonly Vector3[], { readonly flat: Float64Array; readonly solid: Polyhedron }>();

function polyhedronOf(points: readonly Vector3[]): Polyhedron {
  const known = hulls.get(points);
  const isSame = ({ flat }: { readonly flat: Float64Array }): boolean =>
    flat.length === 3 * points.length &&
    points.every(([x, y, z], i) => x === flat[3 * i] && y === flat[3 * i + 1] && z === flat[3 * i + 2]);
  if (known && isSame(known)) return known.solid;
  const flat = Float64Array.from(points.flat());
  const { vertices, faces } = hullOf(flat);
  const solid = polyhedron(vertices, faces);
  hulls.set(points, { flat, solid });
  return solid;
}
