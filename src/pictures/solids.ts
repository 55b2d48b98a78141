/**
 * Where a ray o + t d meets a solid that lies at the origin, and its normal there. Capsules and cylinders lie along z.
 *   unit sphere   |o + t d|² = 1
 *   cylinder      x² + y² = r² between two caps
 *   capsule       a cylinder and two spheres
 *   box, hull     the last of the planes that it enters
 * Only basic operations and square roots are used, so that a picture is the same to the bit everywhere.
 */
import { hullOf, polyhedron } from "../geometry/index.ts";
import { type Vector3, vector } from "../math/index.ts";
import type { Shape } from "../mechanism/index.ts";
import type { Solid } from "./solid.ts";
import { terrain } from "./terrain.ts";

const none = Number.POSITIVE_INFINITY;

export function solidOf(shape: Shape): { readonly solid: Solid; readonly radius: number } {
  switch (shape.kind) {
    case "sphere":
      return { solid: ellipsoid([shape.radius, shape.radius, shape.radius]), radius: shape.radius };
    case "ellipsoid":
      return { solid: ellipsoid(shape.radii), radius: Math.max(...shape.radii) };
    case "box": {
      const [x, y, z] = shape.size.map((size) => size / 2);
      return { solid: box([x, y, z]), radius: Math.sqrt(x * x + y * y + z * z) };
    }
    case "capsule":
      return { solid: capsule(shape.radius, shape.length / 2), radius: shape.radius + shape.length / 2 };
    case "cylinder": {
      const { radius, length } = shape;
      return { solid: cylinder(radius, length / 2), radius: Math.sqrt(radius * radius + (length * length) / 4) };
    }
    case "hull":
      return hull(shape.points);
    case "halfSpace":
      return slab();
    case "heightField":
      return terrain(shape);
  }
}

/** Half the side of the slab that stands for a half-space, m. */
const EXPANSE = 10;
/** How thick it is. */
const THICKNESS = 0.01;

function slab(): { readonly solid: Solid; readonly radius: number } {
  const about = box([EXPANSE, EXPANSE, THICKNESS / 2]);
  const shifted = new Float64Array(3);
  const solid: Solid = (o, d, normal) => {
    shifted.set(o);
    shifted[2] += THICKNESS / 2;
    return about(shifted, d, normal);
  };
  return { solid, radius: Math.sqrt(2 * EXPANSE * EXPANSE + THICKNESS * THICKNESS) };
}

/** The last of the faces that the ray enters, before it leaves any. */
function hull(points: readonly Vector3[]): { readonly solid: Solid; readonly radius: number } {
  const { vertices, faces } = hullOf(points.flat());
  const { faceCount, normals, offsets } = polyhedron(vertices, faces);
  const solid: Solid = (o, d, normal) => {
    let [enter, leave, side] = [0, none, -1];
    for (let f = 0; f < faceCount; f++) {
      const [x, y, z] = [normals[3 * f], normals[3 * f + 1], normals[3 * f + 2]];
      const rate = x * d[0] + y * d[1] + z * d[2];
      const inside = offsets[f] - (x * o[0] + y * o[1] + z * o[2]);
      if (rate === 0) {
        if (inside < 0) return none;
        continue;
      }
      const t = inside / rate;
      if (rate > 0) leave = Math.min(leave, t);
      else if (t > enter) [enter, side] = [t, f];
    }
    if (side < 0 || enter > leave) return none;
    normal.set(normals.subarray(3 * side, 3 * side + 3));
    return enter;
  };
  return { solid, radius: Math.max(...points.map(vector.norm)) };
}

function ellipsoid([a, b, c]: readonly number[]): Solid {
  return (o, d, normal) => {
    const [x, y, z] = [o[0] / a, o[1] / b, o[2] / c];
    const [u, v, w] = [d[0] / a, d[1] / b, d[2] / c];
    const t = firstRoot(u * u + v * v + w * w, x * u + y * v + z * w, x * x + y * y + z * z - 1);
    if (t === none) return none;
    normal[0] = (x + t * u) / a;
    normal[1] = (y + t * v) / b;
    normal[2] = (z + t * w) / c;
    return t;
  };
}

function box(half: readonly number[]): Solid {
  return (o, d, normal) => {
    let enter = 0;
    let leave = none;
    let side = -1;
    for (let k = 0; k < 3; k++) {
      if (d[k] === 0) {
        if (Math.abs(o[k]) > half[k]) return none;
        continue;
      }
      const near = (-Math.sign(d[k]) * half[k] - o[k]) / d[k];
      const far = (Math.sign(d[k]) * half[k] - o[k]) / d[k];
      if (near > enter) {
        enter = near;
        side = k;
      }
      leave = Math.min(leave, far);
    }
    if (side < 0 || enter > leave) return none;
    normal.fill(0);
    normal[side] = -Math.sign(d[side]);
    return enter;
  };
}

function cylinder(radius: number, half: number): Solid {
  return (o, d, normal) => {
    const t = barrel(o, d, radius);
    const z = o[2] + t * d[2];
    if (t !== none && Math.abs(z) <= half) return around(o, d, t, normal, 0);
    if (d[2] === 0) return none;
    const cap = (-Math.sign(d[2]) * half - o[2]) / d[2];
    const [x, y] = [o[0] + cap * d[0], o[1] + cap * d[1]];
    if (cap <= 0 || x * x + y * y > radius * radius) return none;
    normal[0] = normal[1] = 0;
    normal[2] = -Math.sign(d[2]);
    return cap;
  };
}

function capsule(radius: number, half: number): Solid {
  return (o, d, normal) => {
    const t = barrel(o, d, radius);
    if (t !== none && Math.abs(o[2] + t * d[2]) <= half) return around(o, d, t, normal, 0);
    const dd = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    let first = none;
    let centre = 0;
    for (let side = -1; side <= 1; side += 2) {
      const z = o[2] - side * half;
      const c = o[0] * o[0] + o[1] * o[1] + z * z - radius * radius;
      const found = firstRoot(dd, o[0] * d[0] + o[1] * d[1] + z * d[2], c);
      if (found >= first) continue;
      first = found;
      centre = side * half;
    }
    if (first === none) return none;
    around(o, d, first, normal, o[2] + first * d[2] - centre);
    return first;
  };
}

/** Where a ray enters an endless cylinder. */
function barrel(o: Float64Array, d: Float64Array, radius: number): number {
  const a = d[0] * d[0] + d[1] * d[1];
  if (a === 0) return none;
  return firstRoot(a, o[0] * d[0] + o[1] * d[1], o[0] * o[0] + o[1] * o[1] - radius * radius);
}

function around(o: Float64Array, d: Float64Array, t: number, normal: Float64Array, z: number): number {
  normal[0] = o[0] + t * d[0];
  normal[1] = o[1] + t * d[1];
  normal[2] = z;
  return t;
}

/** The smaller root of a t² + 2 b t + c, where it lies ahead. */
function firstRoot(a: number, b: number, c: number): number {
  const square = b * b - a * c;
  if (square <= 0) return none;
  const t = (-b - Math.sqrt(square)) / a;
  return t > 0 ? t : none;
}
