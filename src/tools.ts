/**
 * The insides of simulations, the entry "dojo-sim/tools": for benchmarks, experiments and other tools that look at the memory of a step,
 * at its kernels and at its solver. They follow the engine and change with it.
 */
import type { System } from "./kernels/index.ts";
import type { Simulation, Stepper } from "./simulation/index.ts";

export interface Insides {
  /** Memory and kernels. Where shapes touch, those of the contacts that there are now. */
  readonly system: System;
  /** What takes the steps: the equations of one as a problem, and the solver. */
  readonly stepper: Stepper;
}

export function insidesOf(simulation: Simulation): Insides {
  return simulation;
}
