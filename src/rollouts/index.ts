/** Threads of a pool, under the names that they have there. */
export type { WorkPort as RolloutPort, WorkThread as RolloutWorker } from "../work/index.ts";
export type { RolloutBatch, RolloutFailure, RolloutResults } from "./batch.ts";
export { type RolloutEnd, RolloutError, type RolloutJob, type RolloutOutcome, type SharedStepOptions } from "./job.ts";
export { type MapRolloutsOptions, mapRollouts } from "./mapRollouts.ts";
export { RolloutPool, type RolloutPoolOptions, type RolloutProgress, type RolloutRunOptions } from "./pool.ts";
export { type RolloutContext, rolloutKind } from "./rolloutKind.ts";
export { type RunRolloutOptions, runRollout } from "./runRollout.ts";
export { serveRollouts } from "./serveRollouts.ts";
