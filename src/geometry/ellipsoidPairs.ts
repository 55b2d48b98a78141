/**
 * Features of ellipsoids: strictly convex, so there is one, that of the nearest parts. Against a plane, a line, a point or another
 * round set it is exact in every attitude.
 */
import { addRoundLine, addRoundPlane, addRoundRound, RoundPart } from "./addRound.ts";
import { CylinderView, END, RIM, SIDE } from "./cylinderView.ts";
import { findPart, part } from "./nearestPart.ts";
import type { PairFeatures } from "./pairs.ts";
import { edgePart, facePart } from "./parts.ts";
import type { CylinderShape, EllipsoidShape, FlatShape, HalfSpaceShape } from "./shape.ts";
import { convexDistance, halfSpaceDistance } from "./shapeDistance.ts";
import { squareTo } from "./vectors.ts";

const round = new RoundPart();
const other = new RoundPart();
const view = new CylinderView();
const witness = new Float64Array(9);
const n = new Float64Array(3);
const q = new Float64Array(3);
const d = new Float64Array(3);

/** Normals that are this near to a cylinder's axis, or to square to it, belong to its end or side. */
const LEVEL = 1e-7;

export const ellipsoidHalfSpaceFeatures: PairFeatures<EllipsoidShape, HalfSpaceShape> = (a, b, m, reach, out) => {
  if (halfSpaceDistance(a, b, m, undefined) > reach) return;
  for (let k = 0; k < 3; k++) {
    q[k] = m[k];
    n[k] = m[5 + 3 * k];
  }
  addRoundPlane(out, m, 0, 0, round.setEllipsoid(0, a.radii), q, n);
};

export const flatEllipsoidFeatures: PairFeatures<FlatShape, EllipsoidShape> = (a, b, m, reach, out) => {
  if (convexDistance(a, b, m, witness) > reach) return;
  normalFromWitness();
  const { polyhedron: shape, radius } = a;
  const { vertices, edgeEnds, edgeDirections, normals } = shape;
  round.setEllipsoid(1, b.radii);
  findPart(shape, n);
  if (part.dimension === 2) {
    for (let k = 0; k < 3; k++) {
      n[k] = normals[3 * part.face + k];
      q[k] = vertices[3 * part.vertex + k];
    }
    addRoundPlane(out, m, facePart(shape, part.face), 0, round, q, n);
  } else if (part.dimension === 1) {
    for (let k = 0; k < 3; k++) {
      q[k] = vertices[3 * edgeEnds[2 * part.edge] + k];
      d[k] = edgeDirections[3 * part.edge + k];
    }
    squareTo(n, d);
    addRoundLine(out, m, edgePart(shape, part.edge), 0, round, q, d, radius, n);
  } else {
    const v = 3 * part.vertex;
    other.setBall(0, vertices[v], vertices[v + 1], vertices[v + 2], radius, leastRadius(b));
    addRoundRound(out, m, part.vertex, 0, round, other, n);
  }
};

export const cylinderEllipsoidFeatures: PairFeatures<CylinderShape, EllipsoidShape> = (a, b, m, reach, out) => {
  if (convexDistance(a, b, m, witness) > reach) return;
  normalFromWitness();
  round.setEllipsoid(1, b.radii);
  view.set(a, 0, m);
  // the end that looks along n
  const end = n[2] > 0 ? 1 : 0;
  if (view.across(n) < LEVEL) {
    n.fill(0);
    n[2] = end === 0 ? -1 : 1;
    view.endInto(q, end);
    addRoundPlane(out, m, END + end, 0, round, q, n);
  } else if (Math.abs(n[2]) < LEVEL) {
    squareTo(n, view.axis);
    addRoundLine(out, m, SIDE, 0, round, view.centre, view.axis, a.radius, n);
  } else addRoundRound(out, m, RIM + end, 0, round, view.rim(end), n);
};

export const ellipsoidEllipsoidFeatures: PairFeatures<EllipsoidShape, EllipsoidShape> = (a, b, m, reach, out) => {
  if (convexDistance(a, b, m, witness) > reach) return;
  normalFromWitness();
  addRoundRound(out, m, 0, 0, round.setEllipsoid(1, b.radii), other.setEllipsoid(0, a.radii), n);
};

/** The normal from a to b, as the witness has it. */
function normalFromWitness(): void {
  for (let k = 0; k < 3; k++) n[k] = witness[6 + k];
}

function leastRadius({ radii }: EllipsoidShape): number {
  return Math.min(radii[0], radii[1], radii[2]);
}
