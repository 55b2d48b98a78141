/** Frames a second, and how simulated time compares with time on the wall. By the worker's clock: a busy page gets frames in bursts. */
import type { Frame } from "./protocol.ts";

/** Milliseconds over which the mean is taken. */
const windowTime = 1000;

export class RateMeter {
  /** All that have come. */
  frames = 0;
  private readonly marks: { readonly wall: number; readonly time: number }[] = [];

  reset(): void {
    this.marks.length = 0;
  }

  add({ time, wall, playing }: Frame): void {
    this.frames++;
    if (!playing) return;
    // time that went back was a reset
    if (this.marks.length > 0 && time < this.marks[this.marks.length - 1].time) this.reset();
    this.marks.push({ wall, time });
    while (this.marks.length > 2 && this.marks[0].wall < wall - windowTime) this.marks.shift();
  }

  get updates(): number {
    return this.marks.length < 2 ? 0 : (1000 * (this.marks.length - 1)) / this.span.wall;
  }

  get realTime(): number {
    return this.marks.length < 2 ? 0 : (1000 * this.span.time) / this.span.wall;
  }

  private get span(): { wall: number; time: number } {
    const [first, last] = [this.marks[0], this.marks[this.marks.length - 1]];
    return { wall: Math.max(1, last.wall - first.wall), time: last.time - first.time };
  }
}
