/**
 * Convex bodies as their support points: what the distance of any two of them needs.
 *   h(n) = max over x in the body of n·x,   taken at x(n)
 * A body is a *core* blown up by a radius: a sphere is a point with a radius, a capsule a segment with one. Distances
 * are those of cores less the radii, so cores hold all the shape and most of them never overlap.
 */

/** Kinds of core; a number each, for the switch that every support point runs through. */
export const coreKind = { point: 0, segment: 1, box: 2, cylinder: 3, ellipsoid: 4, points: 5 } as const;
export type CoreKind = (typeof coreKind)[keyof typeof coreKind];

export interface SupportCore {
  readonly kind: CoreKind;
  /**
   * Half sizes: of a segment (0, 0, half length), of a box, of a cylinder (radius, radius, half length), semi-axes of
   * an ellipsoid; largest distance along each axis of given points.
   */
  readonly x: number;
  readonly y: number;
  readonly z: number;
  /** Points whose hull the core is, three numbers per point; empty for other kinds. */
  readonly points: Float64Array;
  /** Normals of the faces of that hull, where they are known. */
  readonly normals: Float64Array;
  /** What the core is blown up by. */
  readonly radius: number;
}

const none = new Float64Array(0);

export const pointCore = (radius: number): SupportCore => core(coreKind.point, 0, 0, 0, radius);
export const segmentCore = (halfLength: number, radius: number): SupportCore =>
  core(coreKind.segment, 0, 0, halfLength, radius);
export const boxCore = (x: number, y: number, z: number): SupportCore => core(coreKind.box, x, y, z, 0);
export const cylinderCore = (radius: number, halfLength: number): SupportCore =>
  core(coreKind.cylinder, radius, radius, halfLength, 0);
export const ellipsoidCore = (x: number, y: number, z: number): SupportCore => core(coreKind.ellipsoid, x, y, z, 0);

/** The hull of points, three numbers per point, and of its faces' normals. */
export function pointsCore(points: Float64Array, normals: Float64Array = none): SupportCore {
  const size = [0, 0, 0];
  for (let i = 0; i < points.length; i++) size[i % 3] = Math.max(size[i % 3], Math.abs(points[i]));
  return { kind: coreKind.points, x: size[0], y: size[1], z: size[2], points, normals, radius: 0 };
}

function core(kind: CoreKind, x: number, y: number, z: number, radius: number): SupportCore {
  return { kind, x, y, z, points: none, normals: none, radius };
}

/** Whether the core has curved parts, where Newton's method sharpens what simplices find. */
export function isCurved(shape: SupportCore): boolean {
  return shape.kind === coreKind.cylinder || shape.kind === coreKind.ellipsoid;
}

/** Radius of a ball about the origin of the frame that holds the core. */
export function coreSize(shape: SupportCore): number {
  const { kind, x, y, z } = shape;
  if (kind === coreKind.ellipsoid) return Math.max(x, y, z);
  if (kind === coreKind.cylinder) return Math.sqrt(x * x + z * z);
  return Math.sqrt(x * x + y * y + z * z);
}

/** A point of the core that is farthest along (dx, dy, dz), in the core's own frame, at out[at …]. */
export function supportInto(
  out: Float64Array,
  at: number,
  shape: SupportCore,
  dx: number,
  dy: number,
  dz: number,
): void {
  const { kind, x, y, z } = shape;
  switch (kind) {
    case coreKind.point:
      out[at] = 0;
      out[at + 1] = 0;
      out[at + 2] = 0;
      return;
    case coreKind.segment:
      out[at] = 0;
      out[at + 1] = 0;
      out[at + 2] = dz < 0 ? -z : z;
      return;
    case coreKind.box:
      out[at] = dx < 0 ? -x : x;
      out[at + 1] = dy < 0 ? -y : y;
      out[at + 2] = dz < 0 ? -z : z;
      return;
    case coreKind.cylinder: {
      const radial = Math.sqrt(dx * dx + dy * dy);
      // straight along the axis every point of the end will do: the middle
      const scale = radial > 1e-14 * Math.abs(dz) ? x / radial : 0;
      out[at] = dx * scale;
      out[at + 1] = dy * scale;
      out[at + 2] = dz < 0 ? -z : z;
      return;
    }
    case coreKind.ellipsoid: {
      const sx = x * dx;
      const sy = y * dy;
      const sz = z * dz;
      const length = Math.sqrt(sx * sx + sy * sy + sz * sz);
      const scale = length > 0 ? 1 / length : 0;
      out[at] = x * sx * scale;
      out[at + 1] = y * sy * scale;
      out[at + 2] = z * sz * scale;
      return;
    }
    default: {
      const points = shape.points;
      let best = 0;
      let most = Number.NEGATIVE_INFINITY;
      for (let i = 0; i < points.length; i += 3) {
        const along = points[i] * dx + points[i + 1] * dy + points[i + 2] * dz;
        if (along > most) {
          most = along;
          best = i;
        }
      }
      out[at] = points[best];
      out[at + 1] = points[best + 1];
      out[at + 2] = points[best + 2];
    }
  }
}

/**
 * Second derivative of the support function at a unit direction, in the core's frame, as xx, yy, zz, xy, xz, yz.
 * It is zero for flat cores; with M of an ellipsoid (squares of the semi-axes) or of a cylinder's rim
 * (r² across the axis), s = √(nᵀM n):
 *   ∂²h = M / s − (M n)(M n)ᵀ / s³
 */
export function curvatureInto(out: Float64Array, shape: SupportCore, nx: number, ny: number, nz: number): void {
  out.fill(0, 0, 6);
  if (!isCurved(shape)) return;
  const mx = shape.x * shape.x;
  const my = shape.y * shape.y;
  const mz = shape.kind === coreKind.ellipsoid ? shape.z * shape.z : 0;
  const s = Math.sqrt(mx * nx * nx + my * ny * ny + mz * nz * nz);
  // on the axis of a cylinder the function has a corner and no curvature to speak of
  if (!(s > 1e-12 * shape.x)) return;
  const first = 1 / s;
  const third = first * first * first;
  const vx = mx * nx;
  const vy = my * ny;
  const vz = mz * nz;
  out[0] = mx * first - vx * vx * third;
  out[1] = my * first - vy * vy * third;
  out[2] = mz * first - vz * vz * third;
  out[3] = -vx * vy * third;
  out[4] = -vx * vz * third;
  out[5] = -vy * vz * third;
}
