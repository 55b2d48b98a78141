/** Which bodies are pulled beyond what the time step can follow, not now and then, as by an impact, but through much of a run. */
import { type Simulation, type StretchedBody, stretchedBodies } from "../index.ts";

/** Every so many steps one is looked at, and a body counts that is beyond the limit in this part of them, and more than once. */
const every = 8;
const often = 0.1;

export class StretchTally {
  private readonly simulation: Simulation;
  private readonly seen = new Map<string, { times: number; worst: StretchedBody }>();
  private looks = 0;

  constructor(simulation: Simulation) {
    this.simulation = simulation;
  }

  /** Adds what is seen after step k from this state. */
  add(state: Float64Array, k: number): void {
    if (k % every !== 0) return;
    this.looks++;
    for (const found of stretchedBodies(this.simulation, state)) {
      const { times, worst } = this.seen.get(found.body) ?? { times: 0, worst: found };
      this.seen.set(found.body, { times: times + 1, worst: found.phase > worst.phase ? found : worst });
    }
  }

  /** The worst first, each with its largest phase. */
  get bodies(): StretchedBody[] {
    return [...this.seen.values()]
      .filter(({ times }) => times > Math.max(1, often * this.looks))
      .map(({ worst }) => worst)
      .sort((a, b) => b.phase - a.phase);
  }
}
