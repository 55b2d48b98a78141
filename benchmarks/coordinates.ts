/**
 * What joint coordinates cost beside the steps they belong to, on robots on the floor:
 *   minimalState, maximalFromMinimal   against a step
 *   linearize                          against stepGradients in minimal coordinates
 *   maps, pull                         joint coordinates made linear and one cotangent pulled back to them; another one
 *   coordinates [--repeats n] [--json]
 * Processor time, the tenth percentile over repeats in turns; the ratio of the two that differ by little is the median over turns. Run it by `npm run bench -- coordinates`: times mean nothing through a
 * loader. Fails (exit code 1) when a promised figure is missed.
 */
import {
  bodyTangentSize,
  CoordinateMaps,
  compile,
  type Linearization,
  linearize,
  maximalFromMinimalInto,
  minimalStateInto,
  models,
  Simulation,
  type StepGradients,
  startState,
  stepGradients,
} from "dojo-sim";

/** What the project promises: the first two in steps, the last in `stepGradients`. */
const promised = { minimalState: 0.1, maximalFromMinimal: 0.1, linearize: 1.05 };
/** States that a job goes over, and how often it goes over them in one measurement. */
const stateCount = 10;
const rounds = 5;

type Figures = Readonly<
  Record<"step" | "minimalState" | "maximalFromMinimal" | "maps" | "pull" | "gradients" | "linearize", number>
>;

interface Measurement {
  /** Microseconds per call. */
  readonly figures: Figures;
  readonly ratios: Readonly<Record<keyof typeof promised, number>>;
}

function measure(name: "hopper" | "halfCheetah" | "a1", repeats: number): Measurement {
  const mechanism = compile(models[name]());
  const simulation = new Simulation(mechanism);
  const start = startState(mechanism);
  const states = simulation.rollout(start, { steps: 3 * stateCount }).states.slice(1, 1 + stateCount);
  const input = new Float64Array(mechanism.inputSize);
  const x = new Float64Array(2 * mechanism.coordinateCount);
  const z = new Float64Array(mechanism.stateSize);
  const minimal = states.map((state) => {
    minimalStateInto(x, mechanism, state);
    return x.slice();
  });
  const maps = new CoordinateMaps(mechanism);
  const zBar = Float64Array.from({ length: bodyTangentSize * mechanism.bodies.length }, (_, i) => Math.sin(i));
  let gradients: StepGradients | undefined;
  let linear: Linearization | undefined;
  const jobs: Readonly<Record<keyof Figures, (k: number) => void>> = {
    step: (k) => simulation.step(states[k], input),
    minimalState: (k) => minimalStateInto(x, mechanism, states[k]),
    maximalFromMinimal: (k) => maximalFromMinimalInto(z, mechanism, minimal[k]),
    maps: (k) => {
      maps.update(states[k], mechanism.timestep);
      maps.pullMaximalInto(x, zBar);
    },
    pull: () => maps.pullMaximalInto(x, zBar),
    gradients: (k) => {
      gradients = stepGradients(simulation, states[k], input, {
        coordinates: "minimal",
        ...(gradients && { into: gradients }),
      });
    },
    linearize: (k) => {
      linear = linearize(simulation, states[k], input, linear && { into: linear });
    },
  };
  const names = Object.keys(jobs) as (keyof Figures)[];
  const times = new Map(names.map((job) => [job, [] as number[]]));
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const job of names) {
      const begin = processorTime();
      for (let round = 0; round < rounds; round++) for (let k = 0; k < stateCount; k++) jobs[job](k);
      times.get(job)?.push((processorTime() - begin) / (rounds * stateCount));
    }
  }
  const of = (job: keyof Figures): readonly number[] => times.get(job) ?? [];
  const figures = Object.fromEntries(names.map((job) => [job, quantile(of(job), 0.1)])) as Figures;
  const inTurns = of("linearize").map((time, i) => time / of("gradients")[i]);
  return {
    figures,
    ratios: {
      minimalState: figures.minimalState / figures.step,
      maximalFromMinimal: figures.maximalFromMinimal / figures.step,
      linearize: quantile(inTurns, 0.5),
    },
  };
}

function quantile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(share * values.length)];
}

/** Microseconds that this process has used: on a busy machine steadier than the clock. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function main(): void {
  const at = process.argv.indexOf("--repeats");
  const repeats = at < 0 ? 100 : Number(process.argv[at + 1]);
  const isJson = process.argv.includes("--json");
  const results = (["hopper", "halfCheetah", "a1"] as const).map((model) => ({ model, ...measure(model, repeats) }));
  if (isJson) console.log(JSON.stringify({ results, promised }, null, 2));
  for (const { model, figures, ratios } of results) {
    if (!isJson) print(model, figures, ratios);
    for (const [name, bound] of Object.entries(promised))
      if (!(ratios[name as keyof typeof promised] <= bound)) process.exitCode = 1;
  }
}

function print(model: string, figures: Figures, ratios: Readonly<Record<string, number>>): void {
  console.log(model);
  for (const [name, value] of Object.entries(figures))
    console.log(`  ${name.padEnd(24)}${value.toFixed(1).padStart(8)} µs`);
  for (const [name, bound] of Object.entries(promised))
    console.log(`  ${`${name}, ratio`.padEnd(24)}${ratios[name].toFixed(3).padStart(8)}   promised ≤ ${bound}`);
}

main();
