/**
 * Geoms whose mass lies on their surface (`shellinertia`): area A, by which a density counts, and moments about the centre.
 *   sphere     A = 4πr²                     I = ⅔ m r²
 *   capsule    tube and two half-spheres, whose centroids are r/2 beyond the ends of the tube
 *   cylinder   tube and two discs
 *   box        six faces
 *   ellipsoid  A as in MuJoCo, K. Thomsen's 4π ((aᵖbᵖ + aᵖcᵖ + bᵖcᵖ)/3)^(1/p), p = 1.6075. The layer between the ellipsoids of
 *              radii a, b, c and a − ε, b − ε, c − ε: with V = 4π/3 abc and ∂ = ∂/∂a + ∂/∂b + ∂/∂c,
 *              Ix = m ∂(V (b² + c²)/5) / ∂V.
 */
import { matrix3 } from "../../math/index.ts";
import type { Matrix3, Vector3 } from "../../mechanism/index.ts";
import type { Dimensions } from "./model.ts";

export interface ShellMass {
  /** m². */
  readonly area: number;
  readonly inertia: Matrix3;
}

/** The shell of a shape, with mass 1. */
export function shellMass(shape: Dimensions): ShellMass {
  switch (shape.kind) {
    case "sphere": {
      const moment = (2 / 3) * shape.radius ** 2;
      return { area: 4 * Math.PI * shape.radius ** 2, inertia: matrix3.diagonal(moment, moment, moment) };
    }
    case "capsule":
    case "cylinder":
      return shape.kind === "capsule" ? capsule(shape.radius, shape.length) : cylinder(shape.radius, shape.length);
    case "box":
      return box(shape.size);
    default:
      return ellipsoid(shape.radii);
  }
}

function capsule(r: number, length: number): ShellMass {
  const areas = { tube: 2 * Math.PI * r * length, ends: 4 * Math.PI * r ** 2 };
  const area = areas.tube + areas.ends;
  const [tube, ends] = [areas.tube / area, areas.ends / area];
  // a half-sphere about its centroid has 5/12 m r² across its axis
  const across = tube * (r ** 2 / 2 + length ** 2 / 12) + ends * ((5 / 12) * r ** 2 + ((length + r) / 2) ** 2);
  const along = tube * r ** 2 + ends * (2 / 3) * r ** 2;
  return { area, inertia: matrix3.diagonal(across, across, along) };
}

function cylinder(r: number, length: number): ShellMass {
  const areas = { tube: 2 * Math.PI * r * length, discs: 2 * Math.PI * r ** 2 };
  const area = areas.tube + areas.discs;
  const [tube, discs] = [areas.tube / area, areas.discs / area];
  const across = tube * (r ** 2 / 2 + length ** 2 / 12) + discs * (r ** 2 / 4 + length ** 2 / 4);
  const along = tube * r ** 2 + discs * (r ** 2 / 2);
  return { area, inertia: matrix3.diagonal(across, across, along) };
}

function box(edges: Vector3): ShellMass {
  const [a, b, c] = edges;
  const pairs = [2 * b * c, 2 * a * c, 2 * a * b];
  const area = pairs[0] + pairs[1] + pairs[2];
  // second moments of the coordinates: a face across an axis has e²/4 along it, the others e²/12
  const second = edges.map((edge, i) => (edge ** 2 * (pairs[i] / 4 + (area - pairs[i]) / 12)) / area);
  return { area, inertia: fromSecondMoments(second) };
}

function ellipsoid([a, b, c]: Vector3): ShellMass {
  const p = 1.6075;
  const area = 4 * Math.PI * (((a * b) ** p + (a * c) ** p + (b * c) ** p) / 3) ** (1 / p);
  // ∂(abc a²/5) / ∂(abc), and so for b and c
  const spread = a * b + b * c + a * c;
  const second = [a, b, c].map((radius) => (radius ** 2 + (2 * a * b * c * radius) / spread) / 5);
  return { area, inertia: fromSecondMoments(second) };
}

function fromSecondMoments([xx, yy, zz]: readonly number[]): Matrix3 {
  return matrix3.diagonal(yy + zz, xx + zz, xx + yy);
}
