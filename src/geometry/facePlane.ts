/** Planes of polygons over points x, y, z, and the few vector formulas that hulls need. */

export type Plane = readonly [x: number, y: number, z: number, offset: number];

/** The plane of a loop of points: the normal is the sum of its triangles' area vectors, so no three points need to be in general position. */
export function loopPlane(positions: ArrayLike<number>, loop: readonly number[]): Plane {
  const area = loopArea(positions, loop);
  const size = length(area) || 1;
  const x = area[0] / size;
  const y = area[1] / size;
  const z = area[2] / size;
  // no corner stands out of the plane
  let offset = Number.NEGATIVE_INFINITY;
  for (const p of loop) {
    offset = Math.max(offset, x * positions[3 * p] + y * positions[3 * p + 1] + z * positions[3 * p + 2]);
  }
  return [x, y, z, offset];
}

/** Twice its area along its normal. */
export function loopArea(positions: ArrayLike<number>, loop: readonly number[]): number[] {
  const sum = [0, 0, 0];
  for (let k = 1; k + 1 < loop.length; k++) {
    const part = cross(between(positions, loop[0], loop[k]), between(positions, loop[0], loop[k + 1]));
    for (let i = 0; i < 3; i++) sum[i] += part[i];
  }
  return sum;
}

export function heightOver([x, y, z, offset]: Plane, positions: ArrayLike<number>, p: number): number {
  return x * positions[3 * p] + y * positions[3 * p + 1] + z * positions[3 * p + 2] - offset;
}

/** The vector from point p to point q. */
export function between(positions: ArrayLike<number>, p: number, q: number): number[] {
  const [to, from] = [3 * q, 3 * p];
  return [
    positions[to] - positions[from],
    positions[to + 1] - positions[from + 1],
    positions[to + 2] - positions[from + 2],
  ];
}

export function cross(u: readonly number[], v: readonly number[]): number[] {
  return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
}

export function dot(u: readonly number[], v: readonly number[]): number {
  return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
}

export function length(u: readonly number[]): number {
  return Math.sqrt(dot(u, u));
}
