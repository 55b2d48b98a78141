/**
 * Meshes as shapes that collide: the convex hull of their vertices. Whether the mesh is closed, open or turned inside out makes no
 * difference to it; where the mesh is hollow or bent, the hull fills it, and the warning says by how much.
 */
import { HullError, hullOf } from "../geometry/index.ts";
import type { Vector3 } from "../mechanism/index.ts";
import { meshMass } from "./meshMass.ts";
import { type Mesh, weldedVertices } from "./triangleMesh.ts";

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

/** Hulls by mesh and number of corners: geoms share meshes. */
const known = new WeakMap<Mesh, Map<number, CollisionHull>>();

export function collisionHull(mesh: Mesh, maxVertices: number): CollisionHull {
  const hulls = known.get(mesh) ?? new Map<number, CollisionHull>();
  known.set(mesh, hulls);
  const hull = hulls.get(maxVertices) ?? makeHull(mesh, maxVertices);
  hulls.set(maxVertices, hull);
  return hull;
}

function makeHull(mesh: Mesh, maxVertices: number): CollisionHull {
  const { numbers, places } = weldedVertices(mesh.positions);
  try {
    const { vertices, sources, deviation, volume } = hullOf(places, { maxVertices });
    const points = sources.map((_, i): Vector3 => [vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]]);
    const filled = filledRemark(mesh, numbers, volume);
    const cut = deviation > 0 ? cutRemark(sources.length, deviation) : "";
    const remark = filled === "" || cut === "" ? filled + cut : `${filled},${cut}`;
    return { points, remark: remark === "" ? undefined : `collides as its convex hull${remark}` };
  } catch (error) {
    if (!(error instanceof HullError)) throw error;
    return { points: undefined, remark: `does not collide: ${error.message}` };
  }
}

/** Signed volumes: a surface with holes has none that means anything, one inside out a negative one. */
function filledRemark(mesh: Mesh, numbers: Int32Array, hull: number): string {
  if (!mesh.triangles || mesh.triangles.length === 0) return "";
  const own = hasHoles(numbers, mesh.triangles) ? undefined : meshMass(mesh, "exact")?.volume;
  if (own === undefined) return ", which is closed; its own surface is open or inside out";
  return hull > FILLED * own ? `, of ${(hull / own).toPrecision(3)} times its volume` : "";
}

/** Whether an edge of a triangle is not shared with another that runs along it the other way. */
function hasHoles(numbers: Int32Array, triangles: ArrayLike<number>): boolean {
  const surplus = new Map<number, number>();
  for (let i = 0; i < triangles.length; i += 3) {
    for (let k = 0; k < 3; k++) {
      const a = numbers[triangles[i + k]];
      const b = numbers[triangles[i + ((k + 1) % 3)]];
      const edge = Math.min(a, b) * numbers.length + Math.max(a, b);
      surplus.set(edge, (surplus.get(edge) ?? 0) + Math.sign(b - a));
    }
  }
  for (const count of surplus.values()) if (count !== 0) return true;
  return false;
}

function cutRemark(corners: number, deviation: number): string {
  const length = deviation < 1e-3 ? `${rounded(1e6 * deviation)} µm` : `${rounded(1e3 * deviation)} mm`;
  return ` with ${corners} corners, which cut off ${length} at most; hullVertices allows more`;
}

function rounded(value: number): number {
  return Number(value.toPrecision(2));
}
