/**
 * Leads a mechanism that walks or hops: it stands where it is at its goal, and keeps a rhythm while it is not. Seen from a plan that
 * begins now, t seconds ahead,
 *   place    p + v t, not past the goal         v towards the goal, slower near it
 *   heading  ψ + ω t                            ω towards the goal, while it is far
 *   phase    φ + t / period                     from the start of the walk; a cycle is 1
 * A walk begins farther from the goal than it ends, so that it does not begin again at once, and ends where a stride does.
 */
import type { Guide, Place } from "./controlTask.ts";
import { headingOf, placeOf } from "./readings.ts";

export interface GaitOptions {
  /** The index of the body that is led. */
  readonly body: number;
  /** Where it goes unless it is told otherwise. Default where it starts. */
  readonly home?: Place;
  /** Seconds of a cycle. */
  readonly period: number;
  /** Number of strides in a cycle. */
  readonly strides: number;
  /** Largest speed, m/s, and how fast it grows, m/s². */
  readonly speed: number;
  readonly acceleration: number;
  /** Largest rate of turning, rad/s. 0 for those that keep their heading. */
  readonly turning: number;
}

/** Distances from the goal where a walk ends, and where one begins, m. */
const [near, away] = [0.05, 0.12];
/** Who stands this near to the goal has arrived, m, with some room for pushes. */
export const closeEnough = 0.15;
/** Speed per distance from the goal, 1/s, and the least that it falls to, m/s. */
const approach = { gain: 1.5, least: 0.1 } as const;
/** It turns to face its goal where that is at least this far, m, at this rate per angle, 1/s. */
const facing = { from: 0.4, gain: 2 } as const;
/** Headings go no farther from the first one, rad: rotation vectors of half a turn and more are ambiguous. */
const farthestHeading = 2.5;

const start: Place = [0, 0];

export class GaitGuide implements Guide {
  readonly dimensions = 2;
  readonly home: Place;
  goal: Place;
  isWalking = false;
  velocity: Place = [0, 0];
  turnRate = 0;
  private place: Place = start;
  private heading = 0;
  private phase = 0;
  private readonly options: GaitOptions;

  constructor(options: GaitOptions) {
    this.options = options;
    this.home = options.home ?? start;
    this.goal = this.home;
  }

  begin(): void {
    this.stand();
    this.place = start;
    this.heading = 0;
  }

  follow(state: Float64Array, elapsed: number): void {
    const { body, strides, speed, acceleration, turning, period } = this.options;
    this.place = placeOf(state, body);
    const [dx, dy] = this.toGoal();
    const distance = Math.hypot(dx, dy);
    if (!this.isWalking) {
      if (distance <= away) return;
      this.isWalking = true;
      this.heading = headingOf(state, body);
    } else {
      const stride = Math.floor(strides * this.phase);
      this.phase += elapsed / period;
      if (distance < near && Math.floor(strides * this.phase) > stride) {
        this.stand();
        return;
      }
    }
    const wanted = Math.min(speed, approach.gain * distance + approach.least);
    const now = Math.min(wanted, Math.hypot(...this.velocity) + acceleration * elapsed);
    this.velocity = [(now * dx) / distance, (now * dy) / distance];
    if (turning === 0) return;
    this.heading = headingOf(state, body);
    const wantedHeading = limited(Math.atan2(dy, dx), farthestHeading);
    this.turnRate = distance > facing.from ? limited(facing.gain * (wantedHeading - this.heading), turning) : 0;
  }

  placeAt(t: number): Place {
    if (!this.isWalking) return this.goal;
    const [dx, dy] = this.toGoal();
    const part = Math.min(1, (Math.hypot(...this.velocity) * t) / Math.hypot(dx, dy));
    return [this.place[0] + part * dx, this.place[1] + part * dy];
  }

  headingAt(t: number): number {
    return this.heading + this.turnRate * t;
  }

  /** The phase at a time, from 0 to 1. */
  phaseAt(t: number): number {
    const phase = this.phase + t / this.options.period;
    return phase - Math.floor(phase);
  }

  /** Distance of a state's body from the goal, m. */
  distance(state: Float64Array): number {
    const [x, y] = placeOf(state, this.options.body);
    return Math.hypot(this.goal[0] - x, this.goal[1] - y);
  }

  private toGoal(): Place {
    return [this.goal[0] - this.place[0], this.goal[1] - this.place[1]];
  }

  private stand(): void {
    this.isWalking = false;
    this.velocity = [0, 0];
    this.turnRate = 0;
    this.phase = 0;
  }
}

const limited = (value: number, limit: number): number => Math.max(-limit, Math.min(limit, value));
