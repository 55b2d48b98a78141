/**
 * Free chains that whip by half a radian per step and more: steps that have no whole solution, or in which links would gain energy, are taken in
 * parts, and a run stays in them as long as links are fast. Momentum stays what it was, and energy nearly so.
 */
import { expect, test } from "vitest";
import {
  capsule,
  checkGradients,
  compile,
  floating,
  maximalState,
  models,
  Random,
  revolute,
  Simulation,
  spherical,
  startState,
} from "../../src/index.ts";

const h = 0.02;
const steps = 30;
/** Part of the kinetic energy that a run may gain; five of these chains had gained more, up to 9%. */
const mostGain = 0.01;
/** And lose: where a run goes into parts while links are fast, chords of short parts have less of it. */
const mostLoss = 0.08;

/** Four links, of which the fastest turn by 0.4 to 0.7 rad per step. */
function chain(seed: number) {
  const random = new Random(seed);
  const about = (most: number): number[] => [0, 0, 0].map(() => random.uniform(-most, most));
  const isBall = seed % 2 === 0;
  const links = [0, 1, 2, 3];
  const ends = (i: number) =>
    ({ parent: `link${i - 1}`, child: `link${i}`, parentAnchor: [0, 0, -0.14], childAnchor: [0, 0, 0.14] }) as const;
  const joint = (i: number) => (isBall ? spherical(ends(i)) : revolute({ ...ends(i), axis: [1, 0, 0] }));
  const mechanism = compile({
    timestep: h,
    gravity: [0, 0, 0],
    bodies: Object.fromEntries(links.map((i) => [`link${i}`, capsule({ radius: 0.03, length: 0.2, mass: 1 })])),
    joints: Object.fromEntries(
      links.map((i) => [`link${i}`, i === 0 ? floating({ parent: "world", child: "link0" }) : joint(i)]),
    ),
  });
  const start = maximalState(
    mechanism,
    Object.fromEntries(
      links.map((i) => {
        if (i === 0) return ["link0", { velocity: [1, 0, 0, ...about(9)] }];
        return [`link${i}`, { velocity: about(20).slice(0, isBall ? 3 : 1) }];
      }),
    ),
  );
  return { mechanism, start };
}

test("the energy of free chains neither grows nor falls by much, and their momentum stays", () => {
  let inParts = 0;
  for (let seed = 1; seed <= 12; seed++) {
    const { mechanism, start } = chain(seed);
    const simulation = new Simulation(mechanism);
    const run = simulation.rollout(start, { steps });
    expect(run.solved).toBe(true);
    inParts += run.reports.filter(({ substeps }) => substeps > 1).length;
    const { interval } = run.reports[steps - 1];
    const energy = simulation.energy(run.final, interval).kinetic / simulation.energy(start).kinetic;
    expect(energy, `chain ${seed}`).toBeLessThan(1 + mostGain);
    expect(energy, `chain ${seed}`).toBeGreaterThan(1 - mostLoss);
    const [before, after] = [simulation.momentum(start).angular, simulation.momentum(run.final, interval).angular];
    for (let k = 0; k < 3; k++) expect(Math.abs(after[k] - before[k])).toBeLessThan(1e-12);
  }
  expect(inParts).toBeGreaterThan(100);
});

test("what rests without gravity gains nothing by rounding: a linkage takes whole steps", () => {
  const mechanism = compile(models.fourBar({ gravity: [0, 0, 0] }));
  const start = startState(mechanism);
  const random = new Random(1);
  const nudged = start.map((value, i) => (i % 13 >= 7 ? value + random.uniform(-1e-16, 1e-16) : value));
  const { reports } = new Simulation(mechanism).rollout(nudged, { steps: 40 });
  expect(reports.every(({ status, substeps }) => status === "solved" && substeps === 1)).toBe(true);
});

test("gradients of steps in parts are those of differences in as many parts", () => {
  const { mechanism, start } = chain(2);
  const simulation = new Simulation(mechanism);
  const run = simulation.rollout(start, { steps });
  const first = run.reports.findIndex(({ substeps }) => substeps > 1);
  const [before, within] = [run.interval(first), run.interval(first + 2)];
  expect([before, within]).toEqual([h, h / 2]);
  for (const k of [first, first + 2]) {
    const input = new Float64Array(simulation.inputSize);
    const { worst, blocks } = checkGradients(new Simulation(mechanism), run.states[k], input, {
      interval: run.interval(k),
      coordinates: "minimal",
    });
    expect(blocks.length).toBeGreaterThan(0);
    expect(worst, `step ${k}`).toBeLessThan(1e-6);
  }
});

test("a rollout from where the last one has ended goes on in its interval without being told", () => {
  const { mechanism, start } = chain(2);
  const simulation = new Simulation(mechanism);
  const whole = simulation.rollout(start, { steps });
  const cut = whole.reports.findIndex(({ interval }) => interval < h) + 2;
  expect(whole.interval(cut)).toBeLessThan(h);
  simulation.continuation = undefined;
  const { final } = simulation.rollout(start, { steps: cut });
  const later = simulation.rollout(final, { steps: steps - cut });
  expect(later.interval(0)).toBe(whole.interval(cut));
  expect(later.final).toEqual(whole.final);
});

test("a run that is cut while it is in parts goes on to the bit", () => {
  const { mechanism, start } = chain(2);
  const run = new Simulation(mechanism).rollout(start, { steps });
  const cut = run.reports.findIndex(({ interval }) => interval < h) + 1;
  expect(cut).toBeGreaterThan(0);
  const continuation = run.continuationAt(cut);
  const later = new Simulation(mechanism).rollout(run.states[cut], { steps: steps - cut, continuation });
  expect(later.final).toEqual(run.final);
});
