/** [time_step]: the height of the torso of Atlas and of A1 when dropped, simulated at 20 to 500 Hz. */
import { compile } from "dojo-sim";
import type { Experiment, RunOptions } from "../experiment.ts";
import { loadMujoco, type MujocoSettings } from "../peers/mujoco.ts";
import { type Deviation, deviation } from "./deviation.ts";
import { type Fall, mujocoFall, ourFall } from "./drop.ts";
import { present } from "./present.ts";
import { type Scene, scenes } from "./scenes.ts";

const engines = ["ours", "mujocoDefault", "mujocoImplicitFast", "mujocoDiscrete"] as const;
export type Engine = (typeof engines)[number];

const settings: Readonly<Record<Exclude<Engine, "ours">, MujocoSettings>> = {
  mujocoDefault: {},
  mujocoImplicitFast: { integrator: "implicitfast" },
  mujocoDiscrete: { integrator: "discrete" },
};

/** Most heights that are kept of a run, a second. */
const mostSamples = 50;
/** Part of each fall that a quick run covers: all have settled by then. */
const quickPart = 0.7;
/** Damping of Atlas's hinges, N·m·s/rad. */
const atlasDamper = 25;

export interface Row extends Deviation {
  readonly rate: number;
  readonly completed: boolean;
  /** At the end, m. */
  readonly finalHeight: number;
  /** Samples per second of the torso's height, m. */
  readonly samplingRate: number;
  readonly heights: readonly number[];
}

export interface SceneResult {
  readonly name: Scene["name"];
  readonly label: string;
  readonly title: string;
  readonly seconds: number;
  /** Rows by engine, coarsest rate first; deviations are from the engine's own run at the finest rate. */
  readonly engines: Readonly<Record<Engine, readonly Row[]>>;
}

/** Atlas at the finest rate with the inertia (1−ρ)/(1+ρ) d h/2 that its dampers add at the coarsest, against the coarsest run. */
export interface DamperCheck {
  readonly armature: number;
  /** Deviations of the coarsest run from the finest, and from the finest with that inertia, m: largest, and root mean square. */
  readonly plain: { readonly largest: number; readonly mean: number };
  readonly withArmature: { readonly largest: number; readonly mean: number };
}

export interface LowRateResult {
  readonly rates: readonly number[];
  readonly scenes: readonly SceneResult[];
  readonly damperCheck: DamperCheck;
}

async function run({ quick, progress }: RunOptions): Promise<LowRateResult> {
  const rates = quick ? [20, 100, 500] : [20, 50, 100, 200, 500];
  const falls = scenes.map((scene) => (quick ? { ...scene, seconds: quickPart * scene.seconds } : scene));
  const mujoco = await loadMujoco();
  const results: SceneResult[] = [];
  const ours = new Map<string, readonly Fall[]>();
  const total = falls.length * engines.length * rates.length + 1;
  let done = 0;
  for (const scene of falls) {
    const rows = engines.map((engine) => {
      const runs = rates.map((rate) => {
        progress(done++ / total, `${scene.name}, ${engine}, ${rate} Hz`);
        return engine === "ours" ? ourFall(scene, rate) : mujocoFall(mujoco, scene, rate, settings[engine]);
      });
      if (engine === "ours") ours.set(scene.name, runs);
      const finest = runs[runs.length - 1];
      return [engine, runs.map((fall) => rowOf(fall, finest))] as const;
    });
    const { name, label, title, seconds } = scene;
    results.push({ name, label, title, seconds, engines: Object.fromEntries(rows) as Record<Engine, Row[]> });
  }
  progress(done / total, "what the damper does");
  return { rates, scenes: results, damperCheck: checkDamper(falls[0], ours.get("atlas") ?? []) };
}

function rowOf(fall: Fall, finest: Fall): Row {
  const every = Math.max(1, Math.round(fall.rate / mostSamples));
  return {
    rate: fall.rate,
    completed: fall.completed,
    ...deviation(fall, finest),
    finalHeight: fall.heights[fall.heights.length - 1],
    samplingRate: fall.rate / every,
    heights: fall.heights.filter((_, k) => k % every === 0).map((height) => Number(height.toFixed(5))),
  };
}

function checkDamper(atlas: Scene, falls: readonly Fall[]): DamperCheck {
  const [coarsest, finest] = [falls[0], falls[falls.length - 1]];
  const { damperCentering: rho } = compile(atlas.make(1 / coarsest.rate).description);
  const armature = ((1 - rho) / (1 + rho)) * (atlasDamper / 2) * (1 / coarsest.rate - 1 / finest.rate);
  const heavier = ourFall(atlas, finest.rate, armature);
  return { armature, plain: gaps(coarsest, finest), withArmature: gaps(coarsest, heavier) };
}

function gaps(coarse: Fall, fine: Fall): { largest: number; mean: number } {
  const ratio = fine.rate / coarse.rate;
  const values = coarse.heights.map((height, k) => Math.abs(height - fine.heights[k * ratio]));
  const mean = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
  return { largest: Math.max(...values), mean };
}

export default {
  name: "low-rate",
  title: "Torso heights at low rates",
  claim:
    "[time_step] From 20 to 500 Hz the torso heights of a dropped Atlas and a dropped A1 are similar, with small deviations, even through contact.",
  seconds: { full: 12, quick: 8 },
  run,
  present,
} satisfies Experiment<LowRateResult>;
