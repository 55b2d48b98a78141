/**
 * Times of both engines on one robot, with the same start and the same inputs: ours, peer, ours, peer, … in one process. The first
 * round warms up and does not count.
 */
import {
  compile,
  controlsOf,
  maximalFromMinimal,
  maximalState,
  minimalState,
  pullback,
  Random,
  Simulation,
  stepGradients,
} from "dojo-sim";
import { type Mujoco, MujocoPeer } from "../peers/mujoco.ts";
import { type Robot, randomInputs } from "./robots.ts";

export const columns = ["forward", "jacobians", "pullback"] as const;
export type Column = (typeof columns)[number];

/** Least, median and largest of the rounds. */
export interface Spread {
  readonly least: number;
  readonly median: number;
  readonly most: number;
}

export interface Comparison {
  /** Seconds of 1000 steps, medians of the rounds. */
  readonly oursSeconds: number;
  readonly peerSeconds: number | null;
  /** Peer over ours: above 1, ours is faster. Null where the peer has nothing like it. */
  readonly ratio: number | null;
  readonly spread: { readonly ours: Spread; readonly peer: Spread | null; readonly ratio: Spread | null };
}

export interface PullbackTime extends Comparison {
  /** Over our own rollout without gradients, taken in turns with it. */
  readonly overForward: number;
}

export interface RobotTimes {
  readonly forward: Comparison;
  readonly jacobians: Comparison;
  readonly pullback: PullbackTime;
}

export interface Facts {
  readonly bodies: number;
  readonly coordinates: number;
  readonly inputs: number;
  readonly contacts: number;
  /** Means over our steps. */
  readonly iterations: number;
  readonly touching: number;
  readonly retries: number;
  readonly substeppedSteps: number;
  readonly unsolvedSteps: number;
  readonly lowestDistance: number | null;
  readonly peerTouching: number;
  readonly peerDiverged: boolean;
  readonly peerLowestDistance: number | null;
  /** Largest distance between the two engines' positions of a body after some steps, metres. */
  readonly apart: Readonly<Record<string, number>>;
}

/** Of finite differences, as MuJoCo's documentation has it. */
const difference = 1e-6;
/** Contact forces above this count as touching, N. */
const touch = 1e-3;

/** One robot in both engines, ready to be timed. */
export class Contest {
  readonly robot: Robot;
  readonly steps: number;
  private readonly simulation: Simulation;
  private readonly peer: MujocoPeer;
  private readonly start: Float64Array;
  private readonly minimalStart: Float64Array;
  private readonly inputs: readonly Float64Array[];
  private readonly controls: readonly Float64Array[];
  private readonly cotangent: Float64Array;

  constructor(mujoco: Mujoco, robot: Robot, steps: number) {
    const mechanism = compile(robot.description);
    this.robot = robot;
    this.steps = steps;
    this.simulation = new Simulation(mechanism);
    this.peer = new MujocoPeer(mujoco, robot.description);
    this.start = maximalState(mechanism, robot.description.states?.[robot.start]);
    this.minimalStart = minimalState(mechanism, this.start, mechanism.timestep);
    this.inputs = randomInputs(robot, steps);
    this.controls = this.inputs.map((input) => controlsOf(this.peer.map, input));
    const random = new Random(2);
    this.cotangent = Float64Array.from({ length: mechanism.stateSize }, () => random.normal());
  }

  delete(): void {
    this.peer.delete();
  }

  measure(rounds: number): RobotTimes {
    const forward = this.measureForward(rounds);
    const jacobians = this.measureJacobians(rounds);
    return { forward, jacobians, pullback: this.measurePullback(rounds) };
  }

  measureForward(rounds: number): Comparison {
    return comparison(this.inTurns(rounds, [() => this.ourForward(), () => this.peerForward()]), this.steps);
  }

  measureJacobians(rounds: number): Comparison {
    return comparison(this.inTurns(rounds, [() => this.ourJacobians(), () => this.peerJacobians()]), this.steps);
  }

  measurePullback(rounds: number): PullbackTime {
    const [both, alone] = this.inTurns(rounds, [() => this.ourPullback(), () => this.ourRollout(false)]);
    return { ...comparison([both], this.steps), overForward: spread(both).median / spread(alone).median };
  }

  /** Seconds of each job in each round but the first. */
  private inTurns(rounds: number, jobs: readonly (() => void)[]): number[][] {
    const times: number[][] = jobs.map(() => []);
    for (let round = 0; round <= rounds; round++) {
      jobs.forEach((job, i) => {
        const begin = performance.now();
        job();
        if (round > 0) times[i].push((performance.now() - begin) / 1000);
      });
    }
    return times;
  }

  private ourForward(): void {
    const state = Float64Array.from(this.start);
    for (const input of this.inputs) state.set(this.simulation.step(state, input).next);
  }

  private ourJacobians(): void {
    let state = this.start;
    for (const input of this.inputs) {
      const step = stepGradients(this.simulation, state, input, { coordinates: "minimal" });
      if (!step.differentiable) throw new Error(`a step of ${this.robot.title} has no gradients`);
      state = step.next;
    }
  }

  private ourRollout(gradients: boolean) {
    return this.simulation.rollout(this.start, {
      steps: this.steps,
      controller: (_, k) => this.inputs[k],
      check: false,
      gradients,
    });
  }

  /** The gradient of a linear function of the last state with respect to the start and all inputs. */
  private ourPullback(): void {
    pullback(this.ourRollout(true), (k) => (k === this.steps ? this.cotangent : undefined));
  }

  private peerForward(): void {
    const { mujoco, model, data } = this.peer;
    this.peer.setState(this.minimalStart);
    for (const control of this.controls) {
      data.ctrl.set(control);
      mujoco.mj_step(model, data);
    }
    this.requirePeerFinite();
  }

  private peerJacobians(): void {
    const { mujoco, model, data } = this.peer;
    const [states, inputs] = [2 * model.nv + model.na, model.nu];
    const a = new mujoco.DoubleBuffer(states * states);
    const b = new mujoco.DoubleBuffer(states * inputs);
    this.peer.setState(this.minimalStart);
    for (const control of this.controls) {
      data.ctrl.set(control);
      mujoco.mjd_transitionFD(model, data, difference, false, a, b, null, null);
      mujoco.mj_step(model, data);
    }
    const written = a.GetView().some((entry: number) => entry !== 0);
    a.delete();
    b.delete();
    if (!written) throw new Error("MuJoCo wrote no Jacobian");
    this.requirePeerFinite();
  }

  private requirePeerFinite(): void {
    if (this.peer.diverged) throw new Error(`${this.robot.title} diverged in MuJoCo and was reset`);
  }

  /** What happens in the runs that are timed: contacts, iterations, and how far the engines go apart. */
  facts(): Facts {
    const { simulation, peer, steps } = this;
    const { mechanism } = simulation;
    const state = Float64Array.from(this.start);
    const sums = { iterations: 0, touching: 0, retries: 0, substepped: 0, unsolved: 0, peerTouching: 0 };
    let [lowest, peerLowest] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    const apart: Record<string, number> = {};
    peer.setState(this.minimalStart);
    this.inputs.forEach((input, k) => {
      const { next, iterations, retries, substeps, status } = simulation.step(state, input);
      state.set(next);
      sums.iterations += iterations;
      sums.retries += retries;
      if (substeps > 1) sums.substepped++;
      if (status !== "solved") sums.unsolved++;
      lowest = Math.min(lowest, simulation.smallestDistance);
      sums.touching += mechanism.contacts.filter(({ name }) => simulation.contact(name).normal > touch).length;
      peer.data.ctrl.set(this.controls[k]);
      peer.step();
      sums.peerTouching += peer.data.ncon;
      peerLowest = Math.min(peerLowest, ...peer.distances());
      if ([1, 10, 100].includes(k + 1)) apart[`${k + 1}`] = this.apart(state);
    });
    return {
      bodies: mechanism.bodies.length,
      coordinates: mechanism.coordinateCount,
      inputs: mechanism.inputSize,
      contacts: mechanism.contacts.length,
      iterations: sums.iterations / steps,
      touching: sums.touching / steps,
      retries: sums.retries,
      substeppedSteps: sums.substepped,
      unsolvedSteps: sums.unsolved,
      lowestDistance: Number.isFinite(lowest) ? lowest : null,
      peerTouching: sums.peerTouching / steps,
      peerDiverged: peer.diverged,
      peerLowestDistance: Number.isFinite(peerLowest) ? peerLowest : null,
      apart,
    };
  }

  private apart(state: Float64Array): number {
    const { mechanism } = this.simulation;
    const theirs = maximalFromMinimal(mechanism, this.peer.state, mechanism.timestep);
    return Math.max(
      ...mechanism.bodies.map(({ index }) => {
        const at = 13 * index;
        return Math.hypot(...[0, 1, 2].map((i) => theirs[at + i] - state[at + i]));
      }),
    );
  }
}

function comparison([ours, peer]: readonly (readonly number[])[], steps: number): Comparison {
  const thousand = (times: readonly number[]): Spread => spread(times.map((time) => (1000 * time) / steps));
  const ourSpread = thousand(ours);
  const peerSpread = peer ? thousand(peer) : null;
  return {
    oursSeconds: ourSpread.median,
    peerSeconds: peerSpread?.median ?? null,
    ratio: peerSpread ? peerSpread.median / ourSpread.median : null,
    spread: { ours: ourSpread, peer: peerSpread, ratio: peer ? spread(peer.map((time, i) => time / ours[i])) : null },
  };
}

function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  return { least: sorted[0], median: sorted[sorted.length >> 1], most: sorted[sorted.length - 1] };
}
