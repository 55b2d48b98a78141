/** Bodies that touch each other: stacks, a house of cards, dominoes, a pile, a grip, in three engines. */
import { bodyStateSize, compile, type Mechanism, type MechanismDescription, ShapeDistances, scenes } from "dojo-sim";
import type { Experiment, RunOptions } from "../experiment.ts";
import { type Case, mujoco, ours, rapierRun, type SceneRun } from "./engines.ts";
import { largestMove } from "./measures.ts";
import { present } from "./present.ts";

export interface Row {
  readonly scene: string;
  readonly engine: string;
  readonly bodies: number;
  readonly timestep: number;
  /** Simulated. */
  readonly seconds: number;
  /** Seconds of processor time per simulated second: others may use the machine too. */
  readonly cost: number;
  /** Mean per step; null where the engine does not say. */
  readonly iterations: number | null;
  readonly sound: boolean;
  /** Smallest distance of true shapes at the moments looked at; negative where they overlap, null where none was near another. */
  readonly smallestMillimetres: number | null;
  /** How far the body that moves most moves in the last half second. */
  readonly movedMillimetres: number;
  /** How far the object of a grip slides down the fingers after the first second, or half of a shorter run; null of others. */
  readonly slipMicrometres: number | null;
}

export interface Result {
  readonly rows: readonly Row[];
}

interface SceneCase extends Case {
  readonly name: string;
  readonly seconds: number;
  readonly quickSeconds: number;
  /** Free bodies alone. */
  readonly rapier: boolean;
}

const scene = (
  name: string,
  description: MechanismDescription,
  start: string,
  seconds: number,
  quickSeconds: number,
  rapier = true,
): SceneCase => ({ name, description, start, seconds, quickSeconds, rapier });

function cases(quick: boolean): SceneCase[] {
  const small = [
    scene("stack of 10", scenes.stack(), "dropped", 5, 0.6),
    scene("card house", scenes.cardHouse({ timestep: 0.005 }), "rest", 3, 0.1),
    scene("peg in a hole", scenes.pegInHole(), "above", 2, 0.3),
    scene("grip of a box", scenes.gripper(), "holding", 60, 0.5, false),
  ];
  if (quick) return small;
  return [
    ...small,
    scene("stack, 1:100", scenes.stack({ massRatio: 100 }), "dropped", 5, 1),
    scene("pyramid of 55", scenes.pyramid(), "dropped", 3, 1),
    scene("50 dominoes", scenes.dominoes(), "pushed", 5, 1),
    scene("grip of a can", scenes.gripper({ object: "can" }), "holding", 60, 1, false),
    scene("grip of a crystal", scenes.gripper({ object: "crystal" }), "holding", 60, 1, false),
    scene("grip of a box, 20 Hz", scenes.gripper({ timestep: 0.05 }), "holding", 60, 1, false),
    scene("marbles", scenes.marbles(), "dropped", 5, 1),
    scene("pile of 40", scenes.pile(), "poured", 5, 1),
    scene("pile of 200", scenes.pile({ count: 200, width: 1 }), "poured", 1.5, 1),
  ];
}

async function run({ quick, progress }: RunOptions): Promise<Result> {
  const all = cases(quick);
  const rows: Row[] = [];
  for (const [i, one] of all.entries()) {
    const engines: Record<string, () => SceneRun | Promise<SceneRun>> = {
      ours: () => ours(one),
      MuJoCo: () => mujoco(one),
      ...(one.rapier && { Rapier: () => rapierRun(one) }),
    };
    for (const [engine, make] of Object.entries(engines)) {
      progress(i / all.length, `${one.name}, ${engine}`);
      const running = await make();
      rows.push(measured(one, engine, running, quick ? one.quickSeconds : one.seconds));
      running.end();
    }
  }
  return { rows };
}

/** Shapes farther apart than this are not looked at, m. */
const near = 2e-3;
/** How often distances are looked at. */
const looks = 100;

function measured({ name, description }: SceneCase, engine: string, running: SceneRun, seconds: number): Row {
  const mechanism = compile(description);
  const { timestep } = description;
  const steps = Math.round(seconds / timestep);
  const every = Math.max(1, Math.floor(steps / looks));
  const late = Math.max(0, steps - Math.round(0.5 / timestep));
  const distances = new ShapeDistances(mechanism);
  const nearest = (state: Float64Array): number => distances.at(state, near)[0]?.distance ?? Number.POSITIVE_INFINITY;
  let [processor, iterations, smallest] = [0, 0, Number.POSITIVE_INFINITY];
  let before = running.state.slice();
  const settled = Math.min(Math.round(1 / timestep), Math.floor(steps / 2));
  let held = Number.NaN;
  for (let step = 1; step <= steps; step++) {
    const start = process.cpuUsage();
    running.step();
    const { user, system } = process.cpuUsage(start);
    processor += (user + system) / 1e6;
    iterations += running.iterations;
    if (step % every === 0 || step === steps) smallest = Math.min(smallest, nearest(running.state));
    if (step === settled) held = heightInHand(mechanism, running.state);
    if (step === late) before = running.state.slice();
  }
  return {
    scene: name,
    engine,
    bodies: mechanism.bodies.length,
    timestep,
    seconds,
    cost: processor / seconds,
    iterations: Number.isFinite(iterations) ? iterations / steps : null,
    sound: running.sound,
    smallestMillimetres: Number.isFinite(smallest) ? 1000 * smallest : null,
    movedMillimetres: 1000 * largestMove(before, running.state),
    slipMicrometres: Number.isNaN(held) ? null : 1e6 * (held - heightInHand(mechanism, running.state)),
  };
}

/** Height of the object over a finger; NaN where there is no such thing. */
function heightInHand({ bodies }: Mechanism, state: Float64Array): number {
  const [object, finger] = ["object", "left"].map((name) => bodies.findIndex((body) => body.name === name));
  return object < 0 || finger < 0 ? Number.NaN : state[bodyStateSize * object + 2] - state[bodyStateSize * finger + 2];
}

const experiment: Experiment<Result> = {
  name: "touching",
  title: "Bodies that touch each other",
  claim:
    "The paper leaves contacts between shapes to future work. Here stacks, card houses, dominoes, piles and grips keep apart to the last step, what is at rest stays at rest, and a grip does not slip.",
  seconds: { full: 60, quick: 8 },
  run,
  present,
};
export default experiment;
