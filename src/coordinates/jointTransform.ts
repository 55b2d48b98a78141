/**
 * Joint coordinates → displacement and rotation of the child in the parent's joint frame: the inverse of the coordinates
 * in equations/jointGeometry.ts. Trigonometry is the engine's own, so that states agree to the bit everywhere.
 */

import { type Quaternion, quaternion, type Vector3 } from "../math/index.ts";
import type { JointFrameValues, JointShape } from "../mechanism/index.ts";
import { cosine, sine } from "../symbolic/index.ts";

export interface JointTransform {
  readonly displacement: Vector3;
  readonly rotation: Quaternion;
}

const freeAxes = [[0, 1, 2], [0, 1], [2], []] as const;
const identity: Quaternion = [1, 0, 0, 0];

export function jointTransform(
  shape: JointShape,
  frames: JointFrameValues,
  coordinates: ArrayLike<number>,
  offset = 0,
): JointTransform {
  const displacement: [number, number, number] = [0, 0, 0];
  let next = offset;
  for (const axis of freeAxes[shape.translation]) displacement[axis] = coordinates[next++];
  return { displacement, rotation: rotationOf(shape, frames, coordinates, next) };
}

function rotationOf(
  shape: JointShape,
  frames: JointFrameValues,
  coordinates: ArrayLike<number>,
  at: number,
): Quaternion {
  if (shape.serial) {
    const first = about(0, coordinates[at]);
    const second = about(1, coordinates[at + 1]);
    if (shape.rotation === 1) {
      // C turns y to the second axis: sin = −skew
      const turn: Quaternion =
        frames.skew === 0 ? identity : quaternion.fromAxisAngle([0, 0, 1], -Math.asin(frames.skew));
      return quaternion.multiply(quaternion.multiply(first, turn), second);
    }
    return quaternion.multiply(
      quaternion.multiply(first, second),
      about(2, shape.mirrored ? -coordinates[at + 2] : coordinates[at + 2]),
    );
  }
  if (shape.rotation === 3) return identity;
  if (shape.rotation === 2) return about(2, coordinates[at]);
  const vector: [number, number, number] = [
    coordinates[at],
    coordinates[at + 1],
    shape.rotation === 0 ? coordinates[at + 2] : 0,
  ];
  return fromRotationVector(vector);
}

function about(axis: 0 | 1 | 2, angle: number): Quaternion {
  const q: [number, number, number, number] = [cosine(angle / 2), 0, 0, 0];
  q[1 + axis] = sine(angle / 2);
  return q;
}

export function fromRotationVector(r: Vector3): Quaternion {
  const angle = Math.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
  if (angle === 0) return identity;
  const factor = sine(angle / 2) / angle;
  return [cosine(angle / 2), factor * r[0], factor * r[1], factor * r[2]];
}
