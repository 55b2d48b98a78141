/** [trajopt_results, trajopt_vis]: the paper's planning problems, beside its figures; boxes on MuJoCo with finite differences too. */
import { compileTask, disturbedTask, optimization, planning, planningTasks, planTrajectory } from "dojo-sim";
import type { Experiment, Presentation, RunOptions } from "../experiment.ts";
import { comparedSettings, loadMujoco } from "../peers/mujoco.ts";
import { feetReport, picture, replayed } from "./gait.ts";
import { MujocoDynamics } from "./mujocoDynamics.ts";
import { present } from "./present.ts";
import {
  type MujocoRow,
  type PlanRow,
  type Progress,
  paperTolerance,
  type Result,
  type SeedsRow,
  stepsPerKnot,
} from "./result.ts";

const mostIterations = 100;
const seedCount = { full: 20, quick: 1 } as const;

async function run({ quick, progress }: RunOptions): Promise<Result> {
  const names = ["box-right", "box-up", "quadruped", ...(quick ? [] : ["hopper", "quadruped-cold"])];
  const order = ["box-right", "box-up", "hopper", "quadruped", "quadruped-cold"].filter((name) => names.includes(name));
  const rows = order.map((name, i) => {
    progress((0.2 * i) / order.length, name);
    return planned(name);
  });
  const count = quick ? seedCount.quick : seedCount.full;
  const paperTasks = order.filter((name) => name !== "quadruped-cold");
  const seeds = paperTasks.map((name, i) => {
    progress(0.2 + (0.4 * i) / paperTasks.length, `${name} from ${count} disturbed starts`);
    return worstOf(name, count);
  });
  const settings = quick ? (["default"] as const) : (["default", "stiff", "discrete"] as const);
  const widths = quick ? [1e-6] : [1e-6, 1e-4];
  const cases = [
    ...settings.flatMap((setting) => widths.map((width) => ({ task: "box-right", setting, width }))),
    ...settings.map((setting) => ({ task: "box-up", setting, width: 1e-6 })),
  ];
  const mujoco: MujocoRow[] = [];
  for (const [i, { task, setting, width }] of cases.entries()) {
    progress(0.6 + (0.35 * i) / cases.length, `MuJoCo, ${setting}, ${width}: ${task}`);
    mujoco.push(await plannedOnMujoco(task, setting, width));
  }
  const gait = rows.find(({ row }) => row.task === "quadruped")!;
  const cold = rows.find(({ row }) => row.task === "quadruped-cold");
  const trajectory = replayed(gait.task, gait.plan);
  return {
    rows: rows.map(({ row }) => row),
    seeds,
    mujoco,
    feet: feetReport(trajectory, gait.plan),
    coldFeet: cold ? feetReport(replayed(cold.task, cold.plan), cold.plan) : null,
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

/** Disturbed starts with seeds 1, 2, 3, … */
function worstOf(name: string, count: number): SeedsRow {
  const plans = Array.from({ length: count }, (_, i) =>
    planTrajectory(disturbedTask(planningTasks[name].make(), i + 1)),
  );
  const largest = (of: "iterations" | "cost" | "violation"): number => Math.max(...plans.map((plan) => plan[of]));
  return {
    task: name,
    seeds: count,
    solved: plans.filter(({ solved }) => solved).length,
    iterations: largest("iterations"),
    cost: largest("cost"),
    violation: largest("violation"),
  };
}

/** The same task, costs and planner; dynamics and gradients are MuJoCo's. */
async function plannedOnMujoco(
  name: string,
  setting: keyof typeof comparedSettings,
  width: number,
): Promise<MujocoRow> {
  const task = planningTasks[name].make();
  const { problem } = compileTask(task);
  const { mechanism } = task.simulation;
  const dynamics = new MujocoDynamics(await loadMujoco(), mechanism, stepsPerKnot, comparedSettings[setting]);
  dynamics.nudge = width;
  const begin = performance.now();
  const search = optimization({ ...problem, dynamics }, { ...task.options, maxIterations: mostIterations });
  const list: Progress[] = [];
  for (;;) {
    const { done, value } = search.next();
    if (!done) {
      list.push(progressOf(value));
      continue;
    }
    const { iterations, cost, violation, end, states, inputs } = value;
    const changeAt = (nudge: number): number =>
      Math.max(...inputs.map((input, k) => dynamics.changeWithWidth(states[k], input, nudge)));
    const changeWithWidth = { narrower: changeAt(0.1 * width), wider: changeAt(10 * width) };
    dynamics.delete();
    const [distance, , height] = states[states.length - 1];
    const seconds = (performance.now() - begin) / 1000;
    const atPaperTolerance = list.find((entry) => entry.violation <= paperTolerance) ?? null;
    return {
      ...{ task: name, setting, width, iterations, cost, violation, seconds, end, atPaperTolerance, height, distance },
      changeWithWidth,
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
  seconds: { full: 35, quick: 15 },
  run,
  present: (result): Presentation => present(result),
};
export default experiment;
