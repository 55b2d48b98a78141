/**
 * Atlas: how deep its feet go at three time steps, how fast it runs, how long first steps take, its own and that of an imported humanoid,
 * and what a user sees who starts the command. Prints JSON.
 *   npm run build && npm run bench -- atlas
 * Times mean nothing through a loader that compiles on the way: bundle it. First steps are timed in processes of their own
 * (`--cold`), from the description or the text of the file to the end of the step, without loading the library. The command is that of
 * dist/, in processes of its own too; without a build it is left out.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { compile, importMjcf, type MechanismDescription, maximalState, models, Simulation } from "dojo-sim";
import { humanoid30 } from "./fixtures/humanoid30.ts";

/**
 * What the project promises: times real time at 65 Hz, warm and as the command prints it in a process that has just begun, and milliseconds
 * to the end of a first step.
 */
const promised = { realTimeFactor: 60, commandRealTimeFactor: 60, firstStep: { atlas: 200, humanoid30: 300 } };
/** Smallest distances of a foot in the paper's table, millimetres. */
const paper = { "0.1": 1e-12, "0.01": 1e-7, "0.001": 8e-6 };
const dropHeight = 0.5;
const seconds = 2;
const coldRuns = 11;
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
  /** Processor time of all threads: what a busy machine does not change. */
  readonly processor: number;
}

/** What is timed cold: from here to the end of a first step. */
const firstSteps: Readonly<Record<string, () => void>> = {
  atlas: () => {
    const { simulation, start } = startOf(drop(1 / 65));
    simulation.step(start);
  },
  humanoid30: () => {
    const mechanism = compile(importMjcf(humanoid30()).description);
    if (mechanism.bodies.length !== 30) throw new Error(`it has ${mechanism.bodies.length} bodies`);
    new Simulation(mechanism).step(maximalState(mechanism));
  },
};

/** Milliseconds, in this process. */
function firstStep(name: string): ColdTime {
  const begin = performance.now();
  const before = process.cpuUsage();
  firstSteps[name]();
  const { user, system } = process.cpuUsage(before);
  return { wall: performance.now() - begin, processor: (user + system) / 1000 };
}

/** Medians over processes of their own, and the least time: that of the one which others on the machine have disturbed least. */
function coldTime(name: string): object {
  const times = Array.from({ length: coldRuns }, (): ColdTime => {
    const { stdout } = spawnSync(process.execPath, [process.argv[1], "--cold", name], { encoding: "utf8" });
    return JSON.parse(stdout);
  });
  return {
    wall: round(median(times.map(({ wall }) => wall))),
    leastWall: round(Math.min(...times.map(({ wall }) => wall))),
    processor: round(median(times.map(({ processor }) => processor))),
    runs: coldRuns,
  };
}

/** The built command as a user starts it: what it prints of its speed, and how long it takes from beginning to end. */
function command(): object | undefined {
  const main = join(process.cwd(), "dist/cli/main.js");
  if (!existsSync(main)) return undefined;
  const line = `simulate atlas --time 5 --timestep ${1 / 65} --position base.z=1.2 --json`;
  const runs = Array.from({ length: coldRuns }, () => {
    const begin = performance.now();
    const { stdout } = spawnSync(process.execPath, [main, ...line.split(" ")], { encoding: "utf8" });
    const { realTimeFactor, compileSeconds } = JSON.parse(stdout) as Record<string, number>;
    return { realTimeFactor, compileMilliseconds: 1000 * compileSeconds, wall: performance.now() - begin };
  });
  const of = (key: keyof (typeof runs)[0]): number => round(median(runs.map((run) => run[key])));
  return {
    line: `dojo ${line}`,
    realTimeFactor: of("realTimeFactor"),
    compileMilliseconds: of("compileMilliseconds"),
    wallMilliseconds: of("wall"),
    runs: coldRuns,
  };
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1];
const round = (value: number): number => Number(value.toPrecision(4));

function main(): void {
  const cold = process.argv.indexOf("--cold");
  if (cold >= 0) {
    console.log(JSON.stringify(firstStep(process.argv[cold + 1])));
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
  const firstStepMilliseconds = Object.fromEntries(Object.keys(firstSteps).map((name) => [name, coldTime(name)]));
  const ofCommand = command();
  const at65Hz = {
    drop: speed(drop(1 / 65, { jointLimits: false })),
    dropWithJointLimits: speed(drop(1 / 65)),
    dropWithBodyContacts: speed(drop(1 / 65, { bodyContacts: true })),
  };
  const figures = { promised, penetrationMillimetres: penetration, at65Hz, firstStepMilliseconds, command: ofCommand };
  console.log(JSON.stringify(figures, null, 2));
}

main();
