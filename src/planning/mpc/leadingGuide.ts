/** Leads by a place that is never farther ahead than a plan can look: the goal itself, or a point on the way to it. */
import type { Guide, Place } from "./controlTask.ts";
import { placeOf } from "./readings.ts";

export class LeadingGuide implements Guide {
  readonly home: Place = [0, 0];
  goal: Place = this.home;
  /** What plans refer to. */
  target: Place = this.home;
  private readonly body: number;
  private readonly farthest: number;

  /** A guide of the body with this index, whose target is at most so many metres from it. */
  constructor(body: number, farthest: number) {
    this.body = body;
    this.farthest = farthest;
  }

  begin(): void {
    this.target = this.home;
  }

  follow(state: Float64Array): void {
    const { goal, farthest } = this;
    const [x, y] = placeOf(state, this.body);
    const [dx, dy] = [goal[0] - x, goal[1] - y];
    const part = farthest / Math.hypot(dx, dy);
    this.target = part < 1 ? [x + part * dx, y + part * dy] : goal;
  }

  /** Of a state's body from the goal, m. */
  distance(state: Float64Array): number {
    const [x, y] = placeOf(state, this.body);
    return Math.hypot(this.goal[0] - x, this.goal[1] - y);
  }
}
