/**
 * Shapes thrown at each other with up to 100 m/s, many times their own size per step: every step is solved, nothing passes through anything,
 * nothing is deep in anything where a step ends, momentum stays, and energy is not gained.
 */
import { afterAll, describe, expect, test } from "vitest";
import { ShapeDistances } from "../../src/index.ts";
import { printTable, type Row, short } from "./contactScenes.ts";
import { kinds, type Throw, thrown } from "./fastThrowScenes.ts";

/** Part of a thrown shape's size that it may be in another where a step ends: 1% is promised, rounding is the rule. */
const deepest = 1e-2;
/** Momentum, relative to that of the throw: residuals of 1e-8 per solve. */
const momentumTolerance = 1e-8;
/** Energy above that of the throw, relative; parts are right to second order, and some of it is always lost. */
const energyTolerance = 1e-9;
/** Most iterations of a step: before, steps that failed took up to 4,300. */
const mostIterations = 1500;

/** How deep the two would be in each other if nothing stopped them: straight flight, seen at 300 moments. */
function depthOfFlight({ simulation, start, steps }: Throw): number {
  const { mechanism, timestep } = simulation;
  const distances = new ShapeDistances(mechanism);
  const [state, moments] = [Float64Array.from(start), 300];
  let depth = 0;
  for (let k = 0; k < moments; k++) {
    for (let at = 0; at < state.length; at += 13) {
      const dt = (steps * timestep) / moments;
      for (let i = 0; i < 3; i++) state[at + i] += dt * start[at + 7 + i];
      // q ⊗ (√(1 − ψᵀψ), ψ), ψ = ω dt/2
      const [w, x, y, z] = state.subarray(at + 3, at + 7);
      const [a, b, c] = [0, 1, 2].map((i) => (dt / 2) * start[at + 10 + i]);
      const r = Math.sqrt(1 - a * a - b * b - c * c);
      state.set(
        [
          w * r - x * a - y * b - z * c,
          w * a + x * r + y * c - z * b,
          w * b - x * c + y * r + z * a,
          w * c + x * b - y * a + z * r,
        ],
        at + 3,
      );
    }
    for (const { distance } of distances.at(state)) depth = Math.max(depth, -distance);
  }
  return depth;
}

describe("throws of every shape at every other", () => {
  const rows: Row[] = [];
  const cases: { h: number; speed: number; restitution: number }[] = [
    { h: 0.01, speed: 3, restitution: 0 },
    { h: 0.01, speed: 30, restitution: 0 },
    ...[1, 11, 100].map((speed) => ({ h: 0.03, speed, restitution: 0 })),
    { h: 0.01, speed: 30, restitution: 0.5 },
    { h: 0.03, speed: 100, restitution: 0.5 },
  ];
  test.each(cases)("at $speed m/s, h = $h, restitution $restitution", ({ h, speed, restitution }) => {
    const bounce = restitution > 0 ? { restitution } : undefined;
    const row = { throws: 0, met: 0, deepest: 0, gain: Number.NEGATIVE_INFINITY, momentum: 0, iterations: 0, parts: 1 };
    for (const kind of kinds) {
      for (const other of [...kinds.slice(kinds.indexOf(kind)), "heightField" as const]) {
        const scene = thrown(kind, other, speed, h, 1, bounce);
        const { simulation, start, steps, size, isFixed } = scene;
        const label = `${kind} at ${other}`;
        const before = { energy: simulation.energy(start).kinetic, momentum: simulation.momentum(start) };
        let most = 0;
        const run = simulation.rollout(start, {
          steps,
          onStep: ({ iterations, substeps, overlap = 0 }) => {
            most = Math.max(most, iterations);
            row.parts = Math.max(row.parts, substeps);
            expect(overlap, label).toBeLessThan(deepest * size);
            return true;
          },
        });
        expect(run.solved, label).toBe(true);
        expect(most, label).toBeLessThan(mostIterations);
        // true distances, by another search
        const distances = new ShapeDistances(simulation.mechanism);
        const depth = Math.max(
          0,
          ...run.states.flatMap((state) => distances.at(state).map(({ distance }) => -distance)),
        );
        expect(depth, label).toBeLessThan(deepest * size);
        // what would have been deep in the other has met it
        const hasMet = Math.abs(run.final[9] + speed) > 1e-6 * speed;
        if (speed > 3 && depthOfFlight(scene) > 0.6 * Math.min(scene.thickness, size)) expect(hasMet, label).toBe(true);
        const interval = run.reports[run.reports.length - 1].interval;
        const gain = simulation.energy(run.final, interval).kinetic / before.energy - 1;
        expect(gain, label).toBeLessThan(energyTolerance);
        const after = simulation.momentum(run.final);
        const lost = Math.hypot(...after.linear.map((value, k) => value - before.momentum.linear[k]));
        const scale = Math.hypot(...before.momentum.linear);
        if (!isFixed) expect(lost / scale, label).toBeLessThan(momentumTolerance);
        row.throws++;
        row.met += hasMet ? 1 : 0;
        row.deepest = Math.max(row.deepest, depth);
        row.gain = Math.max(row.gain, gain);
        if (!isFixed) row.momentum = Math.max(row.momentum, lost / scale);
        row.iterations = Math.max(row.iterations, most);
      }
    }
    const { throws, met, parts, iterations } = row;
    rows.push({
      "m/s": speed,
      h,
      e: restitution,
      throws,
      met,
      deepest: short(row.deepest),
      gain: short(row.gain),
      momentum: short(row.momentum),
      iterations,
      parts,
    });
    // some of them came down
    expect(met).toBeGreaterThan(20);
  });
  afterAll(() =>
    printTable(
      "throws: deepest overlap (m), gain of energy, change of momentum, most iterations and parts of a step",
      rows,
    ),
  );
});
