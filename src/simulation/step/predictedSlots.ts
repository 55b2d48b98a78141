/**
 * Contacts that are bound at run time in a predicted start (predictedStart.ts): which of them are in its sweeps. What is done to them is in
 * kernels/cones/slotStarts.ts.
 */
import { portNumbers, type SlotResponses, type System } from "../../kernels/index.ts";

export class PredictedSlots {
  private readonly f64: Float64Array;
  private readonly responses: SlotResponses;
  private readonly respond: () => void;
  /** Number of the first visit in the lists. */
  private readonly first: number;

  constructor(system: System, responses: SlotResponses, first: number) {
    this.f64 = system.f64;
    this.responses = responses;
    this.respond = system.runner("slots.responses");
    this.first = first;
  }

  /** How many visits there are. */
  get visits(): number {
    return 2 * this.responses.numbers.length;
  }

  /** Whether the answers of all that are bound can be known. */
  prepare(): boolean {
    this.responses.arrange();
    return this.responses.isComplete;
  }

  /** Ports with their rates after the free step and the last impulses; adds their visits to those near by, and returns how many there are. */
  gather(near: Int32Array, before: number): number {
    const { f64, responses, first } = this;
    const { contacts } = responses;
    const { bound } = responses.bound;
    if (bound.length === 0) return before;
    this.respond();
    let count = before;
    for (let lane = 0; lane < bound.length; lane++)
      if (f64[responses.numbersOf(lane) + portNumbers.near] === 1)
        near[count++] = first + 2 * lane + (contacts[bound[lane]].ports === 1 ? 0 : 1);
    return count;
  }
}
