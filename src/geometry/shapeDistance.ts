/** Signed distances of prepared shapes by their support points: of any two convex ones, and of one and a half-space. */
import { cached } from "../math/index.ts";
import { ConvexDistance } from "./convexDistance.ts";
import type { ConvexShape, HalfSpaceShape } from "./shape.ts";
import {
  boxCore,
  coreKind,
  cylinderCore,
  ellipsoidCore,
  pointCore,
  pointsCore,
  type SupportCore,
  segmentCore,
  supportInto,
} from "./supportCore.ts";

export type BoundedShape = Exclude<ConvexShape, HalfSpaceShape>;

/** Cores of shapes that were asked for, made once per shape. */
const cores = new WeakMap<BoundedShape, SupportCore>();

export function coreOf(shape: BoundedShape): SupportCore {
  return cached(cores, shape, makeCore);
}

function makeCore(shape: BoundedShape): SupportCore {
  switch (shape.kind) {
    case "sphere":
      return pointCore(shape.radius);
    case "capsule":
      return segmentCore(shape.halfLength, shape.radius);
    case "box":
      return boxCore(...shape.halfSize);
    case "hull":
      return pointsCore(shape.polyhedron.vertices, shape.polyhedron.normals);
    case "cylinder":
      return cylinderCore(shape.radius, shape.halfLength);
    case "ellipsoid":
      return ellipsoidCore(...shape.radii);
  }
}

const search = new ConvexDistance();

/** Distance of two bounded convex shapes; `witness` as PairDistance says. */
export function convexDistance(
  a: BoundedShape,
  b: BoundedShape,
  placement: Float64Array,
  witness: Float64Array | undefined,
): number {
  const distance = search.between(coreOf(a), coreOf(b), placement);
  if (witness) {
    witness.set(search.pointOfA, 0);
    witness.set(search.pointOfB, 3);
    witness.set(search.normal, 6);
  }
  return distance;
}

/** h(n) of a core, in its own frame: how far it reaches along n. */
export function reachAlong(core: SupportCore, dx: number, dy: number, dz: number): number {
  const { x, y, z } = core;
  switch (core.kind) {
    case coreKind.point:
      return 0;
    case coreKind.segment:
      return z * Math.abs(dz);
    case coreKind.box:
      return x * Math.abs(dx) + y * Math.abs(dy) + z * Math.abs(dz);
    case coreKind.cylinder:
      return x * Math.sqrt(dx * dx + dy * dy) + z * Math.abs(dz);
    case coreKind.ellipsoid:
      return Math.sqrt(x * x * dx * dx + y * y * dy * dy + z * z * dz * dz);
    default: {
      const { points } = core;
      let most = Number.NEGATIVE_INFINITY;
      for (let i = 0; i < points.length; i += 3)
        most = Math.max(most, points[i] * dx + points[i + 1] * dy + points[i + 2] * dz);
      return most;
    }
  }
}

/**
 * How far two bounded convex shapes are apart along a unit vector n, in a's frame, by their cores: n·p − h_a(n) − h_b(−n), p from the origin
 * of a to that of b. Whatever the vector, their distance is no less.
 */
export function separationAlong(
  a: SupportCore,
  b: SupportCore,
  m: Float64Array,
  x: number,
  y: number,
  z: number,
): number {
  const bx = m[3] * x + m[6] * y + m[9] * z;
  const by = m[4] * x + m[7] * y + m[10] * z;
  const bz = m[5] * x + m[8] * y + m[11] * z;
  const along = x * m[0] + y * m[1] + z * m[2] - a.radius - b.radius;
  return along - reachAlong(a, x, y, z) - reachAlong(b, -bx, -by, -bz);
}

const lowest = new Float64Array(3);

/** Distance of a bounded convex shape and a half-space: the height of the shape's lowest point. */
export function halfSpaceDistance(
  a: BoundedShape,
  _: HalfSpaceShape,
  m: Float64Array,
  witness: Float64Array | undefined,
): number {
  const core = coreOf(a);
  // the half-space's normal is the third column of its rotation
  supportInto(lowest, 0, core, -m[5], -m[8], -m[11]);
  const height = m[5] * (lowest[0] - m[0]) + m[8] * (lowest[1] - m[1]) + m[11] * (lowest[2] - m[2]) - core.radius;
  if (witness) {
    for (let k = 0; k < 3; k++) {
      const n = m[5 + 3 * k];
      witness[k] = lowest[k] - core.radius * n;
      witness[3 + k] = witness[k] - height * n;
      witness[6 + k] = -n;
    }
  }
  return height;
}
