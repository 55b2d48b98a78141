/**
 * Distance of two spheres or capsules: that of their axes, less the radii. With s d and p + t e the axes, |s| ≤ l and |t| ≤ k, the square of
 * the distance is convex in s and t:
 *   s where the lines are nearest to each other, held within l;   t nearest to that point;   if t has to be held within k, s nearest to it.
 * Where lines are nearly parallel s is hardly known, but there the distance hardly depends on it: t goes along.
 */
import { flatDistance } from "./polyhedronPairs.ts";
import type { CapsuleShape, SphereShape } from "./shape.ts";

type Rounded = SphereShape | CapsuleShape;

/** Axes as near as this part of the radii touch: what parts them then is for others to say. */
const TOUCHING = 1e-6;

/** As PairDistance says (pairs.ts). */
export function roundedDistance(a: Rounded, b: Rounded, m: Float64Array, witness: Float64Array | undefined): number {
  const l = a.kind === "capsule" ? a.halfLength : 0;
  const k = b.kind === "capsule" ? b.halfLength : 0;
  // a's axis is z of its frame
  const x = m[0];
  const y = m[1];
  const z = m[2];
  const ex = m[5];
  const ey = m[8];
  const ez = m[11];
  const along = ex * x + ey * y + ez * z;
  const square = ex * ex + ey * ey;
  let s = square > 0 ? (z - ez * along) / square : 0;
  s = s < -l ? -l : s > l ? l : s;
  let t = ez * s - along;
  if (t < -k || t > k) {
    t = t < 0 ? -k : k;
    s = z + t * ez;
    s = s < -l ? -l : s > l ? l : s;
  }
  const dx = x + t * ex;
  const dy = y + t * ey;
  const dz = z + t * ez - s;
  const distance = Math.sqrt(dx * dx + dy * dy + dz * dz);
  if (!(distance > TOUCHING * (a.radius + b.radius))) return flatDistance(a, b, m, witness);
  if (witness) {
    const nx = dx / distance;
    const ny = dy / distance;
    const nz = dz / distance;
    witness[0] = a.radius * nx;
    witness[1] = a.radius * ny;
    witness[2] = s + a.radius * nz;
    witness[3] = dx - b.radius * nx;
    witness[4] = dy - b.radius * ny;
    witness[5] = s + dz - b.radius * nz;
    witness[6] = nx;
    witness[7] = ny;
    witness[8] = nz;
  }
  return distance - a.radius - b.radius;
}
