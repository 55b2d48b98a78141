/** The work that is shared out: rollouts of one robot from one state, each with random inputs of its own. */
import { compile, type MechanismDescription, maximalState } from "dojo-sim";
import { randomInputs, robot } from "../timing/robots.ts";

export interface Work {
  readonly title: string;
  readonly description: MechanismDescription;
  readonly start: Float64Array;
  /** Inputs of one rollout, by its number: one after the other. */
  readonly inputs: (rollout: number) => Float64Array;
}

export function quadrupedWork(steps: number): Work {
  const a1 = robot("a1");
  return {
    title: a1.title,
    description: a1.description,
    start: maximalState(compile(a1.description), a1.description.states?.[a1.start]),
    inputs: (rollout) => Float64Array.from(randomInputs(a1, steps, rollout + 1).flatMap((input) => [...input])),
  };
}

/** A number that tells states apart; the same for the same bits in the same order. */
export function checksum(states: Float64Array): number {
  let sum = 0;
  states.forEach((entry, i) => {
    sum += entry * (1 + (i % 97));
  });
  return sum;
}
