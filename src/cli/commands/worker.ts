/** dojo worker: does work that other machines leave in Redis, until it is ended. */
import type { Command } from "commander";
import { version } from "../../index.ts";
import { RedisError, serveRedis } from "../../node/index.ts";
import { exitCodes, InputError } from "../inputError.ts";
import { positive, wholeNumber } from "../parse.ts";
import { print, warn } from "../terminal.ts";

const examples = `
Examples:
  dojo worker --redis redis://127.0.0.1:6379
  DOJO_REDIS_PASSWORD=… dojo worker --redis rediss://queue.example.org:6380 --workers 8
  dojo worker --redis redis://10.0.0.5 --queue night --lock 30

Start one per machine; commands with --redis then have their work done here. The password of the Redis is read from
DOJO_REDIS_PASSWORD. With DOJO_QUEUE_PASSWORD work and replies are signed, and unsigned work is refused. Ctrl-C or SIGTERM
ends it when the work at hand is done, a second one at once; others then do what is left.
Exit codes: 0 ended, 1 Redis is lost, 2 bad input.`;

interface Flags {
  readonly redis: string;
  readonly workers?: string;
  readonly queue: string;
  readonly lock: string;
  readonly patience: string;
  readonly jobLimit?: string;
  readonly memoryLimit?: string;
}

export function addWorker(program: Command): void {
  program
    .command("worker")
    .summary("do work that other machines leave in Redis")
    .description("Waits for work in a queue of Redis, and does it on all cores.")
    .requiredOption("--redis <url>", "address of the Redis, redis:// or rediss://")
    .option("--workers <n>", "threads (default: one per core)")
    .option("--queue <name>", "name of the queue, the same for those who ask", "default")
    .option("--lock <s>", "seconds it may be silent before its work is given to others", "10")
    .option("--patience <s>", "seconds to wait for a Redis that is away", "60")
    .option(
      "--job-limit <s>",
      "longest time of a job, seconds: its thread is then ended and the call fails (default: none)",
    )
    .option("--memory-limit <MB>", "largest size of this process: its threads are then replaced (default: none)")
    .addHelpText("after", examples)
    .action(async (flags: Flags) => {
      process.exitCode = await work(flags);
    });
}

async function work(flags: Flags): Promise<number> {
  const workers = flags.workers === undefined ? undefined : wholeNumber("--workers", flags.workers);
  if (workers === 0) throw new InputError("--workers: 0 threads do nothing; give 1 or more");
  const [lock, patience] = [
    positive("--lock", flags.lock, "seconds"),
    positive("--patience", flags.patience, "seconds"),
  ];
  const limits = {
    ...(flags.jobLimit !== undefined && { jobLimit: positive("--job-limit", flags.jobLimit, "seconds") }),
    ...(flags.memoryLimit !== undefined && {
      memoryLimit: positive("--memory-limit", flags.memoryLimit, "megabytes, such as 4000"),
    }),
  };
  const options = { url: flags.redis, queue: flags.queue, workers, lock, patience, ...limits, onMessage: warn };
  const worker = await serveRedis(options).catch((error: unknown) => {
    throw error instanceof RedisError ? new InputError(error.message) : error;
  });
  print(
    `dojo-sim ${version}: ${worker.threads === 1 ? "one thread listens" : `${worker.threads} threads listen`} at ${worker.address}, queue ${flags.queue}. Ctrl-C ends it.`,
  );
  const ended = await Promise.race([worker.lost, signalled()]);
  if (ended instanceof RedisError) {
    warn(ended.message);
    // nothing is left to be said to anybody
    process.exit(exitCodes.failed);
  }
  // the second ends it at once
  await Promise.race([worker.close(), signalled().then(() => process.exit(exitCodes.ok))]);
  print(`ended, ${worker.done} jobs done`);
  return exitCodes.ok;
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}
