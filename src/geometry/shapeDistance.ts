/** Signed distances of prepared shapes by their support points: of any two convex ones, and of one and a half-space. */
import { ConvexDistance } from "./convexDistance.ts";
import type { ConvexShape, HalfSpaceShape } from "./shape.ts";
import {
  boxCore,
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
  let core = cores.get(shape);
  if (!core) {
    core = makeCore(shape);
    cores.set(shape, core);
  }
  return core;
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
      return pointsCore(shape.polyhedron.vertices);
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
