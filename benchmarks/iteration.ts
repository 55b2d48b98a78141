/**
 * What one interior-point iteration of a humanoid-sized robot in contact costs, and where it goes, for each target.
 *   iteration [--json]
 * Times are tenth percentiles of many repeats; the targets are interleaved, so that a noisy machine disturbs all alike.
 */

import { interpreter, javascript, maximalState, Random, Simulation, type Target, webassembly } from "dojo-sim";
import { insidesOf } from "dojo-sim/tools";
import { fourLegs, fourLegsHeight } from "./scenes.ts";

interface Row {
  readonly target: string;
  readonly microsecondsPerStep: number;
  readonly iterationsPerStep: number;
  /** Without the set-up of the step. */
  readonly microsecondsPerIteration: number;
  /** Microseconds of one run of each part. */
  readonly parts: Readonly<Record<string, number>>;
}

/** The tenth percentile: what the machine does when nothing else disturbs it. */
const typical = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 10)];

function prepare(
  target: Target,
  steps: number,
): { run: () => { time: number; iterations: number }; parts: () => Record<string, number> } {
  const mechanism = fourLegs();
  const simulation = new Simulation(mechanism, { target });
  const start = maximalState(mechanism, { base: { position: [0, 0, fourLegsHeight, 0, 0, 0] } });
  const input = new Float64Array(simulation.inputSize);
  const { stepper } = insidesOf(simulation);
  const direction = stepper.problem.newDirection();
  const run = () => {
    const random = new Random(1);
    const state = Float64Array.from(start);
    let iterations = 0;
    const begin = performance.now();
    for (let k = 0; k < steps; k++) {
      for (let i = 0; i < input.length; i++) input[i] = random.uniform(-2, 2);
      const result = simulation.step(state, input);
      iterations += result.iterations;
      state.set(result.next);
    }
    return { time: (performance.now() - begin) * 1000, iterations };
  };
  const parts = () => {
    const { problem } = stepper;
    const time = (work: () => void): number => {
      const begin = performance.now();
      for (let i = 0; i < 50; i++) work();
      return ((performance.now() - begin) * 1000) / 50;
    };
    const evaluate = time(() => problem.evaluate());
    const both = time(() => {
      problem.evaluate();
      problem.factor();
    });
    const solve = time(() => problem.solve(1e-8, false, direction));
    const setUp = time(() => {
      problem.prepare(1e-8);
      problem.start({ impulse: 0.3, length: 1, change: 1 }, 1e-8);
    });
    return { evaluate, factor: both - evaluate, solve, setUp };
  };
  return { run, parts };
}

function measure(targets: readonly Target[], repeats: number, steps: (target: Target) => number): Row[] {
  const benches = targets.map((target) => ({ target, steps: steps(target), ...prepare(target, steps(target)) }));
  const times = benches.map(() => [] as number[]);
  const iterations = benches.map(() => 0);
  const parts = benches.map(() => ({
    evaluate: [] as number[],
    factor: [] as number[],
    solve: [] as number[],
    setUp: [] as number[],
  }));
  for (let r = 0; r < repeats; r++) {
    benches.forEach((bench, i) => {
      const result = bench.run();
      iterations[i] = result.iterations;
      times[i].push(result.time);
      const once = bench.parts();
      for (const name of ["evaluate", "factor", "solve", "setUp"] as const) parts[i][name].push(once[name]);
    });
  }
  return benches.map((bench, i) => ({
    target: bench.target.name,
    microsecondsPerStep: typical(times[i]) / bench.steps,
    iterationsPerStep: iterations[i] / bench.steps,
    microsecondsPerIteration: (typical(times[i]) - bench.steps * typical([...parts[i].setUp])) / iterations[i],
    parts: {
      evaluate: typical(parts[i].evaluate),
      factor: typical(parts[i].factor),
      solve: typical(parts[i].solve),
      setUp: typical(parts[i].setUp),
    },
  }));
}

const rows = measure([webassembly, javascript, interpreter], 31, (target) => (target === interpreter ? 2 : 100));
if (process.argv.includes("--json")) console.log(JSON.stringify(rows, null, 2));
else {
  const base = rows[0].microsecondsPerIteration;
  console.log("13 bodies, 12 joints with limits and dampers, 4 contacts; microseconds");
  console.log(
    "target         iteration   ratio   evaluate   factor   one solve   set-up of a step   iterations a step   step",
  );
  for (const row of rows) {
    const cells = [
      row.microsecondsPerIteration,
      row.microsecondsPerIteration / base,
      row.parts.evaluate,
      row.parts.factor,
      row.parts.solve,
      row.parts.setUp,
      row.iterationsPerStep,
      row.microsecondsPerStep,
    ];
    const widths = [9, 7, 10, 8, 11, 18, 19, 9];
    console.log(row.target.padEnd(13) + cells.map((cell, i) => cell.toFixed(2).padStart(widths[i] + 1)).join(""));
  }
}
