/**
 * Overlapping polyhedra: the direction of least depth, and the deepest points along it. Small ones go by all separating axes
 * (separatingAxis.ts); of large ones there are too many, and the direction that a growing polytope gives (convexDistance.ts) is made
 * exact.
 */
import { cached } from "../math/index.ts";
import { ConvexDistance } from "./convexDistance.ts";
import { closest, makeExact } from "./exactDirection.ts";
import { simplex, supportVertex } from "./gjk.ts";
import { crossing, crossLines } from "./lines.ts";
import type { Polyhedron } from "./polyhedron.ts";
import { axis, findAxis } from "./separatingAxis.ts";
import { pointsCore, type SupportCore } from "./supportCore.ts";

/** Pairs of edges up to which all of them are looked at: two boxes have 144. */
const FEW_PAIRS = 1024;

const search = new ConvexDistance();
/** Support functions of large polyhedra, made once each. */
const cores = new WeakMap<Polyhedron, SupportCore>();

function coreOf(shape: Polyhedron): SupportCore {
  return cached(cores, shape, ({ vertices }) => pointsCore(vertices));
}

/** Fills `closest`. */
export function findDeepest(a: Polyhedron, b: Polyhedron, m: Float64Array): void {
  if (a.edgeCount * b.edgeCount <= FEW_PAIRS || !findByGrowth(a, b, m)) {
    findAxis(a, b, m);
    closest.distance = axis.separation;
    closest.type = axis.type === "points" ? "corners" : axis.type;
    closest.partA = axis.partA;
    closest.partB = axis.partB;
    for (let k = 0; k < 3; k++) closest.normal[k] = axis.normal[k];
  }
  deepestPoints(a, b, m);
}

/** False where the direction is none of a face or of edges, so that it is in doubt. */
function findByGrowth(a: Polyhedron, b: Polyhedron, m: Float64Array): boolean {
  const depth = search.between(coreOf(a), coreOf(b), m);
  const [x, y, z] = search.normal;
  simplex.count = 1;
  simplex.a[0] = supportVertex(a, x, y, z, 0);
  simplex.b[0] = supportVertex(
    b,
    -(m[3] * x + m[6] * y + m[9] * z),
    -(m[4] * x + m[7] * y + m[10] * z),
    -(m[5] * x + m[8] * y + m[11] * z),
    0,
  );
  makeExact(a, b, m, depth, search.normal);
  return closest.type !== "corners";
}

function deepestPoints(a: Polyhedron, b: Polyhedron, m: Float64Array): void {
  const { normal, pointA, pointB, distance: s, type, partA, partB } = closest;
  if (type === "faceOfA") {
    for (let k = 0; k < 3; k++) {
      pointB[k] = coordinateOfB(b, m, partB, k);
      pointA[k] = pointB[k] - s * normal[k];
    }
  } else if (type === "faceOfB") {
    for (let k = 0; k < 3; k++) {
      pointA[k] = a.vertices[3 * partA + k];
      pointB[k] = pointA[k] + s * normal[k];
    }
  } else if (type === "corners") {
    // points that meet
    for (let k = 0; k < 3; k++) pointA[k] = pointB[k] = coordinateOfB(b, m, simplex.b[0], k);
  } else {
    // where the line of a's edge is nearest to that of b's
    const i = partA;
    const j = partB;
    const v = b.edgeDirections;
    for (let k = 0; k < 3; k++) {
      p[k] = a.vertices[3 * a.edgeEnds[2 * i] + k];
      d[k] = a.edgeDirections[3 * i + k];
      q[k] = coordinateOfB(b, m, b.edgeEnds[2 * j], k);
      e[k] = m[3 + 3 * k] * v[3 * j] + m[4 + 3 * k] * v[3 * j + 1] + m[5 + 3 * k] * v[3 * j + 2];
    }
    crossLines(p, d, q, e);
    for (let k = 0; k < 3; k++) {
      pointA[k] = p[k] + crossing.s * d[k];
      pointB[k] = pointA[k] + s * normal[k];
    }
  }
}

const p = new Float64Array(3);
const q = new Float64Array(3);
const d = new Float64Array(3);
const e = new Float64Array(3);

function coordinateOfB({ vertices }: Polyhedron, m: Float64Array, v: number, k: number): number {
  return (
    m[k] + m[3 + 3 * k] * vertices[3 * v] + m[4 + 3 * k] * vertices[3 * v + 1] + m[5 + 3 * k] * vertices[3 * v + 2]
  );
}
