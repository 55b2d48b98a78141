/** The executor that a user asked for: many machines, all cores, or this thread. */
import { type Executor, inlineExecutor, type ThreadExecutorOptions, threadExecutor } from "../index.ts";
import { type RedisExecutorOptions, redisExecutor } from "./redis/redisExecutor.ts";

export interface ExecutorOfOptions extends ThreadExecutorOptions, Omit<RedisExecutorOptions, "url"> {
  /** Address of a Redis whose workers do the work. Default: this machine does it. */
  readonly redis?: string | undefined;
}

/** The executor of many machines where there is a `redis`; else one of threads, or of this thread where one worker is asked for. */
export async function executorOf({ redis, workers, worker, ...options }: ExecutorOfOptions = {}): Promise<Executor> {
  if (redis !== undefined) return redisExecutor({ url: redis, ...options });
  return workers === 1 ? inlineExecutor() : threadExecutor({ workers, worker });
}
