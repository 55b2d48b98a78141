/** One recording beside its prediction: the simulated trajectory, and the recorded poses as states of the same bodies. */
import { bodyStateSize, poseSize, quaternion } from "../math/index.ts";

import type { Simulation, Trajectory } from "../simulation/index.ts";
import type { IdentificationProblem } from "./identify.ts";
import { measuredSize, startedFrom } from "./parameterSet.ts";

import type { Sampling } from "./sampling.ts";
import { poseError, predictedPose } from "./score.ts";
import { WindowRuns } from "./windowRuns.ts";

export interface Comparison {
  readonly simulation: Simulation;
  readonly trajectory: Trajectory;
  /** One per state of the trajectory; velocities are 0. */
  readonly recorded: readonly Float64Array[];
  /** Distances of the first body, per state: metres and radians. */
  readonly distances: Float64Array;
  readonly angles: Float64Array;
}

/** The first window of a recording of poses, simulated with these values. */
export function compareRecording(
  { description, set, recordings }: IdentificationProblem,
  values: Readonly<Record<string, number>>,
  recording: number,
  sampling: Sampling,
): Comparison {
  const own = startedFrom(set, values);
  const runs = new WindowRuns({
    description,
    set: own,
    recordings: [recordings[recording]],
    sampling,
    starts: "fixed",
  });
  runs.apply(Object.values(own.parameters).map(({ start }) => start));
  const { window, trajectory } = runs.run(0, 0, undefined, undefined);
  const { every = 1, stepsPerFrame = 1 } = sampling;
  const { bodies } = runs.simulation.mechanism;
  const poseAt = (body: string, k: number): Float64Array => {
    const frame = window.start + Math.round(k / stepsPerFrame) * every;
    return recordings[recording].poses[body].subarray(poseSize * frame, poseSize * (frame + 1));
  };
  const recorded = trajectory.states.map((_, k) => {
    const state = new Float64Array(bodyStateSize * bodies.length);
    bodies.forEach(({ name }, b) => {
      const pose = poseAt(name, k);
      const [px, py, pz, scale] = runs.map.outside.subarray(measuredSize * runs.channels.bodies.indexOf(name));
      const arm = quaternion.rotate([pose[3], pose[4], pose[5], pose[6]], [px, py, pz]);
      for (let i = 0; i < 3; i++) state[bodyStateSize * b + i] = pose[i] / scale - arm[i];
      state.set(pose.subarray(3), bodyStateSize * b + 3);
    });
    return state;
  });
  const errors = trajectory.states.map((state, k) =>
    poseError(predictedPose(state, 0, runs.map.outside), poseAt(bodies[0].name, k)),
  );
  return {
    simulation: runs.simulation,
    trajectory,
    recorded,
    distances: Float64Array.from(errors, ({ distance }) => distance),
    angles: Float64Array.from(errors, ({ angle }) => angle),
  };
}
