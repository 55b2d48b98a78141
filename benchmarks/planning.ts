/**
 * What a plan of control in a loop costs, and what its parts do: the Riccati pass of A1's size (36 tangents, 12 inputs with bounds,
 * 40 knots), a step and the gradients of one, and a whole plan of `a1-stand` while it is pushed.
 *   planning [--rounds n] [--json]
 * Processor time, medians, all jobs in turns with a loop of plain arithmetic whose time is known (compare/calibration.ts), so that a
 * busy or slow machine shows. Fails (exit code 1) when a promised figure is missed on a machine whose calibration takes no longer
 * than the one that it was promised for.
 */
import { controlTasks, Random, RecedingHorizon, RiccatiPass } from "dojo-sim";
import { inTurns, processorClock } from "../experiments/timing/measure.ts";
import { calibration } from "./compare/calibration.ts";

/** Milliseconds on a quiet machine; calibration is what its plain arithmetic takes there. */
const promised = { riccati: 10, plan: 25, calibration: 9 };
const [n, m, knots] = [36, 12, 40];

/** A stable linear system with noise in all entries, a convex cost, and bounds that some inputs reach. */
function riccatiJob(): () => void {
  const random = new Random(1);
  const noise = (size: number, scale: number): Float64Array =>
    Float64Array.from({ length: size }, () => scale * random.normal());
  const diagonal = (size: number, value: number): Float64Array =>
    Float64Array.from({ length: size * size }, (_, k) => (k % (size + 1) === 0 ? value : 0));
  const expansion = (inputs: number) => ({
    lx: noise(n, 1),
    lu: noise(inputs, 1),
    lxx: diagonal(n, 1),
    lux: new Float64Array(inputs * n),
    luu: diagonal(inputs, 0.1),
  });
  const stages = Array.from({ length: knots }, () => {
    const A = diagonal(n, 0.9);
    noise(n * n, 0.05).forEach((value, k) => {
      A[k] += value;
    });
    return {
      A,
      B: noise(n * m, 0.1),
      gap: new Float64Array(n),
      expansion: expansion(m),
      lower: new Float64Array(m).fill(-0.5),
      upper: new Float64Array(m).fill(0.5),
    };
  });
  const last = expansion(0);
  const pass = new RiccatiPass(knots, n, m);
  return () => {
    if (!pass.run(stages, last, { scaled: 0, plain: 0, states: 0 })) throw new Error("the pass failed");
  };
}

interface PlanJobs {
  readonly step: () => void;
  readonly gradients: () => void;
  readonly plan: () => void;
  readonly horizon: RecedingHorizon;
}

/** Plans from states of a run under a push, one after another. */
function planJobs(): PlanJobs {
  const { plan, options, plant, start, push } = controlTasks["a1-stand"].make();
  const horizon = new RecedingHorizon(plan, { ...options, interval: plant.timestep });
  const input = new Float64Array(plant.inputSize);
  let state: Float64Array = start.slice();
  let at = 0;
  const period = 30;
  const advance = (): void => {
    if (at % period === 0) {
      state = start.slice();
      plant.setWrench(push.body, { force: [200, 100, 0] });
    }
    if (at % period === 5) plant.setWrench(push.body, {});
    at++;
    horizon.plan(state, 0.02);
    for (let k = 0; k < 2; k++) {
      horizon.inputInto(input, k * plant.timestep, state);
      state = Float64Array.from(plant.step(state, input).next);
    }
  };
  advance();
  const { dynamics } = horizon.compiled;
  const x = dynamics.stateOf(start, undefined, plant.timestep);
  const next = new Float64Array(dynamics.stateSize);
  const [A, B] = [new Float64Array(n * n), new Float64Array(n * m)];
  const { inputs } = horizon;
  return {
    step: () => {
      for (let k = 0; k < 10; k++) dynamics.step(next, x, inputs[0]);
    },
    gradients: () => {
      for (let k = 0; k < 10; k++) dynamics.linearize(A, B, x, inputs[0], 0, { relativeKappa: 0.01 });
    },
    plan: advance,
    horizon,
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function main(): void {
  const at = process.argv.indexOf("--rounds");
  const rounds = at < 0 ? 60 : Number(process.argv[at + 1]);
  const { step, gradients, plan, horizon } = planJobs();
  const jobs = { calibration, riccati: riccatiJob(), step, gradients, plan } as const;
  const measured = inTurns(processorClock, rounds, Object.values(jobs));
  const milliseconds = Object.fromEntries(
    Object.keys(jobs).map((name, i) => [
      name,
      (1000 * median(measured[i])) / (name === "step" || name === "gradients" ? 10 : 1),
    ]),
  );
  const { counts } = horizon;
  const dynamics = horizon.compiled.dynamics.counts;
  const figures = {
    ...milliseconds,
    plansPerSecond: 1000 / milliseconds.plan,
    unimproved: counts.unimproved / counts.plans,
  };
  if (process.argv.includes("--json")) console.log(JSON.stringify({ figures, promised, rounds }, null, 2));
  else {
    for (const [name, value] of Object.entries(milliseconds)) {
      const bound = (promised as Readonly<Record<string, number>>)[name];
      console.log(
        `${name.padEnd(16)}${value.toFixed(3).padStart(9)} ms${bound === undefined ? "" : `   promised ≤ ${bound}`}`,
      );
    }
    const all = `${counts.plans} plans, ${dynamics.steps} steps and ${dynamics.gradients} gradients with those measured alone`;
    console.log(`${figures.plansPerSecond.toFixed(0)} plans per second of processor time (${all})`);
  }
  const isSlow = milliseconds.calibration > promised.calibration;
  if (!isSlow && (milliseconds.riccati > promised.riccati || milliseconds.plan > promised.plan)) process.exitCode = 1;
}

main();
