/**
 * The plant of a run: it asks for a plan every few steps, goes on by the last one while the next is made, and waits where it is not there
 * in time. So a run goes the same way on every machine; on a slow one it takes longer. Knows nothing of threads and frames.
 */
import { type ControlTask, controlTasks, FeedbackFollower, Random, reachOf, type Simulation } from "dojo-sim";
import { posesOf } from "../engine/bodyPoint.ts";
import { PullSpring } from "../engine/pullSpring.ts";
import { mechanismParts } from "../engine/sceneInfo.ts";
import type { Pull } from "../protocol.ts";
import type { StageInfo } from "../stage/stage.ts";
import { PlanRates } from "./planRates.ts";
import type { BalanceFrame, PlanReply, PlanRequest } from "./protocol.ts";
import { type BalanceSettings, goalOf } from "./settings.ts";

/** Seconds that a push lasts. */
const pushDuration = 0.1;

export type StepOutcome = "solved" | "waiting" | "failed";

export class BalanceRun {
  readonly info: StageInfo;
  readonly rates = new PlanRates();
  steps = 0;
  private readonly task: ControlTask;
  private readonly plant: Simulation;
  private readonly follower: FeedbackFollower;
  private readonly ask: (request: PlanRequest) => void;
  private readonly input: Float64Array;
  private readonly random = new Random(1);
  private readonly reach: number;
  private state: Float64Array;
  /** The step for which a plan was asked last. */
  private asked = -1;
  /** The plan that is followed, then those that begin later. */
  private readonly plans: PlanReply[] = [];
  private planCount = 0;
  private pushes = 0;
  private pushedUntil = -1;
  private spring: PullSpring | undefined;

  constructor(settings: BalanceSettings, ask: (request: PlanRequest) => void) {
    this.ask = ask;
    this.task = controlTasks[settings.task].make();
    this.plant = this.task.plant;
    this.follower = new FeedbackFollower(this.plant, this.task.plan.inputBounds);
    this.state = this.task.start.slice();
    this.input = new Float64Array(this.plant.inputSize);
    this.reach = reachOf(this.state);
    // whatever goes somewhere is followed, a cart on its rail too
    this.info = { ...mechanismParts(this.plant.mechanism, this.reach), name: settings.task, floats: true };
    this.change(settings);
  }

  change(settings: BalanceSettings): void {
    if (this.task.guide) this.task.guide.goal = goalOf(settings);
  }

  push(impulse: number): void {
    const [x, y] = this.task.push.direction(this.random);
    const size = impulse / pushDuration;
    this.plant.setWrench(this.task.push.body, { force: [size * x, size * y, 0] });
    this.pushedUntil = this.steps + Math.round(pushDuration / this.plant.timestep);
    this.pushes++;
  }

  pull(pull: Pull | null): void {
    if (pull && this.spring?.moveTo(pull)) return;
    for (const { name } of this.plant.mechanism.bodies) this.plant.setWrench(name, {});
    this.spring = pull ? new PullSpring(this.plant, pull, this.reach) : undefined;
  }

  /** A plan has come. */
  take(reply: PlanReply, now: number): void {
    this.plans.push(reply);
    this.planCount++;
    this.rates.planned(now, reply.took);
  }

  /** One step of the plant, unless the plan for it is still being made. */
  step(): StepOutcome {
    const { plant, plans, steps, task } = this;
    this.askForPlans();
    if (plans.length > 1 && plans[1].begins <= steps) plans.shift();
    // the plan that was asked for a period ago begins now
    const due = steps - (steps % task.every);
    if (plans.length === 0 || plans[0].begins < due) return "waiting";
    const { begins, feedback } = plans[0];
    this.follower.inputInto(this.input, feedback, (steps - begins) * plant.timestep, this.state);
    if (steps === this.pushedUntil) plant.setWrench(task.push.body, {});
    this.spring?.apply(plant, this.state, this.input, {});
    const { status, next } = plant.step(this.state, this.input);
    if (status !== "solved") return "failed";
    this.state = Float64Array.from(next);
    this.steps++;
    return "solved";
  }

  /** Dimensions of the places that it can be told to go to. */
  get goals(): 0 | 1 | 2 {
    return this.task.guide?.dimensions ?? 0;
  }

  get timestep(): number {
    return this.plant.timestep;
  }

  frame(now: number): BalanceFrame {
    const { plant, state, task, steps, rates, plans } = this;
    const { bodies, contacts } = plant.mechanism;
    const time = steps * plant.timestep;
    rates.shown(now, time);
    const forces = new Float32Array(3 * contacts.length);
    if (steps > 0) for (const [i, { name }] of contacts.entries()) forces.set(plant.contact(name).force, 3 * i);
    const line = this.spring?.line(state);
    return {
      time,
      poses: posesOf(state, bodies.length),
      forces,
      pull: line ? Float32Array.from(line) : null,
      arrows: null,
      horizon: plans[0]?.horizon ?? new Float32Array(0),
      plansPerSecond: rates.plansPerSecond,
      planTime: rates.planTime,
      realTime: rates.realTime,
      plans: this.planCount,
      pushes: this.pushes,
      isKept: task.isKept(state),
    };
  }

  /** The first plan begins at once, and so does the plant wait for it; every other one a period after it is asked for. */
  private askForPlans(): void {
    const { steps, task, state } = this;
    if (steps % task.every !== 0 || steps === this.asked) return;
    this.asked = steps;
    if (steps === 0) this.ask({ state: state.slice(), step: 0, delay: 0 });
    this.ask({ state: state.slice(), step: steps, delay: task.every });
  }
}
