/**
 * Bodies that touch each other: what a step costs against the contacts there are, and against bodies far apart.
 *   touch [--quick] [--json]
 * Pyramids of boxes grow up to about 1,000 contacts and beyond; of each, the time to arrange the elimination anew for one pair less, to factor, to
 * solve a step, and a whole step with the search for features. Balls lie on a floor far apart, up to 5,000 of them. Least times of many
 * rounds; exponents are slopes of a straight line through logarithms.
 * Robots under random torques, with limbs that touch and without, in turns: what a step costs, and how deep limbs are in each other.
 * Fails (exit code 1) when the time of a step grows faster than contacts^1.3 or bodies^1.1, or when limbs overlap that
 * touch.
 */

import {
  checkState,
  compile,
  floating,
  type Mechanism,
  type MechanismDescription,
  models,
  Random,
  Simulation,
  scenes,
  selfCollisionModels,
  sphere,
  startState,
} from "dojo-sim";
import { insidesOf } from "dojo-sim/tools";

const promised = { contacts: 1.3, bodies: 1.1 };
/** Of exponents measured on a busy machine. */
const noise = 0.05;
const quick = process.argv.includes("--quick");
/** Layers: 7 are 140 boxes. */
const pyramids = quick ? [2, 3, 4] : [2, 3, 4, 5, 6, 7];
const crowds = quick ? [200, 500, 1000] : [500, 1000, 2000, 5000];
const settling = quick ? 20 : 40;
const rounds = quick ? 10 : 30;

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

interface RobotRow {
  readonly name: string;
  readonly steps: number;
  readonly failed: number;
  /** Median milliseconds of a step without and with limbs that touch, each along its own run. */
  readonly without: number;
  readonly touching: number;
  /** Steps after which limbs overlapped. */
  readonly overlaps: number;
}

/** N·m, with which limbs come to their limits within a second. */
const torques = { ant: 20, a1: 15, atlas: 60, humanoid: 40, panda: 60 } as const;

function tumble(name: (typeof selfCollisionModels)[number], steps: number): RobotRow {
  // the joints of the paper's drop: limp ones of Atlas spin faster than a step can
  const joints = name === "atlas" ? { damper: 25 } : {};
  const runs = [false, true].map((selfCollisions) => {
    const simulation = new Simulation(compile(models[name]({ selfCollisions, ...joints })));
    return { simulation, state: startState(simulation.mechanism, "rest"), times: [] as number[] };
  });
  const { inputNames } = runs[0].simulation.mechanism;
  const input = new Float64Array(inputNames.length);
  const random = new Random(7);
  let [failed, overlaps] = [0, 0];
  for (let k = 0; k < steps; k++) {
    if (k % 20 === 0) {
      inputNames.forEach((motor, i) => {
        input[i] = motor.startsWith("base.") ? 0 : random.uniform(-torques[name], torques[name]);
      });
    }
    for (const { simulation, state, times } of runs) {
      const begin = performance.now();
      const { status, next } = simulation.step(state, input);
      times.push(performance.now() - begin);
      if (status !== "solved") failed++;
      state.set(next);
    }
    const faults = checkState(runs[1].simulation, runs[1].state);
    if (faults.some(({ code, path }) => code === "penetration" && path.includes(".shapes."))) overlaps++;
  }
  const [without, touching] = runs.map(({ times }) => times.sort((a, b) => a - b)[times.length >> 1]);
  return { name, steps, failed, without, touching, overlaps };
}

const robots = selfCollisionModels.map((name) => tumble(name, quick ? 100 : 1000));
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
  for (const { name, steps, failed, without, touching, overlaps } of robots) {
    const price = `${without.toFixed(3)} ms, ${touching.toFixed(3)} with limbs that touch: ${(touching / without).toFixed(2)} times`;
    console.log(`${name.padEnd(9)} ${price}; of ${steps} steps ${failed} failed, ${overlaps} left an overlap`);
  }
}
if (robots.some(({ overlaps }) => overlaps > 0)) process.exitCode = 1;
if (exponents.contacts > promised.contacts + noise || exponents.bodies > promised.bodies + noise) process.exitCode = 1;
