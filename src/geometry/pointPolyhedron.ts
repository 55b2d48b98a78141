/**
 * The part of a polyhedron that is nearest to a point. Outside, one face whose plane is below the point holds its foot, and then it is
 * the nearest; else it is the nearest edge or vertex of the faces that see the point. Inside, it is the face that is least deep.
 */
import type { Polyhedron } from "./polyhedron.ts";

/** What was found; the next search overwrites it. */
export const nearest = {
  /** Negative inside. */
  distance: 0,
  type: "face" as "face" | "edge" | "vertex",
  part: 0,
  /** The nearest point of the surface. */
  point: new Float64Array(3),
};

/** Fills `nearest`, for a point in the polyhedron's frame. */
export function findNearest(shape: Polyhedron, x: number, y: number, z: number): void {
  const { normals, offsets, faceCount } = shape;
  let top = 0;
  let highest = Number.NEGATIVE_INFINITY;
  for (let f = 0; f < faceCount; f++) {
    const height = normals[3 * f] * x + normals[3 * f + 1] * y + normals[3 * f + 2] * z - offsets[f];
    if (height > highest) {
      highest = height;
      top = f;
    }
  }
  nearest.distance = Number.POSITIVE_INFINITY;
  if (highest <= 0 || offerFace(shape, top, highest, x, y, z)) {
    takeFace(shape, top, highest, x, y, z);
    return;
  }
  for (let f = 0; f < faceCount; f++) {
    if (f === top) continue;
    const height = normals[3 * f] * x + normals[3 * f + 1] * y + normals[3 * f + 2] * z - offsets[f];
    if (height <= 0 || height >= nearest.distance) continue;
    if (offerFace(shape, f, height, x, y, z)) {
      takeFace(shape, f, height, x, y, z);
      return;
    }
  }
}

function takeFace({ normals }: Polyhedron, face: number, height: number, x: number, y: number, z: number): void {
  nearest.distance = height;
  nearest.type = "face";
  nearest.part = face;
  nearest.point[0] = x - height * normals[3 * face];
  nearest.point[1] = y - height * normals[3 * face + 1];
  nearest.point[2] = z - height * normals[3 * face + 2];
}

/** True where the point's foot lies in the face; else its edges and vertices are offered. */
function offerFace(shape: Polyhedron, face: number, height: number, x: number, y: number, z: number): boolean {
  const { faceStart, loop, loopEdges, vertices, normals } = shape;
  const nx = normals[3 * face];
  const ny = normals[3 * face + 1];
  const nz = normals[3 * face + 2];
  let isInside = true;
  for (let k = faceStart[face]; k < faceStart[face + 1]; k++) {
    const v = 3 * loop[k];
    const w = 3 * loop[k + 1 === faceStart[face + 1] ? faceStart[face] : k + 1];
    const dx = vertices[w] - vertices[v];
    const dy = vertices[w + 1] - vertices[v + 1];
    const dz = vertices[w + 2] - vertices[v + 2];
    const rx = x - vertices[v];
    const ry = y - vertices[v + 1];
    const rz = z - vertices[v + 2];
    const side = (ny * dz - nz * dy) * rx + (nz * dx - nx * dz) * ry + (nx * dy - ny * dx) * rz;
    if (side >= 0) continue;
    isInside = false;
    if (height >= nearest.distance) return false;
    const square = dx * dx + dy * dy + dz * dz;
    const along = (rx * dx + ry * dy + rz * dz) / square;
    if (along <= 0) take("vertex", loop[k], x, y, z, vertices[v], vertices[v + 1], vertices[v + 2]);
    else if (along >= 1) take("vertex", w / 3, x, y, z, vertices[w], vertices[w + 1], vertices[w + 2]);
    else {
      const px = vertices[v] + along * dx;
      take("edge", loopEdges[k], x, y, z, px, vertices[v + 1] + along * dy, vertices[v + 2] + along * dz);
    }
  }
  return isInside;
}

function take(
  type: typeof nearest.type,
  part: number,
  x: number,
  y: number,
  z: number,
  px: number,
  py: number,
  pz: number,
): void {
  const distance = Math.sqrt((x - px) ** 2 + (y - py) ** 2 + (z - pz) ** 2);
  if (distance >= nearest.distance) return;
  nearest.distance = distance;
  nearest.type = type;
  nearest.part = part;
  nearest.point[0] = px;
  nearest.point[1] = py;
  nearest.point[2] = pz;
}
