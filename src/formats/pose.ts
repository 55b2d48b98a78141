/** Positions with orientations: a frame seen from another one. */
import { quaternion, vector } from "../math/index.ts";
import type { Quaternion, Vector3 } from "../mechanism/index.ts";

export interface Pose {
  readonly position: Vector3;
  readonly orientation: Quaternion;
}

export const identityPose: Pose = { position: vector.zero, orientation: quaternion.identity };

/** A frame seen from b, which is seen from a: the frame seen from a. */
export function composePoses(a: Pose, b: Pose): Pose {
  return {
    position: posedPoint(a, b.position),
    orientation: quaternion.normalize(quaternion.multiply(a.orientation, b.orientation)),
  };
}

export function inversePose(a: Pose): Pose {
  const orientation = quaternion.conjugate(a.orientation);
  return { position: vector.scale(quaternion.rotate(orientation, a.position), -1), orientation };
}

/** A point given in a's frame, seen from outside. */
export function posedPoint(a: Pose, point: Vector3): Vector3 {
  return vector.add(a.position, quaternion.rotate(a.orientation, point));
}

/** The same pose with its position measured from `origin`. */
export function movedPose(a: Pose, origin: Vector3): Pose {
  return { position: vector.sub(a.position, origin), orientation: a.orientation };
}
