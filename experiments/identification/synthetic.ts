/**
 * Data whose truth is known, simulated with a quarter of the frames' interval: how near fits come without noise, and how often 95%
 * intervals cover the truth with it. Starts are off by up to 30% at random.
 */
import {
  capsule,
  compile,
  type Executor,
  type FitContext,
  type FitResult,
  fitParameters,
  fitThroughHorizons,
  inlineExecutor,
  type MechanismDescription,
  maximalState,
  minimalState,
  namedParameters,
  type ParameterSet,
  poseSize,
  Random,
  type Recording,
  revolute,
  Simulation,
  startedFrom,
  syntheticTosses,
  tossedCube,
  tossedCubeDescription,
  tossParameters,
  valuesOf,
} from "dojo-sim";

/** A pendulum whose angle is logged at 500 Hz. Its damper is implicit, so a step of h adds h/2 of it to the inertia. */
const interval = 0.002;
const pendulum = (timestep: number): MechanismDescription => ({
  name: "pendulum",
  timestep,
  bodies: { rod: capsule({ radius: 0.03, length: 0.5, mass: 1 }) },
  joints: {
    hinge: revolute({ parent: "world", child: "rod", axis: [1, 0, 0], childAnchor: [0, 0, 0.25], damping: 0.02 }),
  },
});
const truePendulum = new Simulation(compile(pendulum(interval / 4)));
const pendulumNames = ["joints.hinge.damping.0", "bodies.rod.inertia.xx"];

function pendulumLog(seed: number, noise: number, frames: number): Recording {
  const random = new Random(seed);
  const simulation = truePendulum;
  const { mechanism } = simulation;
  const start = maximalState(mechanism, { hinge: { position: [random.uniform(0.6, 2.4)] } });
  const { states } = simulation.rollout(start, { steps: 4 * (frames - 1) });
  const angles = states.filter((_, k) => k % 4 === 0).map((state) => minimalState(mechanism, state)[0]);
  return {
    name: `swing ${seed}`,
    frames,
    interval,
    poses: {},
    coordinates: { "hinge.angle": Float64Array.from(angles, (angle) => angle + noise * random.normal()) },
    inputs: {},
    lines: [],
  };
}

const trueCube = new Simulation(compile(tossedCubeDescription({ timestep: 1 / tossedCube.rate / 4 })));

/** A cube that slides on its face. */
function slide(
  seed: number,
  noise: { readonly position: number; readonly rotation: number },
  frames: number,
): Recording {
  const random = new Random(seed);
  const simulation = trueCube;
  simulation.setParameters(
    Object.fromEntries(
      simulation.mechanism.contacts.map(({ name }) => [`contacts.${name}.frictionCoefficient`, slideTruth.friction]),
    ),
  );
  const start = maximalState(simulation.mechanism, {
    base: {
      position: [0, 0, tossedCube.recordedHalfWidth, 0, 0, 0],
      velocity: [random.uniform(0.7, 1.2), random.uniform(-0.3, 0.3), 0, 0, 0, 0],
    },
  });
  const { states } = simulation.rollout(start, { steps: 4 * (frames - 1), check: false });
  const poses = new Float64Array(poseSize * frames);
  for (let k = 0; k < frames; k++) {
    const pose = states[4 * k].slice(0, poseSize);
    for (let i = 0; i < 3; i++) {
      pose[i] += noise.position * random.normal();
      pose[4 + i] += (noise.rotation / 2) * random.normal();
    }
    const norm = Math.hypot(...pose.subarray(3));
    poses.set(
      pose.map((entry, i) => (i < 3 ? entry : entry / norm)),
      poseSize * k,
    );
  }
  return {
    name: `slide ${seed}`,
    frames,
    interval: 1 / tossedCube.rate,
    poses: { cube: poses },
    coordinates: {},
    inputs: {},
    lines: [],
  };
}
const slideTruth = { friction: 0.17 };

const tossTruth: Readonly<Record<string, number>> = {
  friction: 0.17,
  halfWidth: 0.0513,
  inertia: 1.05e-3,
  comX: 0.001,
  comY: -5e-4,
  comZ: 0.006,
  restitution: 0.3,
};

/** A case: its parameters at the truth, and what makes data of a seed. */
export interface SyntheticCase {
  readonly name: string;
  readonly truth: Readonly<Record<string, number>>;
  readonly context: (seed: number, noisy: boolean, starts: Readonly<Record<string, number>>) => FitContext;
  /** Default: one fit. */
  readonly found?: (context: FitContext, executor: Executor) => Promise<FitResult>;
}

const oneFit = (context: FitContext, executor: Executor): Promise<FitResult> =>
  fitParameters(context, { executor, maxIterations: 40 });

const startsOf = ({ parameters }: ParameterSet): Record<string, number> =>
  Object.fromEntries(Object.entries(parameters).map(([name, { start }]) => [name, start]));

const pendulumSet = namedParameters(new Simulation(compile(pendulum(interval))), pendulumNames);
const angleNoise = 0.01;
const poseNoise = { position: 5e-4, rotation: 5e-3 };

export const pendulumCase: SyntheticCase = {
  name: "pendulum, joint angle at 500 Hz: one step per frame",
  truth: startsOf(pendulumSet),
  context: (seed, noisy, starts) => ({
    description: pendulum(interval),
    set: startedFrom(pendulumSet, starts),
    recordings: [pendulumLog(seed, noisy ? angleNoise : 0, 300)],
    sampling: { window: "whole" },
    noise: { coordinates: angleNoise },
    starts: "free",
  }),
};

export const slideCase: SyntheticCase = {
  name: "sliding cube, poses at 148 Hz: one step per frame",
  truth: slideTruth,
  context: (seed, noisy, starts) => ({
    description: tossedCubeDescription(),
    set: startedFrom(tossParameters(["friction"]), starts),
    recordings: [0, 1].map((i) => slide(2 * seed + i, noisy ? poseNoise : { position: 0, rotation: 0 }, 45)),
    sampling: { window: "whole" },
    noise: poseNoise,
    starts: "free",
  }),
};

const tossSet = tossParameters(["friction", "halfWidth", "inertia", "centerOfMass", "restitution"]);
const tossNoise = { position: 2.5e-4, rotation: 2.5e-3 };

/**
 * Tosses from the last frame of flight through their first impacts, with the truth's own step, starts found with the parameters. Whole tosses
 * have many minima: the fit of `dojo identify`, over seven frames in one step, comes first, then growing horizons.
 */
export const tossCase: SyntheticCase = {
  name: "tossed cube, poses at 148 Hz: four steps per frame",
  truth: tossTruth,
  context: (seed, noisy, starts) => ({
    description: tossedCubeDescription({ restitution: true }),
    set: startedFrom(tossSet, starts),
    recordings: syntheticTosses(tossSet, tossTruth, { count: 4, seed, frames: 24, ...(noisy && { noise: tossNoise }) }),
    sampling: {
      window: "whole",
      stepsPerFrame: 4,
      startFrames: 11,
      // a little above where a corner can touch, so that a cube which lands on one has come below it
      begin: { below: Math.sqrt(3) * tossTruth.halfWidth + 0.006, before: 1 },
    },
    noise: tossNoise,
    starts: "free",
  }),
  found: foundToss,
};

/** Horizons that are tried in turn until no more than noise is left. */
const tossHorizons = [
  [6, 10],
  [8, 12],
  [5, 8, 12],
  [4, 6, 8, 10, 13],
];

async function foundToss(context: FitContext, executor: Executor): Promise<FitResult> {
  const { restitution, ...others } = startsOf(context.set);
  const first = await fitParameters(
    {
      ...context,
      // in steps of seven frames a bounce is over before it shows
      set: startedFrom(context.set, { restitution: 0 }, Object.keys(others)),
      sampling: { every: 7, window: 1, stride: 1 },
      noise: { position: 0.002, rotation: 0.02 },
      loss: { kind: "cauchy" },
      starts: "fixed",
    },
    { executor, tolerance: 1e-3, schedule: { from: 0.1, to: 0.01, factor: 3 } },
  );
  const set = startedFrom(context.set, { ...valuesOf(first.parameters), restitution });
  let best: FitResult | undefined;
  for (const horizons of tossHorizons) {
    const found = await fitThroughHorizons({ ...context, set }, horizons, { executor, tolerance: 1e-6 });
    if (!best || found.cost < best.cost) best = found;
    if (best.residual <= 1) break;
  }
  return best as FitResult;
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
  const { found = oneFit } = scene;
  const { parameters, iterations } = await found(scene.context(1, false, offStarts(scene.truth, random)), executor);
  const errors = Object.fromEntries(
    Object.entries(parameters).map(([name, { value }]) => [name, relative(name, value, scene.truth[name])]),
  );
  return { name: scene.name, errors, worst: Math.max(...Object.values(errors)), iterations };
}

/** How often intervals cover the truth, over trials with data and starts of their own. */
export interface Coverage {
  readonly name: string;
  readonly trials: number;
  /** Coverage by parameter, from 0 to 1. */
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
  const { found = oneFit } = scene;
  const counts: Record<string, number> = Object.fromEntries(Object.keys(scene.truth).map((name) => [name, 0]));
  let unconverged = 0;
  for (let trial = 0; trial < trials; trial++) {
    const random = new Random(1000 + trial);
    const result = await found(scene.context(100 + trial, true, offStarts(scene.truth, random)), executor);
    if (result.end !== "converged") unconverged++;
    for (const [name, { interval }] of Object.entries(result.parameters)) {
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
