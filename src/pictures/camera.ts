/** Where a picture is taken from. */
import { bodyStateSize, type Vector3, vector } from "../math/index.ts";

import type { Scene } from "./scene.ts";

export interface Camera {
  readonly eye: Vector3;
  /** The middle of the picture. */
  readonly target: Vector3;
  /** Half the height of the picture at distance 1: the tangent of half the angle of view. */
  readonly tangent: number;
}

/** The direction from the side, a little from the front and from above: planar robots walk along x. */
const outlook = vector.normalize([0.45, -1, 0.32]);
const tangent = 0.35;
/** How much of the picture's height is left free. */
const margin = 1.5;

/** A camera that sees all of a scene at this state with the bodies in its middle, and these points as well. */
export function cameraOf(scene: Scene, state: Float64Array, points: readonly Vector3[] = []): Camera {
  const { low, high } = extentOf(scene, state);
  const target = vector.scale(vector.add(low, high), 0.5);
  const half = [0, 1, 2].map((k) =>
    Math.max((high[k] - low[k]) / 2, ...points.map((point) => Math.abs(point[k] - target[k]))),
  );
  const distance = (margin * Math.sqrt(half.reduce((sum, side) => sum + side * side, 0))) / tangent;
  return { eye: vector.add(target, vector.scale(outlook, distance)), target, tangent };
}

/** The same camera, moved along so that it has the bodies of this state in its middle; its height stays. */
export function following(camera: Camera, scene: Scene, state: Float64Array): Camera {
  const { low, high } = extentOf(scene, state);
  const moved: Vector3 = [(low[0] + high[0]) / 2 - camera.target[0], (low[1] + high[1]) / 2 - camera.target[1], 0];
  return { ...camera, eye: vector.add(camera.eye, moved), target: vector.add(camera.target, moved) };
}

/** A box around the spheres that are around all shapes of bodies. */
function extentOf({ parts }: Scene, state: Float64Array): { low: Vector3; high: Vector3 } {
  const low = [0, 1, 2].map(() => Number.POSITIVE_INFINITY);
  const high = [0, 1, 2].map(() => Number.NEGATIVE_INFINITY);
  for (const { body, reach } of parts) {
    if (body < 0) continue;
    for (let k = 0; k < 3; k++) {
      const x = state[bodyStateSize * body + k];
      low[k] = Math.min(low[k], x - reach);
      high[k] = Math.max(high[k], x + reach);
    }
  }
  return { low: low as unknown as Vector3, high: high as unknown as Vector3 };
}
