/** The same task from another start: noise on its first inputs, a hundredth of the largest of them, or 0.01 where all are zero. */
import { Random } from "../math/index.ts";
import type { PlanningTask } from "./plan.ts";

const share = 0.01;

export function disturbedTask(task: PlanningTask, seed: number): PlanningTask {
  const random = new Random(seed);
  const size = task.simulation.inputSize;
  const given = task.guess?.inputs ?? Array.from({ length: task.steps }, () => new Float64Array(size));
  const scale = share * Math.max(0, ...given.flatMap((input) => Array.from(input, Math.abs))) || share;
  const inputs = given.map((input) => Array.from(input, (value) => value + scale * random.normal()));
  return { ...task, guess: { ...task.guess, inputs } };
}
