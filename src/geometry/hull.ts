/**
 * Convex hull of points with polygons as faces: every plane through three points that leaves all others on one side is one. For few
 * points: the work grows with their fourth power.
 */

export interface Hull {
  /** x, y, z each; only points that are vertices. */
  readonly vertices: number[];
  /** Loops of vertex numbers, anticlockwise seen from outside. */
  readonly faces: number[][];
}

/** Points nearer to a plane than this fraction of the points' extent lie in it. */
const FLATNESS = 1e-9;

export function hullOf(points: ArrayLike<number>): Hull {
  const count = points.length / 3;
  let extent = 0;
  for (let i = 3; i < points.length; i++) extent = Math.max(extent, Math.abs(points[i] - points[i % 3]));
  const at = (p: number, k: number): number => points[3 * p + k];
  const faces: number[][] = [];
  const known = new Set<string>();
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < count; j++) {
      for (let k = i + 1; k < count; k++) {
        if (j <= i || j === k) continue;
        const u = [0, 1, 2].map((c) => at(j, c) - at(i, c));
        const v = [0, 1, 2].map((c) => at(k, c) - at(i, c));
        const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        const length = Math.sqrt(n[0] ** 2 + n[1] ** 2 + n[2] ** 2);
        if (length < FLATNESS * extent * extent) continue;
        const height = (p: number): number =>
          (n[0] * (at(p, 0) - at(i, 0)) + n[1] * (at(p, 1) - at(i, 1)) + n[2] * (at(p, 2) - at(i, 2))) / length;
        const heights = Array.from({ length: count }, (_, p) => height(p));
        if (heights.some((h) => h > FLATNESS * extent)) continue;
        const face = heights.flatMap((h, p) => (h > -FLATNESS * extent ? [p] : []));
        if (known.has(face.join())) continue;
        known.add(face.join());
        faces.push(polygon(points, face, n));
      }
    }
  }
  const used = [...new Set(faces.flat())].sort((p, q) => p - q);
  if (used.length < 4) throw new RangeError("points of a hull must not lie in one plane");
  const number = new Map(used.map((p, i) => [p, i]));
  return {
    vertices: used.flatMap((p) => [at(p, 0), at(p, 1), at(p, 2)]),
    faces: faces.map((face) => face.map((p) => number.get(p)!)),
  };
}

/** The corners of coplanar points, anticlockwise seen along −n. */
function polygon(points: ArrayLike<number>, members: readonly number[], n: readonly number[]): number[] {
  const largest = [0, 1, 2].reduce((best, k) => (Math.abs(n[k]) > Math.abs(n[best]) ? k : best), 0);
  const [x, y] = n[largest] > 0 ? [(largest + 1) % 3, (largest + 2) % 3] : [(largest + 2) % 3, (largest + 1) % 3];
  const side = (p: number, q: number, r: number): number =>
    (points[3 * q + x] - points[3 * p + x]) * (points[3 * r + y] - points[3 * p + y]) -
    (points[3 * q + y] - points[3 * p + y]) * (points[3 * r + x] - points[3 * p + x]);
  // Andrew's monotone chain
  const sorted = [...members].sort(
    (p, q) => points[3 * p + x] - points[3 * q + x] || points[3 * p + y] - points[3 * q + y],
  );
  const half = (order: readonly number[]): number[] => {
    const chain: number[] = [];
    for (const p of order) {
      while (chain.length > 1 && side(chain[chain.length - 2], chain[chain.length - 1], p) <= 0) chain.pop();
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half([...sorted].reverse())];
}
