/**
 * Where two lines p + s d and q + t e (unit directions) are nearest to each other:
 *   s = ((q − p)·d − c (q − p)·e)/(1 − c²),  t = (c (q − p)·d − (q − p)·e)/(1 − c²),  c = d·e
 */

/** What was found; the next call overwrites it. */
export const crossing = {
  s: 0,
  t: 0,
  /** |d × e|: 0 where the lines are parallel, and then s and t are not set. */
  sine: 0,
  /** The unit vector across both, towards the first line, and the distance along it, which is never negative. */
  normal: new Float64Array(3),
  distance: 0,
};

export function crossLines(p: Float64Array, d: Float64Array, q: Float64Array, e: Float64Array): void {
  const x = q[0] - p[0];
  const y = q[1] - p[1];
  const z = q[2] - p[2];
  const { normal } = crossing;
  normal[0] = d[1] * e[2] - d[2] * e[1];
  normal[1] = d[2] * e[0] - d[0] * e[2];
  normal[2] = d[0] * e[1] - d[1] * e[0];
  const square = normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2];
  crossing.sine = Math.sqrt(square);
  if (!(square > 0)) return;
  const cosine = d[0] * e[0] + d[1] * e[1] + d[2] * e[2];
  const alongD = x * d[0] + y * d[1] + z * d[2];
  const alongE = x * e[0] + y * e[1] + z * e[2];
  crossing.s = (alongD - cosine * alongE) / square;
  crossing.t = (cosine * alongD - alongE) / square;
  const signed = -(x * normal[0] + y * normal[1] + z * normal[2]) / crossing.sine;
  const scale = (signed < 0 ? -1 : 1) / crossing.sine;
  for (let k = 0; k < 3; k++) normal[k] *= scale;
  crossing.distance = Math.abs(signed);
}
