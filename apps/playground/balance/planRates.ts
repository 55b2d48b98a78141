/** How fast plans are made and time goes by, over the last two seconds of the clock in which the run went on. */

/** ms. */
const span = 2000;

export class PlanRates {
  private readonly plans: { readonly at: number; readonly took: number }[] = [];
  private readonly frames: { readonly at: number; readonly time: number }[] = [];

  /** After a pause nothing is known. */
  clear(): void {
    this.plans.length = 0;
    this.frames.length = 0;
  }

  planned(at: number, took: number): void {
    this.plans.push({ at, took });
    drop(this.plans, at);
  }

  /** The time of the run, in seconds, at a time of the clock. */
  shown(at: number, time: number): void {
    this.frames.push({ at, time });
    drop(this.frames, at);
  }

  get plansPerSecond(): number {
    const { plans } = this;
    return plans.length < 2 ? 0 : (1000 * (plans.length - 1)) / (plans[plans.length - 1].at - plans[0].at);
  }

  /** ms. */
  get planTime(): number {
    const { plans } = this;
    return plans.length === 0 ? 0 : plans.reduce((sum, { took }) => sum + took, 0) / plans.length;
  }

  get realTime(): number {
    const [first, last] = [this.frames[0], this.frames[this.frames.length - 1]];
    return this.frames.length < 2 ? 0 : (1000 * (last.time - first.time)) / (last.at - first.at);
  }
}

function drop(entries: { readonly at: number }[], now: number): void {
  while (entries.length > 2 && entries[0].at < now - span) entries.shift();
}
