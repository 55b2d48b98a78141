/**
 * How finely the stage is drawn, as the graphics card allows. It begins at the finest. While pictures follow each other without a pause
 * and come more slowly than `slow` a second, it goes down: fewer pixels, then no shadows, then fewer still. It does not come back by
 * itself, since it would find out by stuttering again; another scene begins at the finest.
 */
export interface Quality {
  /** At most; screens with small pixels have 2. */
  readonly pixelRatio: number;
  readonly shadows: boolean;
  /** For people. */
  readonly name: string;
}

export const qualities: readonly Quality[] = [
  { pixelRatio: 2, shadows: true, name: "fine" },
  { pixelRatio: 1, shadows: true, name: "plain" },
  { pixelRatio: 1, shadows: false, name: "without shadows" },
  { pixelRatio: 0.6, shadows: false, name: "coarse" },
];

/** Pictures a second below which a coarser one is better than the wait. */
const slow = 24;
/** Milliseconds over which pictures are counted. */
const windowTime = 1500;
/** Milliseconds without anything to draw after which pictures no longer follow each other. */
const pause = 100;
/** Fewer pictures say nothing: one of them may have waited for something else. */
const fewest = 4;

export class DrawQuality {
  private level = 0;
  private marks: number[] = [];

  get quality(): Quality {
    return qualities[this.level];
  }

  /** Another scene. */
  reset(): void {
    this.level = 0;
    this.marks = [];
  }

  /** There was nothing to draw when the screen asked for it. */
  idle(now: number): void {
    const last = this.marks[this.marks.length - 1];
    if (last !== undefined && now - last > pause) this.marks = [];
  }

  /** A picture was drawn, at a time in milliseconds. True when the next ones are to be drawn otherwise. */
  drawn(now: number): boolean {
    const { marks } = this;
    marks.push(now);
    while (marks.length > fewest && marks[1] < now - windowTime) marks.shift();
    const isLong = now - marks[0] > windowTime;
    if (!isLong || marks.length < fewest || this.level === qualities.length - 1) return false;
    if (this.framesPerSecond >= slow) return false;
    this.level++;
    this.marks = [];
    return true;
  }

  /** Frames per second of the last pictures that followed each other; 0 when there were too few. */
  get framesPerSecond(): number {
    const { marks } = this;
    return marks.length < 2 ? 0 : (1000 * (marks.length - 1)) / (marks[marks.length - 1] - marks[0]);
  }
}
