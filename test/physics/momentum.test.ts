/** Joints, and all that acts inside them, pass momentum between bodies and make none. */
import { afterAll, describe, expect, it } from "vitest";
import { type Mechanism, Random, Simulation } from "../../src/index.ts";
import { chain, type JointForces, jointCases, randomState } from "./jointCases.ts";
import { distance, run } from "./measures.ts";
import { printTable } from "./table.ts";

/** Momentum is exact but for the solver's residual (1e-8 of a step's impulses, and one iteration beyond) and rounding. */
const MOMENTUM_TOLERANCE = 1e-9;
/**
 * Energy is not conserved but stays near, to second order: within this times (hω)², with ω that of the fastest link. Chains are chaotic: a
 * change of 1e-13 in the start leads to a largest error of 3% or of 6% at h = 0.05, both below a third of (hω)².
 */
const ENERGY_TOLERANCE = 0.5;
const seed = 11;
const steps = 1000;
const timesteps = [0.01, 0.05];
/** m/s and rad/s a joint. The chains whip: links reach 8 rad/s, |ψ| = 0.2 at h = 0.05; from 0.3 on steps may have no root. */
const speed = 0.5;
const spread = 0.2;

interface Changes {
  readonly linear: number;
  readonly angular: number;
  /** In units of (hω)². */
  readonly energy: number;
  readonly iterations: number;
}

function largestChanges(mechanism: Mechanism): Changes {
  const simulation = new Simulation(mechanism);
  const random = new Random(seed);
  const start = randomState(mechanism, seed, speed, spread);
  const before = simulation.momentum(start);
  const energyBefore = simulation.energy(start).kinetic;
  const input = new Float64Array(simulation.inputSize);
  let [linear, angular, energy, fastest] = [0, 0, 0, 0];
  const { iterations } = run(
    simulation,
    start,
    steps,
    (state) => {
      const now = simulation.momentum(state);
      linear = Math.max(linear, distance(now.linear, before.linear) / Math.hypot(...before.linear));
      angular = Math.max(angular, distance(now.angular, before.angular) / Math.hypot(...before.angular));
      // springs make it slow to compute
      if (simulation.inputSize) return;
      energy = Math.max(energy, Math.abs(simulation.energy(state).kinetic / energyBefore - 1));
      for (let at = 10; at < state.length; at += 13) {
        fastest = Math.max(fastest, Math.hypot(...state.subarray(at, at + 3)));
      }
    },
    () => input.map(() => random.uniform(-0.05, 0.05)),
  );
  return { linear, angular, energy: energy / (mechanism.timestep * fastest) ** 2, iterations: iterations / steps };
}

describe("a floating chain of five links", () => {
  const rows: (string | number)[][] = [];
  afterAll(() =>
    printTable(
      `Free chain of 5 links, ${steps} steps: largest relative change`,
      ["joint", "h", "linear", "angular", "energy over (hω)²", "iterations"],
      rows,
    ),
  );

  it.each(jointCases)("joined by $name keeps its momentum to 1e-9 and its energy to second order", ({ name, form }) => {
    for (const timestep of timesteps) {
      const { linear, angular, energy, iterations } = largestChanges(chain({ form, timestep }));
      rows.push([name, timestep, linear, angular, energy, iterations]);
      expect(linear, "linear").toBeLessThan(MOMENTUM_TOLERANCE);
      expect(angular, "angular").toBeLessThan(MOMENTUM_TOLERANCE);
      expect(energy, "energy").toBeLessThan(ENERGY_TOLERANCE);
    }
  });
});

/** Everything that can act on a free coordinate at once; the limits are met, the friction slides and sticks. */
const allForces: JointForces = {
  stiffness: 2,
  rest: 0.05,
  damping: 0.05,
  armature: 0.02,
  friction: 0.05,
  limits: [-0.3, 0.25],
  actuated: true,
};
/** A rotation vector longer than this is refused: less than the limits allow together. */
const tiltLimit = 0.3;
const hasRotationVector = (name: string): boolean =>
  /spherical|floating|Free|rbital/.test(name) && name !== "freeRevolute";

describe("a floating chain of three links with springs, dampers, armature, friction, limits and motors", () => {
  const rows: (string | number)[][] = [];
  afterAll(() =>
    printTable(
      `Free chain of 3 links with inner forces, ${steps} steps: largest relative change`,
      ["joint", "h", "linear", "angular", "iterations"],
      rows,
    ),
  );

  const free = jointCases.filter(({ name }) => name !== "fixed");
  it.each(free)("joined by $name keeps its momentum to 1e-9", ({ name, form }) => {
    const forces = hasRotationVector(name) ? { ...allForces, tiltLimit } : allForces;
    for (const timestep of timesteps) {
      const { linear, angular, iterations } = largestChanges(chain({ form, timestep, links: 3, forces }));
      rows.push([name, timestep, linear, angular, iterations]);
      expect(linear, "linear").toBeLessThan(MOMENTUM_TOLERANCE);
      expect(angular, "angular").toBeLessThan(MOMENTUM_TOLERANCE);
    }
  });
});
