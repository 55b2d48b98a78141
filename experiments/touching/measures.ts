/** What is measured of a scene's states, alike for all engines: how deep shapes are in each other, and how far bodies move. */
import type { Mechanism } from "dojo-sim";
import {
  boundingBoxInto,
  boundingBoxSize,
  canTouch,
  composePose,
  placementBetween,
  placementSize,
  poseSize,
  prepareShape,
  signedDistance,
  type TouchShape,
} from "../../src/geometry/index.ts";

/** Shapes whose boxes are farther apart than twice this are not looked at, m. */
const margin = 1e-3;

/** Smallest distance of the true shapes that may touch; negative where they overlap. Infinity where none is near another. */
export class Overlaps {
  private readonly mechanism: Mechanism;
  private readonly shapes: readonly TouchShape[];
  private readonly poses: Float64Array;
  private readonly boxes: Float64Array;
  private readonly placement = new Float64Array(placementSize);

  constructor(mechanism: Mechanism) {
    this.mechanism = mechanism;
    const listed = mechanism.touch?.shapes ?? [];
    this.shapes = listed.map(({ form }) => prepareShape(form));
    this.poses = new Float64Array(poseSize * listed.length);
    this.boxes = new Float64Array(boundingBoxSize * listed.length);
  }

  smallest(state: Float64Array): number {
    const listed = this.mechanism.touch?.shapes ?? [];
    const { poses, boxes, shapes, placement } = this;
    listed.forEach(({ body, position, orientation }, i) => {
      const own = [...position, ...orientation];
      if (body < 0) poses.set(own, poseSize * i);
      else composePose(poses, poseSize * i, state, 13 * body, own, 0);
      boundingBoxInto(boxes, boundingBoxSize * i, shapes[i], poses, poseSize * i, margin);
    });
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < shapes.length; i++) {
      for (let j = i + 1; j < shapes.length; j++) {
        if (listed[i].body === listed[j].body || !canTouch(shapes[i].kind, shapes[j].kind)) continue;
        if (!this.overlap(i, j)) continue;
        placementBetween(placement, poses, poseSize * i, poses, poseSize * j);
        least = Math.min(least, signedDistance(shapes[i], shapes[j], placement));
      }
    }
    return least;
  }

  private overlap(i: number, j: number): boolean {
    const { boxes } = this;
    const [a, b] = [boundingBoxSize * i, boundingBoxSize * j];
    for (let k = 0; k < 3; k++) if (boxes[a + k] > boxes[b + 3 + k] || boxes[b + k] > boxes[a + 3 + k]) return false;
    return true;
  }
}

/** Largest distance that a body's centre has moved between two states. */
export function largestMove(before: Float64Array, after: Float64Array): number {
  let most = 0;
  for (let at = 0; at < before.length; at += 13)
    most = Math.max(
      most,
      Math.hypot(after[at] - before[at], after[at + 1] - before[at + 1], after[at + 2] - before[at + 2]),
    );
  return most;
}
