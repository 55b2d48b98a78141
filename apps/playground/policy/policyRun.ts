/**
 * A robot under a policy, for as long as one likes. It is simulated at 0.01 s, finer than it was trained, and the policy acts as often as
 * in training. Policies know their place, and only places near the start: so the robot is moved back there now and then, with all its
 * bodies, and is drawn where it would be. Nothing else changes, since the floor is the same everywhere. Knows nothing of frames.
 */
import {
  bodyStateSize,
  type Controller,
  type Environment,
  namedEnvironment,
  policyController,
  policyFromJson,
  Random,
  reachOf,
  stateOffsets,
} from "dojo-sim";
import { posesOf } from "../engine/bodyPoint.ts";
import { PullSpring } from "../engine/pullSpring.ts";
import { mechanismParts } from "../engine/sceneInfo.ts";
import type { Pull } from "../protocol.ts";
import type { StageInfo } from "../stage/stage.ts";
import type { PolicyFrame } from "./protocol.ts";

const timestep = 0.01;
/** Seconds that a push lasts. */
const pushDuration = 0.1;
/** From the start to where the robot is moved back, m: ahead, behind and to the sides. */
const lap = { ahead: 3, behind: 1, aside: 1 } as const;
/** Seconds from a fall to the next start. */
const rest = 1;
/** Seconds over which the speed is a mean. */
const speedSpan = 1;

export class PolicyRun {
  readonly info: StageInfo;
  private readonly environment: Environment;
  private readonly starts = new Random(1);
  private readonly sides = new Random(2);
  private readonly input: Float64Array;
  private readonly reach: number;
  private readonly root: number;
  private readonly moves: boolean;
  private controller: Controller;
  private state: Float64Array = new Float64Array(0);
  /** Over which its velocities are means: less than the time step where a limb that is pulled turns too fast for it. */
  private interval = timestep;
  /** Where the robot is moved back from, in all. */
  private moved: [number, number] = [0, 0];
  private steps = 0;
  /** Steps since the controller took over, or since the start. */
  private acted = 0;
  private startCount = 0;
  private pushes = 0;
  private falls = 0;
  private fellAt = -1;
  private pushedUntil = -1;
  private spring: PullSpring | undefined;
  private path: { readonly step: number; readonly x: number }[] = [];

  /** Without a policy nothing acts. */
  constructor(robot: string, policy?: string) {
    this.environment = namedEnvironment(robot, { timestep });
    const { mechanism } = this.environment;
    this.input = new Float64Array(mechanism.inputSize);
    this.controller = this.controllerOf(policy);
    this.restart();
    this.reach = reachOf(this.state);
    const parts = mechanismParts(mechanism, this.reach);
    this.root = parts.base;
    // a cart on its rail is not moved back: it is to stay near the middle
    this.moves = parts.floats;
    // whatever runs is followed, a cart on its rail too
    this.info = { ...parts, name: robot, floats: true };
  }

  /** Another policy acts from now on; a robot that has gone on for an episode or more starts anew. */
  usePolicy(policy: string): void {
    const { horizon } = this.environment.description;
    this.controller = this.controllerOf(policy);
    this.acted = 0;
    if (this.fellAt >= 0 || this.steps * this.timestep >= horizon * this.environment.timestep) this.restart();
  }

  restart(): void {
    const { environment } = this;
    const { simulation } = environment;
    for (const { name } of simulation.mechanism.bodies) simulation.setWrench(name, {});
    this.state = environment.start(this.starts);
    this.interval = simulation.timestep;
    simulation.continuation = undefined;
    this.startCount++;
    this.moved = [0, 0];
    this.steps = 0;
    this.acted = 0;
    this.fellAt = -1;
    this.pushedUntil = -1;
    this.spring = undefined;
    this.path = [];
  }

  /** Pushes the body that carries the others, from any side, or from ahead or behind where it cannot leave its line. */
  push(impulse: number): void {
    const { simulation } = this.environment;
    const isPlanar = !simulation.mechanism.coordinateNames.includes("base.y");
    const turn = this.sides.uniform(0, 1);
    const angle = isPlanar ? Math.PI * Math.round(turn) : 2 * Math.PI * turn;
    const size = impulse / pushDuration;
    const force = [size * Math.cos(angle), size * Math.sin(angle), 0] as const;
    simulation.setWrench(simulation.mechanism.bodies[this.root].name, { force });
    this.pushedUntil = this.steps + Math.round(pushDuration / simulation.timestep);
    this.pushes++;
  }

  /** Places of a pull are those that are drawn. */
  pull(pull: Pull | null): void {
    const { simulation } = this.environment;
    const here = pull && this.asSimulated(pull);
    if (here && this.spring?.moveTo(here)) return;
    for (const { name } of simulation.mechanism.bodies) simulation.setWrench(name, {});
    this.spring = here ? new PullSpring(simulation, here, this.reach) : undefined;
  }

  /** One step of the simulation. */
  step(): void {
    const { environment, input, state } = this;
    const { simulation } = environment;
    if (this.fellAt >= 0 && (this.steps - this.fellAt) * this.timestep >= rest) this.restart();
    if (this.fellAt >= 0) input.fill(0);
    else this.controller(state, this.acted++, input, this.interval);
    if (this.steps === this.pushedUntil) simulation.setWrench(simulation.mechanism.bodies[this.root].name, {});
    const options = { interval: this.interval };
    this.spring?.apply(simulation, state, input, options);
    const { status, next, interval } = simulation.step(this.state, input, options);
    this.steps++;
    if (status !== "solved") {
      this.fall();
      return;
    }
    this.state.set(next);
    this.interval = interval;
    if (this.fellAt < 0 && !this.isAlive()) this.fall();
    this.moveBack();
    this.path.push({ step: this.steps, x: this.state[bodyStateSize * this.root] + this.moved[0] });
    if (this.path.length > speedSpan / this.timestep) this.path.shift();
  }

  get timestep(): number {
    return this.environment.simulation.timestep;
  }

  frame(): PolicyFrame {
    const { state, moved, steps, path } = this;
    const { simulation } = this.environment;
    const { bodies, contacts } = simulation.mechanism;
    const forces = new Float32Array(3 * contacts.length);
    if (steps > 0) for (const [i, { name }] of contacts.entries()) forces.set(simulation.contact(name).force, 3 * i);
    const line = this.spring?.line(state);
    const shift = [moved[0], moved[1], 0, moved[0], moved[1], 0];
    const [first, last] = [path[0], path[path.length - 1]];
    const unmoved = Float64Array.from(state);
    shiftBodies(unmoved, moved);
    return {
      time: steps * this.timestep,
      poses: posesOf(unmoved, bodies.length),
      forces,
      pull: line ? Float32Array.from(line, (value, i) => value + shift[i]) : null,
      arrows: null,
      distance: last ? last.x : 0,
      speed: path.length < 2 ? 0 : (last.x - first.x) / ((last.step - first.step) * this.timestep),
      starts: this.startCount,
      pushes: this.pushes,
      falls: this.falls,
      hasFallen: this.fellAt >= 0,
    };
  }

  private controllerOf(policy: string | undefined): Controller {
    if (policy === undefined) return (_, __, input) => void input.fill(0);
    return policyController(this.environment, policyFromJson(policy));
  }

  private isAlive(): boolean {
    const { environment } = this;
    const moment = environment.newMoment();
    environment.begin(moment, this.state, this.interval);
    return environment.functions.isAlive(moment);
  }

  private fall(): void {
    this.falls++;
    this.fellAt = this.steps;
  }

  private moveBack(): void {
    if (!this.moves) return;
    const { state, root } = this;
    const [x, y] = state.subarray(bodyStateSize * root);
    const isNear = x < lap.ahead && x > -lap.behind && Math.abs(y) < lap.aside;
    if (isNear || !Number.isFinite(x + y)) return;
    shiftBodies(state, [-x, -y]);
    this.moved = [this.moved[0] + x, this.moved[1] + y];
    if (this.spring) this.spring = undefined;
  }

  private asSimulated({ body, point, target }: Pull): Pull {
    const [x, y, z] = target;
    return { body, point, target: [x - this.moved[0], y - this.moved[1], z] };
  }
}

/** Moves all bodies along the floor. */
function shiftBodies(state: Float64Array, [x, y]: readonly [number, number]): void {
  for (let at = stateOffsets.position; at < state.length; at += bodyStateSize) {
    state[at] += x;
    state[at + 1] += y;
  }
}
