/**
 * How well recordings of poses are predicted: over the predicted frames of a recording, the mean distance between the predicted and the
 * recorded point, and the mean angle between the predicted and the recorded rotation. A kind of work: a job is one recording at one θ.
 */
import { bodyStateSize, poseSize, quaternion, stateOffsets, vector } from "../math/index.ts";
import { ArgumentError } from "../mechanism/index.ts";
import type { WorkKind } from "../work/index.ts";
import { measuredSize } from "./parameterSet.ts";

import { type RunsContext, WindowRuns } from "./windowRuns.ts";

export interface ScoreJob {
  readonly recording: number;
  readonly theta: Float64Array;
}

export interface ScoreOutcome {
  /** Metres, as recorded lengths count. Infinite where θ leaves the physics. */
  readonly position: number;
  /** Radians. */
  readonly rotation: number;
  /** Steps that were not solved. */
  readonly failures: number;
}

export const scoreKind: WorkKind<RunsContext, ScoreJob, ScoreOutcome> = {
  name: "identification.score",
  prepare(context) {
    // a prediction starts from what was recorded
    const runs = new WindowRuns({ ...context, starts: "fixed" });
    if (!runs.isMaximal)
      throw new ArgumentError("no-pose", "recordings", "scores go by recorded poses, and there are none");
    return (job) => scoreOf(runs, context, job);
  },
};

function scoreOf(runs: WindowRuns, context: RunsContext, { recording, theta }: ScoreJob): ScoreOutcome {
  try {
    runs.apply(theta);
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    return { position: Number.POSITIVE_INFINITY, rotation: Number.POSITIVE_INFINITY, failures: 0 };
  }
  const { bodies } = runs.channels;
  let [position, rotation, count, failures] = [0, 0, 0, 0];
  runs.windows[recording].forEach((_, index) => {
    const { window, trajectory, stateOf } = runs.run(recording, index, undefined, undefined);
    if (!trajectory.solved) failures++;
    for (const frame of window.frames) {
      const state = trajectory.states[stateOf(frame)];
      bodies.forEach((body, b) => {
        const { distance, angle } = poseError(
          predictedPose(
            state,
            runs.simulation.mechanism.bodies.findIndex(({ name }) => name === body),
            runs.map.outside.subarray(measuredSize * b),
          ),
          context.recordings[recording].poses[body].subarray(poseSize * frame, poseSize * (frame + 1)),
        );
        position += distance;
        rotation += angle;
        count++;
      });
    }
  });
  return { position: position / count, rotation: rotation / count, failures };
}

/** What a sensor would record of a body: its pose by 7 numbers. `measured` are point and scale. */
export function predictedPose(state: Float64Array, body: number, measured: ArrayLike<number>): Float64Array {
  const at = bodyStateSize * body;
  const pose = new Float64Array(poseSize);
  const q = at + stateOffsets.orientation;
  const turned = quaternion.rotate(
    [state[q], state[q + 1], state[q + 2], state[q + 3]],
    [measured[0], measured[1], measured[2]],
  );
  for (let i = 0; i < 3; i++) pose[i] = measured[3] * (state[at + stateOffsets.position + i] + turned[i]);
  for (let i = 0; i < 4; i++) pose[3 + i] = state[q + i];
  return pose;
}

/** Metres and radians between two poses. */
export function poseError(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
): { readonly distance: number; readonly angle: number } {
  const turn = quaternion.multiply(quaternion.conjugate([a[3], a[4], a[5], a[6]]), [b[3], b[4], b[5], b[6]]);
  return {
    distance: vector.norm([a[0] - b[0], a[1] - b[1], a[2] - b[2]]),
    angle: 2 * Math.atan2(vector.norm([turn[1], turn[2], turn[3]]), Math.abs(turn[0])),
  };
}
