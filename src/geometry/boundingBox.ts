/**
 * Axis-aligned boxes around shapes in the world: 6 numbers, least x, y, z and then largest x, y, z. With R the shape's rotation, the
 * half-width along a world axis is the support function of the shape along that axis, u = Rᵀ e:
 *   sphere r,  capsule l|u_z| + r,  box Σ sᵢ|uᵢ|,  cylinder l|u_z| + r √(u_x² + u_y²),  ellipsoid √Σ (rᵢ uᵢ)²
 */
import { placementOf, placementSize } from "./pose.ts";
import type { TouchShape } from "./shape.ts";

export const boundingBoxSize = 6;

const frame = new Float64Array(placementSize);

/** Writes the box around a shape of the given pose, grown by `margin` on all sides. */
export function boundingBoxInto(
  out: Float64Array,
  at: number,
  shape: TouchShape,
  pose: ArrayLike<number>,
  atPose: number,
  margin: number,
): void {
  placementOf(frame, pose, atPose);
  for (let k = 0; k < 3; k++) {
    const x = frame[3 + 3 * k];
    const y = frame[4 + 3 * k];
    const z = frame[5 + 3 * k];
    let least = 0;
    let most = 0;
    switch (shape.kind) {
      case "sphere":
        most = shape.radius;
        least = -most;
        break;
      case "capsule":
        most = shape.halfLength * Math.abs(z) + shape.radius;
        least = -most;
        break;
      case "box": {
        const { halfSize } = shape;
        most = halfSize[0] * Math.abs(x) + halfSize[1] * Math.abs(y) + halfSize[2] * Math.abs(z);
        least = -most;
        break;
      }
      case "cylinder":
        most = shape.halfLength * Math.abs(z) + shape.radius * Math.sqrt(x * x + y * y);
        least = -most;
        break;
      case "ellipsoid": {
        const [a, b, c] = shape.radii;
        most = Math.sqrt(a * a * x * x + b * b * y * y + c * c * z * z);
        least = -most;
        break;
      }
      case "hull": {
        const { vertices } = shape.polyhedron;
        least = Number.POSITIVE_INFINITY;
        most = Number.NEGATIVE_INFINITY;
        for (let v = 0; v < vertices.length; v += 3) {
          const height = x * vertices[v] + y * vertices[v + 1] + z * vertices[v + 2];
          if (height < least) least = height;
          if (height > most) most = height;
        }
        break;
      }
      case "halfSpace":
        // bounded only across a boundary that is square to the axis
        most = z === 1 && x === 0 && y === 0 ? 0 : Number.POSITIVE_INFINITY;
        least = z === -1 && x === 0 && y === 0 ? 0 : Number.NEGATIVE_INFINITY;
        break;
      case "heightField": {
        const across = (shape.size[0] * Math.abs(x) + shape.size[1] * Math.abs(y)) / 2;
        // solid below: the box is as deep as the field is wide, so that nothing falls past it between two steps
        const depth = shape.lowest - Math.max(shape.size[0], shape.size[1]);
        most = across + Math.max(z * depth, z * shape.highest);
        least = -across + Math.min(z * depth, z * shape.highest);
        break;
      }
    }
    out[at + k] = frame[k] + least - margin;
    out[at + 3 + k] = frame[k] + most + margin;
  }
}
