/**
 * Time of a step against the number of links: the elimination is linear in them.
 *   chain [--quick] [--json]
 * Fails (exit code 1) when the fitted exponent is above 1.1.
 */
import { maximalState, Simulation } from "dojo-sim";
import { weightlessChain } from "./scenes.ts";

const promisedExponent = 1.1;
const lengths = process.argv.includes("--quick") ? [10, 30, 100, 300] : [10, 30, 100, 300, 1000];

const rows = lengths.map((links) => {
  const mechanism = weightlessChain(links);
  const simulation = new Simulation(mechanism);
  const state = maximalState(mechanism, { joint0: { velocity: [0.1] } });
  const steps = Math.max(20, Math.round(2000 / links));
  const times: number[] = [];
  let iterations = 0;
  for (let repeat = 0; repeat < 7; repeat++) {
    const now = Float64Array.from(state);
    iterations = 0;
    const begin = performance.now();
    for (let k = 0; k < steps; k++) {
      const result = simulation.step(now);
      iterations += result.iterations;
      now.set(result.next);
    }
    times.push(((performance.now() - begin) * 1000) / steps);
  }
  return { links, microsecondsPerStep: Math.min(...times), iterationsPerStep: iterations / steps };
});

/** Slope of log(time) over log(links), by least squares. */
function exponent(): number {
  const x = rows.map((row) => Math.log(row.links));
  const y = rows.map((row) => Math.log(row.microsecondsPerStep / row.iterationsPerStep));
  const mean = (list: number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length;
  const [mx, my] = [mean(x), mean(y)];
  return (
    x.reduce((sum, value, i) => sum + (value - mx) * (y[i] - my), 0) /
    x.reduce((sum, value) => sum + (value - mx) ** 2, 0)
  );
}

const slope = exponent();
if (process.argv.includes("--json")) console.log(JSON.stringify({ rows, exponent: slope }, null, 2));
else {
  console.log("links   microseconds a step   iterations   a link and iteration");
  for (const { links, microsecondsPerStep, iterationsPerStep } of rows) {
    const perLink = microsecondsPerStep / links / iterationsPerStep;
    console.log(
      `${String(links).padStart(5)}${microsecondsPerStep.toFixed(1).padStart(22)}${iterationsPerStep.toFixed(2).padStart(13)}${perLink.toFixed(3).padStart(23)}`,
    );
  }
  console.log(`time grows as links^${slope.toFixed(3)}`);
}
if (slope > promisedExponent) process.exitCode = 1;
