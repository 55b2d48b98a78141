/**
 * Bodies that touch each other: what a step costs against the contacts there are, and against bodies far apart.
 *   touch [--quick] [--json] [--seed n] [--robot name]
 * Pyramids of boxes grow up to about 1,000 contacts and beyond; of each, the time to arrange the elimination anew for one pair less, to factor, to
 * solve a step, and a whole step with the search for features. Balls lie on a floor far apart, up to 5,000 of them. Least times of many
 * rounds; exponents are slopes of a straight line through logarithms.
 * Robots under random torques, with limbs that touch and without, in turns, each robot in a process of its own: what a step costs, the first time
 * and once its code is compiled, and whether limbs are in each other; and what the same limbs cost MuJoCo, on its own runs under the same
 * torques. `--robot` is that of one robot alone, as JSON.
 * Fails (exit code 1) when the time of a step grows faster than contacts^1.3 or bodies^1.1, or when limbs overlap that
 * touch.
 */

import { spawnSync } from "node:child_process";
import {
  checkState,
  compile,
  floating,
  type Mechanism,
  type MechanismDescription,
  minimalState,
  models,
  Random,
  Simulation,
  scenes,
  selfCollisionModels,
  sphere,
  startState,
} from "dojo-sim";
import { insidesOf } from "dojo-sim/tools";
import { loadMujoco, type Mujoco, MujocoPeer } from "../experiments/peers/mujoco.ts";

const promised = { contacts: 1.3, bodies: 1.1 };
/** Noise of exponents measured on a busy machine. */
const noise = 0.05;
const quick = process.argv.includes("--quick");
/** Layers: 7 are 140 boxes. */
const pyramids = quick ? [2, 3, 4] : [2, 3, 4, 5, 6, 7];
const crowds = quick ? [200, 500, 1000] : [500, 1000, 2000, 5000];
const settling = quick ? 20 : 40;
const rounds = quick ? 10 : 30;
const robotSteps = quick ? 100 : 1000;
/** Compiled passes of a robot, after the first. */
const compiledPasses = quick ? 1 : 3;

interface Row {
  readonly bodies: number;
  readonly contacts: number;
  readonly blocks: number;
  readonly products: number;
  readonly iterations: number;
  readonly failed: number;
  /** Milliseconds. */
  readonly arrange: number;
  readonly factor: number;
  readonly solve: number;
  readonly step: number;
}

function least(work: () => void, count = rounds): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    const begin = performance.now();
    work();
    best = Math.min(best, performance.now() - begin);
  }
  return best;
}

function measure(mechanism: Mechanism): Row {
  const simulation = new Simulation(mechanism);
  const state = startState(mechanism);
  let [iterations, failed] = [0, 0];
  const step = (): void => {
    const result = simulation.step(state);
    state.set(result.next);
    iterations = result.iterations;
    if (result.status !== "solved") failed++;
  };
  for (let k = 0; k < settling; k++) step();
  const whole = least(step);
  const { system, stepper } = insidesOf(simulation);
  const { touch } = system;
  if (!touch) throw new Error("nothing touches");
  const next = new Float64Array(state.length);
  const solve = least(() => stepper.step(state, next, {}));
  const factor = least(() => system.run("factor"));

  // the last contact comes and goes
  const slot = touch.bound[touch.bound.length - 1];
  const [other, body] = touch.nodes[slot].bodies;
  let isThere = true;
  const arrange = least(() => {
    if (isThere) touch.release(slot);
    else touch.bind(slot, other, body);
    isThere = !isThere;
    touch.arrange();
  }, 2 * rounds);
  if (!isThere) touch.bind(slot, other, body);
  touch.arrange();
  const { blocks, products } = touch.work;
  const { length: contacts } = touch.bound;
  return {
    bodies: mechanism.bodies.length,
    contacts,
    blocks,
    products,
    iterations,
    failed,
    arrange,
    factor,
    solve,
    step: whole,
  };
}

/** Balls that lie on a floor, two of their diameters apart. */
function crowd(count: number): MechanismDescription {
  const names = Array.from({ length: count }, (_, i) => `ball${i}`);
  const ball = sphere({ radius: 0.1, mass: 1 });
  const side = Math.ceil(Math.sqrt(count));
  const shapes = (ball.shapes ?? []).map((shape) => ({ ...shape, contact: true }));
  return {
    timestep: 0.01,
    bodies: Object.fromEntries(names.map((name) => [name, { ...ball, shapes }])),
    joints: Object.fromEntries(names.map((child) => [child, floating({ parent: "world", child })])),
    shapes: [{ kind: "halfSpace", contact: true }],
    states: {
      lying: Object.fromEntries(
        names.map((name, i) => [name, { position: [0.4 * (i % side), 0.4 * Math.floor(i / side), 0.1001, 0, 0, 0] }]),
      ),
    },
  };
}

/** Slope of log y over log x, by least squares. */
function exponent(rows: readonly Row[], x: (row: Row) => number, y: (row: Row) => number): number {
  const points = rows.map((row) => [Math.log(x(row)), Math.log(y(row))]);
  const mean = (k: number): number => points.reduce((sum, point) => sum + point[k], 0) / points.length;
  const [a, b] = [mean(0), mean(1)];
  const along = points.reduce((sum, [p, q]) => sum + (p - a) * (q - b), 0);
  return along / points.reduce((sum, [p]) => sum + (p - a) ** 2, 0);
}

/** Times of one robot without and with limbs that touch, each along its own run: microseconds. */
interface Pair {
  readonly without: number;
  readonly touching: number;
}

interface RobotRow {
  readonly name: string;
  readonly steps: number;
  readonly failed: number;
  /** Median and mean of the first steps of a process, and the median once their code is compiled: the least times of more runs of the same steps. */
  readonly first: Pair;
  readonly firstMean: Pair;
  readonly compiled: Pair;
  /** The same of MuJoCo. */
  readonly mujoco: Pair;
  /** Steps after which limbs overlapped. */
  readonly overlaps: number;
}

/** N·m, with which limbs come to their limits within a second. */
const torques = { ant: 20, a1: 15, atlas: 60, humanoid: 40, panda: 60 } as const;
type RobotName = (typeof selfCollisionModels)[number];

function tumbler(name: RobotName, selfCollisions: boolean): MechanismDescription {
  // the joints of the paper's drop: limp ones of Atlas spin faster than a step can
  const joints = name === "atlas" ? { damper: 25 } : {};
  return models[name]({ selfCollisions, ...joints });
}

/** Torques of all steps, which change with every twentieth. */
function* randomTorques(
  name: RobotName,
  { inputNames }: Mechanism,
  steps: number,
  seed: number,
): Iterable<Float64Array> {
  const random = new Random(seed);
  const input = new Float64Array(inputNames.length);
  for (let k = 0; k < steps; k++) {
    if (k % 20 === 0) {
      inputNames.forEach((motor, i) => {
        input[i] = motor.startsWith("base.") ? 0 : random.uniform(-torques[name], torques[name]);
      });
    }
    yield input;
  }
}

/** In this process, which has taken no step before. */
function tumble(name: RobotName, steps: number, seed: number): Omit<RobotRow, "mujoco"> {
  const runs = [false, true].map((selfCollisions) => {
    const simulation = new Simulation(compile(tumbler(name, selfCollisions)));
    const times = () => new Float64Array(steps).fill(Number.POSITIVE_INFINITY);
    return { simulation, state: startState(simulation.mechanism, "rest"), first: times(), least: times() };
  });
  const { mechanism } = runs[0].simulation;
  const led: Float64Array[] = [];
  let failed = 0;
  for (let pass = 0; pass <= compiledPasses; pass++) {
    for (const { simulation, state } of runs) state.set(startState(simulation.mechanism, "rest"));
    let k = 0;
    for (const input of randomTorques(name, mechanism, steps, seed)) {
      for (const { simulation, state, first, least } of runs) {
        const begin = performance.now();
        const { status, next } = simulation.step(state, input);
        const time = 1e3 * (performance.now() - begin);
        if (pass === 0) first[k] = time;
        else least[k] = Math.min(least[k], time);
        if (status !== "solved") failed++;
        state.set(next);
      }
      if (pass === 0) led.push(runs[1].state.slice());
      k++;
    }
  }
  const overlaps = led.filter((state) =>
    checkState(runs[1].simulation, state).some(({ code, path }) => code === "penetration" && path.includes(".shapes.")),
  ).length;
  const pair = (of: (run: (typeof runs)[0]) => number): Pair => {
    const [without, touching] = runs.map(of);
    return { without, touching };
  };
  return {
    ...{ name, steps, failed, overlaps },
    first: pair(({ first }) => median(first)),
    firstMean: pair(({ first }) => first.reduce((sum, time) => sum + time, 0) / steps),
    compiled: pair(({ least }) => median(least)),
  };
}

/** The same robot in MuJoCo. */
function tumbleThere(mujoco: Mujoco, name: RobotName, steps: number, seed: number): Pair {
  const runs = [false, true].map((selfCollisions) => {
    const description = tumbler(name, selfCollisions);
    const mechanism = compile(description);
    const start = minimalState(mechanism, startState(mechanism, "rest"), mechanism.timestep);
    const least = new Float64Array(steps).fill(Number.POSITIVE_INFINITY);
    return { peer: new MujocoPeer(mujoco, description), mechanism, start, least };
  });
  for (let pass = 0; pass <= compiledPasses; pass++) {
    for (const { peer, start } of runs) peer.setState(start);
    let k = 0;
    for (const input of randomTorques(name, runs[0].mechanism, steps, seed)) {
      for (const { peer, least } of runs) {
        peer.setInput(input);
        const begin = performance.now();
        peer.step();
        least[k] = Math.min(least[k], 1e3 * (performance.now() - begin));
      }
      k++;
    }
  }
  if (runs.some(({ peer }) => peer.diverged)) throw new Error(`${name} diverged in MuJoCo`);
  const [without, touching] = runs.map(({ least }) => median(least));
  for (const { peer } of runs) peer.delete();
  return { without, touching };
}

function median(times: Float64Array): number {
  return times.slice().sort()[times.length >> 1];
}

/** In a process of its own: others would have warmed its code up. */
function tumbleAlone(name: RobotName): RobotRow {
  const own = [process.argv[1], "--robot", name, "--seed", String(seed), ...(quick ? ["--quick"] : [])];
  const { status, stdout, stderr } = spawnSync(process.execPath, own, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${name}: ${stderr}`);
  return JSON.parse(stdout);
}

/** What follows an argument of this name. */
function argument(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

const seed = Number(argument("--seed") ?? 7);
const alone = selfCollisionModels.find((name) => name === argument("--robot"));
if (alone) {
  const own = tumble(alone, robotSteps, seed);
  console.log(JSON.stringify({ ...own, mujoco: tumbleThere(await loadMujoco(), alone, robotSteps, seed) }));
  process.exit();
}

const robots = selfCollisionModels.map(tumbleAlone);
const stacked = pyramids.map((layers) => measure(compile(scenes.pyramid({ layers }))));
const apart = crowds.map((count) => measure(compile(crowd(count))));
const exponents = {
  contacts: exponent(
    stacked,
    ({ contacts }) => contacts,
    ({ step }) => step,
  ),
  solveContacts: exponent(
    stacked,
    ({ contacts }) => contacts,
    ({ solve }) => solve,
  ),
  bodies: exponent(
    apart,
    ({ bodies }) => bodies,
    ({ step }) => step,
  ),
  solveBodies: exponent(
    apart,
    ({ bodies }) => bodies,
    ({ solve }) => solve,
  ),
};

if (process.argv.includes("--json")) console.log(JSON.stringify({ stacked, apart, exponents, robots }, null, 2));
else {
  const columns = ["bodies", "contacts", "blocks", "products", "iterations", "failed"] as const;
  const times = ["arrange", "factor", "solve", "step"] as const;
  console.log("milliseconds");
  console.log([...columns, ...times].map((name) => name.padStart(11)).join(""));
  for (const row of [...stacked, ...apart]) {
    const cells = [...columns.map((name) => String(row[name])), ...times.map((name) => row[name].toFixed(3))];
    console.log(cells.map((cell) => cell.padStart(11)).join(""));
  }
  console.log(
    `a step grows with contacts^${exponents.contacts.toFixed(2)}, its solve with contacts^${exponents.solveContacts.toFixed(2)};`,
  );
  console.log(
    `far apart with bodies^${exponents.bodies.toFixed(2)}, its solve with bodies^${exponents.solveBodies.toFixed(2)}`,
  );
  for (const { name, steps, failed, first, firstMean, compiled, mujoco, overlaps } of robots) {
    const price = ({ without, touching }: Pair): string =>
      `${without.toFixed(0)} → ${touching.toFixed(0)} µs (${(touching / without).toFixed(2)})`;
    const prices = `first ${steps} steps: median ${price(first)}, mean ${price(firstMean)}; compiled: median ${price(compiled)}, MuJoCo ${price(mujoco)}`;
    console.log(`${name.padEnd(9)} ${prices}; ${failed} failed, ${overlaps} left an overlap`);
  }
}
if (robots.some(({ overlaps }) => overlaps > 0)) process.exitCode = 1;
if (exponents.contacts > promised.contacts + noise || exponents.bodies > promised.bodies + noise) process.exitCode = 1;
