/**
 * Steps per second of environments, with random actions of a third of their space:
 *   single      one environment, whose observations are new arrays
 *   vector      copies in lock-step (--copies 16), on one core
 *   workers     episodes of a linear policy of zeros by an executor, with one thread and with one per core
 * and what random steps do, 10,000 of them by default: all must be solved, with observations inside their space.
 *   environments [names] [--steps n] [--copies n] [--json]
 * Processor time of the first two, wall time of the workers. Fails (exit code 1) where a step was not solved or an observation lies outside.
 */
import { isMainThread, Worker } from "node:worker_threads";
import {
  Environment,
  type EpisodeJob,
  type Executor,
  environments,
  episodeKind,
  ObservationFilter,
  policyOf,
  Random,
  serveWork,
  threadExecutor,
  VectorEnvironment,
  workKinds,
} from "dojo-sim";
import { processorClock } from "../experiments/timing/measure.ts";

type Name = keyof typeof environments;
const words = process.argv.slice(2);
const option = (name: string, otherwise: number): number => {
  const at = words.indexOf(`--${name}`);
  return at < 0 ? otherwise : Number(words[at + 1]);
};
const [steps, copies] = [option("steps", 10_000), option("copies", 16)];
const json = words.includes("--json");
const all = Object.keys(environments) as Name[];
const chosen = all.filter((name) => words.includes(name));

interface Measurement {
  readonly single: number;
  readonly vector: number;
  readonly oneThread: number;
  readonly allThreads: number;
  /** Random steps that were not solved, and observations outside of their space. */
  readonly unsolved: number;
  readonly outside: number;
  readonly episodes: number;
}

/** Random actions, a new episode whenever one is over. */
function measureSingle(name: Name): Pick<Measurement, "single" | "unsolved" | "outside" | "episodes"> {
  const environment = new Environment(environments[name]());
  const { actionSpace, observationSpace } = environment;
  const random = new Random(1);
  const actions = Array.from({ length: steps }, () => actionSpace.sample(random).map((value) => value / 3));
  let [unsolved, outside, episodes] = [0, 0, 1];
  environment.reset({ seed: 1 });
  const begun = processorClock();
  for (const action of actions) {
    const { observation, terminated, truncated, info } = environment.step(action);
    if (info.status !== "solved") unsolved++;
    if (!observationSpace.contains(observation)) outside++;
    if (!terminated && !truncated) continue;
    environment.reset();
    episodes++;
  }
  return { single: steps / (processorClock() - begun), unsolved, outside, episodes };
}

function measureVector(name: Name): number {
  const vector = new VectorEnvironment(environments[name](), { count: copies });
  const random = new Random(1);
  const size = vector.actionSpace.size * copies;
  const actions = Array.from({ length: 50 }, () =>
    Float64Array.from({ length: size }, (_, i) => {
      const most = vector.actionSpace.high[i % vector.actionSpace.size];
      return Number.isFinite(most) ? random.uniform(-most, most) / 3 : random.normal() / 3;
    }),
  );
  vector.reset({ seed: 1 });
  const rounds = Math.ceil(steps / copies);
  const begun = processorClock();
  for (let k = 0; k < rounds; k++) vector.step(actions[k % actions.length]);
  return (rounds * copies) / (processorClock() - begun);
}

/** Steps per second of episodes that an executor runs; the first few are not counted. */
async function measureEpisodes(executor: Executor, name: Name): Promise<number> {
  const { observationSpace, actionSpace, description } = new Environment(environments[name]());
  const policy = { kind: "linear", observationSize: observationSpace.size, actionSize: actionSpace.size } as const;
  const context = { environment: name, policy };
  const { parameters } = policyOf(policy);
  const filter = new ObservationFilter(observationSpace.size).state;
  const jobs = (count: number): EpisodeJob[] =>
    Array.from({ length: count }, (_, i) => ({ parameters, filter, start: i }));
  await executor.map(episodeKind, context, jobs(2 * executor.workers));
  const count = Math.ceil(steps / description.horizon);
  const begun = performance.now();
  const outcomes = await executor.map(episodeKind, context, jobs(count));
  const taken = outcomes.reduce((sum, outcome) => sum + outcome.steps, 0);
  return (1000 * taken) / (performance.now() - begun);
}

async function measureAll(): Promise<number> {
  // this very file is the worker's script too
  const worker = () => new Worker(new URL(import.meta.url));
  const [one, every] = [threadExecutor({ workers: 1, worker }), threadExecutor({ worker })];
  const results: Partial<Record<Name, Measurement>> = {};
  if (!json) {
    console.log(`environment steps per second; ${copies} copies, ${every.workers} threads`);
    console.log(
      `${"".padEnd(22)}    single    vector  1 thread  ${every.workers} threads   random steps: unsolved  outside  episodes`,
    );
  }
  let bad = 0;
  for (const name of chosen.length > 0 ? chosen : all) {
    const measured = {
      ...measureSingle(name),
      vector: measureVector(name),
      oneThread: await measureEpisodes(one, name),
      allThreads: await measureEpisodes(every, name),
    };
    results[name] = measured;
    bad += measured.unsolved + measured.outside;
    if (json) continue;
    const { single, vector, oneThread, allThreads, unsolved, outside, episodes } = measured;
    const rates = [single, vector, oneThread, allThreads].map((rate) => rate.toFixed(0).padStart(10)).join("");
    const counts = [unsolved, outside, episodes].map((count) => String(count).padStart(9)).join("");
    console.log(`${name.padEnd(22)}${rates}${"".padStart(16)}${counts}`);
  }
  await Promise.all([one.close(), every.close()]);
  if (json) console.log(JSON.stringify(results, null, 2));
  return bad > 0 ? 1 : 0;
}

if (isMainThread) process.exitCode = await measureAll();
else serveWork(workKinds);
