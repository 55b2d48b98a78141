/** Many rollouts in one call: workers are made for it, and end with it. */
import type { Mechanism, MechanismDescription } from "../mechanism/index.ts";
import { coreCount } from "../work/index.ts";
import type { RolloutJob, RolloutOutcome } from "./job.ts";
import { RolloutPool, type RolloutPoolOptions, type RolloutRunOptions } from "./pool.ts";

export type MapRolloutsOptions = RolloutPoolOptions & RolloutRunOptions;

/** Outcomes in the order of the jobs; see `RolloutPool.map`. Keep a pool where there is more than one call: its workers compile once. */
export async function mapRollouts(
  mechanism: Mechanism | MechanismDescription,
  jobs: Iterable<RolloutJob>,
  { signal, onProgress, ...options }: MapRolloutsOptions = {},
): Promise<RolloutOutcome[]> {
  const all = [...jobs];
  signal?.throwIfAborted();
  const workers = options.workers ?? Math.max(1, Math.min(coreCount(), all.length));
  const pool = new RolloutPool(mechanism, options.executor ? options : { ...options, workers });
  try {
    return await pool.map(all, { signal, onProgress });
  } finally {
    await pool.close();
  }
}
