/**
 * Triangles of the convex hull of points, by Quickhull [Barber, Dobkin, Huhdanpaa 1996]: from a tetrahedron outwards, a point takes the
 * place of all faces that it sees. Sides of planes are decided exactly (orientation.ts), and faces in whose plane the new point lies
 * count as seen. So the hull is that of the given points to the last bit, however many lie in a plane, on a line or on top of each other:
 *   1. A point outside is strictly above some face. Moved a little, away from the inside, it is above the planes that it was in, and on
 *      the same side of all others: what counts as seen is what a point nearby strictly sees, and that is one patch.
 *   2. Beyond the patch's rim faces are strictly hidden, so the point is on no line through an edge of the rim: no new triangle is without area.
 *   3. A corner inside a face, or in the middle of an edge, has only faces around it that are seen, and goes.
 */
import { Orientation } from "./orientation.ts";

interface Face {
  /** Anticlockwise seen from outside. */
  readonly corners: readonly [number, number, number];
  /** The faces across the edges 01, 12 and 20. */
  readonly across: [Face, Face, Face];
  readonly normal: readonly [number, number, number];
  /** Points that are strictly above it and above no face before it, the highest first. */
  outside: number[];
  /** How high the highest is. */
  height: number;
  removed: boolean;
}

/** Four points with volume, the last below the triangle of the others. */
export type Simplex = readonly [number, number, number, number];

export interface Triangulation {
  /** Three points each, anticlockwise seen from outside. */
  readonly triangles: readonly (readonly [number, number, number])[];
  /** How far faces would have to move outwards to hold the points that were left out; 0 without a limit. */
  readonly deviation: number;
}

/** `limit`: at most so many corners; those that stand out farthest are taken one after another. */
export function quickhull(
  positions: ArrayLike<number>,
  start: Simplex,
  limit = Number.POSITIVE_INFINITY,
): Triangulation {
  const orientation = new Orientation(positions);
  const faces: Face[] = [];
  const sideOf = ({ corners }: Face, p: number): number => orientation.side(corners[0], corners[1], corners[2], p);
  const isAbove = (face: Face, p: number): boolean => sideOf(face, p) > 0;
  const isHidden = (face: Face, p: number): boolean => sideOf(face, p) < 0;

  // the tetrahedron
  const [a, b, c, d] = start;
  const first = [
    makeFace(positions, a, b, c),
    makeFace(positions, a, d, b),
    makeFace(positions, b, d, c),
    makeFace(positions, c, d, a),
  ];
  linkAll(first);
  faces.push(...first);
  const count = positions.length / 3;
  share(
    Array.from({ length: count }, (_, i) => i),
    first,
  );

  const used = new Map<number, number>();
  for (const face of first) for (const corner of face.corners) used.set(corner, (used.get(corner) ?? 0) + 1);
  const bounded = Number.isFinite(limit);
  let next = 0;
  for (;;) {
    const face = bounded ? highest() : nextInTurn();
    if (!face || used.size >= limit) break;
    addPoint(face, face.outside[0]);
  }
  const left = faces.filter(({ removed }) => !removed);
  return { triangles: left.map(({ corners }) => corners), deviation: deviationOf(left) };

  function deviationOf(hull: readonly Face[]): number {
    let most = 0;
    for (const { outside } of hull) {
      for (const p of outside) for (const face of hull) most = Math.max(most, heightAbove(positions, face, p));
    }
    return most;
  }

  function nextInTurn(): Face | undefined {
    while (next < faces.length && (faces[next].removed || faces[next].outside.length === 0)) next++;
    return faces[next];
  }

  function highest(): Face | undefined {
    let best: Face | undefined;
    for (const face of faces)
      if (!face.removed && face.outside.length > 0 && face.height > (best?.height ?? -1)) best = face;
    return best;
  }

  function addPoint(from: Face, p: number): void {
    // all that the point sees, spreading from a face below it
    const seen = [from];
    from.removed = true;
    const rim: { readonly start: number; readonly end: number; readonly beyond: Face }[] = [];
    for (const face of seen) {
      face.across.forEach((beyond, k) => {
        if (beyond.removed) return;
        if (isHidden(beyond, p)) rim.push({ start: face.corners[k], end: face.corners[(k + 1) % 3], beyond });
        else {
          beyond.removed = true;
          seen.push(beyond);
        }
      });
    }
    // a fan from the rim to the point
    const made = rim.map(({ start, end, beyond }) => {
      const face = makeFace(positions, start, end, p);
      face.across[0] = beyond;
      beyond.across[beyond.corners.indexOf(end)] = face;
      return face;
    });
    const byStart = new Map(made.map((face) => [face.corners[0], face]));
    for (const face of made) {
      const following = byStart.get(face.corners[1]) as Face;
      face.across[1] = following;
      following.across[2] = face;
    }
    faces.push(...made);
    for (const face of seen) for (const corner of face.corners) release(corner);
    for (const face of made) for (const corner of face.corners) used.set(corner, (used.get(corner) ?? 0) + 1);
    for (const face of seen) {
      share(face.outside, made);
      face.outside = [];
    }
  }

  function release(corner: number): void {
    const times = (used.get(corner) ?? 0) - 1;
    if (times > 0) used.set(corner, times);
    else used.delete(corner);
  }

  /** Each point goes to the first face that it is above. */
  function share(points: readonly number[], among: readonly Face[]): void {
    for (const p of points) {
      let i = 0;
      while (i < among.length && !isAbove(among[i], p)) i++;
      if (i === among.length) continue;
      const face = among[i];
      const height = heightAbove(positions, face, p);
      face.outside.push(p);
      if (height > face.height || face.outside.length === 1) {
        face.height = Math.max(height, 0);
        face.outside[face.outside.length - 1] = face.outside[0];
        face.outside[0] = p;
      }
    }
  }
}

/** Its neighbours are set afterwards. */
function makeFace(positions: ArrayLike<number>, a: number, b: number, c: number): Face {
  const ux = positions[3 * b] - positions[3 * a];
  const uy = positions[3 * b + 1] - positions[3 * a + 1];
  const uz = positions[3 * b + 2] - positions[3 * a + 2];
  const vx = positions[3 * c] - positions[3 * a];
  const vy = positions[3 * c + 1] - positions[3 * a + 1];
  const vz = positions[3 * c + 2] - positions[3 * a + 2];
  const x = uy * vz - uz * vy;
  const y = uz * vx - ux * vz;
  const z = ux * vy - uy * vx;
  const size = Math.sqrt(x * x + y * y + z * z) || 1;
  const normal = [x / size, y / size, z / size] as const;
  return {
    corners: [a, b, c],
    across: [] as unknown as [Face, Face, Face],
    normal,
    outside: [],
    height: 0,
    removed: false,
  };
}

function heightAbove(positions: ArrayLike<number>, { normal, corners }: Face, p: number): number {
  const [i, j] = [3 * p, 3 * corners[0]];
  return (
    normal[0] * (positions[i] - positions[j]) +
    normal[1] * (positions[i + 1] - positions[j + 1]) +
    normal[2] * (positions[i + 2] - positions[j + 2])
  );
}

function linkAll(faces: readonly Face[]): void {
  for (const face of faces) {
    for (let k = 0; k < 3; k++) {
      const [start, end] = [face.corners[k], face.corners[(k + 1) % 3]];
      const beyond = faces.find((other) =>
        other.corners.some((corner, i) => corner === end && other.corners[(i + 1) % 3] === start),
      );
      face.across[k] = beyond as Face;
    }
  }
}
