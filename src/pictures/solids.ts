/**
 * Where a ray o + t d meets a solid that lies at the origin, and its normal there. Capsules and cylinders lie along z.
 *   unit sphere   |o + t d|² = 1
 *   cylinder      x² + y² = r² between two caps
 *   capsule       a cylinder and two spheres
 *   box           the last of the planes that it enters
 * Only basic operations and square roots are used, so that a picture is the same to the bit everywhere.
 */
import { type Vector3, vector } from "../math/index.ts";
import { boxAround, type Shape } from "../mechanism/index.ts";

/** Writes the normal (not of length 1) where the ray enters and returns t; Infinity where it does not. */
export type Solid = (o: Float64Array, d: Float64Array, normal: Float64Array) => number;

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
      return boxOf(shape.points);
    case "halfSpace":
      return boxOf([
        [-EXPANSE, -EXPANSE, -0.01],
        [EXPANSE, EXPANSE, 0],
      ]);
    case "heightField": {
      const [x, y] = [shape.size[0] / 2, shape.size[1] / 2];
      const heights = shape.heights.flat();
      return boxOf([
        [-x, -y, heights.reduce((least, height) => Math.min(least, height)) - 0.01],
        [x, y, heights.reduce((most, height) => Math.max(most, height))],
      ]);
    }
  }
}

/** Half the side of the slab that stands for a half-space, m. */
const EXPANSE = 10;

/** The box around points. */
function boxOf(points: readonly Vector3[]): { readonly solid: Solid; readonly radius: number } {
  const { size, centre } = boxAround(points);
  const [x, y, z] = size.map((length) => length / 2);
  const about = box([x, y, z]);
  const shifted = new Float64Array(3);
  const solid: Solid = (o, d, normal) => {
    for (let k = 0; k < 3; k++) shifted[k] = o[k] - centre[k];
    return about(shifted, d, normal);
  };
  return { solid, radius: vector.norm(centre) + Math.sqrt(x * x + y * y + z * z) };
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
