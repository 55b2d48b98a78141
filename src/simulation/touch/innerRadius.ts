/** How large a ball shapes hold. */
import type { TouchShape as PreparedShape } from "../../geometry/index.ts";

/** Radius of the largest ball about the origin that the shape holds; none of hulls, whose origin may be anywhere, nor of terrain. */
export function innerRadius(shape: PreparedShape): number {
  switch (shape.kind) {
    case "sphere":
    case "capsule":
      return shape.radius;
    case "box":
      return Math.min(...shape.halfSize);
    case "cylinder":
      return Math.min(shape.radius, shape.halfLength);
    case "ellipsoid":
      return Math.min(...shape.radii);
    case "hull":
    case "heightField":
      return 0;
    case "halfSpace":
      return Number.POSITIVE_INFINITY;
  }
}
