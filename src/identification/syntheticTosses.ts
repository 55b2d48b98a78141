/**
 * Tosses of a cube that was never thrown, for data whose truth is known: random throws, simulated in small steps and recorded as a sensor
 * would at 148 frames per second, with noise of its own.
 */
import { maximalState } from "../coordinates/index.ts";
import { poseSize, quaternion, Random } from "../math/index.ts";
import { compile, Simulation } from "../simulation/index.ts";
import { measuredSize, ParameterMap, type ParameterSet, startedFrom } from "./parameterSet.ts";
import type { Recording } from "./recording.ts";
import { predictedPose } from "./score.ts";
import { tossedCube, tossedCubeDescription } from "./tossedCube.ts";

export interface SyntheticOptions {
  /** How many tosses. Default 20. */
  readonly count?: number;
  /** Default 1. */
  readonly seed?: number;
  /** Standard deviations of the recorded position, metres, and rotation, radians. Default none. */
  readonly noise?: { readonly position: number; readonly rotation: number };
  /** Steps of the simulation per frame. Default 4. */
  readonly stepsPerFrame?: number;
  /** Frames of a toss. Default 80. */
  readonly frames?: number;
}

/** `set` says what the parameters are, `truth` what they are worth. */
export function syntheticTosses(
  set: ParameterSet,
  truth: Readonly<Record<string, number>>,
  options: SyntheticOptions = {},
): Recording[] {
  const { count = 20, seed = 1, noise = { position: 0, rotation: 0 }, stepsPerFrame = 4, frames = 80 } = options;
  const interval = 1 / tossedCube.rate;
  const random = new Random(seed);
  const bounces = Object.keys(set.values).some((path) => path.endsWith(".restitution"));
  const description = tossedCubeDescription({ timestep: interval / stepsPerFrame, restitution: bounces });
  const simulation = new Simulation(compile(description));
  const own = startedFrom(set, truth);
  const map = new ParameterMap(simulation, own, [tossedCube.body]);
  map.apply(Object.values(own.parameters).map(({ start }) => start));
  const measured = map.outside.subarray(0, measuredSize);
  return Array.from({ length: count }, (_, i): Recording => {
    const spin = random.uniform(2, 10);
    const axis = random.unitVector();
    const turned = random.unitVector();
    const angle = random.uniform(0, Math.PI);
    const start = maximalState(simulation.mechanism, {
      base: {
        position: [0, 0, random.uniform(0.12, 0.18), angle * turned[0], angle * turned[1], angle * turned[2]],
        velocity: [
          random.uniform(0.3, 1.2),
          random.uniform(-0.5, 0.5),
          random.uniform(-0.8, 0),
          ...axis.map((entry) => spin * entry),
        ],
      },
    });
    simulation.continuation = undefined;
    const { states } = simulation.rollout(start, { steps: (frames - 1) * stepsPerFrame, check: false });
    const poses = new Float64Array(poseSize * frames);
    for (let k = 0; k < frames; k++) {
      const pose = predictedPose(states[Math.min(k * stepsPerFrame, states.length - 1)], 0, measured);
      for (let j = 0; j < 3; j++) pose[j] += noise.position * random.normal();
      const turn = quaternion.fromRotationVector([0, 1, 2].map(() => noise.rotation * random.normal()) as never);
      pose.set(quaternion.multiply([pose[3], pose[4], pose[5], pose[6]], turn), 3);
      const before = poses.subarray(poseSize * (k - 1) + 3, poseSize * k);
      // as recordings have it: q and −q are the same, and do not jump
      const along = k === 0 ? 1 : before.reduce((sum, entry, j) => sum + entry * pose[3 + j], 0);
      for (let j = 3; j < poseSize; j++) pose[j] *= along < 0 ? -1 : 1;
      poses.set(pose, poseSize * k);
    }
    return {
      name: `synthetic ${i + 1}`,
      frames,
      interval,
      poses: { [tossedCube.body]: poses },
      coordinates: {},
      inputs: {},
      lines: Array.from({ length: frames }, (_, k) => k + 2),
    };
  });
}
