/**
 * A change of the time step keeps the interval momentum: v stays, and ω' solves Π(ω', h') = Π(ω, h), with
 * Π = √(1−|ψ|²) Jω − ψ × Jω and ψ = hω/2. Solved by fixed-point iteration on ω' = J⁻¹(Π + ψ'×Jω')/√(1−|ψ'|²), which
 * contracts by about |ψ'| per round. A shorter interval can express every momentum that a longer one can, but not the other way round.
 *
 * What stays is the momentum, not the instant it belongs to: the middle of an interval moves by (h − h')/2, and forces do not act for that
 * time. docs/solver.md says what it amounts to. Steps that are divided by a tolerance make up for it with a lead (equations/node.ts).
 */
import { angularVelocityAt, type Matrix3, type Vector3 } from "../../math/index.ts";

const mostRounds = 200;
/** What the momentum may be off by, relative to itself. */
const tolerance = 1e-12;
const settled = 4e-16;

/** Changes the spin of a body in a state; returns whether the longer interval can express the momentum. */
export function changeIntervalInto(
  state: Float64Array,
  body: number,
  inertia: Matrix3,
  from: number,
  to: number,
): boolean {
  const [[xx, xy, xz], [, yy, yz], [, , zz]] = inertia;
  return changeSpinInto(state, angularVelocityAt(body), [xx, yy, zz, xy, xz, yz], 0, from, to);
}

/** ω', and whether the interval `to` can express the momentum; where it cannot, ω' means nothing. */
export function changedSpin(
  spin: Vector3,
  inertia: Matrix3,
  from: number,
  to: number,
): { readonly spin: Vector3; readonly fits: boolean } {
  const [[xx, xy, xz], [, yy, yz], [, , zz]] = inertia;
  const changed = Float64Array.from(spin);
  const fits = changeSpinInto(changed, 0, [xx, yy, zz, xy, xz, yz], 0, from, to);
  return { spin: [changed[0], changed[1], changed[2]], fits };
}

/** The same of the three numbers from `at` on, with an inertia of six numbers (xx, yy, zz, xy, xz, yz) from `inertiaAt` on; allocates nothing. */
export function changeSpinInto(
  spin: Float64Array,
  at: number,
  inertia: ArrayLike<number>,
  inertiaAt: number,
  from: number,
  to: number,
): boolean {
  const xx = inertia[inertiaAt];
  const yy = inertia[inertiaAt + 1];
  const zz = inertia[inertiaAt + 2];
  const xy = inertia[inertiaAt + 3];
  const xz = inertia[inertiaAt + 4];
  const yz = inertia[inertiaAt + 5];
  let x = spin[at];
  let y = spin[at + 1];
  let z = spin[at + 2];

  // Π, and J⁻¹ by its adjugate
  let jx = xx * x + xy * y + xz * z;
  let jy = xy * x + yy * y + yz * z;
  let jz = xz * x + yz * y + zz * z;
  let px = x * (from / 2);
  let py = y * (from / 2);
  let pz = z * (from / 2);
  let root = Math.sqrt(1 - (px * px + py * py + pz * pz));
  const mx = jx * root - (py * jz - pz * jy);
  const my = jy * root - (pz * jx - px * jz);
  const mz = jz * root - (px * jy - py * jx);
  const c00 = yy * zz - yz * yz;
  const c01 = yz * xz - xy * zz;
  const c02 = xy * yz - yy * xz;
  const scale = 1 / (xx * c00 + xy * c01 + xz * c02);
  const i00 = c00 * scale;
  const i01 = c01 * scale;
  const i02 = c02 * scale;
  const i11 = (zz * xx - xz * xz) * scale;
  const i12 = (xz * xy - yz * xx) * scale;
  const i22 = (xx * yy - xy * xy) * scale;

  for (let round = 0; round < mostRounds; round++) {
    px = x * (to / 2);
    py = y * (to / 2);
    pz = z * (to / 2);
    root = Math.sqrt(Math.max(0.1, 1 - (px * px + py * py + pz * pz)));
    jx = xx * x + xy * y + xz * z;
    jy = xy * x + yy * y + yz * z;
    jz = xz * x + yz * y + zz * z;
    const rx = mx + (py * jz - pz * jy);
    const ry = my + (pz * jx - px * jz);
    const rz = mz + (px * jy - py * jx);
    const nx = (i00 * rx + i01 * ry + i02 * rz) * (1 / root);
    const ny = (i01 * rx + i11 * ry + i12 * rz) * (1 / root);
    const nz = (i02 * rx + i12 * ry + i22 * rz) * (1 / root);
    const change = length(nx - x, ny - y, nz - z);
    x = nx;
    y = ny;
    z = nz;
    if (change <= settled * length(x, y, z)) break;
  }
  spin[at] = x;
  spin[at + 1] = y;
  spin[at + 2] = z;

  // what the momentum is off by
  px = x * (to / 2);
  py = y * (to / 2);
  pz = z * (to / 2);
  root = Math.sqrt(1 - (px * px + py * py + pz * pz));
  jx = xx * x + xy * y + xz * z;
  jy = xy * x + yy * y + yz * z;
  jz = xz * x + yz * y + zz * z;
  const ox = jx * root - (py * jz - pz * jy) - mx;
  const oy = jy * root - (pz * jx - px * jz) - my;
  const oz = jz * root - (px * jy - py * jx) - mz;
  return length(ox, oy, oz) <= tolerance * length(mx, my, mz);
}

/** Scaled by the largest entry, so that nothing overflows or is lost on the way. */
function length(x: number, y: number, z: number): number {
  const largest = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
  if (!(largest > 0 && largest < Number.POSITIVE_INFINITY)) return largest;
  const a = x / largest;
  const b = y / largest;
  const c = z / largest;
  return largest * Math.sqrt(a * a + b * b + c * c);
}
