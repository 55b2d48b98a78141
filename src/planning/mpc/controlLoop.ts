/**
 * Runs a task under model-predictive control without a clock: a plan every so many steps of the plant, so that the same run gives the same
 * bits. With a latency L, what the planner makes of the state at t is used from t + L on: it predicts the state at t + L by its own policy
 * on an undisturbed plant, and plans from there.
 */

import { Random, vector } from "../../math/index.ts";
import { ArgumentError, optionNamesOf, requireOptionNames } from "../../mechanism/index.ts";
import { checkState, dumpStep, type Simulation, StateError, Trajectory } from "../../simulation/index.ts";
import { FeedbackFollower, type PlanFeedback } from "../planFeedback.ts";
import type { ControlTask, Place } from "./controlTask.ts";
import { PredictivePlanner } from "./predictivePlanner.ts";

export interface ControlRunOptions {
  /** Impulse of each push, N·s. Default the task's own; 0 for none. */
  readonly impulse?: number;
  /** Chooses the directions of the pushes. Default 1. */
  readonly seed?: number;
  /** Steps of the plant from one plan to the next. Default the task's own. */
  readonly every?: number;
  /** Time from a state to the plan that it led to, s; at most the time from one plan to the next. Default 0. */
  readonly latency?: number;
  /** Where it is to go. Default where the task's guide is at home. */
  readonly goal?: Place;
  /** Servos alone, without a planner. Default false. */
  readonly servosAlone?: boolean;
}

const optionNames = optionNamesOf<ControlRunOptions>()("impulse seed every latency goal servosAlone");

export interface ControlRun {
  readonly survived: boolean;
  /** What went wrong, in a sentence, where it did not survive. */
  readonly reason?: string;
  /** Ended by whoever ran it, before its time. */
  readonly stopped: boolean;
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

/** Runs to the end. */
export function runControl(task: ControlTask, options: ControlRunOptions = {}): ControlRun {
  const run = controlling(task, options);
  for (;;) {
    const { done, value } = run.next();
    if (done) return value;
  }
}

/** The same, pausing after every step of the plant with what was recorded so far: `next(false)` ends it there. */
export function* controlling(
  task: ControlTask,
  options: ControlRunOptions = {},
): Generator<Trajectory, ControlRun, boolean | undefined> {
  requireOptionNames("options", options, optionNames);
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
  if (!(impulse >= 0 && impulse < Number.POSITIVE_INFINITY))
    throw new ArgumentError("out-of-range", "impulse", `${impulse}: give N·s, 0 or more`);
  if (!Number.isSafeInteger(seed)) throw new ArgumentError("out-of-range", "seed", `${seed}: give a whole number`);
  if (!(task.seconds > 0 && task.seconds < Number.POSITIVE_INFINITY))
    throw new ArgumentError("out-of-range", "task.seconds", `${task.seconds}: give seconds, more than 0`);
  const pushAt = pushes(task, plant, impulse, seed);
  begin(task, options.goal);
  const loop = servosAlone ? undefined : new ControlLoop(task, every, delay);
  const input = new Float64Array(plant.inputSize);
  if (servosAlone) input.set(task.servos?.targets ?? []);
  const faults = checkState(plant, task.start);
  if (faults.length > 0) throw new StateError(faults, `the start of "${task.name}" is not valid:`);
  plant.setWrench(task.push.body, {});
  plant.continuation = undefined;
  const trajectory = new Trajectory(plant, h, task.start);
  const steps = Math.round(task.seconds / h);
  let reason: string | undefined;
  let stopped = false;
  try {
    for (let k = 0; k < steps && reason === undefined; k++) {
      pushAt(k);
      loop?.inputInto(input, trajectory.final, k);
      const stepOptions = { interval: trajectory.interval(k) };
      const result = plant.step(trajectory.final, input, stepOptions);
      const solved = result.status === "solved";
      if (!solved) trajectory.failure = dumpStep(plant, trajectory.final, input, stepOptions);
      trajectory.record(input, result, result.next, solved);
      const time = `${((k + 1) * h).toFixed(2)} s`;
      if (!solved) reason = `a step of the plant was not solved at ${time}`;
      else if (task.isLost(result.next)) reason = `it fell at ${time}`;
      else stopped = (yield trajectory) === false && k + 1 < steps;
      if (stopped) reason = `it was stopped at ${time}`;
    }
  } finally {
    trajectory.end(plant.memoryOf(trajectory.final));
    plant.setWrench(task.push.body, {});
  }
  if (reason === undefined && !task.isKept(trajectory.final)) reason = "it has not come back in time";
  return {
    survived: reason === undefined,
    ...(reason !== undefined && { reason }),
    stopped,
    trajectory,
    plans: loop?.planner.horizon.counts.plans ?? 0,
    unimproved: loop?.planner.horizon.counts.unimproved ?? 0,
    steps: loop?.planner.horizon.compiled.dynamics.counts.steps ?? 0,
    gradients: loop?.planner.horizon.compiled.dynamics.counts.gradients ?? 0,
    planSeconds: loop?.planner.seconds ?? 0,
  };
}

/** The controller of one run: plans are made every so many steps, and followed from when they begin. */
class ControlLoop {
  readonly planner: PredictivePlanner;
  private readonly task: ControlTask;
  private readonly every: number;
  private readonly delay: number;
  private readonly follower: FeedbackFollower;
  private readonly plans: { readonly begins: number; readonly feedback: PlanFeedback }[] = [];

  constructor(task: ControlTask, every: number, delay: number) {
    this.task = task;
    this.every = every;
    this.delay = delay;
    this.planner = new PredictivePlanner(task);
    this.follower = new FeedbackFollower(task.plant, task.plan.inputBounds);
  }

  inputInto(out: Float64Array, state: Float64Array, step: number): void {
    const { every, delay, plans, follower } = this;
    // the first plan is there when the run begins
    if (step === 0) this.plan(state, 0, 0);
    if (step % every === 0 && (step > 0 || delay > 0)) this.plan(state, step, delay);
    if (plans.length > 1 && plans[1].begins <= step) plans.shift();
    const [{ begins, feedback }] = plans;
    follower.inputInto(out, feedback, (step - begins) * this.task.plant.timestep, state);
  }

  private plan(state: Float64Array, step: number, delay: number): void {
    this.plans.push({ begins: step + delay, feedback: this.planner.plan(state, step, delay) });
  }
}

/** The guide, if there is one, at the start of a run. */
function begin({ guide, name }: ControlTask, goal: Place | undefined): void {
  if (goal && !guide) throw new ArgumentError("unsupported", "goal", `${name} stays where it is`);
  const bad = goal?.findIndex((value) => !Number.isFinite(value)) ?? -1;
  if (goal && bad >= 0)
    throw new ArgumentError("not-finite", `goal[${bad}]`, `${goal[bad]}: give x and y in metres, as numbers`);
  if (!guide) return;
  guide.goal = goal ?? guide.home;
  guide.begin();
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
