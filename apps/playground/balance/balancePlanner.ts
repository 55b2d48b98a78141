/** The planner of a run: its task with what the reader has chosen, and plans as they are asked for. Knows nothing of threads. */
import { bodyStateSize, type ControlTask, controlTasks, PredictivePlanner, stateOffsets } from "dojo-sim";
import type { PlanReply, PlanRequest } from "./protocol.ts";
import { type BalanceSettings, goalOf } from "./settings.ts";

export class BalancePlanner {
  private readonly task: ControlTask;
  private settings: BalanceSettings;
  private planner: PredictivePlanner;

  constructor(settings: BalanceSettings) {
    this.task = controlTasks[settings.task].make();
    this.settings = settings;
    this.task.guide?.begin();
    this.planner = this.plannerFrom(0);
  }

  /** Other settings, from this step of the plant on. Another horizon or κ is another planner; it starts from the task's own guess. */
  change(settings: BalanceSettings, step: number): void {
    const { horizon, kappa } = this.settings;
    this.settings = settings;
    if (settings.horizon !== horizon || settings.kappa !== kappa) this.planner = this.plannerFrom(step);
  }

  answer({ state, step, delay }: PlanRequest): PlanReply {
    const { task, planner, settings } = this;
    if (task.guide) task.guide.goal = goalOf(settings);
    const begin = performance.now();
    const feedback = planner.plan(state, step, delay, settings.budget);
    const took = performance.now() - begin;
    return { begins: step + delay, feedback, horizon: this.horizonLines(), took };
  }

  private plannerFrom(step: number): PredictivePlanner {
    const { task, settings } = this;
    const { horizon: steps, kappa } = settings;
    const inputs = task.plan.guess?.inputs;
    const guess = inputs && Array.from({ length: steps }, (_, k) => inputs[Math.min(k, inputs.length - 1)]);
    const plan = { ...task.plan, steps, ...(guess && { guess: { inputs: guess } }) };
    return new PredictivePlanner({ ...task, plan, options: { ...task.options, path: { relativeKappa: kappa } } }, step);
  }

  /** The path of every body's centre along the plan: ends of segments. */
  private horizonLines(): Float32Array {
    const { states } = this.planner.horizon;
    const count = this.task.plant.mechanism.bodies.length;
    const ends: number[] = [];
    for (let body = 0; body < count; body++) {
      for (let k = 0; k + 1 < states.length; k++) {
        const at = bodyStateSize * body + stateOffsets.position;
        for (const state of [states[k], states[k + 1]]) ends.push(...state.subarray(at, at + 3));
      }
    }
    return Float32Array.from(ends);
  }
}
