/**
 * Mass properties of a triangle mesh, at density 1. Every triangle (d, e, f) spans a pyramid with a reference point o, of volume
 *   V = (d − o)·((e − o) × (f − o)) / 6,      centroid (o + d + e + f)/4,
 * and about o, with d, e, f measured from it, second moments
 *   Σ V/20 · (2 (d dᵀ + e eᵀ + f fᵀ) + sym(d eᵀ) + sym(d fᵀ) + sym(e fᵀ)),     sym(a bᵀ) = a bᵀ + b aᵀ.
 * Signed, the pyramids add up to the solid for every o. Four ways to count them, those of MuJoCo's meshes:
 *   exact    signed: right for closed surfaces
 *   legacy   all positive, from the middle of the surface: right for star-shaped ones, and for those that turn their triangles anyhow
 *   convex   the convex hull, signed
 *   shell    the surface itself: areas in place of volumes, 12 in place of 20
 */
import { hullTriangles } from "../geometry/index.ts";
import { matrix3, vector } from "../math/index.ts";
import type { Matrix3, Vector3 } from "../mechanism/index.ts";
import type { Mesh } from "./triangleMesh.ts";

export type MeshInertia = "exact" | "legacy" | "convex" | "shell";

export interface MeshMass {
  /** m³, of a shell m². */
  readonly volume: number;
  readonly center: Vector3;
  /** Inertia about the centre. */
  readonly inertia: Matrix3;
}

/** Undefined for a mesh without volume (a shell: without area). */
export function meshMass(mesh: Mesh, mode: MeshInertia): MeshMass | undefined {
  const { positions } = mesh;
  const given = mode === "convex" ? undefined : mesh.triangles;
  const triangles = given && given.length > 0 ? given : hullTriangles(positions);
  const extent = reachOf(positions);
  const middle = surfaceCentre(positions, triangles);
  const smallest = SMALLEST * extent ** (mode === "shell" ? 2 : 3);
  if (!middle) return undefined;

  // first the centre of mass, from the middle of the surface, then the moments about it
  const first = momentsAbout(middle, positions, triangles, mode);
  if (!(first.volume > smallest)) return undefined;
  const center = mode === "shell" ? middle : vector.add(middle, first.shift);
  const { volume, second } = momentsAbout(center, positions, triangles, mode);
  if (!(volume > smallest)) return undefined;
  const trace = second[0] + second[1] + second[2];
  const [xx, yy, zz, xy, xz, yz] = second;
  const inertia: Matrix3 = [
    [trace - xx, -xy, -xz],
    [-xy, trace - yy, -yz],
    [-xz, -yz, trace - zz],
  ];
  return matrix3.symmetricEigenvalues(inertia).every((moment) => moment > 0) ? { volume, center, inertia } : undefined;
}

/** Volumes below this fraction of the cube around the mesh are rounding. */
const SMALLEST = 1e-12;

function reachOf(positions: ArrayLike<number>): number {
  let reach = 0;
  for (let i = 3; i < positions.length; i++) reach = Math.max(reach, Math.abs(positions[i] - positions[i % 3]));
  return reach;
}

/** Mean of the triangles' centroids, weighted with their areas; undefined without area. */
function surfaceCentre(positions: ArrayLike<number>, triangles: ArrayLike<number>): Vector3 | undefined {
  const sum = [0, 0, 0];
  let total = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const [d, e, f] = corners(positions, triangles, t, vector.zero);
    const area = vector.norm(vector.cross(vector.sub(e, d), vector.sub(f, d))) / 2;
    for (let k = 0; k < 3; k++) sum[k] += (area * (d[k] + e[k] + f[k])) / 3;
    total += area;
  }
  return total > 0 ? [sum[0] / total, sum[1] / total, sum[2] / total] : undefined;
}

/** Volume, how far its centroid is from the reference, and second moments xx, yy, zz, xy, xz, yz about the reference. */
function momentsAbout(
  reference: Vector3,
  positions: ArrayLike<number>,
  triangles: ArrayLike<number>,
  mode: MeshInertia,
): { readonly volume: number; readonly shift: Vector3; readonly second: readonly number[] } {
  let volume = 0;
  const first = [0, 0, 0];
  const second = [0, 0, 0, 0, 0, 0];
  for (let t = 0; t < triangles.length; t += 3) {
    const [d, e, f] = corners(positions, triangles, t, reference);
    let part: number;
    if (mode === "shell") part = vector.norm(vector.cross(vector.sub(e, d), vector.sub(f, d))) / 2;
    else {
      part = vector.dot(d, vector.cross(e, f)) / 6;
      if (mode === "legacy") part = Math.abs(part);
    }
    volume += part;
    for (let k = 0; k < 3; k++) first[k] += (part * (d[k] + e[k] + f[k])) / 4;
    pairs.forEach(([i, j], k) => {
      const mixed = d[i] * e[j] + e[i] * d[j] + d[i] * f[j] + f[i] * d[j] + e[i] * f[j] + f[i] * e[j];
      const squares = 2 * (d[i] * d[j] + e[i] * e[j] + f[i] * f[j]);
      second[k] += (part / (mode === "shell" ? 12 : 20)) * (squares + mixed);
    });
  }
  return { volume, shift: [first[0] / volume, first[1] / volume, first[2] / volume], second };
}

const pairs = [
  [0, 0],
  [1, 1],
  [2, 2],
  [0, 1],
  [0, 2],
  [1, 2],
] as const;

function corners(
  positions: ArrayLike<number>,
  triangles: ArrayLike<number>,
  t: number,
  origin: Vector3,
): readonly [Vector3, Vector3, Vector3] {
  const at = (corner: number): Vector3 => {
    const p = 3 * triangles[t + corner];
    return [positions[p] - origin[0], positions[p + 1] - origin[1], positions[p + 2] - origin[2]];
  };
  return [at(0), at(1), at(2)];
}
