/** Who does the work of a command: this thread, all cores, or the workers of a Redis. */
import type { Executor } from "../index.ts";
import { executorOf, RedisError } from "../node/index.ts";
import { InputError } from "./inputError.ts";
import { positive } from "./parse.ts";
import { warn } from "./terminal.ts";

export interface ExecutorFlags {
  readonly redis?: string | undefined;
  readonly patience?: string | undefined;
  /** Threads. */
  readonly workers?: number | undefined;
}

/** The executor of --redis, --patience and --workers. Close it, or the command does not end. */
export async function executorFrom({ redis, patience, workers }: ExecutorFlags): Promise<Executor> {
  if (redis === undefined && patience !== undefined) throw new InputError("--patience is for --redis");
  if (redis !== undefined && workers !== undefined && workers > 1) {
    throw new InputError("--workers are threads of this machine; with --redis, give them to dojo worker");
  }
  const seconds = patience === undefined ? undefined : positive("--patience", patience, "seconds");
  try {
    return await executorOf({ redis, workers, patience: seconds, onMessage: warn });
  } catch (error) {
    throw error instanceof RedisError ? new InputError(error.message) : error;
  }
}
