/**
 * Bounds of all shapes for the broad phase: boxes along the world's axes, so much wider than the shapes; of a half-space its outward normal n,
 * z of its frame, and its offset nᵀp + width.
 */
import { type BroadPhase, boundingBoxInto } from "../../geometry/index.ts";
import { poseSize } from "../../math/index.ts";
import type { ShapeMotion } from "./shapeMotion.ts";
import { boxSize, type ShapeTable } from "./shapeTable.ts";

/** Writes the bounds of where shapes are now, and finds the pairs whose boxes meet. */
export function boxShapes(broad: BroadPhase, { shapes }: ShapeTable, motion: ShapeMotion, width: Float64Array): void {
  const { poses } = motion;
  const { bounds } = broad;
  for (let i = 0; i < shapes.length; i++) {
    motion.place(i);
    const [out, at] = [boxSize * i, poseSize * i];
    if (shapes[i].kind !== "halfSpace") {
      boundingBoxInto(bounds, out, shapes[i], poses, at, width[i]);
      continue;
    }
    const [w, x, y, z] = [poses[at + 3], poses[at + 4], poses[at + 5], poses[at + 6]];
    bounds[out] = 2 * (x * z + w * y);
    bounds[out + 1] = 2 * (y * z - w * x);
    bounds[out + 2] = 1 - 2 * (x * x + y * y);
    let offset = width[i];
    for (let k = 0; k < 3; k++) offset += bounds[out + k] * poses[at + k];
    bounds[out + 3] = offset;
  }
  broad.update();
}
