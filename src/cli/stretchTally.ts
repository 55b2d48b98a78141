/** Which bodies are pulled beyond what the time step can follow, not now and then, as by an impact, but through much of a run. */
import { type Simulation, type StretchedBody, stretchedBodies } from "../index.ts";

/** Every so many steps one is looked at, and a body counts that is beyond the limit in this part of them, and more than once. */
const every = 8;
const often = 0.1;

export class StretchTally {
  private readonly simulation: Simulation;
  private readonly seen = new Map<string, { times: number; phase: number }>();
  private looks = 0;

  constructor(simulation: Simulation) {
    this.simulation = simulation;
  }

  /** Adds what is seen after step k from this state. */
  add(state: Float64Array, k: number): void {
    if (k % every !== 0) return;
    this.looks++;
    for (const { body, phase } of stretchedBodies(this.simulation, state)) {
      const { times, phase: largest } = this.seen.get(body) ?? { times: 0, phase: 0 };
      this.seen.set(body, { times: times + 1, phase: Math.max(largest, phase) });
    }
  }

  /** The worst first, each with its largest phase. */
  get bodies(): StretchedBody[] {
    return [...this.seen]
      .filter(([, { times }]) => times > Math.max(1, often * this.looks))
      .map(([body, { phase }]) => ({ body, phase }))
      .sort((a, b) => b.phase - a.phase);
  }
}
