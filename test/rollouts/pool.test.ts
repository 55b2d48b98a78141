/** The pool of workers against rollouts of one simulation. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  compile,
  type MechanismDescription,
  maximalState,
  models,
  Random,
  RolloutPool,
  type RolloutPoolOptions,
  Simulation,
} from "../../src/index.ts";
import { buildCli } from "../cli/runCli.ts";

const root = join(import.meta.dirname, "../..");
// inside the repository, so that packages are found
mkdirSync(join(root, ".tmp"), { recursive: true });
const folder = mkdtempSync(join(root, ".tmp/pool-"));
const script = join(folder, "worker.mjs");
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(async () => {
  const entry = join(root, "src/worker.ts");
  await build({
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outfile: script,
  });
});

async function withPool<T>(
  description: MechanismDescription,
  options: RolloutPoolOptions,
  use: (pool: RolloutPool) => Promise<T>,
): Promise<T> {
  const pool = new RolloutPool(description, { worker: () => new Worker(script), ...options });
  try {
    return await use(pool);
  } finally {
    await pool.close();
  }
}

const description = models.hopper();
const mechanism = compile(description);
const { stateSize, inputSize } = mechanism;
const start = maximalState(mechanism, description.states?.rest);
const [count, steps] = [9, 12];

function randomInputs(length: number): Float64Array {
  const random = new Random(5);
  return Float64Array.from({ length }, () => random.uniform(-2, 2));
}

/** The same by one simulation, without threads. */
function alone(inputs: Float64Array): { states: Float64Array[]; iterations: number[] } {
  const simulation = new Simulation(mechanism);
  const runs = Array.from({ length: count }, (_, i) =>
    simulation.rollout(start, {
      steps,
      controller: (_state, k) => inputs.slice((i * steps + k) * inputSize, (i * steps + k + 1) * inputSize),
    }),
  );
  return {
    states: runs.map(({ states }) => Float64Array.from(states.flatMap((state) => [...state]))),
    iterations: runs.map(({ reports }) => reports.reduce((sum, report) => sum + report.iterations, 0)),
  };
}

describe("a pool", () => {
  test.each([1, 2, 3])("of %i workers gives the bits of one simulation, in order", async (workers) => {
    const inputs = randomInputs(count * steps * inputSize);
    const expected = alone(inputs);
    await withPool(description, { workers }, async (pool) => {
      const all = await pool.run({ steps, starts: start, inputs, keep: "all" });
      const last = await pool.run({ steps, starts: start, inputs });
      expect(all.count).toBe(count);
      expect(all.failures).toEqual([]);
      const size = (steps + 1) * stateSize;
      for (let i = 0; i < count; i++) {
        expect(all.states.slice(i * size, (i + 1) * size)).toEqual(expected.states[i]);
        expect(last.states.slice(i * stateSize, (i + 1) * stateSize)).toEqual(expected.states[i].slice(-stateSize));
      }
      expect([...all.iterations]).toEqual(expected.iterations);
      expect([...last.solvedSteps]).toEqual(new Array(count).fill(steps));
    });
  });

  test("takes many starts with the same inputs, and batches one after the other", async () => {
    const lifted = Array.from({ length: 4 }, (_, i) => {
      const state = Float64Array.from(start);
      for (const { index } of mechanism.bodies) state[13 * index + 2] += 0.1 * i;
      return state;
    });
    const starts = Float64Array.from(lifted.flatMap((state) => [...state]));
    await withPool(description, { workers: 2 }, async (pool) => {
      const inputs = pool.newInputs(1, steps);
      expect(inputs.buffer).toBeInstanceOf(SharedArrayBuffer);
      const [one, two] = await Promise.all([pool.run({ steps, starts, inputs }), pool.run({ steps, starts })]);
      expect(one.states).toEqual(two.states);
      const simulation = new Simulation(mechanism);
      lifted.forEach((state, i) => {
        const { final } = simulation.rollout(state, { steps });
        expect(one.states.slice(i * stateSize, (i + 1) * stateSize)).toEqual(final);
      });
    });
  });

  test("has the step's options", async () => {
    const kappa = 1e-3;
    await withPool(description, { workers: 1, step: { kappa } }, async (pool) => {
      const { states } = await pool.run({ steps, starts: start });
      const { final } = new Simulation(mechanism, { kappa }).rollout(start, { steps });
      expect(Float64Array.from(states)).toEqual(final);
    });
  });

  test("a rollout that fails is a result: the others go on", async () => {
    const starts = Float64Array.from([...start, ...start, ...start]);
    // beyond a quarter turn a step
    starts[stateSize + 10] = 1e4;
    await withPool(description, { workers: 2 }, async (pool) => {
      const { failures, solvedSteps, states } = await pool.run({ steps, starts, keep: "all" });
      expect(failures).toHaveLength(1);
      expect(failures[0]).toMatchObject({ rollout: 1, step: 0 });
      expect(failures[0].reason).toMatch(/too-fast/);
      expect([...solvedSteps]).toEqual([steps, 0, steps]);
      const size = (steps + 1) * stateSize;
      expect(states.slice(size, size + stateSize)).toEqual(starts.slice(stateSize, 2 * stateSize));
      expect(states.slice(size + stateSize, 2 * size).every(Number.isNaN)).toBe(true);
      expect(states.slice(2 * size).every(Number.isFinite)).toBe(true);
    });
  });
});

test("a start with faults ends its rollout before the first step, as it does by itself, unless it is not to be checked", async () => {
  const mechanism = compile(models.cartpole());
  const { stateSize } = mechanism;
  const good = maximalState(mechanism, {});
  const torn = good.slice();
  torn[13] += 0.3;
  const short = good.slice();
  short[16] = 0.5;
  await withPool(models.cartpole(), { workers: 1 }, async (pool) => {
    const starts = Float64Array.of(...good, ...torn, ...good, ...short);
    const { failures, states, solvedSteps } = await pool.run({ steps: 3, starts });
    expect(failures.map(({ rollout, step }) => [rollout, step])).toEqual([
      [1, 0],
      [3, 0],
    ]);
    for (const { rollout, reason } of failures) {
      const start = starts.slice(rollout * stateSize, (rollout + 1) * stateSize);
      const alone = () => new Simulation(mechanism).rollout(start, { steps: 3 });
      expect(alone).toThrow(reason);
    }
    expect(Array.from(solvedSteps)).toEqual([3, 0, 3, 0]);
    expect(states.slice(stateSize, 2 * stateSize)).toEqual(torn);
    const unchecked = await pool.map([{ start: torn, steps: 1, check: false }]);
    expect(unchecked[0].failure).toBeUndefined();
    // parameters may be what a start does not fit
    const changed = await pool.map([
      { start: good, steps: 1 },
      { start: good, steps: 1, parameters: { "joints.hinge.childAnchor.z": 1 } },
    ]);
    expect(changed.map(({ failure }) => failure?.step)).toEqual([undefined, 0]);
  });
});

describe("faults", () => {
  test("wrong sizes are refused with a way out", async () => {
    await withPool(description, { workers: 1 }, async (pool) => {
      expect(() => pool.run({ steps, starts: new Float64Array(3) })).toThrow(/wrong-size at starts/);
      expect(() => pool.run({ steps, starts: start, inputs: new Float64Array(7) })).toThrow(/wrong-size at inputs/);
      expect(() => pool.run({ steps: 0.5, starts: start })).toThrow(/out-of-range at steps/);
      const [two, three] = [2, 3].map((n) => new Float64Array(n * steps * inputSize));
      const starts = Float64Array.from([...start, ...start]);
      expect(() => pool.run({ steps, starts, inputs: three })).toThrow(/of 3 rollouts, with starts of 2/);
      expect((await pool.run({ steps, starts, inputs: two })).count).toBe(2);
    });
    expect(() => new RolloutPool(description, { workers: 0 })).toThrow(/out-of-range at workers/);
  });

  test("a wrong description throws where the pool is made", () => {
    expect(() => new RolloutPool({ timestep: -1, bodies: {} }, { workers: 1 })).toThrow(/timestep/);
  });

  test("a worker that does not start refuses the run", async () => {
    await withPool(description, { workers: 1, worker: () => new Worker(join(folder, "nothing.mjs")) }, async (pool) => {
      await expect(pool.run({ steps, starts: start })).rejects.toThrow(/rollouts: .*nothing\.mjs/);
      await expect(pool.ready).rejects.toThrow(/nothing\.mjs/);
    });
  });

  test("a closed pool refuses what is under way, and what comes", async () => {
    const pool = new RolloutPool(description, { workers: 1, worker: () => new Worker(script) });
    const running = pool.run({ steps: 100_000, starts: start });
    await Promise.all([expect(running).rejects.toThrow(/closed/), pool.close()]);
    await expect(pool.run({ steps, starts: start })).rejects.toThrow(/closed/);
  });
});

test("the built package finds its own worker, and an open pool does not keep Node from ending", async () => {
  const index = join(dirname(dirname(await buildCli())), "index.js");
  const program = `
    import { compile, maximalState, models, RolloutPool } from ${JSON.stringify(index)};
    const description = models.hopper();
    const starts = maximalState(compile(description), description.states.rest);
    const { states } = await new RolloutPool(description, { workers: 2 }).run({ steps: ${steps}, starts });
    console.log(JSON.stringify([...states]));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
  const { final } = new Simulation(mechanism).rollout(start, { steps });
  expect(JSON.parse(stdout)).toEqual([...final]);
});
