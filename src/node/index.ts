/** What needs Node: the entry "dojo-sim/node". The library itself, "dojo-sim", runs in browsers too. */
export { type ExecutorOfOptions, executorOf } from "./executorOf.ts";
export { type RedisConnectionOptions, RedisError } from "./redis/address.ts";
export { type RedisExecutorOptions, redisExecutor } from "./redis/redisExecutor.ts";
export { type RedisWorker, type RedisWorkerOptions, serveRedis } from "./redis/redisWorker.ts";
export { replayPage, requireReplayViewer, type SaveReplayOptions, saveReplay } from "./saveReplay.ts";
