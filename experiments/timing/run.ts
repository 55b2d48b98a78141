/** [table:time_benchmark]: what steps and their gradients cost on four robots, beside MuJoCo's npm build in the same process. */
import type { Experiment } from "../experiment.ts";
import { loadMujoco } from "../peers/mujoco.ts";
import { Contest, processorClock } from "./measure.ts";
import { present } from "./present.ts";
import { paper, type RobotResult, type TimingResult, targetsOf } from "./result.ts";
import { type RobotName, robot, robotNames } from "./robots.ts";

const timing: Experiment<TimingResult> = {
  name: "timing",
  title: "Computation time",
  claim:
    "[table:time_benchmark]: 1000 steps of 0.01 s with random inputs and with gradients; the paper's Dojo needs 1.2 (humanoid), 4.7 (A1), 3.5 (Panda) and 17 (X2) times the time of MuJoCo with finite differences.",
  seconds: { full: 60, quick: 35 },

  async run({ quick, progress }) {
    const [steps, rounds] = quick ? [100, 2] : [1000, 7];
    const mujoco = await loadMujoco();
    const robots: Partial<Record<RobotName, RobotResult>> = {};
    let timestep = 0;
    robotNames.forEach((name, i) => {
      progress(i / robotNames.length, name);
      const contest = new Contest(mujoco, robot(name), steps, processorClock);
      const { setUp, description } = contest.robot;
      timestep = description.timestep;
      robots[name] = { setUp, ...contest.measure(rounds), facts: contest.facts() };
      contest.delete();
    });
    const measured = robots as Record<RobotName, RobotResult>;
    const targets = robotNames.flatMap((name) => targetsOf(name, measured[name]));
    return { timestep, steps, rounds, node: process.version, robots: measured, targets, paper };
  },

  present,
};

export default timing;
