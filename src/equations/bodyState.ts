/** Pose and velocity of a body out of the numbers of a state, or out of symbols that lie as they do. */
import {
  angularVelocityAt,
  bodyAt,
  type Quaternion,
  quaternion,
  stateOffsets,
  type Vector3,
  velocityAt,
} from "../math/index.ts";
import type { Scalar } from "../symbolic/index.ts";
import { type Pose, previousPose } from "./pose.ts";

const { orientation, velocity, angularVelocity } = stateOffsets;

/** The pose among the entries of one body, or of its pose. */
export function poseOf<T extends Scalar>(entries: readonly T[]) {
  return { position: entries.slice(0, orientation), orientation: entries.slice(orientation, velocity) };
}

/** The velocities among the entries of one body. */
export function velocityOf<T extends Scalar>(entries: readonly T[]) {
  return { linear: entries.slice(velocity, angularVelocity), angular: entries.slice(angularVelocity) };
}

/** Where one body was one step of h ago. */
export function poseBefore(entries: readonly Scalar[], h: Scalar): Pose {
  return previousPose(poseOf(entries), velocityOf(entries), h);
}

/** A pose in numbers. */
export interface PoseNumbers {
  readonly position: Vector3;
  readonly orientation: Quaternion;
}

/** The pose of a body in a state; the world's is `worldPose`. */
export function poseIn(state: Float64Array, body: number): PoseNumbers {
  if (body < 0) return worldNumbers;
  const at = bodyAt(body);
  const q = at + orientation;
  return {
    position: [state[at], state[at + 1], state[at + 2]],
    orientation: [state[q], state[q + 1], state[q + 2], state[q + 3]],
  };
}

/** The pose of a body in a state, one step of h ago: x − h v, q Δ(−h ω), for numbers alone, as `previousPose` has it for expressions. */
export function poseBeforeIn(state: Float64Array, body: number, h: number): PoseNumbers {
  if (body < 0) return worldNumbers;
  const { position, orientation: q } = poseIn(state, body);
  const [v, w] = [velocityAt(body), angularVelocityAt(body)];
  const half = -h / 2;
  const [x, y, z] = [half * state[w], half * state[w + 1], half * state[w + 2]];
  const root = Math.sqrt(1 - (x * x + y * y + z * z));
  return {
    position: [position[0] - h * state[v], position[1] - h * state[v + 1], position[2] - h * state[v + 2]],
    // summed in the order of the expressions, so that no bit differs
    orientation: [
      q[0] * root - (q[1] * x + q[2] * y + q[3] * z),
      x * q[0] + q[1] * root + (q[2] * z - q[3] * y),
      y * q[0] + q[2] * root + (q[3] * x - q[1] * z),
      z * q[0] + q[3] * root + (q[1] * y - q[2] * x),
    ],
  };
}

const worldNumbers: PoseNumbers = { position: [0, 0, 0], orientation: quaternion.identity };
