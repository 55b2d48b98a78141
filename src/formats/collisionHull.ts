/**
 * Meshes as shapes that collide: the convex hull of their vertices. Whether the mesh is closed, open or turned inside out makes no
 * difference to it; where the mesh is hollow or bent, the hull fills it, and the warning says by how much.
 */
import { HullError, hullOf, hullTriangles } from "../geometry/index.ts";
import type { Vector3 } from "../mechanism/index.ts";
import { meshMass } from "./meshMass.ts";
import type { Mesh } from "./triangleMesh.ts";

/** Corners that a hull has at most, unless the caller says otherwise: pairs of hulls cost time in proportion to their edges. */
export const HULL_VERTICES = 64;

/** A hull larger than its mesh by more than this is told. */
const FILLED = 1.02;

export interface CollisionHull {
  /** Undefined where the vertices have no volume. */
  readonly points: readonly Vector3[] | undefined;
  /** What became of the mesh, if there is anything to say. */
  readonly remark: string | undefined;
}

export function collisionHull(mesh: Mesh, maxVertices: number): CollisionHull {
  try {
    const { vertices, sources, deviation } = hullOf(mesh.positions, { maxVertices });
    const points = sources.map((_, i): Vector3 => [vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]]);
    const remarks = [filledRemark(mesh), deviation > 0 ? cutRemark(sources.length, deviation) : undefined];
    const remark = remarks.filter((one) => one !== undefined).join("; ");
    return { points, remark: remark === "" ? undefined : `collides as its convex hull${remark}` };
  } catch (error) {
    if (!(error instanceof HullError)) throw error;
    return { points: undefined, remark: `does not collide: ${error.message}` };
  }
}

/** Signed volumes: a surface with holes has none that means anything, one inside out a negative one. */
function filledRemark(mesh: Mesh): string | undefined {
  if (!mesh.triangles || mesh.triangles.length === 0) return undefined;
  const own = hasHoles(mesh.positions, mesh.triangles) ? undefined : meshMass(mesh, "exact")?.volume;
  const hull = meshMass({ positions: mesh.positions, triangles: hullTriangles(mesh.positions) }, "exact")?.volume;
  if (hull === undefined) return undefined;
  if (own === undefined) return ", which is closed; its own surface is open or inside out";
  return hull > FILLED * own ? `, of ${(hull / own).toPrecision(3)} times its volume` : undefined;
}

/** Whether an edge of a triangle is not shared with another that runs along it the other way. Vertices are the same where they lie together. */
function hasHoles(positions: ArrayLike<number>, triangles: ArrayLike<number>): boolean {
  const numbers = new Map<string, number>();
  const vertexOf = (i: number): number => {
    const place = `${positions[3 * i]} ${positions[3 * i + 1]} ${positions[3 * i + 2]}`;
    const known = numbers.get(place) ?? numbers.size;
    numbers.set(place, known);
    return known;
  };
  const surplus = new Map<string, number>();
  for (let i = 0; i < triangles.length; i += 3) {
    const corners = [0, 1, 2].map((k) => vertexOf(triangles[i + k]));
    for (let k = 0; k < 3; k++) {
      const [a, b] = [corners[k], corners[(k + 1) % 3]];
      const edge = a < b ? `${a} ${b}` : `${b} ${a}`;
      surplus.set(edge, (surplus.get(edge) ?? 0) + Math.sign(b - a));
    }
  }
  return [...surplus.values()].some((count) => count !== 0);
}

function cutRemark(corners: number, deviation: number): string {
  const length = deviation < 1e-3 ? `${(1e6 * deviation).toPrecision(2)} µm` : `${(1e3 * deviation).toPrecision(2)} mm`;
  return ` with ${corners} corners, which cut off ${length} at most; hullVertices allows more`;
}
