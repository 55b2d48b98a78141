/** A mechanism that keeps its balance by planning ahead: the plant, the planner, and who pushes it. Knows nothing of frames. */
import { type ControlTask, controlTasks, Random, RecedingHorizon, reachOf, type Simulation } from "dojo-sim";
import { PullSpring } from "../engine/pullSpring.ts";
import { mechanismParts } from "../engine/sceneInfo.ts";
import type { Pull } from "../protocol.ts";
import type { StageInfo } from "../stage/stage.ts";
import type { BalanceFrame } from "./protocol.ts";
import type { BalanceSettings } from "./settings.ts";

/** Seconds that a push lasts. */
const pushDuration = 0.1;
/** Of the clock, over which rates are means, ms. */
const rateWindow = 2000;

export class BalanceRun {
  readonly info: StageInfo;
  private readonly task: ControlTask;
  private readonly plant: Simulation;
  private readonly input: Float64Array;
  private readonly random = new Random(1);
  private readonly reach: number;
  private horizon: RecedingHorizon;
  private settings: BalanceSettings;
  private state: Float64Array;
  private steps = 0;
  /** The step at which the current plan began. */
  private planned = 0;
  private plans = 0;
  private pushes = 0;
  private pushedUntil = -1;
  private spring: PullSpring | undefined;
  private readonly times: { readonly at: number; readonly took: number; readonly step: number }[] = [];

  constructor(settings: BalanceSettings) {
    this.settings = settings;
    this.task = controlTasks[settings.task].make();
    this.plant = this.task.plant;
    this.state = this.task.start.slice();
    this.input = new Float64Array(this.plant.inputSize);
    this.reach = reachOf(this.state);
    this.info = { ...mechanismParts(this.plant.mechanism, this.reach), name: settings.task };
    this.horizon = this.planner();
  }

  /** Another horizon or κ is another planner; it starts from the task's own guess. */
  change(settings: BalanceSettings): void {
    const { horizon, kappa } = this.settings;
    this.settings = settings;
    if (settings.horizon === horizon && settings.kappa === kappa) return;
    this.horizon = this.planner();
    this.planned = this.steps - this.task.every;
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

  /** One step of the plant, with a plan before it where one is due. False where the plant cannot go on. */
  step(): boolean {
    const { plant, horizon, task } = this;
    const h = plant.timestep;
    const since = this.steps - this.planned;
    if (this.steps === 0 || since >= task.every) this.plan(since * h);
    horizon.inputInto(this.input, (this.steps - this.planned) * h, this.state);
    if (this.steps === this.pushedUntil) plant.setWrench(task.push.body, {});
    this.spring?.apply(plant, this.state, this.input, {});
    const { status, next } = plant.step(this.state, this.input);
    if (status !== "solved") return false;
    this.state = Float64Array.from(next);
    this.steps++;
    return true;
  }

  get timestep(): number {
    return this.plant.timestep;
  }

  frame(now: number): BalanceFrame {
    const { plant, state, times, task } = this;
    const { bodies, contacts } = plant.mechanism;
    while (times.length > 2 && times[0].at < now - rateWindow) times.shift();
    const took = times.reduce((sum, entry) => sum + entry.took, 0);
    const span = times.length < 2 ? 0 : now - times[0].at;
    const forces = new Float32Array(3 * contacts.length);
    if (this.steps > 0) for (const [i, { name }] of contacts.entries()) forces.set(plant.contact(name).force, 3 * i);
    const line = this.spring?.line(state);
    return {
      time: this.steps * plant.timestep,
      poses: Float32Array.from(bodies.flatMap((_, i) => Array.from(state.subarray(13 * i, 13 * i + 7)))),
      forces,
      pull: line ? Float32Array.from(line) : null,
      arrows: null,
      horizon: this.horizonLines(),
      plansPerSecond: took > 0 ? (1000 * times.length) / took : 0,
      realTime: span > 0 ? (1000 * (this.steps - times[0].step) * plant.timestep) / span : 0,
      plans: this.plans,
      pushes: this.pushes,
      isKept: task.isKept(state),
    };
  }

  private planner(): RecedingHorizon {
    const { task, settings, plant } = this;
    const { horizon: steps, kappa } = settings;
    const inputs = task.plan.guess?.inputs;
    const guess = inputs && Array.from({ length: steps }, (_, k) => inputs[Math.min(k, inputs.length - 1)]);
    return new RecedingHorizon(
      { ...task.plan, steps, ...(guess && { guess: { inputs: guess } }) },
      { ...task.options, path: { relativeKappa: kappa }, interval: plant.timestep },
    );
  }

  private plan(elapsed: number): void {
    const begin = performance.now();
    this.horizon.plan(this.state, elapsed);
    const first = performance.now() - begin;
    // another pass costs about as much as the first
    while (performance.now() - begin + first < this.settings.budget) if (!this.horizon.improve()) break;
    const took = performance.now() - begin;
    this.times.push({ at: begin, took, step: this.steps });
    this.plans++;
    this.planned = this.steps;
  }

  /** The path of every body's centre along the plan. */
  private horizonLines(): Float32Array {
    if (this.plans === 0) return new Float32Array(0);
    const { states } = this.horizon;
    const count = this.plant.mechanism.bodies.length;
    const ends: number[] = [];
    for (let body = 0; body < count; body++) {
      for (let k = 0; k + 1 < states.length; k++) {
        for (const state of [states[k], states[k + 1]]) ends.push(...state.subarray(13 * body, 13 * body + 3));
      }
    }
    return Float32Array.from(ends);
  }
}
