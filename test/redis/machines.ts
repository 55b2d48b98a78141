/** Jobs that have outcomes of their own, and workers that are processes. */
import { type ChildProcess, spawn } from "node:child_process";
import {
  compile,
  models,
  Random,
  type RolloutJob,
  type RolloutOutcome,
  runRollout,
  Simulation,
  startState,
} from "../../src/index.ts";
import { buildCli } from "../cli/runCli.ts";

export const mechanism = compile(models.pendulum());
export const start = startState(mechanism);
export const password = "not-to-be-shown";

/** Jobs with inputs and lengths of their own. */
export function jobsOf(count: number, steps: number, seed = 3): RolloutJob[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, i) => ({
    start,
    steps: steps + (i % 3),
    inputs: Float64Array.from({ length: (steps + (i % 3)) * mechanism.inputSize }, () => random.uniform(-1, 1)),
    keep: i % 2 === 0 ? ("all" as const) : ("final" as const),
  }));
}

/** Their outcomes in this thread. */
export function alone(jobs: readonly RolloutJob[]): RolloutOutcome[] {
  const simulation = new Simulation(mechanism);
  return jobs.map((job) => runRollout(simulation, job));
}

/** Seconds that a worker may be silent. */
const lock = 1;

type Variables = Readonly<Record<string, string>>;

/** The command, with variables of its environment: its exit code, and all that it prints. */
export async function run(
  args: readonly string[],
  variables: Variables = {},
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [await buildCli(), ...args], { env: { ...process.env, ...variables } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, output };
}

/** A worker with one thread; it listens when this resolves. */
export async function startWorker(
  url: string,
  more: readonly string[] = [],
  variables: Variables = {},
): Promise<ChildProcess> {
  const args = [await buildCli(), "worker", "--redis", url, "--workers", "1", "--lock", String(lock), ...more];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, DOJO_REDIS_PASSWORD: password, ...variables },
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.once("data", () => resolve());
    child.stderr.once("data", (text) => reject(new Error(String(text))));
  });
  return child;
}
