/** Runs that tell what a robot costs and which time steps it is good for. Times are those of this machine, now. */
import { jointStates } from "../coordinates/index.ts";
import { bodyStateSize, Random } from "../math/index.ts";
import type { MechanismDescription } from "../mechanism/index.ts";
import { compile, Simulation, type SimulationOptions, startOf, stateAt } from "../simulation/index.ts";
import type { FeatureRow, TimestepRow } from "./inspection.ts";

const triedTimesteps = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05];
/** Seconds of a run. */
const seconds = 0.4;
/** Random inputs are within this share of what motors give, and of a radian for servos. */
const shareOfEffort = 0.2;
const usualEffort = 5;
const servoSwing = 0.1;
/** Steps before the clock starts, so that the code is warm, and the runs of which the quickest counts. */
const warmSteps = 60;
const rounds = 3;

/** Runs from the first state at several time steps. */
export function timestepRows(description: MechanismDescription, options: SimulationOptions = {}): TimestepRow[] {
  return triedTimesteps.map((timestep) => {
    const run = passiveRun(description, timestep, options);
    const finer = passiveRun(description, timestep / 2, options);
    const { solved, iterations, microseconds } = drivenRun(description, timestep, options);
    const error = run && finer && farthest(run, finer);
    return { timestep, solved, iterations, microseconds, error };
  });
}

/** The end of a run without changing inputs; undefined where it ended early. */
function passiveRun(
  description: MechanismDescription,
  timestep: number,
  options: SimulationOptions,
): Float64Array | undefined {
  const simulation = new Simulation(compile({ ...description, timestep }), options);
  const { state, input } = startOf(simulation);
  // at rest at this instant, which is another mean velocity for each time step
  const still = stateAt(simulation, jointStates(simulation.mechanism, state), { input });
  const trajectory = simulation.rollout(still, { steps: Math.round(seconds / timestep), inputs: input });
  return trajectory.solved ? trajectory.final : undefined;
}

function farthest(a: Float64Array, b: Float64Array): number {
  let most = 0;
  for (let at = 0; at < a.length; at += bodyStateSize) {
    most = Math.max(most, Math.hypot(a[at] - b[at], a[at + 1] - b[at + 1], a[at + 2] - b[at + 2]));
  }
  return most;
}

interface Driven {
  readonly solved: number;
  readonly iterations: number;
  readonly microseconds: number;
}

/** Runs under random inputs, new in every step; the quickest of some. */
function drivenRun(description: MechanismDescription, timestep: number, options: SimulationOptions): Driven {
  const simulation = new Simulation(compile({ ...description, timestep }), options);
  const { state: start, input: held } = startOf(simulation);
  const amplitudes = amplitudesOf(simulation);
  const steps = Math.max(20, Math.round(seconds / timestep));
  const state = new Float64Array(start.length);
  const input = new Float64Array(held.length);
  let best: Driven | undefined;
  for (let round = 0; round <= rounds; round++) {
    const random = new Random(1);
    const counts = { solved: 0, iterations: 0 };
    const count = round === 0 ? Math.max(warmSteps, steps) : steps;
    state.set(start);
    const begin = performance.now();
    for (let k = 0; k < count; k++) {
      for (let i = 0; i < input.length; i++) input[i] = held[i] + amplitudes[i] * random.uniform(-1, 1);
      const { next, status, iterations, interval } = simulation.step(state, input, { interval: simulation.timestep });
      counts.iterations += iterations;
      if (status === "solved") counts.solved++;
      // from the start again where a run cannot go on
      state.set(status === "solved" && interval === simulation.timestep ? next : start);
    }
    const microseconds = ((performance.now() - begin) * 1000) / count;
    if (round === 0 || (best && best.microseconds < microseconds)) continue;
    best = { solved: counts.solved / count, iterations: counts.iterations / count, microseconds };
  }
  return best as Driven;
}

function amplitudesOf({ currentMechanism: { joints, inputSize } }: Simulation): Float64Array {
  const amplitudes = new Float64Array(inputSize);
  for (const { input, servo, effortLimit } of joints.flatMap(({ coordinates }) => coordinates)) {
    if (input >= 0) amplitudes[input] = servo ? servoSwing : shareOfEffort * (effortLimit ?? usualEffort);
  }
  return amplitudes;
}

interface Feature {
  readonly name: string;
  readonly count: (description: MechanismDescription) => number;
  readonly without: (description: MechanismDescription) => MechanismDescription;
}

type Joint = NonNullable<MechanismDescription["joints"]>[string];

/** A feature of joints that one of their fields gives. */
function ofJoints(name: string, field: keyof Joint): Feature {
  const isSet = (joint: Joint): boolean =>
    [joint[field]].flat(2).some((entry) => entry !== undefined && entry !== null && entry !== 0 && entry !== false);
  return {
    name,
    count: ({ joints = {} }) => Object.values(joints).filter(isSet).length,
    without: (description) => ({
      ...description,
      joints: Object.fromEntries(
        Object.entries(description.joints ?? {}).map(([key, { [field]: _, ...joint }]) => [key, joint as Joint]),
      ),
    }),
  };
}

const features: readonly Feature[] = [
  {
    name: "explicit contacts",
    count: ({ contacts = [] }) => contacts.length,
    without: (description) => ({ ...description, contacts: [] }),
  },
  {
    name: "shapes that touch",
    count: ({ bodies, shapes = [] }) =>
      [...Object.values(bodies).flatMap((body) => body.shapes ?? []), ...shapes].filter(({ contact }) => contact)
        .length,
    without: (description) => ({
      ...description,
      shapes: (description.shapes ?? []).map((shape) => ({ ...shape, contact: false })),
      bodies: Object.fromEntries(
        Object.entries(description.bodies).map(([key, body]) => [
          key,
          { ...body, shapes: (body.shapes ?? []).map((shape) => ({ ...shape, contact: false })) },
        ]),
      ),
    }),
  },
  ofJoints("joint limits", "limits"),
  ofJoints("joint friction", "friction"),
  ofJoints("effort limits", "effortLimit"),
  ofJoints("springs", "stiffness"),
  ofJoints("armatures", "armature"),
  {
    name: "gears",
    count: ({ gears = {} }) => Object.keys(gears).length,
    without: (description) => ({ ...description, gears: {} }),
  },
];

/** The cost per step of each feature of a description, measured by leaving it out; the dearest first. If the first state depends on a feature, it changes too. */
export function featureRows(description: MechanismDescription, options: SimulationOptions = {}): FeatureRow[] {
  const time = (changed: MechanismDescription): number =>
    drivenRun(changed, description.timestep, options).microseconds;
  const whole = time(description);
  return features
    .filter(({ count }) => count(description) > 0)
    .map(({ name, count, without }) => ({
      feature: name,
      count: count(description),
      microseconds: whole - time(without(description)),
    }))
    .sort((a, b) => b.microseconds - a.microseconds);
}
