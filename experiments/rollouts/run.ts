/** Rollouts per second on all cores: a pool of threads over shared memory, its scaling, and separate processes beside it. */
import { type ChildProcess, fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { RolloutPool, type RolloutPoolOptions } from "dojo-sim";
import { redisExecutor } from "dojo-sim/node";
import type { Experiment } from "../experiment.ts";
import { Plot } from "../report.ts";
import type { Share, ShareDone } from "./processWorker.ts";
import { checksum, quadrupedWork, type Work } from "./work.ts";

/** Time of every way before it counts, in short runs too. */
const warmUpMilliseconds = 700;

interface Rate {
  /** Medians, and the least and largest of the rounds. */
  readonly rolloutsPerSecond: number;
  readonly least: number;
  readonly most: number;
}

interface Row extends Rate {
  readonly workers: number;
  /** Over one worker's. */
  readonly scaling: number;
}

interface Result {
  readonly robot: string;
  readonly steps: number;
  readonly count: number;
  readonly rounds: number;
  readonly cores: number;
  readonly rows: readonly Row[];
  readonly twoProcesses: Rate;
  /** Measured with the workers of a Redis, where one was given; `workers` is how many threads they had. */
  readonly redis?: Row;
  /** Median over the rounds of two workers' rate over two processes' in the same round. */
  readonly workersOverProcesses: number;
  readonly workersOverProcessesSpread: readonly [number, number];
  /** Simulated seconds a second, all rollouts together, with all cores. */
  readonly realTimeFactor: number;
  /** Whether threads and processes came to the same states, bit for bit. */
  readonly sameStates: boolean;
}

/** Two workers must reach this part of two processes' rate. */
const least = 0.95;

/** A way to do all of the work. */
interface Way {
  readonly run: () => Promise<readonly number[]>;
  readonly close: () => Promise<void> | void;
}

async function poolWay(work: Work, options: RolloutPoolOptions, count: number, steps: number): Promise<Way> {
  const pool = new RolloutPool(work.description, options);
  const inputs = pool.newInputs(count, steps);
  for (let i = 0; i < count; i++) inputs.set(work.inputs(i), (i * inputs.length) / count);
  const { stateSize } = pool.mechanism;
  await pool.ready;
  return {
    close: () => pool.close(),
    run: async () => {
      const { states } = await pool.run({ steps, starts: work.start, inputs });
      return Array.from({ length: count }, (_, i) => checksum(states.slice(i * stateSize, (i + 1) * stateSize)));
    },
  };
}

function threads(workers: number): RolloutPoolOptions {
  return { workers, worker: () => new Worker(new URL("./rolloutWorker.js", import.meta.url)) };
}

async function processWay(processes: number, count: number, steps: number): Promise<Way> {
  const file = fileURLToPath(new URL("./processWorker.js", import.meta.url));
  const children: ChildProcess[] = [];
  for (let p = 0; p < processes; p++) {
    const child = fork(file, { stdio: ["ignore", 2, 2, "ipc"] });
    const share: Share = { from: (count * p) / processes, to: (count * (p + 1)) / processes, steps };
    await ask(child, share);
    children.push(child);
  }
  return {
    close: () => {
      for (const child of children) child.disconnect();
    },
    run: async () => {
      const answers = await Promise.all(children.map((child) => ask(child, "go")));
      return (answers as ShareDone[]).flat();
    },
  };
}

/** Sends a message and waits for the answer. */
function ask(child: ChildProcess, message: Share | "go"): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error("a process ended before its work was done"));
    child.once("exit", ended);
    child.once("message", (answer) => {
      child.off("exit", ended);
      resolve(answer);
    });
    child.send(message);
  });
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1];

function rateOf(rates: readonly number[]): Rate {
  return { rolloutsPerSecond: median(rates), least: Math.min(...rates), most: Math.max(...rates) };
}

const rollouts: Experiment<Result> = {
  name: "rollouts",
  title: "Rollouts on all cores",
  claim: "Not in the paper: rollouts of one mechanism scale with the cores, and threads do what separate processes do.",
  seconds: { full: 30, quick: 12 },

  async run({ quick, progress, redis }) {
    const [steps, count, rounds] = quick ? [25, 8, 2] : [100, 48, 7];
    const cores = availableParallelism();
    const numbers = [...new Set([1, 2, cores])].sort((a, b) => a - b);
    const work = quadrupedWork(steps);
    progress(0, "starting");
    const executor = redis === undefined ? undefined : await redisExecutor({ url: redis, onMessage: console.error });
    const ways = [processWay(2, count, steps), ...numbers.map((n) => poolWay(work, threads(n), count, steps))];
    if (executor) ways.push(poolWay(work, { executor }, count, steps));
    const ready = await Promise.all(ways);
    const rates: number[][] = ready.map(() => []);
    let [sameStates, first]: [boolean, readonly number[] | undefined] = [true, undefined];
    // threads compile for themselves
    for (const way of ready)
      for (const begin = performance.now(); performance.now() - begin < warmUpMilliseconds; ) await way.run();
    // in turns; the first round does not count
    for (let round = 0; round <= rounds; round++) {
      for (const [i, way] of ready.entries()) {
        const begin = performance.now();
        const sums = await way.run();
        if (round > 0) rates[i].push((1000 * count) / (performance.now() - begin));
        first ??= sums;
        sameStates &&= sums.every((sum, k) => sum === first?.[k]);
      }
      progress((round + 1) / (rounds + 1), `round ${round} of ${rounds}`);
    }
    await Promise.all(ready.map((way) => way.close()));
    const redisRates = executor && rates.pop();
    await executor?.close();
    const [processRates, ...poolRates] = rates;
    const ratios = poolRates[numbers.indexOf(2)].map((rate, i) => rate / processRates[i]);
    const row = (workers: number, own: readonly number[]): Row => {
      return { workers, ...rateOf(own), scaling: median(own) / median(poolRates[0]) };
    };
    const rows = numbers.map((workers, i) => row(workers, poolRates[i]));
    return {
      robot: work.title,
      steps,
      count,
      rounds,
      cores,
      rows,
      twoProcesses: rateOf(processRates),
      ...(executor && redisRates && { redis: row(executor.workers, redisRates) }),
      workersOverProcesses: median(ratios),
      workersOverProcessesSpread: [Math.min(...ratios), Math.max(...ratios)],
      realTimeFactor: rows[numbers.indexOf(cores)].rolloutsPerSecond * steps * work.description.timestep,
      sameStates,
    };
  },

  present({ robot, steps, count, rounds, cores, rows, twoProcesses, redis, realTimeFactor, ...result }) {
    const { workersOverProcesses: ratio, workersOverProcessesSpread: spread, sameStates } = result;
    const line = (name: string, rate: Rate, scaling: string) => {
      return [name, rate.rolloutsPerSecond, `${rate.least.toPrecision(4)} … ${rate.most.toPrecision(4)}`, scaling];
    };
    const bars = [
      ...rows.map((row) => ({ name: row.workers === 1 ? "1 worker" : `${row.workers} workers`, ...row })),
      { name: "2 processes", ...twoProcesses },
      ...(redis ? [{ name: "Redis", ...redis }] : []),
    ];
    return {
      tables: [
        {
          caption: `${robot}: ${count} rollouts of ${steps} steps, each with random inputs of its own; medians of ${rounds} rounds in turns, ${cores} cores.`,
          rows: [
            ["", "rollouts a second", "spread", "over one worker"],
            ...rows.map((row) =>
              line(row.workers === 1 ? "1 worker" : `${row.workers} workers`, row, row.scaling.toFixed(2)),
            ),
            line(
              "2 separate processes",
              twoProcesses,
              (twoProcesses.rolloutsPerSecond / rows[0].rolloutsPerSecond).toFixed(2),
            ),
            ...(redis ? [line(`workers of a Redis, threads: ${redis.workers}`, redis, redis.scaling.toFixed(2))] : []),
          ],
        },
      ],
      figures: [
        {
          name: "rates",
          caption: "Rollouts a second; lines span the rounds.",
          panels: [
            [
              {
                heading: "rollouts a second",
                x: { label: null, domain: bars.map(({ name }) => name) },
                y: { label: null, grid: true },
                marks: [
                  Plot.barY(bars, { x: "name", y: "rolloutsPerSecond", fill: "#4269d0" }),
                  Plot.ruleX(bars, { x: "name", y1: "least", y2: "most", strokeWidth: 2 }),
                  Plot.ruleY([0]),
                ],
              },
            ],
          ],
        },
      ],
      remarks: [
        `Two workers do ${ratio.toFixed(3)} of the rollouts a second of two separate processes (${spread.map((value) => value.toFixed(3)).join(" … ")}); ${ratio >= least ? "the target of" : "MISSED: the target is"} ${least}${ratio >= least ? " is met" : ""}.`,
        `With all cores, ${realTimeFactor.toPrecision(3)} simulated seconds pass in a second.`,
        sameStates
          ? "All of them came to the same states, bit for bit, whatever the number of workers."
          : "MISSED: they did not all come to the same states.",
      ],
    };
  },
};

export default rollouts;
