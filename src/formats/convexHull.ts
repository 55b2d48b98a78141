/**
 * Convex hull of points in space, by Quickhull [Barber, Dobkin, Huhdanpaa 1996]: from a tetrahedron outwards, the farthest point of a
 * face takes the place of all faces that it sees. Triangles are anticlockwise seen from outside.
 */

interface Face {
  readonly corners: readonly [number, number, number];
  readonly normal: readonly [number, number, number];
  readonly offset: number;
  /** Points that see it and no face before it. */
  outside: number[];
  removed: boolean;
}

/** Points nearer to a face than this fraction of the largest coordinate lie in it. */
const FLATNESS = 1e-9;

/** Triangles over x, y, z of each point, one after another; none where all points lie in a plane. */
export function convexHull(positions: ArrayLike<number>): number[] {
  const count = positions.length / 3;
  let reach = 0;
  for (let i = 0; i < positions.length; i++) reach = Math.max(reach, Math.abs(positions[i]));
  const margin = FLATNESS * reach;

  const faces: Face[] = [];
  /** The face left of each directed edge. */
  const leftOf = new Map<number, Face>();
  const edge = (a: number, b: number): number => a * count + b;
  const height = ({ normal, offset }: Face, p: number): number =>
    normal[0] * positions[3 * p] + normal[1] * positions[3 * p + 1] + normal[2] * positions[3 * p + 2] - offset;

  const addFace = (a: number, b: number, c: number): Face => {
    const [u, v] = [b, c].map((p) => [0, 1, 2].map((k) => positions[3 * p + k] - positions[3 * a + k]));
    const cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const size = Math.hypot(...cross) || 1;
    const normal = [cross[0] / size, cross[1] / size, cross[2] / size] as const;
    const offset = normal.reduce((sum, entry, k) => sum + entry * positions[3 * a + k], 0);
    const face: Face = { corners: [a, b, c], normal, offset, outside: [], removed: false };
    faces.push(face);
    for (const [p, q] of edgesOf(face)) leftOf.set(edge(p, q), face);
    return face;
  };
  const share = (points: readonly number[], among: readonly Face[]): void => {
    for (const p of points) among.find((face) => height(face, p) > margin)?.outside.push(p);
  };

  const first = tetrahedron(positions, margin);
  if (!first) return [];
  const [a, b, c, d] = first;
  const started = [addFace(a, b, c), addFace(a, d, b), addFace(b, d, c), addFace(c, d, a)];
  share(
    Array.from({ length: count }, (_, i) => i).filter((p) => !first.includes(p)),
    started,
  );

  // the list grows while we walk it
  for (const face of faces) {
    if (face.removed || face.outside.length === 0) continue;
    const farthest = face.outside.reduce((best, p) => (height(face, p) > height(face, best) ? p : best));
    // all that the point sees, spreading from this face
    const seen = [face];
    face.removed = true;
    const horizon: [number, number][] = [];
    for (const one of seen) {
      for (const [p, q] of edgesOf(one)) {
        const beyond = leftOf.get(edge(q, p));
        if (!beyond || beyond.removed) continue;
        if (height(beyond, farthest) > margin) {
          beyond.removed = true;
          seen.push(beyond);
        } else horizon.push([p, q]);
      }
    }
    // an edge whose far side was found to be visible later is inside
    const rim = horizon.filter(([p, q]) => leftOf.get(edge(q, p))?.removed === false);
    const made = rim.map(([p, q]) => addFace(p, q, farthest));
    for (const one of seen) {
      share(
        one.outside.filter((p) => p !== farthest),
        made,
      );
      one.outside = [];
    }
  }
  return faces.filter(({ removed }) => !removed).flatMap(({ corners }) => [...corners]);
}

function edgesOf({ corners: [a, b, c] }: Face): readonly (readonly [number, number])[] {
  return [
    [a, b],
    [b, c],
    [c, a],
  ];
}

/** Four points with volume, the fourth below the triangle of the others. */
function tetrahedron(positions: ArrayLike<number>, margin: number): [number, number, number, number] | undefined {
  const count = positions.length / 3;
  const at = (p: number): number[] => [positions[3 * p], positions[3 * p + 1], positions[3 * p + 2]];
  const farthest = (measure: (p: number[]) => number): { index: number; value: number } => {
    let best = { index: 0, value: -1 };
    for (let p = 0; p < count; p++) {
      const value = measure(at(p));
      if (value > best.value) best = { index: p, value };
    }
    return best;
  };
  const less = (p: number[], q: number[]): number[] => p.map((entry, k) => entry - q[k]);
  const cross = (u: number[], v: number[]): number[] => [
    u[1] * v[2] - u[2] * v[1],
    u[2] * v[0] - u[0] * v[2],
    u[0] * v[1] - u[1] * v[0],
  ];
  const dot = (u: number[], v: number[]): number => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
  if (count < 4) return undefined;
  const a = 0;
  const b = farthest((p) => Math.hypot(...less(p, at(a))));
  if (!(b.value > margin)) return undefined;
  const along = less(at(b.index), at(a)).map((entry) => entry / b.value);
  const c = farthest((p) => Math.hypot(...cross(along, less(p, at(a)))));
  if (!(c.value > margin)) return undefined;
  const across = cross(along, less(at(c.index), at(a))).map((entry) => entry / c.value);
  const d = farthest((p) => Math.abs(dot(across, less(p, at(a)))));
  if (!(d.value > margin)) return undefined;
  const above = dot(across, less(at(d.index), at(a))) > 0;
  return above ? [a, c.index, b.index, d.index] : [a, b.index, c.index, d.index];
}
