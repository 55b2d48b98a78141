/** Shapes that may touch, as the search has them: prepared for the narrow phase, with sizes and with their places in bodies. */
import {
  boundingBoxInto,
  coreOf,
  type TouchShape as PreparedShape,
  placementOf,
  placementSize,
  prepareShape,
  type SupportCore,
} from "../../geometry/index.ts";
import { poseSize } from "../../math/index.ts";
import type { MechanismTouch } from "../../mechanism/index.ts";
import { innerRadius } from "./innerRadius.ts";

/** One entry per shape. */
export interface ShapeTable {
  readonly shapes: readonly PreparedShape[];
  /** Cores of bounded convex shapes. */
  readonly cores: readonly (SupportCore | undefined)[];
  readonly body: Int32Array;
  /** How many bodies have shapes, at most. */
  readonly bodies: number;
  readonly poseInBody: Float64Array;
  /** The same as a matrix; undefined where they share a frame. */
  readonly placements: readonly (Float64Array | undefined)[];
  /** Farthest point from the body's origin, and from the shape's own; infinite for half-spaces. */
  readonly reach: Float64Array;
  readonly size: Float64Array;
  /** Radius of a ball that the shape holds. */
  readonly inner: Float64Array;
  /** Whose faces may have more corners than a step holds. */
  readonly isHull: readonly boolean[];
  /** How far features of the shape are kept apart, as a part of the smaller one's size. */
  readonly margin: Float64Array;
}

/**
 * Rims and ellipsoids are held at points, and what turns has its lowest point elsewhere where the step ends: a can that stands on four points of
 * its rim hovers at their gaps, of picometres, and leans within them by as much as the rim between two of them is lower. The rim of a can that
 * rolls has left the point that was held, by a fourth of the depth before in every solve. So features of round parts keep this much apart
 * from what they meet, and what they leave of it counts as apart.
 */
const roundMargin = 1e-9;

/** Numbers of a bounding box. */
export const boxSize = 6;

export function shapeTable(touch: MechanismTouch): ShapeTable {
  const described = touch.shapes;
  const shapes = described.map(({ form }) => prepareShape(form));
  const poseInBody = Float64Array.from(described.flatMap(({ position, orientation }) => [...position, ...orientation]));
  const box = new Float64Array(boxSize);
  const extent = (i: number, poses: ArrayLike<number>, at: number): number => {
    if (shapes[i].kind === "halfSpace") return Number.POSITIVE_INFINITY;
    boundingBoxInto(box, 0, shapes[i], poses, at, 0);
    return Math.hypot(...[0, 1, 2].map((k) => Math.max(Math.abs(box[k]), Math.abs(box[k + 3]))));
  };
  const identity = [0, 0, 0, 1, 0, 0, 0];
  return {
    shapes,
    cores: shapes.map((shape) =>
      shape.kind === "halfSpace" || shape.kind === "heightField" ? undefined : coreOf(shape),
    ),
    body: Int32Array.from(described, ({ body }) => body),
    bodies: described.reduce((most, { body }) => Math.max(most, body + 1), 0),
    poseInBody,
    placements: described.map(({ form }, i) =>
      form.position || form.orientation
        ? placementOf(new Float64Array(placementSize), poseInBody, poseSize * i)
        : undefined,
    ),
    reach: Float64Array.from(shapes, (_, i) => extent(i, poseInBody, poseSize * i)),
    size: Float64Array.from(shapes, (_, i) => extent(i, identity, 0)),
    inner: Float64Array.from(shapes, innerRadius),
    isHull: shapes.map(({ kind }) => kind === "hull"),
    margin: Float64Array.from(shapes, ({ kind }) => (kind === "cylinder" || kind === "ellipsoid" ? roundMargin : 0)),
  };
}
