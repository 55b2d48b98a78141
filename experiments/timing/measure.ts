/**
 * Times of both engines on one robot, with the same start and the same inputs: ours, peer, ours, peer, … in one process. Each
 * job first runs by itself until compilers have warmed up, which does not count.
 */
import type { Mujoco } from "../peers/mujoco.ts";
import { type Facts, factsOf } from "./facts.ts";
import { OurRuns } from "./ours.ts";
import { type Robot, randomInputs } from "./robots.ts";
import { PeerRuns } from "./theirs.ts";

export const columns = ["forward", "jacobians", "pullback"] as const;
export type Column = (typeof columns)[number];

/** Spread of the rounds; a quarter of them lies below `low`, a quarter above `high`. */
export interface Spread {
  readonly least: number;
  readonly low: number;
  readonly median: number;
  readonly high: number;
  readonly most: number;
}

export interface Comparison {
  /** Seconds of 1000 steps, medians of the rounds. */
  readonly oursSeconds: number;
  readonly peerSeconds: number | null;
  /** Peer over ours: above 1, ours is faster. Null where the peer has nothing like it. */
  readonly ratio: number | null;
  readonly rounds: number;
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

/** Seconds since some moment. */
export type Clock = () => number;

export const wallClock: Clock = () => performance.now() / 1000;

/** Seconds that this process has computed: steadier where others compute too, though it counts threads that collect garbage. */
export const processorClock: Clock = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** One robot in both engines, ready to be timed. */
export class Contest {
  readonly robot: Robot;
  private readonly clock: Clock;
  private readonly steps: number;
  private readonly ours: OurRuns;
  private readonly theirs: PeerRuns;

  constructor(mujoco: Mujoco, robot: Robot, steps: number, clock: Clock = wallClock) {
    this.robot = robot;
    this.clock = clock;
    this.steps = steps;
    this.ours = new OurRuns(robot, randomInputs(robot, steps));
    this.theirs = new PeerRuns(mujoco, robot, this.ours);
  }

  delete(): void {
    this.theirs.delete();
  }

  facts(): Facts {
    return factsOf(this.ours, this.theirs);
  }

  measure(rounds: number): RobotTimes {
    const forward = this.measureForward(rounds);
    const jacobians = this.measureJacobians(rounds);
    return { forward, jacobians, pullback: this.measurePullback(rounds) };
  }

  measureForward(rounds: number): Comparison {
    const [ours, theirs] = this.inTurns(rounds, [() => this.ours.forward(), () => this.theirs.forward()]);
    return comparison(this.steps, ours, theirs);
  }

  measureJacobians(rounds: number): Comparison {
    const [ours, theirs] = this.inTurns(rounds, [() => this.ours.jacobians(), () => this.theirs.jacobians()]);
    return comparison(this.steps, ours, theirs);
  }

  measurePullback(rounds: number): PullbackTime {
    const [both, alone] = this.inTurns(rounds, [() => this.ours.pullback(), () => this.ours.rollout()]);
    return { ...comparison(this.steps, both), overForward: spread(both).median / spread(alone).median };
  }

  private inTurns(rounds: number, jobs: readonly (() => void)[]): number[][] {
    return inTurns(this.clock, rounds, jobs);
  }
}

/** Time of a job before it counts, s, in short runs too: kernels are optimised one by one, as they are found to run often. */
const warmUpSeconds = 0.7;
/** Short jobs get more rounds, as long as all of them take no longer than this, s. */
const longest = 0.5;

/** Does a job again and again until compilers have had their time. */
export function warmUp(job: () => void, clock: Clock = wallClock): void {
  for (const begin = clock(); clock() - begin < warmUpSeconds; ) job();
}

/** Rounds that short jobs get at most. */
const mostRounds = 41;

/** Seconds of each job in each round, after rounds that do not count. */
export function inTurns(clock: Clock, rounds: number, jobs: readonly (() => void)[]): number[][] {
  const round = (): number[] =>
    jobs.map((job) => {
      const begin = clock();
      job();
      return clock() - begin;
    });
  for (const job of jobs) warmUp(job, clock);
  const times: number[][] = [];
  const start = clock();
  while (times.length < rounds || (times.length < mostRounds && clock() - start < longest)) times.push(round());
  return jobs.map((_, i) => times.map((each) => each[i]));
}

function comparison(steps: number, ours: readonly number[], theirs?: readonly number[]): Comparison {
  const thousand = (times: readonly number[]): Spread => spread(times.map((time) => (1000 * time) / steps));
  const own = thousand(ours);
  const peer = theirs ? thousand(theirs) : null;
  return {
    oursSeconds: own.median,
    peerSeconds: peer?.median ?? null,
    ratio: peer ? peer.median / own.median : null,
    rounds: ours.length,
    spread: { ours: own, peer, ratio: theirs ? spread(theirs.map((time, i) => time / ours[i])) : null },
  };
}

function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number): number => sorted[Math.round(part * (sorted.length - 1))];
  return { least: at(0), low: at(0.25), median: at(0.5), high: at(0.75), most: at(1) };
}
