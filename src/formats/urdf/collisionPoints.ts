/**
 * Collision shapes → contact spheres against the floor.
 *   sphere 1    capsule 2 ends    box 8 corners    cylinder 8 points on each rim    ellipsoid 6 poles
 *   mesh   those of its vertices that stick out (meshPoints.ts), where a reader of meshes is given
 */
import type { PrimitiveShape, Vector3 } from "../../mechanism/index.ts";
import { whyNoMesh } from "../mesh.ts";
import { meshPoints } from "../meshPoints.ts";
import { composePoses, posedPoint } from "../pose.ts";
import { boundingBox, type Mesh } from "../triangleMesh.ts";
import { elementError, type WarningList } from "../xml.ts";
import type { UrdfGeometry } from "./urdfModel.ts";

export type MeshReader = (fileName: string) => Mesh | undefined;

/** Points on each rim of a cylinder: it rolls on an octagon, within 8% of its radius. */
const RIM_POINTS = 8;
/** A sphere as small as this stands for a point: URDF has no collision point. */
export const POINT_RADIUS = 1e-9;
/** A flat mesh has a box of this thickness. */
const THINNEST = 1e-6;

/** A geometry with a shape of its own; that of a mesh is its bounding box, in which its contact points are. */
export interface PrimitiveGeometry extends UrdfGeometry {
  readonly shape: PrimitiveShape;
  readonly points?: readonly Vector3[];
}

/** Shapes of one role; meshes become boxes, or a warning. */
export function primitives(
  geometries: readonly UrdfGeometry[],
  readMesh: MeshReader | undefined,
  warnings: WarningList,
): PrimitiveGeometry[] {
  return geometries.flatMap((geometry) => {
    const { shape, element } = geometry;
    if (shape.kind !== "mesh") return [{ ...geometry, shape }];
    const mesh = readMesh?.(shape.fileName);
    if (!mesh) {
      const wayOut = readMesh ? whyNoMesh(shape.fileName) : "pass readMesh, or use a box, sphere, capsule or cylinder";
      warnings.add("ignored", element, `mesh "${shape.fileName.slice(0, 60)}": ${wayOut}`);
      return [];
    }
    const { center, size } = boundingBox(mesh, shape.scale);
    if (![...center, ...size].every(Number.isFinite)) {
      throw elementError(
        element,
        `mesh "${shape.fileName.slice(0, 60)}" has no vertices, or vertices that are not finite`,
      );
    }
    warnings.add(
      "adjusted",
      element,
      `mesh "${shape.fileName.slice(0, 60)}" shows as a box, and touches with its corners`,
    );
    const positions = Array.from(mesh.positions, (entry, i) => entry * shape.scale[i % 3] - center[i % 3]);
    const pose = composePoses(geometry.pose, { position: center, orientation: [1, 0, 0, 0] });
    const clamped = size.map((entry) => Math.max(entry, THINNEST)) as unknown as Vector3;
    return [{ ...geometry, pose, shape: { kind: "box" as const, size: clamped }, points: meshPoints({ positions }) }];
  });
}

/** Centres, in the frame in which the geometry is placed, and the radius of all of them. */
export function contactSpheres(geometry: PrimitiveGeometry): {
  readonly points: readonly Vector3[];
  readonly radius: number;
} {
  const { points, radius } = geometry.points ? { points: geometry.points, radius: 0 } : spheresOf(geometry.shape);
  return { points: points.map((point) => posedPoint(geometry.pose, point)), radius };
}

function spheresOf(shape: PrimitiveShape): { points: Vector3[]; radius: number } {
  const signs = [-1, 1];
  switch (shape.kind) {
    case "sphere":
      return { points: [[0, 0, 0]], radius: shape.radius > POINT_RADIUS ? shape.radius : 0 };
    case "capsule":
      if (shape.length === 0) return { points: [[0, 0, 0]], radius: shape.radius };
      return { points: signs.map((z): Vector3 => [0, 0, (z * shape.length) / 2]), radius: shape.radius };
    case "box": {
      const [a, b, c] = shape.size.map((size) => size / 2);
      const points = signs.flatMap((x) => signs.flatMap((y) => signs.map((z): Vector3 => [x * a, y * b, z * c])));
      return { points, radius: 0 };
    }
    case "cylinder": {
      const { radius, length } = shape;
      const points = signs.flatMap((z) =>
        Array.from({ length: RIM_POINTS }, (_, i): Vector3 => {
          const angle = (2 * Math.PI * i) / RIM_POINTS;
          return [radius * Math.cos(angle), radius * Math.sin(angle), (z * length) / 2];
        }),
      );
      return { points, radius: 0 };
    }
    case "ellipsoid": {
      const points = shape.radii.flatMap((radius, axis) =>
        signs.map((sign) => [0, 1, 2].map((i) => (i === axis ? sign * radius : 0)) as unknown as Vector3),
      );
      return { points, radius: 0 };
    }
  }
}
