/**
 * Convex hulls: corners and flat faces. Triangles come from quickhull.ts, exactly; here those that lie in a plane within a tolerance
 * become one face, corners inside faces and in the middle of edges go, and what has no volume to speak of is refused.
 */
import { between, cross, dot, heightOver, length, loopPlane } from "./facePlane.ts";
import { mergeTriangles } from "./mergeTriangles.ts";
import { quickhull, type Simplex } from "./quickhull.ts";

export interface HullOptions {
  /**
   * Most corners that the hull may have, 4 or more. What is left out is cut off: the hull is that of some of the points and lies within that of all.
   * Default: as many as there are.
   */
  readonly maxVertices?: number;
}

export interface Hull {
  /** x, y, z of each corner. */
  readonly vertices: Float64Array;
  /** Corners of each face by number, anticlockwise seen from outside; three or more. */
  readonly faces: readonly (readonly number[])[];
  /** Which of the given points each corner is. */
  readonly sources: readonly number[];
  /** Volume of the hull of all points. */
  readonly volume: number;
  /** How far faces would have to move outwards to hold the points that `maxVertices` left out; 0 without. */
  readonly deviation: number;
}

/** Why points have no hull. */
export class HullError extends RangeError {
  override readonly name = "HullError";
}

/**
 * Triangles whose corners are this near to a plane, in extents of the hull, are one face: coordinates of mesh files have 24 bits, and
 * planes through three of them are off by some units of the last.
 */
const FLATNESS = 3e-7;
/** A hull that is thinner than this, in extents, is flat. */
const THINNEST = 1e-6;

/** The hull of points, x, y, z of each one after another. Throws `HullError` where they are too few, not finite, on a line or in a plane. */
export function hullOf(points: ArrayLike<number>, { maxVertices }: HullOptions = {}): Hull {
  if (maxVertices !== undefined && !(Number.isInteger(maxVertices) && maxVertices >= 4)) {
    throw new HullError(`maxVertices ${maxVertices}: a hull has four corners or more`);
  }
  const { positions, scale } = scaled(points);
  let { faces, deviation } = facesOf(positions);
  const volume = volumeOf(positions, faces) * scale ** 3;
  const corners = [...new Set(faces.flat())];
  if (maxVertices !== undefined && corners.length > maxVertices) {
    // some of the corners, without points that are inside faces
    const chosen = Float64Array.from(corners.flatMap((p) => Array.from(positions.subarray(3 * p, 3 * p + 3))));
    const fewer = facesOf(chosen, maxVertices);
    faces = fewer.faces.map((face) => face.map((i) => corners[i]));
    deviation = fewer.deviation;
  }
  const sources = [...new Set(faces.flat())].sort((a, b) => a - b);
  const numberOf = new Map(sources.map((point, i) => [point, i]));
  return {
    vertices: Float64Array.from(sources.flatMap((p) => [points[3 * p], points[3 * p + 1], points[3 * p + 2]])),
    faces: faces.map((face) => face.map((point) => numberOf.get(point) as number)),
    sources,
    volume,
    deviation: deviation * scale,
  };
}

function facesOf(
  positions: Float64Array,
  maxVertices?: number,
): { readonly faces: readonly (readonly number[])[]; readonly deviation: number } {
  const { triangles, deviation } = quickhull(positions, startingSimplex(positions), maxVertices);
  const faces = mergeTriangles(positions, triangles, FLATNESS);
  if (!hasVolume(positions, faces)) throw flatError("in a plane");
  return { faces, deviation };
}

/** Triangles of the hull, three points each, before faces are merged; none where there is no hull. */
export function hullTriangles(points: ArrayLike<number>): number[] {
  try {
    const { positions } = scaled(points);
    return quickhull(positions, startingSimplex(positions)).triangles.flat();
  } catch (error) {
    if (error instanceof HullError) return [];
    throw error;
  }
}

/** Extent between 1 and 2, by a power of two, which rounds nothing. */
function scaled(points: ArrayLike<number>): { readonly positions: Float64Array; readonly scale: number } {
  const lower = [Infinity, Infinity, Infinity];
  const upper = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i++) {
    if (!Number.isFinite(points[i])) throw new HullError(`point ${Math.floor(i / 3)} is not finite`);
    lower[i % 3] = Math.min(lower[i % 3], points[i]);
    upper[i % 3] = Math.max(upper[i % 3], points[i]);
  }
  const count = Math.floor(points.length / 3);
  if (count < 4)
    throw new HullError(`${count} ${count === 1 ? "point has" : "points have"} no volume: give four or more`);
  const extent = Math.max(upper[0] - lower[0], upper[1] - lower[1], upper[2] - lower[2]);
  if (extent === 0) throw new HullError(`all ${count} points are one: give four or more that are not in a plane`);
  if (!Number.isFinite(extent)) throw new HullError("the points are farther apart than numbers go");
  const scale = 2 ** Math.floor(Math.log2(extent));
  return { positions: Float64Array.from(points, (entry) => entry / scale), scale };
}

/** Four points far from each other. */
function startingSimplex(positions: Float64Array): Simplex {
  const count = positions.length / 3;
  const less = (p: number, q: number): number[] => between(positions, q, p);
  const farthest = (measure: (p: number) => number): { readonly index: number; readonly value: number } => {
    let best = { index: 0, value: Number.NEGATIVE_INFINITY };
    for (let p = 0; p < count; p++) {
      const value = measure(p);
      if (value > best.value) best = { index: p, value };
    }
    return best;
  };
  // an end of the longest side of the bounding box, then away from point, line and plane
  const ends = [0, 1, 2].map((k) => {
    const low = farthest((p) => -positions[3 * p + k]).index;
    const high = farthest((p) => positions[3 * p + k]).index;
    return { low, extent: positions[3 * high + k] - positions[3 * low + k] };
  });
  const a = ends.reduce((best, end) => (end.extent > best.extent ? end : best)).low;
  const b = farthest((p) => length(less(p, a)));
  const along = less(b.index, a).map((entry) => entry / b.value);
  const c = farthest((p) => length(cross(along, less(p, a))));
  if (!(c.value > THINNEST)) throw flatError("on a line");
  const across = cross(along, less(c.index, a)).map((entry) => entry / c.value);
  const d = farthest((p) => Math.abs(dot(across, less(p, a))));
  if (!(d.value > THINNEST)) throw flatError("in a plane");
  const above = dot(across, less(d.index, a)) > 0;
  return above ? [a, c.index, b.index, d.index] : [a, b.index, c.index, d.index];
}

/** Of pyramids from a corner to all faces, cut into fans of triangles. */
function volumeOf(positions: Float64Array, faces: readonly (readonly number[])[]): number {
  const [[tip]] = faces;
  let sum = 0;
  for (const [first, ...others] of faces) {
    const a = between(positions, tip, first);
    for (let i = 1; i < others.length; i++) {
      sum += dot(a, cross(between(positions, tip, others[i - 1]), between(positions, tip, others[i])));
    }
  }
  return sum / 6;
}

/** Whether every face has a corner far enough below it. */
function hasVolume(positions: Float64Array, faces: readonly (readonly number[])[]): boolean {
  const corners = [...new Set(faces.flat())];
  return faces.every((face) => {
    const plane = loopPlane(positions, face);
    return corners.some((p) => heightOver(plane, positions, p) < -THINNEST);
  });
}

function flatError(how: string): HullError {
  return new HullError(
    `all points lie ${how}: a hull needs volume, so give it points on both sides, or use a thin box`,
  );
}
