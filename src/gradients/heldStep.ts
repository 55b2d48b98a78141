/** A step that keeps its point on the central path at the gradients' κ. */
import type { Simulation, StepOptions, StepResult } from "../simulation/index.ts";
import type { SolvedStep } from "./point.ts";

export interface HeldStep {
  readonly result: StepResult;
  /** Undefined where the solver did not get as far as κ. */
  readonly solved: SolvedStep | undefined;
}

/** The result and the solved step are views until the next step. */
export function heldStep(
  simulation: Simulation,
  state: Float64Array,
  input: Float64Array,
  kappa: number,
  options: StepOptions = simulation.options,
): HeldStep {
  const { stepper, system } = simulation;
  // what an earlier step has kept must not pass for this one's
  for (const point of stepper.held) point[0] = Number.NaN;
  const result = simulation.step(state, input, { ...options, hold: kappa });
  // failed substeps leave points of several sizes behind
  const isWhole = result.status === "solved" || result.substeps === 1;
  const points = stepper.held.slice(0, result.substeps);
  const isKept = points.length === result.substeps && points.every((point) => !Number.isNaN(point[0]));
  const solved = isWhole && isKept ? { data: system.f64.subarray(0, system.dataEnd), input, points } : undefined;
  return { result, solved };
}
