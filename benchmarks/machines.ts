/**
 * Rollouts per second by workers that read a queue in Redis: one of them, and two, each a process with one thread on this machine.
 *   machines [--rounds n] [--json]
 * Starts a redis-server and the workers. Both fleets do the same rollouts in turns, and the least time of the rounds counts. Fails (exit
 * code 1) when two do less than 1.8 times the work of one, or states differ from those of this thread.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { parseArgs } from "node:util";
import { isMainThread, Worker } from "node:worker_threads";
import { compile, type Executor, RolloutPool, runRollout, Simulation, serveWork, workKinds } from "dojo-sim";
import { redisExecutor, serveRedis } from "dojo-sim/node";
import { checksum, quadrupedWork } from "../experiments/rollouts/work.ts";

/** Promised gain of two workers over one. */
const promised = 1.8;
const [count, steps] = [200, 100];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "5" }, json: { type: "boolean", default: false } },
});

if (!isMainThread) serveWork(workKinds);
else if (positionals[0] === "worker") {
  const [, url, queue] = positionals;
  const worker = () => new Worker(new URL(import.meta.url));
  await serveRedis({ url, queue, workers: 1, worker });
  process.send?.("ready");
} else await measure(Number(values.rounds));

async function measure(rounds: number): Promise<void> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const own = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
  const children: ChildProcess[] = [spawn("redis-server", own, { stdio: "ignore" })];
  try {
    for (const queue of ["one", "two", "two"]) children.push(await startWorker(url, queue));
    const work = quadrupedWork(steps);
    const fleets = await Promise.all(
      ["one", "two"].map((queue) => redisExecutor({ url, queue, onMessage: console.error })),
    );
    const inputs = Float64Array.from(Array.from({ length: count }, (_, i) => [...work.inputs(i)]).flat());
    const sums = fleets.map((): number[] => []);
    const times = fleets.map((): number[] => []);
    for (let round = 0; round <= rounds; round++) {
      for (const [i, executor] of fleets.entries()) {
        const begin = performance.now();
        sums[i] = await finalSums(executor, work, inputs);
        // the first round warms up
        if (round > 0) times[i].push(performance.now() - begin);
      }
    }
    await Promise.all(fleets.map((executor) => executor.close()));
    const [one, two] = times.map((all) => (1000 * count) / Math.min(...all));
    const simulation = new Simulation(compile(work.description));
    const alone = Array.from({ length: count }, (_, i) =>
      checksum(runRollout(simulation, { start: work.start, steps, inputs: work.inputs(i) }).states),
    );
    const sameStates = sums.every((found) => found.every((sum, i) => sum === alone[i]));
    const result = {
      robot: work.title,
      count,
      steps,
      rounds,
      oneWorker: one,
      twoWorkers: two,
      ratio: two / one,
      promised,
      sameStates,
    };
    if (values.json) console.log(JSON.stringify(result, null, 2));
    else {
      console.log(
        `${work.title}: ${count} rollouts of ${steps} steps by a queue in Redis, the best of ${rounds} rounds`,
      );
      console.log(`one worker   ${one.toFixed(1)} rollouts per second`);
      console.log(`two workers  ${two.toFixed(1)}, ${(two / one).toFixed(2)} times (promised: ${promised})`);
      console.log(`states are ${sameStates ? "" : "NOT "}those of one thread, bit for bit`);
    }
    process.exitCode = two / one >= promised && sameStates ? 0 : 1;
  } finally {
    for (const child of children) child.kill();
  }
}

async function finalSums(
  executor: Executor,
  work: ReturnType<typeof quadrupedWork>,
  inputs: Float64Array,
): Promise<number[]> {
  const pool = new RolloutPool(work.description, { executor });
  const { states } = await pool.run({ steps, starts: work.start, inputs });
  const { stateSize } = pool.mechanism;
  await pool.close();
  return Array.from({ length: count }, (_, i) => checksum(states.slice(i * stateSize, (i + 1) * stateSize)));
}

async function startWorker(url: string, queue: string): Promise<ChildProcess> {
  const args = [process.argv[1], "worker", url, queue];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  await new Promise<void>((resolve, reject) => {
    child.once("message", () => resolve());
    child.once("exit", () => reject(new Error("a worker ended")));
  });
  return child;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
