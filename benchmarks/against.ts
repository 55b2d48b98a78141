/**
 * This build beside another: the same runs in turns, in one process.
 *   against FOLDER [--only name,name] [--rounds n] [--json]
 * FOLDER is a built clone (`npm run build` in it). For each scene, or those that are named (scenes, or groups: robots, shapes, loops): the time of
 * a step by itself; with its Jacobians, by default and smoothed (κ' 0.1); and of a rollout with its pullback. Processor time after a second of
 * warm-up, the least and the median of at least 12 rounds. Ratios are now over before: below 1 is faster.
 */
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import * as here from "dojo-sim";
import { build } from "esbuild";
import { inTurns, processorClock } from "../experiments/timing/measure.ts";
import { groups, inputsOf, type Scene } from "./against/scenes.ts";

type Library = typeof here;

const words = process.argv.slice(2);
const optionOf = (name: string): string | undefined => {
  const at = words.indexOf(name);
  return at < 0 ? undefined : words[at + 1];
};
const [folder] = words;
if (!folder || folder.startsWith("--")) {
  console.error("say against which built clone: npm run bench -- against FOLDER");
  process.exit(2);
}
const rounds = Number(optionOf("--rounds") ?? 12);
const only = optionOf("--only")?.split(",");

/** The other build in one file, as this one is. */
async function libraryOf(clone: string): Promise<Library> {
  const outfile = join(process.cwd(), ".tmp", "benchmarks", "before.mjs");
  mkdirSync(join(outfile, ".."), { recursive: true });
  const entryPoints = [join(resolve(process.env.INIT_CWD ?? "", clone), "dist", "index.js")];
  await build({ entryPoints, bundle: true, platform: "node", format: "esm", packages: "external", outfile });
  return import(pathToFileURL(outfile).href);
}

/** The jobs of one build, which all take the same steps; and what its bare run needs. */
function jobsOf(library: Library, { description, start: name, steps }: Scene, given: readonly Float64Array[]) {
  const mechanism = library.compile(description);
  const start = library.startState(mechanism, name);
  const reports = new library.Simulation(mechanism).rollout(start, { inputs: given, steps, check: false }).reports;
  const count = reports.filter(({ status }) => status === "solved").length;
  const simulations = [0, 1, 2, 3].map(() => new library.Simulation(mechanism));
  const bare = (): void => {
    const [simulation] = simulations;
    simulation.continuation = undefined;
    const state = start.slice();
    for (let k = 0, interval: number | undefined; k < count; k++) {
      const result = simulation.step(state, given[k], { interval });
      state.set(result.next);
      interval = result.interval;
    }
  };
  const jacobians = (simulation: (typeof simulations)[number], path: { relativeKappa?: number }) => {
    let into: ReturnType<Library["stepGradients"]> | undefined;
    return (): void => {
      simulation.continuation = undefined;
      const state = start.slice();
      for (let k = 0, interval: number | undefined; k < count; k++) {
        const options = { ...path, coordinates: "minimal" as const, interval, ...(into && { into }) };
        into = library.stepGradients(simulation, state, given[k], options);
        state.set(into.next);
        interval = into.interval;
      }
    };
  };
  const inputs = given.slice(0, count);
  const cost = new Float64Array(12 * mechanism.bodies.length).fill(1);
  const back = (): void => {
    const [, , , simulation] = simulations;
    simulation.continuation = undefined;
    const run = simulation.rollout(start, { steps: count, inputs, gradients: true, check: false });
    library.pullback(run, [...new Array(count).fill(undefined), cost]);
  };
  const jobs = {
    bare,
    jacobians: jacobians(simulations[1], {}),
    smoothed: jacobians(simulations[2], { relativeKappa: 0.1 }),
    "rollout + pullback": back,
  };
  return { jobs, count, iterations: reports.reduce((sum, report) => sum + report.iterations, 0) / steps };
}

const before = await libraryOf(folder);
const rows: object[] = [];
const all = Object.entries(groups).flatMap(([group, make]) =>
  only && !only.includes(group) ? make().filter(({ name }) => only.includes(name)) : make(),
);
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1];
const digits = (value: number): string => value.toPrecision(3);
if (!words.includes("--json"))
  console.log("µs per step, least of the rounds: before → now (ratio of least, of median)");
for (const scene of all) {
  const given = inputsOf(scene);
  const [old, now] = [before, here].map((library) => jobsOf(library, scene, given));
  const steps = Math.min(old.count, now.count);
  const row: Record<string, unknown> = { scene: scene.name, steps, iterations: [old.iterations, now.iterations] };
  const cells: string[] = [];
  for (const job of Object.keys(old.jobs) as (keyof typeof old.jobs)[]) {
    try {
      const [theirs, ours] = inTurns(processorClock, rounds, [old.jobs[job], now.jobs[job]]).map((times, i) =>
        times.map((time) => (1e6 * time) / [old, now][i].count),
      );
      const [least, mid] = [Math.min(...ours) / Math.min(...theirs), median(ours) / median(theirs)];
      row[job] = { before: Math.min(...theirs), now: Math.min(...ours), least, median: mid };
      cells.push(
        `${job} ${digits(Math.min(...theirs))} → ${digits(Math.min(...ours))} (${least.toFixed(2)}, ${mid.toFixed(2)})`,
      );
    } catch (error) {
      row[job] = { error: String(error) };
      cells.push(`${job}: ${String(error).slice(0, 80)}`);
    }
  }
  rows.push(row);
  const [a, b] = [old, now].map(({ iterations }) => iterations.toFixed(2));
  if (!words.includes("--json"))
    console.log(`${scene.name}: ${steps} steps, iterations ${a} → ${b}; ${cells.join("; ")}`);
}
if (words.includes("--json")) console.log(JSON.stringify(rows, null, 2));
