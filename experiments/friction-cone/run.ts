/** [velocity_drift]: what the shape of the friction cone does to a box that slides off the cone's axes. */
import type { Experiment, RunOptions } from "../experiment.ts";
import { present } from "./present.ts";
import { boxScene, closedDistance, engines, type Path, path, type SceneName } from "./slide.ts";

export interface Row {
  readonly scene: SceneName;
  readonly timestep: number;
  readonly engine: string;
  /** Largest on the way, to either side. */
  readonly lateralMillimetres: number;
  readonly yawDegrees: number;
  /** In the direction of the push, and by Coulomb's law. */
  readonly stoppingMetres: number;
  readonly closedMetres: number;
  /** Lowest corner on the way, were the box flat; negative inside the floor. */
  readonly lowestMillimetres: number;
}

/** A path at a few of its moments: time, s; m; degrees. */
export interface Curve {
  readonly engine: string;
  readonly times: readonly number[];
  readonly along: readonly number[];
  readonly sideways: readonly number[];
  readonly height: readonly number[];
  readonly yaw: readonly number[];
}

export interface Result {
  readonly rows: readonly Row[];
  /** Curves of the drop, at the first of the time steps. */
  readonly curves: readonly Curve[];
}

async function run({ quick, progress }: RunOptions): Promise<Result> {
  const timesteps = quick ? [0.01] : [0.01, 0.001];
  const rows: Row[] = [];
  const curves: Curve[] = [];
  const names = Object.keys(engines);
  const total = 2 * timesteps.length * names.length;
  for (const scene of ["slide", "drop"] as const) {
    for (const timestep of timesteps) {
      for (const engine of names) {
        progress(rows.length / total, `${engine}, ${scene}, time step ${timestep} s`);
        const taken = await path(engine, boxScene(scene, timestep));
        rows.push(rowOf(scene, timestep, engine, taken));
        if (scene === "drop" && timestep === timesteps[0]) curves.push(curveOf(engine, timestep, taken));
      }
    }
  }
  return { rows, curves };
}

const degrees = (angle: number): number => (180 / Math.PI) * angle;
const largest = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, Math.abs(b)), 0);

function rowOf(scene: SceneName, timestep: number, engine: string, taken: Path): Row {
  const { size } = boxScene(scene, timestep);
  return {
    scene,
    timestep,
    engine,
    lateralMillimetres: 1000 * largest(taken.sideways),
    yawDegrees: degrees(largest(taken.yaw)),
    stoppingMetres: taken.along[taken.along.length - 1],
    closedMetres: closedDistance(scene),
    lowestMillimetres: 1000 * (Math.min(...taken.height) - size[2] / 2),
  };
}

/** Moments of a curve. */
const points = 100;

function curveOf(engine: string, timestep: number, taken: Path): Curve {
  const last = taken.along.length - 1;
  const moments = Array.from({ length: points + 1 }, (_, i) => Math.round((i * last) / points));
  const pick = (values: readonly number[]): number[] => moments.map((k) => Number(values[k].toPrecision(6)));
  return {
    engine,
    times: moments.map((k) => Number((k * timestep).toPrecision(6))),
    along: pick(taken.along),
    sideways: pick(taken.sideways),
    height: pick(taken.height),
    yaw: pick(taken.yaw.map(degrees)),
  };
}

const experiment: Experiment<Result> = {
  name: "friction-cone",
  title: "A box slides straight",
  claim:
    "[velocity_drift] A box slides in a direction between the axes. With the exact friction cone it goes straight; with four-sided cones, ours or MuJoCo's, it drifts sideways. MuJoCo's elliptic cone turns it a little; Bullet's friction stops it too early.",
  seconds: { full: 10, quick: 5 },
  run,
  present,
};
export default experiment;
