/**
 * Poses and placements as flat numbers, without allocation.
 *   pose       7 numbers: position, unit quaternion (scalar first) of a frame in the world, or in a body
 *   placement  12 numbers: position, then the rows of the rotation matrix, of frame b in frame a
 * Narrow phases see placements only, so they do not lose digits far from the origin.
 */

export const placementSize = 12;

/** Rows of the rotation matrix of the unit quaternion (w, x, y, z), written at `out[at]`. */
function rowsInto(out: Float64Array, at: number, w: number, x: number, y: number, z: number): void {
  out[at] = 1 - 2 * (y * y + z * z);
  out[at + 1] = 2 * (x * y - w * z);
  out[at + 2] = 2 * (x * z + w * y);
  out[at + 3] = 2 * (x * y + w * z);
  out[at + 4] = 1 - 2 * (x * x + z * z);
  out[at + 5] = 2 * (y * z - w * x);
  out[at + 6] = 2 * (x * z - w * y);
  out[at + 7] = 2 * (y * z + w * x);
  out[at + 8] = 1 - 2 * (x * x + y * y);
}

/** The placement of the pose at `pose[from]` in the frame that the pose is in, written at `out[at]`. */
export function placementInto(out: Float64Array, at: number, pose: ArrayLike<number>, from: number): void {
  out[at] = pose[from];
  out[at + 1] = pose[from + 1];
  out[at + 2] = pose[from + 2];
  rowsInto(out, at + 3, pose[from + 3], pose[from + 4], pose[from + 5], pose[from + 6]);
}

/** The same as a whole array. */
export function placementOf(out: Float64Array, pose: ArrayLike<number>, at = 0): Float64Array {
  placementInto(out, 0, pose, at);
  return out;
}

/** The placement of frame b in frame a: R = R_aᵀ R_b, p = R_aᵀ (p_b − p_a). */
export function placementBetween(
  out: Float64Array,
  a: ArrayLike<number>,
  atA: number,
  b: ArrayLike<number>,
  atB: number,
): Float64Array {
  const w = a[atA + 3];
  const x = a[atA + 4];
  const y = a[atA + 5];
  const z = a[atA + 6];
  const bw = b[atB + 3];
  const bx = b[atB + 4];
  const by = b[atB + 5];
  const bz = b[atB + 6];
  // q_a* ⊗ q_b, whose rows are written here: numbers handed to a function would be objects
  const rw = w * bw + x * bx + y * by + z * bz;
  const rx = w * bx - x * bw - y * bz + z * by;
  const ry = w * by + x * bz - y * bw - z * bx;
  const rz = w * bz - x * by + y * bx - z * bw;
  out[3] = 1 - 2 * (ry * ry + rz * rz);
  out[4] = 2 * (rx * ry - rw * rz);
  out[5] = 2 * (rx * rz + rw * ry);
  out[6] = 2 * (rx * ry + rw * rz);
  out[7] = 1 - 2 * (rx * rx + rz * rz);
  out[8] = 2 * (ry * rz - rw * rx);
  out[9] = 2 * (rx * rz - rw * ry);
  out[10] = 2 * (ry * rz + rw * rx);
  out[11] = 1 - 2 * (rx * rx + ry * ry);
  const dx = b[atB] - a[atA];
  const dy = b[atB + 1] - a[atA + 1];
  const dz = b[atB + 2] - a[atA + 2];
  // v + 2w (v × u) + 2 (v × u) × u, with u the vector part: the turn back
  const tx = 2 * (dy * z - dz * y);
  const ty = 2 * (dz * x - dx * z);
  const tz = 2 * (dx * y - dy * x);
  out[0] = dx + w * tx + (ty * z - tz * y);
  out[1] = dy + w * ty + (tz * x - tx * z);
  out[2] = dz + w * tz + (tx * y - ty * x);
  return out;
}

/** The placement of a in b from that of b in a: Rᵀ, −Rᵀ p. `out` is another array. */
export function invertPlacement(out: Float64Array, m: Float64Array): Float64Array {
  out[0] = -(m[3] * m[0] + m[6] * m[1] + m[9] * m[2]);
  out[1] = -(m[4] * m[0] + m[7] * m[1] + m[10] * m[2]);
  out[2] = -(m[5] * m[0] + m[8] * m[1] + m[11] * m[2]);
  out[3] = m[3];
  out[4] = m[6];
  out[5] = m[9];
  out[6] = m[4];
  out[7] = m[7];
  out[8] = m[10];
  out[9] = m[5];
  out[10] = m[8];
  out[11] = m[11];
  return out;
}

/** The pose in the world of what has pose `inner` in a frame of pose `outer`. */
export function composePose(
  out: Float64Array,
  at: number,
  outer: ArrayLike<number>,
  atOuter: number,
  inner: ArrayLike<number>,
  atInner: number,
): void {
  const w = outer[atOuter + 3];
  const x = outer[atOuter + 4];
  const y = outer[atOuter + 5];
  const z = outer[atOuter + 6];
  const px = inner[atInner];
  const py = inner[atInner + 1];
  const pz = inner[atInner + 2];
  const iw = inner[atInner + 3];
  const ix = inner[atInner + 4];
  const iy = inner[atInner + 5];
  const iz = inner[atInner + 6];
  const tx = 2 * (y * pz - z * py);
  const ty = 2 * (z * px - x * pz);
  const tz = 2 * (x * py - y * px);
  out[at] = outer[atOuter] + px + w * tx + (y * tz - z * ty);
  out[at + 1] = outer[atOuter + 1] + py + w * ty + (z * tx - x * tz);
  out[at + 2] = outer[atOuter + 2] + pz + w * tz + (x * ty - y * tx);
  out[at + 3] = w * iw - x * ix - y * iy - z * iz;
  out[at + 4] = w * ix + x * iw + y * iz - z * iy;
  out[at + 5] = w * iy - x * iz + y * iw + z * ix;
  out[at + 6] = w * iz + x * iy - y * ix + z * iw;
}

/** Takes the vector at `v[from]` through a placement m = (p, R), and writes it at `out[at]`, which may be the same place. */
type Place = (out: Float64Array, at: number, m: Float64Array, v: ArrayLike<number>, from: number) => void;

/** R v + p. */
export const placePoint: Place = (out, at, m, v, from) => {
  placeDirection(out, at, m, v, from);
  for (let k = 0; k < 3; k++) out[at + k] += m[k];
};

/** R v. */
export const placeDirection: Place = (out, at, m, v, from) => {
  const x = v[from];
  const y = v[from + 1];
  const z = v[from + 2];
  out[at] = m[3] * x + m[4] * y + m[5] * z;
  out[at + 1] = m[6] * x + m[7] * y + m[8] * z;
  out[at + 2] = m[9] * x + m[10] * y + m[11] * z;
};

/** Rᵀ v. */
export const placeDirectionBack: Place = (out, at, m, v, from) => {
  const x = v[from];
  const y = v[from + 1];
  const z = v[from + 2];
  out[at] = m[3] * x + m[6] * y + m[9] * z;
  out[at + 1] = m[4] * x + m[7] * y + m[10] * z;
  out[at + 2] = m[5] * x + m[8] * y + m[11] * z;
};

/** Rᵀ (v − p). */
export const placePointBack: Place = (out, at, m, v, from) => {
  for (let k = 0; k < 3; k++) out[at + k] = v[from + k] - m[k];
  placeDirectionBack(out, at, m, out, at);
};
