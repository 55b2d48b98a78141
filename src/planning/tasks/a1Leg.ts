/**
 * A leg of A1: where its foot is to be, as joint angles. Thigh and calf are two links of l = 0.2 m in a plane that the hip turns about x;
 * that plane is at a distance a from the hip. With the foot at (x, y, z) from the hip joint, a and y positive on the left:
 *   r² = y² + z² − a²            how far below the thigh's joint, in the plane
 *   hip   = atan2(z, y) − atan2(−r, a)
 *   calf  = −2 acos(√(x² + r²)/2l),      thigh = atan2(−x, r) − calf/2
 */
const link = 0.2;
/** a, m. */
export const hipOffset = 0.08505;

export interface LegAngles {
  readonly hip: number;
  readonly thigh: number;
  readonly calf: number;
}

/** Angles of a leg whose foot is at x ahead of the thigh's joint and d below it, in the plane of its links. */
export function planarLegAngles(x: number, d: number): Omit<LegAngles, "hip"> {
  const calf = -2 * Math.acos(Math.hypot(x, d) / (2 * link));
  return { thigh: Math.atan2(-x, d) - calf / 2, calf };
}

/** Angles of a leg on the left (side 1) or the right (−1), whose foot is at (x, y, z) from the hip joint. */
export function legAngles([x, y, z]: readonly [number, number, number], side: 1 | -1): LegAngles {
  const a = side * hipOffset;
  const r = Math.sqrt(y * y + z * z - a * a);
  return { hip: Math.atan2(z, y) - Math.atan2(-r, a), ...planarLegAngles(x, r) };
}
