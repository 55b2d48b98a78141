/** [atlas_drop], [contact_violation_results]: how deep the feet of a dropped Atlas go into the floor, and how fast it runs at 65 Hz. */
import type { Experiment, RunOptions } from "../experiment.ts";
import { type ComparedSetting, comparedSettings, loadMujoco, type Mujoco } from "../peers/mujoco.ts";
import { warmUp } from "../timing/measure.ts";
import { atlasDrop, type Contacts, type Fall, type Faller, mujocos, ours } from "./drop.ts";
import { present } from "./present.ts";

/** Smallest foot distances that the paper prints, millimetres; null: failure. [contact_violation_results] */
const paper = [
  { timestep: 0.1, ours: 1e-12, mujoco: null },
  { timestep: 0.01, ours: 1e-7, mujoco: -28 },
  { timestep: 0.001, ours: 8e-6, mujoco: -46 },
];

/** Smallest distances of a foot from the floor, millimetres; null where the engine diverged. */
export interface Row {
  readonly timestep: number;
  readonly oursMillimetres: number | null;
  readonly mujocoMillimetres: number | null;
  readonly mujocoStiffMillimetres: number | null;
  readonly mujocoDiscreteMillimetres: number | null;
  readonly paperOursMillimetres: number;
  readonly paperMujocoMillimetres: number | null;
}

/** Lowest point of the feet over time, millimetres; the deepest of each interval. */
export interface Curve {
  readonly timestep: number;
  readonly engine: string;
  readonly times: readonly number[];
  readonly millimetres: readonly number[];
}

/** Simulated time over wall time. */
export interface Speed {
  readonly engine: string;
  readonly contacts: Contacts;
  readonly jointLimits: boolean;
  readonly realTimeFactor: number;
}

export interface Result {
  /** How long each drop lasts. */
  readonly seconds: number;
  /** With contacts all over the body. */
  readonly rows: readonly Row[];
  /** With the eight of the feet alone, as in the paper: nothing holds the rest of the body above the floor. */
  readonly feetOnlyRows: readonly Row[];
  readonly curves: readonly Curve[];
  readonly at65Hz: readonly Speed[];
  readonly paperRealTimeFactor: number;
}

const settingNames = Object.keys(comparedSettings) as ComparedSetting[];
const engineNames: Readonly<Record<ComparedSetting, string>> = {
  default: "MuJoCo",
  stiff: "MuJoCo, stiffest",
  discrete: "MuJoCo, discrete",
};

async function run({ quick, progress }: RunOptions): Promise<Result> {
  const mujoco = await loadMujoco();
  // the feet land after 0.32 s
  const seconds = quick ? 0.6 : 2;
  const curves: Curve[] = [];
  const speedPart = 0.4;
  let done = 0;
  const measured = (contacts: Contacts): Row[] =>
    paper.map(({ timestep, ours: paperOurs, mujoco: paperMujoco }) => {
      progress(((1 - speedPart) * done++) / (2 * paper.length), `${contacts} contacts, time step ${timestep} s`);
      const drop = atlasDrop({ timestep, contacts, seconds });
      const own = once(ours(drop));
      const theirs = settingNames.map((name) => once(mujocos(mujoco, drop, comparedSettings[name])));
      if (contacts === "body") {
        curves.push(curveOf("ours", timestep, own));
        settingNames.forEach((name, i) => {
          curves.push(curveOf(engineNames[name], timestep, theirs[i]));
        });
      }
      const [byDefault, stiff, discrete] = theirs.map(deepest);
      return {
        timestep,
        oursMillimetres: deepest(own),
        mujocoMillimetres: byDefault,
        mujocoStiffMillimetres: stiff,
        mujocoDiscreteMillimetres: discrete,
        paperOursMillimetres: paperOurs,
        paperMujocoMillimetres: paperMujoco,
      };
    });
  const rows = measured("body");
  const feetOnlyRows = measured("feet");
  progress(1 - speedPart, "speed at 65 Hz");
  const at65Hz = speeds(mujoco, seconds, quick ? 3 : 15);
  return { seconds, rows, feetOnlyRows, curves, at65Hz, paperRealTimeFactor: 1 };
}

function once(faller: Faller): Fall {
  const fall = faller.fall();
  faller.end();
  return fall;
}

const deepest = ({ lowest, sound }: Fall): number | null =>
  sound ? 1000 * lowest.reduce((a, b) => Math.min(a, b)) : null;

/** Points of a curve. */
const mostPoints = 200;

function curveOf(engine: string, timestep: number, { lowest }: Fall): Curve {
  const stride = Math.max(1, Math.round(lowest.length / mostPoints));
  const starts = Array.from({ length: Math.ceil(lowest.length / stride) }, (_, i) => i * stride);
  return {
    timestep,
    engine,
    times: starts.map((k) => Number((timestep * Math.min(lowest.length, k + stride)).toPrecision(6))),
    millimetres: starts.map((k) => Number((1000 * Math.min(...lowest.slice(k, k + stride))).toPrecision(5))),
  };
}

const speedCases = [
  { contacts: "feet", jointLimits: false },
  { contacts: "feet", jointLimits: true },
  { contacts: "body", jointLimits: true },
] as const;

/** The engines in turns, each at its fastest: other programs may hold the machine. */
function speeds(mujoco: Mujoco, seconds: number, turns: number): Speed[] {
  const fallers = speedCases.flatMap((given) => {
    const drop = atlasDrop({ timestep: 1 / 65, seconds, ...given });
    return [
      { ...given, engine: "ours", faller: ours(drop) },
      ...settingNames.map((name) => ({
        ...given,
        engine: engineNames[name],
        faller: mujocos(mujoco, drop, comparedSettings[name]),
      })),
    ];
  });
  const best = fallers.map(() => Number.POSITIVE_INFINITY);
  for (const { faller } of fallers) warmUp(() => faller.fall());
  for (let turn = 0; turn < turns; turn++) {
    fallers.forEach(({ faller }, i) => {
      best[i] = Math.min(best[i], faller.fall().wallSeconds);
    });
  }
  return fallers.map(({ faller, ...which }, i) => {
    faller.end();
    return { ...which, realTimeFactor: seconds / best[i] };
  });
}

const experiment: Experiment<Result> = {
  name: "atlas-drop",
  title: "Atlas falls on its feet",
  claim:
    "[atlas_drop], [contact_violation_results] Atlas, 31 bodies with 36 degrees of freedom, is dropped on its feet. No foot enters the floor, at time steps from 0.1 s to 0.001 s; MuJoCo's feet do. The simulation runs in real time at 65 Hz.",
  seconds: { full: 20, quick: 12 },
  run,
  present,
};
export default experiment;
