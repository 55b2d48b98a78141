/**
 * Data whose truth is known, simulated with a quarter of the frames' interval: how near fits come without noise, and how often 95%
 * intervals cover the truth with it. Starts are off by up to 30% at random.
 */
import {
  capsule,
  compile,
  type Executor,
  type FitContext,
  fitParameters,
  inlineExecutor,
  type MechanismDescription,
  maximalState,
  minimalState,
  namedParameters,
  type ParameterSet,
  Random,
  type Recording,
  revolute,
  Simulation,
  startedFrom,
  syntheticTosses,
  tossedCubeDescription,
  tossParameters,
} from "dojo-sim";

/** A double pendulum whose joint angles are logged at 500 Hz. */
const interval = 0.002;
const pendulum = (timestep: number): MechanismDescription => ({
  name: "double pendulum",
  timestep,
  bodies: {
    upper: capsule({ radius: 0.03, length: 0.5, mass: 1 }),
    lower: capsule({ radius: 0.03, length: 0.4, mass: 0.6 }),
  },
  joints: {
    shoulder: revolute({ parent: "world", child: "upper", axis: [1, 0, 0], childAnchor: [0, 0, 0.25], damping: 0.08 }),
    elbow: revolute({
      parent: "upper",
      child: "lower",
      axis: [1, 0, 0],
      parentAnchor: [0, 0, -0.25],
      childAnchor: [0, 0, 0.2],
      damping: 0.05,
    }),
  },
});
const pendulumNames = [
  "joints.shoulder.damping.0",
  "joints.elbow.damping.0",
  "bodies.lower.mass",
  "bodies.lower.inertia.xx",
];

function pendulumLog(seed: number, noise: number, frames: number): Recording {
  const random = new Random(seed);
  const simulation = new Simulation(compile(pendulum(interval / 4)));
  const { mechanism } = simulation;
  const start = maximalState(mechanism, {
    shoulder: { position: [random.uniform(0.6, 1.4)] },
    elbow: { position: [random.uniform(-1, 1)] },
  });
  const { states } = simulation.rollout(start, { steps: 4 * (frames - 1) });
  const angles = states.filter((_, k) => k % 4 === 0).map((state) => minimalState(mechanism, state));
  const column = (i: number): Float64Array => Float64Array.from(angles, (x) => x[i] + noise * random.normal());
  return {
    name: `swing ${seed}`,
    frames,
    interval,
    poses: {},
    coordinates: { "shoulder.angle": column(0), "elbow.angle": column(1) },
    inputs: {},
    lines: [],
  };
}

const tossTruth: Readonly<Record<string, number>> = {
  friction: 0.17,
  halfWidth: 0.0513,
  inertia: 1.05e-3,
  comX: 0.001,
  comY: -5e-4,
  comZ: 0.006,
};

/** A case: its parameters at the truth, and what makes data of a seed. */
export interface SyntheticCase {
  readonly name: string;
  readonly truth: Readonly<Record<string, number>>;
  readonly context: (seed: number, noisy: boolean, starts: Readonly<Record<string, number>>) => FitContext;
}

const angleNoise = 0.002;
const poseNoise = { position: 5e-4, rotation: 5e-3 };

export const pendulumCase: SyntheticCase = {
  name: "double pendulum, joint angles: one step per frame",
  truth: truthOf(namedParameters(new Simulation(compile(pendulum(interval))), pendulumNames)),
  context: (seed, noisy, starts) => ({
    description: pendulum(interval),
    set: startedFrom(namedParameters(new Simulation(compile(pendulum(interval))), pendulumNames), starts),
    recordings: [pendulumLog(seed, noisy ? angleNoise : 0, 500), pendulumLog(seed + 5000, noisy ? angleNoise : 0, 500)],
    sampling: { window: "whole" },
    noise: { coordinates: angleNoise },
    starts: "free",
  }),
};

function tossCase(stepsPerFrame: number, count: number): SyntheticCase {
  const set = tossParameters(["friction", "halfWidth", "inertia", "centerOfMass"]);
  return {
    name: `tosses, poses: ${stepsPerFrame === 1 ? "one step" : `${stepsPerFrame} steps`} per frame`,
    truth: tossTruth,
    context: (seed, noisy, starts) => ({
      description: tossedCubeDescription(),
      set: startedFrom(set, starts),
      recordings: syntheticTosses(set, tossTruth, { count, seed, frames: 45, ...(noisy && { noise: poseNoise }) }),
      sampling: { window: 12, stepsPerFrame },
      noise: poseNoise,
      starts: "free",
      ...(!noisy && stepsPerFrame === 1 && { loss: { kind: "cauchy", size: 1 } as const }),
    }),
  };
}

export const tossCases = { fine: tossCase(4, 4), coarse: tossCase(1, 12) };

function truthOf({ parameters }: ParameterSet): Record<string, number> {
  return Object.fromEntries(Object.entries(parameters).map(([name, { start }]) => [name, start]));
}

/** Starts that are off by up to 30%; a centre of mass by as much of 6 mm. */
function offStarts(truth: Readonly<Record<string, number>>, random: Random): Record<string, number> {
  return Object.fromEntries(
    Object.entries(truth).map(([name, value]) => [
      name,
      name.startsWith("com") ? value + 0.006 * random.uniform(-0.3, 0.3) : value * random.uniform(0.7, 1.3),
    ]),
  );
}

/** Errors over the truth; of centres of mass, over the half-width. */
export interface NoiseFree {
  readonly name: string;
  readonly errors: Readonly<Record<string, number>>;
  readonly worst: number;
  readonly iterations: number;
}

const relative = (name: string, value: number, truth: number): number =>
  Math.abs(value - truth) / (name.startsWith("com") ? tossTruth.halfWidth : Math.abs(truth));

export async function withoutNoise(scene: SyntheticCase, executor: Executor = inlineExecutor()): Promise<NoiseFree> {
  const random = new Random(11);
  const { parameters, iterations } = await fitParameters(scene.context(1, false, offStarts(scene.truth, random)), {
    executor,
    maxIterations: 40,
  });
  const errors = Object.fromEntries(
    Object.entries(parameters).map(([name, { value }]) => [name, relative(name, value, scene.truth[name])]),
  );
  return { name: scene.name, errors, worst: Math.max(...Object.values(errors)), iterations };
}

/** How often intervals cover the truth, over trials with data and starts of their own. */
export interface Coverage {
  readonly name: string;
  readonly trials: number;
  /** By parameter, from 0 to 1. */
  readonly covered: Readonly<Record<string, number>>;
  /** Over all parameters. */
  readonly mean: number;
  readonly unconverged: number;
}

export async function coverage(
  scene: SyntheticCase,
  trials: number,
  executor: Executor = inlineExecutor(),
  onTrial: (done: number) => void = () => {},
): Promise<Coverage> {
  const counts: Record<string, number> = Object.fromEntries(Object.keys(scene.truth).map((name) => [name, 0]));
  let unconverged = 0;
  for (let trial = 0; trial < trials; trial++) {
    const random = new Random(1000 + trial);
    const found = await fitParameters(scene.context(100 + trial, true, offStarts(scene.truth, random)), { executor });
    if (found.end !== "converged") unconverged++;
    for (const [name, { interval }] of Object.entries(found.parameters)) {
      if (interval && interval[0] <= scene.truth[name] && scene.truth[name] <= interval[1]) counts[name]++;
    }
    onTrial(trial + 1);
  }
  const covered = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count / trials]));
  const all = Object.values(covered);
  return {
    name: scene.name,
    trials,
    covered,
    mean: all.reduce((sum, each) => sum + each, 0) / all.length,
    unconverged,
  };
}
