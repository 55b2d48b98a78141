/** The inertia of a link that gives its mass alone: that of its shapes, filled evenly. */
import { matrix3 } from "../../math/index.ts";
import { type Matrix3, shapeInertia, type Vector3, volume } from "../../mechanism/index.ts";
import { combinedMass, type MassPart } from "../inertia.ts";
import { meshMass } from "../meshMass.ts";
import { composePoses } from "../pose.ts";
import type { MeshReader } from "./collisionPoints.ts";
import type { UrdfGeometry } from "./urdfModel.ts";

/** The inertia of `mass`, by default that at density 1, about its centre in the link's frame; undefined where no shape has a volume. */
export function inertiaOfShapes(
  geometries: readonly UrdfGeometry[],
  mass: number | undefined,
  readMesh: MeshReader | undefined,
): { readonly mass: number; readonly center: Vector3; readonly inertia: Matrix3 } | undefined {
  const parts = geometries.flatMap((geometry) => partOf(geometry, readMesh) ?? []);
  const { mass: total, centerOfMass, inertia } = combinedMass(parts);
  if (!(total > 0)) return undefined;
  const scale = (mass ?? total) / total;
  return {
    mass: scale * total,
    center: centerOfMass,
    inertia: matrix3.multiply(inertia, matrix3.diagonal(scale, scale, scale)),
  };
}

/** A shape's mass and inertia at density 1. */
function partOf({ shape, pose }: UrdfGeometry, readMesh: MeshReader | undefined): MassPart | undefined {
  if (shape.kind !== "mesh") {
    const mass = volume(shape);
    return { mass, inertia: shapeInertia(shape, mass), pose };
  }
  const mesh = readMesh?.(shape.fileName);
  if (!mesh) return undefined;
  const positions = Float64Array.from(mesh.positions, (entry, i) => entry * shape.scale[i % 3]);
  // pyramids count as positive, so that it does not matter whether the scale mirrors
  const found = meshMass({ ...mesh, positions }, "legacy");
  if (!found) return undefined;
  const { center, inertia, volume: mass } = found;
  return { mass, inertia, pose: composePoses(pose, { position: center, orientation: [1, 0, 0, 0] }) };
}
