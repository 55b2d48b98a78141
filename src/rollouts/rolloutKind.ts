/** Rollouts as a kind of work: every worker compiles the mechanism once and keeps its simulation. */
import type { MechanismDescription } from "../mechanism/index.ts";
import { compile, Simulation } from "../simulation/index.ts";
import type { WorkKind } from "../work/index.ts";
import type { RolloutJob, RolloutOutcome, SharedStepOptions } from "./job.ts";
import { runRollout } from "./runRollout.ts";

export interface RolloutContext {
  readonly description: MechanismDescription;
  /** Options of every step. */
  readonly options: SharedStepOptions;
}

export interface PostedRollout extends RolloutJob {
  /** Where the states go, in memory that both sides share; else the outcome brings them. */
  readonly into?: Float64Array | undefined;
}

export type PostedOutcome = Omit<RolloutOutcome, "states"> & { readonly states?: Float64Array | undefined };

export const rolloutKind: WorkKind<RolloutContext, PostedRollout, PostedOutcome> = {
  name: "rollouts",
  prepare({ description, options }) {
    const simulation = new Simulation(compile(description), options);
    return (job, control) => {
      const outcome = runRollout(simulation, job, { into: job.into, isCancelled: control?.isCancelled });
      return job.into ? { ...outcome, states: undefined } : outcome;
    };
  },
  transfer: ({ states }) => (states ? [states.buffer as ArrayBuffer] : []),
};
