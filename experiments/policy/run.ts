/** [rl_results, rl_vis]: policies of the half-cheetah and the ant, by random search and by gradients, beside the paper's. */
import { Worker } from "node:worker_threads";
import { type Training, threadExecutor } from "dojo-sim";
import type { Experiment, Presentation, RunOptions } from "../experiment.ts";
import { film } from "./film.ts";
import { present } from "./present.ts";
import { cases, type Result, type Robot, type Row } from "./result.ts";
import { trainedCase } from "./train.ts";

const pictures = 9;

async function run({ quick, progress }: RunOptions): Promise<Result> {
  const [seeds, starts, fineStarts] = quick ? [1, 2, 1] : [10, 100, 20];
  const executor = threadExecutor({
    worker: () => new Worker(new URL("./trainWorker.js", import.meta.url)),
    // every worker compiles for itself, which takes longer than what a quick run has for it
    ...(quick && { workers: 1 }),
  });
  const rows: Row[] = [];
  const trained = new Map<Robot, Training>();
  const isShort = ({ robot, label }: (typeof cases)[number]): boolean =>
    robot === "half-cheetah" || label === "AGS, network";
  const chosen = quick ? cases.filter(isShort) : cases;
  try {
    for (const [i, each] of chosen.entries()) {
      const said = (done: number): void =>
        progress((i + done / seeds) / chosen.length, `${each.robot}: ${each.label}, ${done} of ${seeds} seeds`);
      said(0);
      const { row, first } = await trainedCase(executor, each, { quick, seeds, starts, fineStarts, said });
      rows.push(row);
      if (each.settings.policy === "network") trained.set(each.robot, trained.get(each.robot) ?? first);
    }
  } finally {
    await executor.close();
  }
  return {
    quick,
    starts,
    fineStarts,
    workers: executor.workers,
    rows,
    film: [...trained].map(([robot, { policy }]) => ({ robot, pictures: film(robot, policy, pictures) })),
  };
}

const experiment: Experiment<Result> = {
  name: "policy",
  title: "Policies by gradients through contact",
  claim:
    "[rl_results, rl_vis] Gradients through contact train policies that run with five to ten times fewer evaluations of the simulator than random search (ARS) needs for the same reward.",
  seconds: { full: 500, quick: 5 },
  run,
  present: (result): Presentation => present(result),
};
export default experiment;
