/** Whether steps in which nothing drives bodies end with more energy than they began with (states/undriven.ts, states/kineticGain.ts). */
import type { Mechanism } from "../../mechanism/index.ts";
import { isFree } from "../states/bentWays.ts";
import { gainsEnergy } from "../states/kineticGain.ts";
import { Undriven } from "../states/undriven.ts";
import type { SlotSystem } from "./slotSystem.ts";
import type { TouchSearch } from "./touchSearch.ts";

/** Part of the kinetic energy that a step may add before it is taken in parts. */
const mostGain = 1e-2;
/** The same of a step in parts, as its end is read. The shortest may gain what they like: one of a pile had fifty times what it began with. */
const mostBurst = 0.1;

/** What takes the steps (touchSteps.ts). */
interface Taker {
  readonly active: SlotSystem;
  readonly features: { readonly count: number };
  readonly search: TouchSearch;
  readonly timestep: number;
}

export class EnergyWatch {
  /** Whether joints hold no body. */
  readonly isLoose: boolean;
  private readonly touch: Taker;
  private readonly undriven: Undriven;

  constructor(touch: Taker, mechanism: Mechanism) {
    this.touch = touch;
    this.undriven = new Undriven(mechanism);
    this.isLoose = mechanism.joints.every(isFree);
  }

  /**
   * Whether a step gains, from a state that a part led to that was `before` times as long. What joints hold is asked only where something may touch: elsewhere the energy of turning links that is read goes up and down a little.
   */
  gains(state: Float64Array, next: Float64Array, before: number): boolean {
    return (this.isLoose || this.touch.features.count > 0) && this.gainsBy(mostGain, state, next, before);
  }

  /** Whether a step in parts does, so much that its parts have gone wrong. */
  bursts(state: Float64Array, next: Float64Array, before: number): boolean {
    return this.gainsBy(mostBurst, state, next, before);
  }

  private gainsBy(part: number, state: Float64Array, next: Float64Array, before: number): boolean {
    const { search, timestep: h } = this.touch;
    const { system } = this.touch.active;
    if (!(this.undriven.holds(system) && gainsEnergy(system, state, next, part, 0, before * h))) return false;
    // what begins in each other comes apart within the step: in a shorter one it would be faster
    search.checkStart(state);
    return search.crossed === 0 || gainsEnergy(system, state, next, part, search.depths / h, before * h);
  }
}
