/**
 * Atlas: how deep its feet go at three time steps, how fast it runs, and how long the first step takes. Prints JSON.
 *   npm run bench -- atlas
 * Times mean nothing through a loader that compiles on the way: bundle it. The first step is timed in processes of their own
 * (`--cold`), from the description to the end of the step, without loading the library.
 */
import { spawnSync } from "node:child_process";
import { compile, type MechanismDescription, maximalState, models, Simulation } from "dojo-sim";

/** What the project promises: times real time at 65 Hz, and milliseconds to the end of the first step. */
const promised = { realTimeFactor: 60, firstStep: 300 };
/** Smallest distances of a foot in the paper's table, millimetres. */
const paper = { "0.1": 1e-12, "0.01": 1e-7, "0.001": 8e-6 };
const dropHeight = 0.5;
const seconds = 2;
const coldRuns = 5;
const timedRuns = 7;

/** The paper's drop: straight, with springs of 1 and dampers of 25, feet half a metre above the floor, contacts of the feet only. */
function drop(timestep: number, options: object = {}): MechanismDescription {
  const description = models.atlas({ timestep, spring: 1, damper: 25, bodyContacts: false, ...options });
  const { base, ...pose } = description.states?.straight ?? {};
  const [x, y, z, ...turn] = base.position ?? [];
  return { ...description, states: { start: { ...pose, base: { position: [x, y, z + dropHeight, ...turn] } } } };
}

function startOf(description: MechanismDescription): { simulation: Simulation; start: Float64Array } {
  const mechanism = compile(description);
  return { simulation: new Simulation(mechanism), start: maximalState(mechanism, description.states?.start ?? {}) };
}

interface Run {
  readonly steps: number;
  readonly solved: number;
  readonly iterations: number;
  readonly mostIterations: number;
  readonly smallest: number;
  readonly wall: number;
}

function run(simulation: Simulation, start: Float64Array): Run {
  const state = Float64Array.from(start);
  const steps = Math.round(seconds / simulation.timestep);
  let [solved, iterations, mostIterations, smallest] = [0, 0, 0, Number.POSITIVE_INFINITY];
  const begin = performance.now();
  for (let k = 0; k < steps; k++) {
    const result = simulation.step(state);
    if (result.status === "solved") solved++;
    iterations += result.iterations;
    mostIterations = Math.max(mostIterations, result.iterations);
    smallest = Math.min(smallest, simulation.smallestDistance);
    state.set(result.next);
  }
  const wall = (performance.now() - begin) / 1000;
  return { steps, solved, iterations: iterations / steps, mostIterations, smallest, wall };
}

/** Times real time, the best of several runs after one to warm up. */
function speed(description: MechanismDescription): object {
  const { simulation, start } = startOf(description);
  const runs = Array.from({ length: 1 + timedRuns }, () => run(simulation, start)).slice(1);
  const best = Math.min(...runs.map(({ wall }) => wall));
  const { steps, solved, iterations } = runs[0];
  return {
    realTimeFactor: round(seconds / best),
    microsecondsPerStep: round((1e6 * best) / steps),
    iterations: round(iterations),
    solved: solved / steps,
  };
}

interface ColdTime {
  readonly wall: number;
  /** Of all threads: what a busy machine does not change. */
  readonly processor: number;
}

/** Milliseconds from the options to the end of the first step, in this process. */
function firstStep(): ColdTime {
  const begin = performance.now();
  const before = process.cpuUsage();
  const { simulation, start } = startOf(drop(1 / 65));
  simulation.step(start);
  const { user, system } = process.cpuUsage(before);
  return { wall: performance.now() - begin, processor: (user + system) / 1000 };
}

function coldTimes(): ColdTime[] {
  return Array.from({ length: coldRuns }, () => {
    const { stdout } = spawnSync(process.execPath, [process.argv[1], "--cold"], { encoding: "utf8" });
    return JSON.parse(stdout) as ColdTime;
  });
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1];
const round = (value: number): number => Number(value.toPrecision(4));

function main(): void {
  if (process.argv.includes("--cold")) {
    console.log(JSON.stringify(firstStep()));
    return;
  }
  const penetration = Object.entries(paper).map(([timestep, printed]) => {
    const { simulation, start } = startOf(drop(Number(timestep)));
    const { steps, solved, iterations, mostIterations, smallest } = run(simulation, start);
    const figures = { smallestFootDistance: 1000 * smallest, paper: printed };
    return {
      timestep: Number(timestep),
      ...figures,
      solved: solved / steps,
      iterations: round(iterations),
      mostIterations,
    };
  });
  const cold = coldTimes();
  const at65 = {
    drop: speed(drop(1 / 65, { jointLimits: false })),
    dropWithJointLimits: speed(drop(1 / 65)),
    dropWithBodyContacts: speed(drop(1 / 65, { bodyContacts: true })),
  };
  const firstStepTime = {
    wall: round(median(cold.map(({ wall }) => wall))),
    processor: round(median(cold.map(({ processor }) => processor))),
    runs: coldRuns,
  };
  console.log(
    JSON.stringify(
      { promised, penetrationMillimetres: penetration, at65Hz: at65, firstStepMilliseconds: firstStepTime },
      null,
      2,
    ),
  );
}

main();
