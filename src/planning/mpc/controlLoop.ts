/**
 * Runs a task under model-predictive control without a clock: a plan every so many steps of the plant, so that the same run gives the same
 * bits. With a latency L, what the planner makes of the state at t is used from t + L on: it predicts the state at t + L by its own policy
 * on an undisturbed plant, and plans from there.
 */

import { Random, vector } from "../../math/index.ts";
import { ArgumentError } from "../../mechanism/index.ts";
import { type Controller, Simulation, type Trajectory } from "../../simulation/index.ts";
import { RecedingHorizon } from "../recedingHorizon.ts";
import type { ControlTask } from "./controlTask.ts";

export interface ControlRunOptions {
  /** Of each push, N·s. Default the task's own; 0 for none. */
  readonly impulse?: number;
  /** Chooses the directions of the pushes. Default 1. */
  readonly seed?: number;
  /** Steps of the plant from one plan to the next. Default the task's own. */
  readonly every?: number;
  /** From a state to the plan that it led to, s; at most the time from one plan to the next. Default 0. */
  readonly latency?: number;
  /** Servos alone, without a planner. Default false. */
  readonly servosAlone?: boolean;
}

export interface ControlRun {
  readonly survived: boolean;
  /** In a sentence: what went wrong, where it did not survive. */
  readonly reason?: string;
  readonly trajectory: Trajectory;
  readonly plans: number;
  /** Plans that no step length improved: the last one goes on, with new gains. */
  readonly unimproved: number;
  /** Steps of the plan's mechanism and passes of its gradients, in all plans. */
  readonly steps: number;
  readonly gradients: number;
  /** Time in plans, by the clock. */
  readonly planSeconds: number;
}

export function runControl(task: ControlTask, options: ControlRunOptions = {}): ControlRun {
  const { impulse = task.push.impulse, seed = 1, every = task.every, latency = 0, servosAlone = false } = options;
  const plant = plantOf(task, servosAlone);
  const h = plant.timestep;
  const delay = wholeSteps("latency", latency, h);
  if (!Number.isInteger(every) || every < 1)
    throw new ArgumentError("out-of-range", "every", `${every}: give a whole number of steps above 0`);
  if (delay > every) {
    const message = `${latency} s is longer than the ${every * h} s from one plan to the next; plan less often (every)`;
    throw new ArgumentError("out-of-range", "latency", message);
  }
  const pushAt = pushes(task, plant, impulse, seed);
  const loop = servosAlone ? undefined : new ControlLoop(task, every, delay);
  const controller: Controller = (state, step, out) => {
    pushAt(step);
    if (loop) loop.inputInto(out, state, step);
    else out.set(task.servos?.targets ?? []);
    return undefined;
  };
  let lostAt = -1;
  plant.setWrench(task.push.body, {});
  plant.continuation = undefined;
  const trajectory = plant.rollout(task.start, {
    steps: Math.round(task.seconds / h),
    controller,
    onStep: ({ next }, step) => {
      if (!task.isLost(next)) return true;
      lostAt = step + 1;
      return false;
    },
  });
  plant.setWrench(task.push.body, {});
  const end = trajectory.states[trajectory.states.length - 1];
  const reason =
    lostAt >= 0
      ? `it fell at ${(lostAt * h).toFixed(2)} s`
      : !trajectory.solved
        ? `a step of the plant was not solved at ${(trajectory.steps * h).toFixed(2)} s`
        : task.isKept(end)
          ? undefined
          : "it has not come back in time";
  return {
    survived: reason === undefined,
    ...(reason !== undefined && { reason }),
    trajectory,
    plans: loop?.horizon.counts.plans ?? 0,
    unimproved: loop?.horizon.counts.unimproved ?? 0,
    steps: loop?.horizon.compiled.dynamics.counts.steps ?? 0,
    gradients: loop?.horizon.compiled.dynamics.counts.gradients ?? 0,
    planSeconds: loop?.planSeconds ?? 0,
  };
}

/** The controller of one run. */
class ControlLoop {
  readonly horizon: RecedingHorizon;
  planSeconds = 0;
  private readonly task: ControlTask;
  private readonly every: number;
  private readonly delay: number;
  /** The undisturbed plant, in which the state after the latency is predicted. */
  private readonly predictor: Simulation;
  private readonly predicted: Float64Array;
  private readonly input: Float64Array;
  /** The step at which the current plan begins. */
  private planned = 0;

  constructor(task: ControlTask, every: number, delay: number) {
    const { plant, plan, options } = task;
    this.task = task;
    this.every = every;
    this.delay = delay;
    this.horizon = new RecedingHorizon(plan, { ...options, interval: plant.timestep });
    this.predictor = plant.resource("predictor", () => new Simulation(plant.mechanism));
    this.predictor.continuation = undefined;
    this.predicted = new Float64Array(plant.stateSize);
    this.input = new Float64Array(plant.inputSize);
  }

  inputInto(out: Float64Array, state: Float64Array, step: number): void {
    const { every, delay, horizon } = this;
    if (step === 0) this.plan(state, 0);
    // with a latency the plan of `predicted` is made here, where it begins to act: what led to it was known `delay` steps ago
    else if (delay > 0 && step >= delay && (step - delay) % every === 0) this.plan(this.predicted, step);
    else if (delay === 0 && step % every === 0) this.plan(state, step);
    if (delay > 0 && step % every === 0) this.predict(state, step);
    horizon.inputInto(out, (step - this.planned) * this.task.plant.timestep, state);
  }

  private plan(state: Float64Array, step: number): void {
    const begin = performance.now();
    this.horizon.plan(state, (step - this.planned) * this.task.plant.timestep);
    this.planSeconds += (performance.now() - begin) / 1000;
    this.planned = step;
  }

  private predict(state: Float64Array, step: number): void {
    const { predicted, predictor, horizon, input, delay } = this;
    predicted.set(state);
    for (let i = 0; i < delay; i++) {
      horizon.inputInto(input, (step + i - this.planned) * predictor.timestep, predicted);
      const { status, next } = predictor.step(predicted, input);
      if (status !== "solved") return;
      predicted.set(next);
    }
  }
}

/** Sets the force of each step: that of a push while it lasts. */
function pushes({ push }: ControlTask, plant: Simulation, impulse: number, seed: number): (step: number) => void {
  const h = plant.timestep;
  const random = new Random(seed);
  const lasting = Math.max(1, Math.round(push.duration / h));
  const forces = push.at.map((time) => ({
    first: Math.round(time / h),
    force: vector.scale(push.direction(random), impulse / (lasting * h)),
  }));
  return (step) => {
    if (forces.some(({ first }) => step === first + lasting)) plant.setWrench(push.body, {});
    const begun = forces.find(({ first }) => step === first);
    if (begun) plant.setWrench(push.body, { force: begun.force });
  };
}

function plantOf({ plant, servos, name }: ControlTask, servosAlone: boolean): Simulation {
  if (!servosAlone) return plant;
  if (servos) return servos.plant;
  throw new ArgumentError("unsupported", "servosAlone", `${name} has no servos to compare with`);
}

function wholeSteps(path: string, seconds: number, h: number): number {
  const steps = Math.round(seconds / h);
  if (steps >= 0 && Math.abs(steps * h - seconds) <= 1e-9) return steps;
  throw new ArgumentError("out-of-range", path, `${seconds} s is no whole number of steps of ${h} s`);
}
