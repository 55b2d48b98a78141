/** Shapes fitted to meshes: a geom of another type than mesh that names one. */
import { matrix3, quaternion, vector } from "../../math/index.ts";
import type { Vector3 } from "../../mechanism/index.ts";
import type { Pose } from "../pose.ts";
import { boundingBox, type Mesh } from "../triangleMesh.ts";
import { elementError, type XmlElement } from "../xml.ts";
import type { MeshAsset } from "./meshes.ts";
import type { Dimensions, GeomType } from "./model.ts";

/**
 * A shape of another type fitted to a mesh, and where it sits in the mesh's frame. It has the axes of inertia, the longest along z;
 * half its sizes are those of the box with the same inertia, or with `fitaabb` of the bounding box along these axes.
 */
export function fittedShape(
  geom: XmlElement,
  type: GeomType,
  { mesh, mass }: MeshAsset,
  boundingBoxes: boolean,
  factor: number,
): { readonly dimensions: Dimensions; readonly pose: Pose } {
  if (!mass) throw elementError(geom, `its mesh has no volume to fit a ${type} to; give the geom a size instead`);
  const { values, vectors } = matrix3.symmetricEigen(mass.inertia);
  // moments grow as the box gets shorter: the smallest moment is about the longest edge
  const order = [2, 1, 0];
  const moments = order.map((i) => values[i]);
  const columns = order.map((i) => vectors.map((row) => row[i])) as unknown as [Vector3, Vector3, Vector3];
  const axes: readonly Vector3[] = [columns[0], columns[1], vector.cross(columns[0], columns[1])];
  const orientation = quaternion.fromMatrix(matrix3.transpose(axes as [Vector3, Vector3, Vector3]));
  const sum = moments[0] + moments[1] + moments[2];
  let half = moments.map((moment) => Math.sqrt((6 * Math.max(0, sum - 2 * moment)) / mass.volume) / 2);
  let position = mass.center;
  if (boundingBoxes) {
    const turned = turnedMesh(mesh, mass.center, axes);
    const { center, size } = boundingBox(turned);
    half = size.map((edge) => edge / 2);
    position = vector.add(position, quaternion.rotate(orientation, center));
  }
  const dimensions = fittedDimensions(type, half.map((entry) => entry * factor) as unknown as Vector3, boundingBoxes);
  if (!dimensions) throw elementError(geom, `a ${type} cannot be fitted to a mesh; use a box, capsule or ellipsoid`);
  return { dimensions, pose: { position, orientation } };
}

function turnedMesh({ positions }: Mesh, origin: Vector3, axes: readonly Vector3[]): Mesh {
  const turned = new Float64Array(positions.length);
  for (let p = 0; p < positions.length; p += 3) {
    const from: Vector3 = [positions[p] - origin[0], positions[p + 1] - origin[1], positions[p + 2] - origin[2]];
    for (let k = 0; k < 3; k++) turned[p + k] = vector.dot(axes[k], from);
  }
  return { positions: turned };
}

/** Inside a bounding box round shapes take its wider side, beside a box of inertia the mean. */
function fittedDimensions(type: GeomType, [a, b, c]: Vector3, outer: boolean): Dimensions | undefined {
  const across = outer ? Math.max(a, b) : (a + b) / 2;
  switch (type) {
    case "box":
      return { kind: "box", size: [2 * a, 2 * b, 2 * c] };
    case "ellipsoid":
      return { kind: "ellipsoid", radii: [a, b, c] };
    case "sphere":
      return { kind: "sphere", radius: outer ? Math.max(a, b, c) : (a + b + c) / 3 };
    case "cylinder":
      return { kind: "cylinder", radius: across, length: 2 * c };
    case "capsule":
      return { kind: "capsule", radius: across, length: 2 * Math.max(0, outer ? c - across : c - across / 2) };
    default:
      return undefined;
  }
}
