/**
 * The job of `npm start`: Atlas is let go with its feet above the floor, its motors off, lands and collapses. The springs and
 * dampers of its joints are those of the paper's drop (1 N·m/rad, 25 N·m·s/rad). Then one pullback gives the gradient of
 *   J = the pelvis's height 0.6 s after the release, when it sinks
 * by the torque of every motor in every step and by every mass. The fall is simulated again under torques along the gradient,
 * which must hold the pelvis up by about as much as the gradient says.
 */
import { compile, maximalState, models, pullback, Simulation, type Trajectory } from "../index.ts";
import { MomentumBalance } from "./momentumBalance.ts";

const steps = 250;
const timestep = 0.01;
export const dropHeight = 0.4;
/** The step of J. Later, after the back has hit the floor, small changes grow and a first order says little. */
export const targetStep = 60;
/** The κ of the smoothed gradient, SI. */
const kappa = 1e-4;
/** Largest torques of the tests along the gradient, N·m. */
const testTorques = [1, 20];

export interface AtlasDrop {
  readonly simulation: Simulation;
  readonly trajectory: Trajectory;
  readonly mass: number;
  /** Smallest distance of a foot from the floor, and of any contact, m. */
  readonly smallestFootHeight: number;
  readonly smallestDistance: number;
  readonly energy: { readonly before: number; readonly after: number };
  /** Momentum that neither gravity nor contacts account for, N·s and N·m·s. */
  readonly imbalance: { readonly linear: number; readonly angular: number };
  readonly gradient: DropGradient;
  /** Wall time, s. `gradients` is what they add to the simulation. */
  readonly times: { readonly compilation: number; readonly simulation: number; readonly gradients: number };
}

export interface DropGradient {
  /** Gradients of J with respect to each motor's torque in each step, m/(N·m). */
  readonly inputs: readonly Float64Array[];
  readonly masses: Readonly<Record<string, number>>;
  /** What torques along the gradient bring: as it says, and as simulated. */
  readonly tests: readonly GradientTest[];
}

export interface GradientTest {
  /** Largest, N·m. */
  readonly torque: number;
  /** How much higher the pelvis is, m. */
  readonly predicted: number;
  readonly simulated: number;
}

export function atlasDrop(): AtlasDrop {
  const description = models.atlas({ timestep, spring: 1, damper: 25, rootActuated: false });
  const begin = performance.now();
  const mechanism = compile(description);
  const simulation = new Simulation(mechanism);
  const compilation = (performance.now() - begin) / 1000;
  const rest = description.states?.rest ?? {};
  const [x, y, z, ...turn] = rest.base.position ?? [0, 0, 0, 0, 0, 0];
  const start = maximalState(mechanism, { ...rest, base: { position: [x, y, z + dropHeight, ...turn] } });

  // the first runs compile and warm up, and momentum is weighed; the next two run against the clock
  const imbalance = weighedRun(simulation, start);
  gradientOf(simulation, start);
  const [trajectory, plain] = timed(() => simulation.rollout(start, { steps }));
  const [gradient, differentiated] = timed(() => gradientOf(simulation, start));
  const distances = mechanism.contacts.map(({ name }) => ({
    foot: name.includes("_foot"),
    smallest: Math.min(...trajectory.contact(name).map(({ distance }) => distance)),
  }));
  return {
    simulation,
    trajectory,
    mass: mechanism.bodies.reduce((sum, { mass }) => sum + mass, 0),
    smallestFootHeight: Math.min(...distances.filter(({ foot }) => foot).map(({ smallest }) => smallest)),
    smallestDistance: Math.min(...distances.map(({ smallest }) => smallest)),
    energy: { before: simulation.energy(start).total, after: simulation.energy(trajectory.final).total },
    imbalance,
    gradient: {
      ...gradient,
      tests: testTorques.map((torque) => followed(trajectory, simulation, gradient.inputs, torque)),
    },
    times: { compilation, simulation: plain, gradients: Math.max(0, differentiated - plain) },
  };
}

/** The fastest of three runs: other programs may hold the machine. */
function timed<T>(run: () => T): [result: T, seconds: number] {
  let best = Number.POSITIVE_INFINITY;
  let result: T;
  for (let turn = 0; turn < 3; turn++) {
    const begin = performance.now();
    result = run();
    best = Math.min(best, (performance.now() - begin) / 1000);
  }
  return [result!, best];
}

function weighedRun(simulation: Simulation, start: Float64Array): AtlasDrop["imbalance"] {
  const balance = new MomentumBalance(simulation, start);
  const input = new Float64Array(simulation.inputSize);
  const state = Float64Array.from(start);
  simulation.rollout(start, {
    steps,
    onStep: ({ next, substeps }) => {
      balance.add(state, input, next, substeps);
      state.set(next);
      return undefined;
    },
  });
  return { linear: balance.linear, angular: balance.angular };
}

function gradientOf(simulation: Simulation, start: Float64Array): Pick<DropGradient, "inputs" | "masses"> {
  const recorded = simulation.rollout(start, { steps, gradients: { kappa } });
  const cotangent = new Float64Array(simulation.stateSize);
  cotangent[pelvisHeight] = 1;
  const parameters = simulation.mechanism.bodies.map(({ name }) => `bodies.${name}.mass`);
  const gradient = pullback(recorded, (k) => (k === targetStep ? cotangent : undefined), { parameters });
  return { inputs: gradient.inputs, masses: gradient.parameters };
}

/** Offset in the state: the pelvis is the first body. */
const pelvisHeight = 2;

/** The fall again under torques along the gradient. */
function followed(
  trajectory: Trajectory,
  simulation: Simulation,
  gradient: readonly Float64Array[],
  torque: number,
): GradientTest {
  const largest = gradient.reduce((most, row) => row.reduce((a, b) => Math.max(a, Math.abs(b)), most), 0);
  const factor = torque / largest;
  const torques = gradient.map((row) => row.map((value) => factor * value));
  const again = simulation.rollout(trajectory.states[0], { steps: targetStep, inputs: torques });
  return {
    torque,
    predicted: gradient.reduce((sum, row) => sum + factor * row.reduce((a, b) => a + b * b, 0), 0),
    simulated: again.final[pelvisHeight] - trajectory.states[targetStep][pelvisHeight],
  };
}
