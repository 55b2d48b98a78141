/** Pendulums without friction against closed form and a fine reference: the integrator is of second order. */
import { describe, expect, it } from "vitest";
import { compile, customBody, jointCoordinates, revolute, Simulation, stateAt } from "../../src/index.ts";
import { jacobi } from "./elliptic.ts";
import { run } from "./measures.ts";
import { printTable } from "./table.ts";

/** Halving h divides a second-order error by 4; terms of order h⁴ are what is left. */
const ORDER_RATIO = 4;
const RATIO_TOLERANCE = 0.5;
const timesteps = [0.04, 0.02, 0.01, 0.005];
const g = 9.81;

interface Rod {
  readonly mass: number;
  readonly length: number;
  /** From the upper end to the centre of mass. */
  readonly centre: number;
  /** About the axis of the hinges, at the centre of mass. */
  readonly inertia: number;
}

const upper: Rod = { mass: 1.2, length: 0.8, centre: 0.35, inertia: 0.07 };
const lower: Rod = { mass: 0.7, length: 0.6, centre: 0.25, inertia: 0.03 };

function pendulum(rods: readonly Rod[], timestep: number) {
  return compile({
    timestep,
    gravity: [0, 0, -g],
    bodies: Object.fromEntries(
      rods.map(({ mass, inertia }, i) => [`rod${i}`, customBody({ mass, inertia: [inertia, inertia, inertia] })]),
    ),
    joints: Object.fromEntries(
      rods.map(({ centre }, i) => [
        `hinge${i}`,
        revolute({
          parent: i === 0 ? "world" : `rod${i - 1}`,
          child: `rod${i}`,
          axis: [1, 0, 0],
          parentAnchor: i === 0 ? [0, 0, 0] : [0, 0, rods[i - 1].centre - rods[i - 1].length],
          childAnchor: [0, 0, centre],
        }),
      ]),
    ),
  });
}

/** Angles of the hinges over time, from rest at an instant. */
function swing(rods: readonly Rod[], angles: readonly number[], h: number, seconds: number): number[][] {
  const mechanism = pendulum(rods, h);
  const simulation = new Simulation(mechanism);
  const start = stateAt(simulation, Object.fromEntries(rods.map((_, i) => [`hinge${i}`, { position: [angles[i]] }])));
  const found: number[][] = [];
  run(simulation, start, Math.round(seconds / h), (state) => {
    found.push(Array.from(jointCoordinates(mechanism, state)));
  });
  return found;
}

const ratios = (errors: readonly number[]): number[] => errors.slice(1).map((error, i) => errors[i] / error);

function expectSecondOrder(title: string, errors: readonly number[]): void {
  printTable(
    title,
    ["h, s", "largest error, rad", "falls by"],
    timesteps.map((h, i) => [h, errors[i], i === 0 ? "" : errors[i - 1] / errors[i]]),
  );
  for (const ratio of ratios(errors)) expect(Math.abs(ratio - ORDER_RATIO)).toBeLessThan(RATIO_TOLERANCE);
}

describe("an undamped pendulum", () => {
  it("of large amplitude nears the elliptic functions by 4 when h halves", () => {
    const amplitude = 2.5;
    const seconds = 4;
    const rate = Math.sqrt((upper.mass * g * upper.centre) / (upper.inertia + upper.mass * upper.centre ** 2));
    const k = Math.sin(amplitude / 2);
    // sin(θ/2) = k cd(ω t, k)
    const exact = (t: number): number => {
      const { cn, dn } = jacobi(rate * t, k);
      return 2 * Math.asin((k * cn) / dn);
    };
    const errors = timesteps.map((h) => {
      const found = swing([upper], [amplitude], h, seconds);
      return Math.max(...found.map(([angle], i) => Math.abs(angle - exact((i + 1) * h))));
    });
    expectSecondOrder("Pendulum from 2.5 rad, 4 s, against elliptic functions", errors);
  });

  it("of two rods nears the exact motion by 4 when h halves", () => {
    const angles = [1.2, 1.9];
    const seconds = 1.6;
    const fine = 1e-4;
    const exact = doublePendulum(angles, fine, seconds);
    const errors = timesteps.map((h) => {
      const found = swing([upper, lower], [angles[0], angles[1] - angles[0]], h, seconds);
      return Math.max(
        ...found.flatMap(([one, two], i) => {
          const [a, b] = exact[Math.round(((i + 1) * h) / fine)];
          return [Math.abs(one - a), Math.abs(one + two - b)];
        }),
      );
    });
    expectSecondOrder("Double pendulum, 1.6 s, against RK4 of its equations at 0.1 ms", errors);
  });
});

/** Accelerations of the absolute angles of two rods. */
function doublePendulumAccelerations([a, b, da, db]: readonly number[]): [number, number] {
  const coupling = lower.mass * upper.length * lower.centre;
  const m11 = upper.inertia + upper.mass * upper.centre ** 2 + lower.mass * upper.length ** 2;
  const m12 = coupling * Math.cos(a - b);
  const m22 = lower.inertia + lower.mass * lower.centre ** 2;
  const f1 =
    -coupling * Math.sin(a - b) * db * db - (upper.mass * upper.centre + lower.mass * upper.length) * g * Math.sin(a);
  const f2 = coupling * Math.sin(a - b) * da * da - lower.mass * lower.centre * g * Math.sin(b);
  const determinant = m11 * m22 - m12 * m12;
  return [(m22 * f1 - m12 * f2) / determinant, (m11 * f2 - m12 * f1) / determinant];
}

/** Absolute angles at every step of the classical Runge-Kutta method, from rest. */
function doublePendulum(angles: readonly number[], h: number, seconds: number): number[][] {
  const rate = (y: readonly number[]): number[] => [y[2], y[3], ...doublePendulumAccelerations(y)];
  const along = (y: readonly number[], k: readonly number[], factor: number): number[] =>
    y.map((entry, i) => entry + factor * k[i]);
  let y: number[] = [...angles, 0, 0];
  const path = [y];
  for (let step = 0; step < Math.round(seconds / h); step++) {
    const k1 = rate(y);
    const k2 = rate(along(y, k1, h / 2));
    const k3 = rate(along(y, k2, h / 2));
    const k4 = rate(along(y, k3, h));
    y = y.map((entry, i) => entry + (h / 6) * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]));
    path.push(y);
  }
  return path;
}
