/** Work against precision: how far each engine is from its own finest run, and how long it took, for many time steps. */
import type { Experiment, RunOptions } from "../experiment.ts";
import { loadMujoco, type Mujoco } from "../peers/mujoco.ts";
import { type Engine, engineNames, engines, largestDistance, limitName, ourNames, type Positions } from "./engines.ts";
import { present } from "./present.ts";
import { type Scene, scenes } from "./scenes.ts";

export interface Point {
  /** Time step of the run, or its tolerance. */
  readonly setting: string;
  /** The least of the rounds. */
  readonly seconds: number;
  /** Largest distance of any body from the finest run, at any of the samples, m; null when one of them diverged. */
  readonly error: number | null;
}

export interface Curve {
  readonly engine: string;
  /** Time step of the run that errors are taken from, s: the engine's own, and one for all ways of ours. */
  readonly finestTimestep: number;
  /** Coarsest first. */
  readonly points: readonly Point[];
  /** How far its finest run is from ours, m; null when it diverged. */
  readonly finestFromOurs: number | null;
}

export interface WorkPrecisionResult {
  readonly rounds: number;
  readonly scenes: readonly {
    readonly name: Scene["name"];
    readonly title: string;
    readonly seconds: number;
    readonly curves: readonly Curve[];
  }[];
}

/** A run shorter than this is timed so often that it is not. */
const shortest = 2e-3;

/** How often each engine is timed at each step size, in short runs too: the first times are those of code that is not optimised yet. */
const rounds = 4;

async function run({ quick, progress }: RunOptions): Promise<WorkPrecisionResult> {
  const [coarser, finest] = quick ? [[1, 2, 4, 8, 16], 64] : [[1, 2, 4, 8, 16, 32, 64, 128], 512];
  const mujoco = await loadMujoco();
  const all = scenes();
  const results = all.map((scene, i) => {
    const { name, title, seconds } = scene;
    const say = (part: number, doing: string): void => progress((i + part) / all.length, `${name}, ${doing}`);
    return { name, title, seconds, curves: curvesOf(mujoco, scene, coarser, finest, say) };
  });
  return { rounds, scenes: results };
}

function curvesOf(
  mujoco: Mujoco,
  scene: Scene,
  coarser: readonly number[],
  finest: number,
  say: (part: number, doing: string) => void,
): Curve[] {
  const timestep = (stepsASample: number): number => scene.seconds / (scene.samples * stepsASample);
  const contestants = engines(mujoco, scene);
  const limit = contestants.findIndex(({ name }) => name === limitName);
  const runs = contestants.map((engine, i): readonly Positions[] | undefined => {
    if (i !== limit && ourNames.includes(engine.name)) return undefined;
    say((0.5 * i) / contestants.length, `finest run, ${engine.name}`);
    return engine.positions(finest);
  });
  const references = contestants.map(({ name }, i) => runs[ourNames.includes(name) ? limit : i]);
  const apart = (a: readonly Positions[] | undefined, b: readonly Positions[] | undefined): number | null =>
    a && b ? largestDistance(a, b) : null;
  const points: Point[][] = contestants.map(() => []);
  coarser.forEach((stepsASample, k) => {
    say(0.5 + (0.5 * k) / coarser.length, `fineness ${stepsASample}`);
    const seconds = leastSeconds(contestants, stepsASample);
    contestants.forEach((engine, i) => {
      const error = apart(engine.positions(stepsASample), references[i]);
      points[i].push({ setting: engine.setting(stepsASample), seconds: seconds[i], error });
    });
  });
  for (const engine of contestants) engine.delete();
  return engineNames.map((engine, i) => ({
    engine,
    finestTimestep: timestep(finest),
    points: points[i],
    finestFromOurs: apart(references[i], references[limit]),
  }));
}

/** Least seconds of each engine, in turns. */
function leastSeconds(contestants: readonly Engine[], stepsASample: number): number[] {
  const least = contestants.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round++) {
    contestants.forEach((engine, i) => {
      let spent = 0;
      while (spent < shortest) {
        const seconds = engine.seconds(stepsASample);
        spent += seconds;
        least[i] = Math.min(least[i], seconds);
      }
    });
  }
  return least;
}

const workPrecision: Experiment<WorkPrecisionResult> = {
  name: "work-precision",
  title: "Work against precision",
  claim:
    "[time_step] says that results hold at low rates. Here: what accuracy costs, each engine against its own finest run, up to 0.1 s after the first impact; with whole steps, and with steps that a tolerance divides.",
  seconds: { full: 60, quick: 20 },
  run,
  present,
};

export default workPrecision;
