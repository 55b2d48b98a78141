/** [trajopt_results, trajopt_vis]: the paper's planning problems, beside its figures; boxes on MuJoCo with finite differences too. */
import { compileTask, optimization, planning, planningTasks } from "dojo-sim";
import type { Experiment, Presentation, RunOptions } from "../experiment.ts";
import { comparedSettings, loadMujoco } from "../peers/mujoco.ts";
import { feetReport, picture, replayed } from "./gait.ts";
import { MujocoDynamics } from "./mujocoDynamics.ts";
import { present } from "./present.ts";
import { type MujocoRow, type PlanRow, type Progress, paperTolerance, type Result, stepsPerKnot } from "./result.ts";

const mostIterations = 100;

async function run({ quick, progress }: RunOptions): Promise<Result> {
  const names = ["box-right", "box-up", "quadruped", ...(quick ? [] : ["hopper", "quadruped-cold"])];
  const order = ["box-right", "box-up", "hopper", "quadruped", "quadruped-cold"].filter((name) => names.includes(name));
  const rows = order.map((name, i) => {
    progress((0.6 * i) / order.length, name);
    return planned(name);
  });
  const settings = quick ? (["default"] as const) : (["default", "stiff", "discrete"] as const);
  const cases = ["box-right", "box-up"].flatMap((task) => settings.map((setting) => ({ task, setting })));
  const mujoco: MujocoRow[] = [];
  for (const [i, { task, setting }] of cases.entries()) {
    progress(0.6 + (0.35 * i) / cases.length, `MuJoCo, ${setting}: ${task}`);
    mujoco.push(await plannedOnMujoco(task, setting));
  }
  const gait = rows.find(({ row }) => row.task === "quadruped")!;
  const trajectory = replayed(gait.task, gait.plan);
  return {
    rows: rows.map(({ row }) => row),
    mujoco,
    feet: feetReport(trajectory, gait.plan),
    strip: [0, 5, 10, 15, 20, 25, 30, 35, 40].map((knot) => picture(trajectory, knot)),
  };
}

function planned(name: string) {
  const task = planningTasks[name].make();
  const search = planning(task);
  const list: Progress[] = [];
  for (;;) {
    const { done, value } = search.next();
    if (!done) {
      list.push(progressOf(value));
      continue;
    }
    const { timestep, iterations, rounds, cost, violation, seconds, solved } = value;
    const row: PlanRow = { task: name, timestep, iterations, rounds, cost, violation, seconds, solved, progress: list };
    return { task, plan: value, row };
  }
}

/** The same task, costs and planner; dynamics and gradients are MuJoCo's. */
async function plannedOnMujoco(name: string, setting: keyof typeof comparedSettings): Promise<MujocoRow> {
  const task = planningTasks[name].make();
  const { problem } = compileTask(task);
  const { mechanism } = task.simulation;
  const dynamics = new MujocoDynamics(await loadMujoco(), mechanism, stepsPerKnot, comparedSettings[setting]);
  const begin = performance.now();
  const search = optimization({ ...problem, dynamics }, { ...task.options, maxIterations: mostIterations });
  const list: Progress[] = [];
  for (;;) {
    const { done, value } = search.next();
    if (!done) {
      list.push(progressOf(value));
      continue;
    }
    dynamics.delete();
    const { iterations, cost, violation, end, states } = value;
    const [distance, , height] = states[states.length - 1];
    const seconds = (performance.now() - begin) / 1000;
    const atPaperTolerance = list.find((entry) => entry.violation <= paperTolerance) ?? null;
    return {
      ...{ task: name, setting, iterations, cost, violation, seconds, end, atPaperTolerance, height, distance },
      progress: list,
    };
  }
}

function progressOf({ iteration, cost, violation }: Progress): Progress {
  return { iteration, cost: Number(cost.toPrecision(6)), violation: Number(violation.toPrecision(4)) };
}

const experiment: Experiment<Result> = {
  name: "planning",
  title: "Plans through contact",
  claim:
    "[trajopt_results, trajopt_vis] Gradients through contact let a shooting method plan motions that make and break contact: a box is pushed and lifted, a hopper hops, a quadruped trots. With MuJoCo and finite differences the box cannot be lifted from rest.",
  seconds: { full: 30, quick: 10 },
  run,
  present: (result): Presentation => present(result),
};
export default experiment;
