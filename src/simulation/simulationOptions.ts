/** What a simulation and its rollouts are told, and what a step answers. */
import type { Target } from "../codegen/index.ts";
import { type OptionNames, optionNamesOf } from "../mechanism/index.ts";
import type { Continuation } from "./runs/continuation.ts";
import type { RecordOptions } from "./runs/gradientRecord.ts";
import type { Controller, InputOptions, RolloutInputs } from "./runs/rolloutInputs.ts";
import { type StepOptions, type StepReport, stepOptionNames } from "./step/stepReport.ts";

export interface SimulationOptions extends StepOptions {
  /** Default: WebAssembly where there is SIMD, JavaScript elsewhere. */
  readonly target?: Target;
}

export const simulationOptionNames: OptionNames<Omit<SimulationOptions, "points">> = {
  ...stepOptionNames,
  target: true,
};

export interface StepResult extends Readonly<StepReport> {
  /** The state after the step: a view that the next step overwrites. */
  readonly next: Float64Array;
}

export interface RolloutOptions extends InputOptions {
  /** Default: as many as `inputs` lists. */
  readonly steps?: number;
  /** Makes the input of each step from the state. Default none: inputs are zero, unless `inputs` gives them. */
  readonly controller?: Controller;
  /** One input that is held, or a list with one per step. */
  readonly inputs?: RolloutInputs;
  /** Called after each step; returning false ends the rollout. */
  readonly onStep?: (result: StepResult, step: number) => boolean | undefined;
  /** Go on after a step that was not solved, from the best point found, as long as a step can be taken from it. Default false. */
  readonly continueOnFailure?: boolean;
  /**
   * What the run that led to the start has left: `continuation` of a simulation or of its trajectory. Default: a start that the last step
   * led to goes on from there, any other is cold.
   */
  readonly continuation?: Continuation;
  /**
   * Interval over which the start's velocities are means, if it is the end of a rollout that was fast. Default the continuation's, that of the
   * last step where this led to the start, or the time step.
   */
  readonly interval?: number;
  /** Check the start with `checkState` and throw a `StateError` that lists its faults. Default true. */
  readonly check?: boolean;
  /** Keep what `pullback` and `pushforward` need to differentiate the rollout. Default false. */
  readonly gradients?: boolean | RecordOptions;
}

export const rolloutOptionNames = optionNamesOf<RolloutOptions>()(
  "steps controller inputs onStep continueOnFailure continuation interval check gradients",
);
