/** Time, and whether it runs. Knows nothing of pages. */

export const speeds = [0.1, 0.25, 0.5, 1, 2, 4] as const;

export class Playback {
  readonly duration: number;
  readonly interval: number;
  speed = 1;
  loop = false;
  private now = 0;
  private running = false;
  private readonly listeners: (() => void)[] = [];

  constructor(duration: number, interval: number) {
    this.duration = duration;
    this.interval = interval;
  }

  get time(): number {
    return this.now;
  }

  get playing(): boolean {
    return this.running;
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  seek(time: number): void {
    this.now = Math.max(0, Math.min(this.duration, time));
    this.changed();
  }

  /** From the end, play begins again. */
  play(): void {
    if (this.duration === 0) return;
    if (this.now >= this.duration) this.now = 0;
    this.running = true;
    this.changed();
  }

  pause(): void {
    this.running = false;
    this.changed();
  }

  toggle(): void {
    if (this.running) this.pause();
    else this.play();
  }

  /** Pauses, and goes to the next frame or to the one before. */
  step(frames: number): void {
    this.running = false;
    const frame = this.now / this.interval;
    const nearest = frames > 0 ? Math.floor(frame + 1e-6) : Math.ceil(frame - 1e-6);
    this.seek((nearest + frames) * this.interval);
  }

  /** Lets wall time pass, in seconds. */
  advance(elapsed: number): void {
    if (!this.running) return;
    const time = this.now + elapsed * this.speed;
    if (time < this.duration) this.seek(time);
    else if (this.loop) this.seek(time % this.duration);
    else {
      this.running = false;
      this.seek(this.duration);
    }
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}
