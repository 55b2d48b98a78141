/**
 * What gradients cost beside the steps they belong to: a quadruped of 13 bodies with 12 motors, limits and 4 feet on the floor, driven
 * by random torques.
 *   gradients [--steps n] [--repeats n] [--json]
 * Processor time, the tenth percentile over repeats of a rollout, to be rid of the machine's other work. Run it by
 * `npm run bench -- gradients`: times mean nothing through a loader. Fails (exit code 1) when a promised figure is missed.
 */
import {
  bodyTangentSize,
  box,
  capsule,
  compile,
  floating,
  frictionContact,
  type JointDescription,
  type Mechanism,
  maximalState,
  pullback,
  pushforward,
  Random,
  revolute,
  Simulation,
  stepGradients,
  type Vector3,
} from "dojo-sim";

/** What the project promises: in forward steps, and in rollouts. */
const promised = { minimalJacobians: 1.5, rolloutAndPullback: 1.6 };

function quadruped(): Mechanism {
  const bodies: Record<string, ReturnType<typeof box>> = { torso: box({ size: [0.3, 0.2, 0.5], mass: 10 }) };
  const joints: Record<string, JointDescription> = { base: floating({ parent: "world", child: "torso" }) };
  const contacts = [];
  for (let leg = 0; leg < 4; leg++) {
    let parent = "torso";
    let parentAnchor: Vector3 = [leg & 1 ? 0.15 : -0.15, leg & 2 ? 0.1 : -0.1, -0.25];
    for (let k = 0; k < 3; k++) {
      const child = `leg${leg}.${k}`;
      bodies[child] = capsule({ radius: 0.04, length: 0.25, mass: 1 });
      joints[`joint${leg}.${k}`] = revolute({
        parent,
        child,
        axis: k === 1 ? [0, 1, 0] : [1, 0, 0],
        parentAnchor,
        childAnchor: [0, 0, 0.125],
        damping: 0.5,
        limits: [-1, 1],
        actuated: true,
      });
      [parent, parentAnchor] = [child, [0, 0, -0.125]];
    }
    contacts.push(frictionContact({ body: parent, point: [0, 0, -0.125], radius: 0.04, frictionCoefficient: 0.8 }));
  }
  return compile({ timestep: 0.01, bodies, joints, contacts });
}

interface Figures {
  /** Microseconds a step. */
  readonly step: number;
  readonly minimalJacobians: number;
  readonly maximalJacobians: number;
  /** A whole step with minimal Jacobians at one κ, and with those at a sharper one besides. */
  readonly oneKappa: number;
  readonly twoKappas: number;
  readonly rollout: number;
  readonly rolloutWithRecord: number;
  readonly pullback: number;
  readonly pullbackWithParameters: number;
  readonly pushforward: number;
  readonly parameterColumn: number;
}

function measure(steps: number, repeats: number): Figures {
  const mechanism = quadruped();
  const simulation = new Simulation(mechanism);
  const random = new Random(1);
  const start = maximalState(mechanism, { base: { position: [0, 0, 1.1, 0, 0, 0] } });
  const inputs = Array.from({ length: steps }, () =>
    Float64Array.from({ length: simulation.inputSize }, () => random.uniform(-5, 5)),
  );
  const controller = (_: Float64Array, k: number): Float64Array => inputs[k];
  const trajectory = simulation.rollout(start, { steps, controller, gradients: true });
  const { states } = trajectory;
  const cotangent = Float64Array.from({ length: mechanism.stateSize }, () => random.normal());
  const cotangents = (k: number): Float64Array | undefined => (k === steps ? cotangent : undefined);
  const tangent = Float64Array.from({ length: bodyTangentSize * mechanism.bodies.length }, () => random.normal());
  const every = 10;
  const some = states.slice(0, -1).filter((_, k) => k % every === 0);
  const overSome = (run: (state: Float64Array, input: Float64Array) => void) => (): void =>
    some.forEach((state, i) => {
      run(state, inputs[every * i]);
    });
  const sharp = { relativeKappa: 1e-3 };
  const parameters = simulation.parameterNames.filter((name) => name.endsWith(".mass"));

  const jobs: Readonly<Record<string, readonly [() => void, number]>> = {
    step: [overSome((state, input) => simulation.step(state, input)), some.length],
    minimal: [
      overSome((state, input) => stepGradients(simulation, state, input, { coordinates: "minimal" })),
      some.length,
    ],
    sharp: [
      overSome((state, input) => stepGradients(simulation, state, input, { coordinates: "minimal", ...sharp })),
      some.length,
    ],
    both: [
      overSome((state, input) => stepGradients(simulation, state, input, { coordinates: "minimal", also: sharp })),
      some.length,
    ],
    maximal: [overSome((state, input) => stepGradients(simulation, state, input)), some.length],
    parameters: [overSome((state, input) => stepGradients(simulation, state, input, { parameters })), some.length],
    rollout: [() => simulation.rollout(start, { steps, controller }), steps],
    record: [() => simulation.rollout(start, { steps, controller, gradients: true }), steps],
    pullback: [() => pullback(trajectory, cotangents), steps],
    pullbackAll: [() => pullback(trajectory, cotangents, { parameters: ["bodies.*.mass"] }), steps],
    pushforward: [() => pushforward(trajectory, { state: tangent }), steps],
  };
  const times = new Map<string, number[]>(Object.keys(jobs).map((name) => [name, []]));
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const [name, [run, count]] of Object.entries(jobs)) {
      const begin = processorTime();
      run();
      times.get(name)?.push((processorTime() - begin) / count);
    }
  }
  const figure = (name: string): number => {
    const sorted = (times.get(name) ?? []).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 10)];
  };
  return {
    step: figure("step"),
    minimalJacobians: figure("minimal") - figure("step"),
    maximalJacobians: figure("maximal") - figure("step"),
    oneKappa: (figure("minimal") + figure("sharp")) / 2,
    twoKappas: figure("both"),
    rollout: figure("rollout"),
    rolloutWithRecord: figure("record"),
    pullback: figure("pullback"),
    pullbackWithParameters: figure("pullbackAll"),
    pushforward: figure("pushforward"),
    parameterColumn: (figure("parameters") - figure("maximal")) / parameters.length,
  };
}

/** Microseconds that this process has used: on a busy machine steadier than the clock. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function main(): void {
  const option = (name: string, otherwise: number): number => {
    const at = process.argv.indexOf(`--${name}`);
    return at < 0 ? otherwise : Number(process.argv[at + 1]);
  };
  const steps = option("steps", 200);
  const figures = measure(steps, option("repeats", 40));
  const ratios = {
    minimalJacobians: figures.minimalJacobians / figures.step,
    twoKappasOverTwoCalls: figures.twoKappas / (2 * figures.oneKappa),
    rolloutAndPullback: (figures.rolloutWithRecord + figures.pullback) / figures.rollout,
    rolloutAndPullbackOverRecorded: (figures.rolloutWithRecord + figures.pullback) / figures.rolloutWithRecord,
  };
  if (process.argv.includes("--json")) console.log(JSON.stringify({ steps, figures, ratios, promised }, null, 2));
  else print(figures, ratios);
  const kept =
    ratios.minimalJacobians <= promised.minimalJacobians && ratios.rolloutAndPullback <= promised.rolloutAndPullback;
  if (!kept) process.exitCode = 1;
}

function print(figures: Figures, ratios: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(figures))
    console.log(`${name.padEnd(32)}${value.toFixed(1).padStart(8)} µs`);
  console.log();
  for (const [name, value] of Object.entries(ratios)) {
    const bound = (promised as Readonly<Record<string, number>>)[name];
    const note = bound === undefined ? "" : `   promised ≤ ${bound}`;
    console.log(`${name.padEnd(32)}${value.toFixed(2).padStart(8)}${note}`);
  }
}

main();
