/** Pose and velocity of a body out of the numbers of a state, or out of symbols that lie as they do. */
import { bodyAt, stateOffsets, velocityAt } from "../math/index.ts";
import type { Scalar } from "../symbolic/index.ts";
import { type Pose, previousPose, worldPose } from "./pose.ts";

const { orientation, velocity, angularVelocity } = stateOffsets;

/** Of the entries of one body, or of its pose. */
export function poseOf<T extends Scalar>(entries: readonly T[]) {
  return { position: entries.slice(0, orientation), orientation: entries.slice(orientation, velocity) };
}

/** Of the entries of one body. */
export function velocityOf<T extends Scalar>(entries: readonly T[]) {
  return { linear: entries.slice(velocity, angularVelocity), angular: entries.slice(angularVelocity) };
}

/** Where one body was one step of h ago. */
export function poseBefore(entries: readonly Scalar[], h: Scalar): Pose {
  return previousPose(poseOf(entries), velocityOf(entries), h);
}

/** Of a body in a state; the world's is `worldPose`. */
export function poseIn(state: Float64Array, body: number): Pose {
  return body < 0 ? worldPose : poseOf(Array.from(state.subarray(bodyAt(body), velocityAt(body))));
}

/** Of a body in a state, one step of h ago. */
export function poseBeforeIn(state: Float64Array, body: number, h: number): Pose {
  return body < 0 ? worldPose : poseBefore(Array.from(state.subarray(bodyAt(body), bodyAt(body + 1))), h);
}
