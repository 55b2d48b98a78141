/** Workers that end before their time, calls that are aborted, jobs that cannot be begun: nothing hangs, and nothing that can be done is lost. */
import { getEventListeners } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  compile,
  mapRollouts,
  maximalState,
  models,
  RolloutError,
  type RolloutJob,
  RolloutPool,
  type RolloutProgress,
  runRollout,
  Simulation,
} from "../../src/index.ts";

const root = join(import.meta.dirname, "../..");
// inside the repository, so that packages are found
mkdirSync(join(root, ".tmp"), { recursive: true });
const folder = mkdtempSync(join(root, ".tmp/poolFaults-"));
const script = join(folder, "worker.mjs");

/** A worker that meets with an accident at marked jobs, as long as there are accidents left. */
const code = `
import { parentPort, workerData } from "node:worker_threads";
import { serveRollouts } from "./src/rollouts/serveRollouts.ts";
const { accidents, kind, mark } = workerData;
const happens = () => Atomics.sub(accidents, 0, 1) > 0;
if (kind === "start" && happens()) process.exit(5);
serveRollouts({
  postMessage: (message, transfer) => parentPort.postMessage(message, transfer),
  on: (event, listener) => parentPort.on(event, (request) => {
    if (request.kind !== "work") return listener(request);
    for (const posted of request.jobs) {
      if (posted.job.start[0] === mark && happens()) {
        if (kind === "throw") throw new Error("an accident");
        if (kind === "memory") { const all = []; for (;;) all.push(new Array(1e6).fill(0).map((_, i) => ({ i }))); }
        process.exit(7);
      }
      listener({ ...request, jobs: [posted] });
    }
  }),
});`;

beforeAll(async () => {
  await build({
    stdin: { contents: code, resolveDir: root, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outfile: script,
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const description = models.pendulum();
const mechanism = compile(description);
const simulation = new Simulation(mechanism);
const start = maximalState(mechanism, { hinge: { position: [1] } });
const mark = 0.125;

/** Jobs whose starts are moved aside, the marked one to where accidents happen. */
function jobsWith(marked: number | undefined, count = 12, steps = 20): RolloutJob[] {
  return Array.from({ length: count }, (_, i) => ({
    start: maximalState(mechanism, { hinge: { position: [0.1 * i] } }),
    steps,
  })).map((job, i) => {
    if (i === marked) job.start[0] = mark;
    return job;
  });
}

interface Accidents {
  readonly count: number;
  readonly kind?: "exit" | "throw" | "memory" | "start";
}

/** Makes workers, and counts them. */
function makerOf({ count, kind = "exit" }: Accidents): { worker: () => Worker; made: () => number } {
  const accidents = new Int32Array(new SharedArrayBuffer(4)).fill(count);
  let made = 0;
  const resourceLimits = kind === "memory" ? { maxOldGenerationSizeMb: 64 } : {};
  return {
    worker: () => {
      made++;
      return new Worker(script, { workerData: { accidents, kind, mark }, resourceLimits });
    },
    made: () => made,
  };
}

/** The job of the pendulum that stands aside is told from the others by its failure, or its states. */
const expected = (jobs: readonly RolloutJob[]) => jobs.map((job) => runRollout(simulation, job));

describe("a worker that ends", () => {
  test.each(["exit", "throw", "memory"] as const)(
    "once by %s is replaced, and its work is done again, bit for bit",
    async (kind) => {
      const { worker, made } = makerOf({ count: 1, kind });
      const jobs = jobsWith(3);
      expect(await mapRollouts(mechanism, jobs, { workers: 1, worker })).toEqual(expected(jobs));
      expect(made()).toBe(2);
    },
  );

  test("twice with the same job rejects the call with the job and the reason, and the pool lives on", async () => {
    const { worker, made } = makerOf({ count: 2 });
    const pool = new RolloutPool(mechanism, { workers: 2, worker });
    try {
      const error = await pool.map(jobsWith(3)).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(RolloutError);
      expect(error).toMatchObject({
        job: 3,
        message: "rollouts: job 3: 2 workers ended with it, the last because it left with exit code 7",
      });
      const jobs = jobsWith(3);
      expect(await pool.map(jobs)).toEqual(expected(jobs));
      expect(made()).toBeLessThanOrEqual(4);
    } finally {
      await pool.close();
    }
  });

  test("with batches over shared memory is no different", async () => {
    const { worker } = makerOf({ count: 1 });
    const pool = new RolloutPool(description, { workers: 1, worker });
    const jobs = jobsWith(1, 3);
    const starts = Float64Array.from(jobs.flatMap(({ start: state }) => [...state]));
    const { states } = await pool.run({ steps: jobs[0].steps, starts });
    expect([...states]).toEqual(expected(jobs).flatMap((outcome) => [...outcome.states]));
    await pool.close();
  });

  test("before it is ready is tried once more, and then everything is given up", async () => {
    const once = makerOf({ count: 1, kind: "start" });
    const jobs = jobsWith(undefined, 2);
    expect(await mapRollouts(mechanism, jobs, { workers: 1, worker: once.worker })).toEqual(expected(jobs));
    const always = makerOf({ count: 1000, kind: "start" });
    const pool = new RolloutPool(mechanism, { workers: 1, worker: always.worker });
    await expect(pool.map(jobs)).rejects.toThrow(
      /^rollouts: workers end before they are ready: it left with exit code 5$/,
    );
    await expect(pool.ready).rejects.toThrow(/exit code 5/);
    await expect(pool.map(jobs)).rejects.toThrow(/exit code 5/);
    expect(always.made()).toBe(2);
    await pool.close();
  });

  test("while it waits is replaced when there is work", async () => {
    const threads: Worker[] = [];
    const { worker } = makerOf({ count: 0 });
    const pool = new RolloutPool(mechanism, {
      workers: 1,
      worker: () => {
        threads.push(worker());
        return threads[threads.length - 1];
      },
    });
    await pool.ready;
    await threads[0].terminate();
    expect(threads).toHaveLength(1);
    const jobs = jobsWith(undefined, 2);
    expect(await pool.map(jobs)).toEqual(expected(jobs));
    expect(threads).toHaveLength(2);
    await pool.close();
  });
});

describe("a call", () => {
  const { worker } = makerOf({ count: 0 });

  test("says how far it is, with each outcome", async () => {
    const jobs = jobsWith(undefined);
    const seen: RolloutProgress[] = [];
    const outcomes = await mapRollouts(mechanism, jobs, {
      workers: 2,
      worker,
      onProgress: (progress) => seen.push(progress),
    });
    expect(seen.map(({ done }) => done)).toEqual(jobs.map((_, i) => i + 1));
    expect(seen.map(({ job }) => job).sort((a, b) => a - b)).toEqual(jobs.map((_, i) => i));
    for (const { job, total, outcome } of seen) {
      expect(total).toBe(jobs.length);
      expect(outcome).toEqual(outcomes[job]);
    }
  });

  test("is ended by its signal in the middle of a rollout, and leaves no listener; the pool lives on", async () => {
    const pool = new RolloutPool(mechanism, { workers: 1, worker });
    const controller = new AbortController();
    const { signal } = controller;
    await pool.ready;
    const endless = pool.map([{ start, steps: 1e9 }], { signal });
    const short = pool.map(jobsWith(undefined, 2));
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    setTimeout(() => controller.abort(new Error("enough")), 20);
    await expect(endless).rejects.toThrow("enough");
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    // the worker has left the endless rollout, or this would wait for it
    expect(await short).toEqual(expected(jobsWith(undefined, 2)));
    await expect(pool.map([{ start, steps: 1 }], { signal })).rejects.toThrow("enough");
    await expect(mapRollouts(mechanism, [{ start, steps: 1 }], { signal, worker })).rejects.toThrow("enough");
    await pool.map([{ start, steps: 1 }], { signal: new AbortController().signal });
    await pool.close();
  });

  test("is ended by what its listener throws", async () => {
    const onProgress = (): void => {
      throw new Error("no room");
    };
    await expect(mapRollouts(mechanism, jobsWith(undefined), { workers: 1, worker, onProgress })).rejects.toThrow(
      "no room",
    );
  });

  test("of a closed pool is refused, before and after", async () => {
    const pool = new RolloutPool(mechanism, { workers: 2, worker });
    const calls = [pool.map([{ start, steps: 1e9 }]), pool.map(jobsWith(undefined))];
    const refused = calls.map((call) => expect(call).rejects.toThrow(/^rollouts: the pool is closed$/));
    await pool.close();
    await Promise.all(refused);
    await expect(pool.map(jobsWith(undefined))).rejects.toThrow(/the pool is closed/);
    await pool.close();
  });

  test("without jobs has no outcomes", async () => {
    expect(await mapRollouts(mechanism, [], { worker })).toEqual([]);
  });
});

describe("a job", () => {
  const { worker } = makerOf({ count: 0 });

  test("has parameters of its own, and leaves those of the others", async () => {
    const heavy = { "gravity.z": -20 };
    const jobs = [
      { start, steps: 30 },
      { start, steps: 30, parameters: heavy },
      { start, steps: 30, keep: "all" as const },
    ];
    const [first, second, third] = await mapRollouts(mechanism, jobs, { workers: 1, worker });
    const other = new Simulation(mechanism);
    const plain = other.rollout(start, { steps: 30 });
    expect(first.states).toEqual(plain.final);
    expect(third.states).toEqual(Float64Array.from(plain.states.flatMap((state) => [...state])));
    other.setParameters(heavy);
    expect(second.states).toEqual(other.rollout(start, { steps: 30 }).final);
  });

  test("that cannot be begun is named", async () => {
    const run = (job: Partial<RolloutJob>) =>
      mapRollouts(
        mechanism,
        [
          { start, steps: 2 },
          { start, steps: 2, ...job },
        ],
        { workers: 1, worker },
      );
    await expect(run({ parameters: { "bodies.nothing.mass": 1 } })).rejects.toThrow(
      /^rollouts: job 1: unknown-parameter at/,
    );
    await expect(run({ start: new Float64Array(3) })).rejects.toThrow(/^wrong-size at jobs\[1\]\.start: has 3 numbers/);
    await expect(run({ inputs: new Float64Array(3) })).rejects.toThrow(/^wrong-size at jobs\[1\]\.inputs/);
    await expect(run({ steps: -1 })).rejects.toThrow(/^out-of-range at jobs\[1\]\.steps/);
  });

  test("does not go on where another ended, whoever ran that", () => {
    const robot = compile(models.hopper());
    const rest = maximalState(robot, robot.description.states?.rest);
    const used = new Simulation(robot);
    const half = runRollout(used, { start: rest, steps: 10 });
    const next = { start: half.states, steps: 1 };
    // a step that goes on starts from the last one's impulses, and ends in other last bits
    const cold = runRollout(new Simulation(robot), next);
    used.rollout(rest, { steps: 10 });
    expect(used.step(half.states).next).not.toEqual(cold.states);
    runRollout(used, { start: rest, steps: 10 });
    expect(runRollout(used, next)).toEqual(cold);
  });

  test("goes on from another's outcome to the bit", async () => {
    const robot = compile(models.hopper());
    const rest = maximalState(robot, robot.description.states?.rest);
    const pool = new RolloutPool(robot, { workers: 2, worker });
    const whole = { start: rest, steps: 20 };
    const [all, first] = await pool.map([whole, { ...whole, steps: 10, continues: true }]);
    const rest10 = { start: first.states, steps: 10 };
    const [second, cold] = await pool.map([{ ...rest10, continuation: first.continuation }, rest10]);
    expect(second.states).toEqual(all.states);
    expect(first.iterations + second.iterations).toBe(all.iterations);
    expect(cold.states).not.toEqual(all.states);
    expect(all.continuation).toBeUndefined();
    await pool.close();
  });
});
