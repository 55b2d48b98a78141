export type { RolloutFailure, SharedStepOptions } from "./batch.ts";
export { type RolloutBatch, RolloutPool, type RolloutPoolOptions, type RolloutResults } from "./pool.ts";
export { serveRollouts } from "./serveRollouts.ts";
export type { RolloutPort, RolloutWorker } from "./threads.ts";
