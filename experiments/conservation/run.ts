/** Energy and momentum of what floats freely, over 100 s, by the variational integrator and by MuJoCo's integrators. */
import type { Experiment, RunOptions } from "../experiment.ts";
import { loadMujoco } from "../peers/mujoco.ts";
import { type Drifts, driftsOf, energyErrors } from "./drift.ts";
import { mujocoMotion, ourMotion } from "./motion.ts";
import { present } from "./present.ts";
import { type Scene, scenes } from "./scenes.ts";

const integrators = ["ours", "Euler", "implicit", "implicitfast", "discrete", "RK4"] as const;
export type Integrator = (typeof integrators)[number];

const timesteps = [0.05, 0.01, 0.005];
/** Energies that are kept, a motion. */
const samples = 100;

export interface Row {
  readonly timestep: number;
  readonly integrator: Integrator;
  /** Seconds simulated: fewer where the motion diverged. */
  readonly seconds: number;
  readonly completed: boolean;
  /** Null where it diverged. */
  readonly drifts: Drifts | null;
  /** Relative errors of the energy, at equal intervals. */
  readonly energyErrors: readonly number[];
  /** Between these, s. */
  readonly interval: number;
}

export interface ConservationResult {
  readonly seconds: number;
  readonly scenes: readonly { readonly name: Scene["name"]; readonly label: string; readonly rows: readonly Row[] }[];
}

async function run({ quick, progress }: RunOptions): Promise<ConservationResult> {
  const seconds = quick ? 10 : 100;
  const mujoco = await loadMujoco();
  let done = 0;
  const total = scenes.length * timesteps.length * integrators.length;
  const results = scenes.map((scene) => {
    const rows = timesteps.flatMap((timestep) =>
      integrators.map((integrator): Row => {
        progress(done++ / total, `${scene.label}, ${integrator}, h = ${timestep}`);
        const motion =
          integrator === "ours"
            ? ourMotion(scene, timestep, seconds)
            : mujocoMotion(mujoco, scene, timestep, seconds, integrator);
        const { readings, completed } = motion;
        const every = Math.max(1, Math.floor(readings.length / samples));
        const kept = energyErrors(readings).filter((_, i) => i % every === 0);
        return {
          timestep,
          integrator,
          seconds: readings[readings.length - 1].time,
          completed,
          drifts: completed ? driftsOf(motion) : null,
          energyErrors: kept.map((error) => Number(error.toPrecision(4))),
          interval: every * (readings[1].time - readings[0].time),
        };
      }),
    );
    return { name: scene.name, label: scene.label, rows };
  });
  return { seconds, scenes: results };
}

export default {
  name: "conservation",
  title: "Energy and momentum of what floats",
  claim:
    "The variational integrator conserves momentum, and energy well, where there is no contact (section on the variational integrator).",
  seconds: { full: 20, quick: 6 },
  run,
  present,
} satisfies Experiment<ConservationResult>;
