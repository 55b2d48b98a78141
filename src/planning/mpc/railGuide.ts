/** Leads along x by a place that is never farther ahead than a plan can look: the goal itself, or a point on the way to it. */
import type { Guide, Place } from "./controlTask.ts";
import { placeOf } from "./readings.ts";

export class RailGuide implements Guide {
  readonly dimensions = 1;
  readonly home: Place = [0, 0];
  goal: Place = this.home;
  /** What plans refer to: x. */
  target = 0;
  private readonly body: number;
  private readonly farthest: number;

  /** A guide of the body with this index, whose target is at most so many metres from it. */
  constructor(body: number, farthest: number) {
    this.body = body;
    this.farthest = farthest;
  }

  begin(): void {
    this.target = 0;
  }

  follow(state: Float64Array): void {
    const { goal, farthest } = this;
    const [x] = placeOf(state, this.body);
    this.target = Math.max(x - farthest, Math.min(x + farthest, goal[0]));
  }

  /** Distance of a state's body from the goal along x, m. */
  distance(state: Float64Array): number {
    return Math.abs(this.goal[0] - placeOf(state, this.body)[0]);
  }
}
