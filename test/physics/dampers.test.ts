/**
 * Dampers and servos with weights (1, ρ)/(1+ρ) on the coming increment and the last one, from soft to far stiffer than the time step
 * resolves, X = h d / m. A linear damper by itself obeys
 *   v₊ = v (1 + ρ − ρX)/(1 + ρ + X),     so that a stiff one falls by −ρ per step,
 * and with a = (1−ρ)/(1+ρ) of the damper, b the same of the spring, the storage
 *   ½ (m + a h d/2 + b² h² k/4) v² + ½ k ((θ + θ₋)/2)²
 * of a mass on both never grows, whatever the two ρ: it is the energy of the trapezoidal rule for a damped oscillator.
 */
import { describe, expect, test } from "vitest";
import {
  box,
  compile,
  customBody,
  type JointDescription,
  type Mechanism,
  maximalState,
  prismatic,
  revolute,
  Simulation,
  spherical,
  stateAt,
} from "../../src/index.ts";
import { chain, jointCases, randomState } from "./jointCases.ts";
import { run } from "./measures.ts";
import { printTable } from "./table.ts";

const h = 0.01;
const mass = 1.3;
/** X = h d / m. */
const stiffnesses = [0.01, 0.1, 1, 10, 100, 1e4, 1e6];
const centerings = [0, 0.3, 0.65, 1];
/** Rounding of one step, of numbers of the size of X over the mass. */
const EXACT = 1e-12;

function slider(rho: number, forces: Partial<JointDescription>, springConservation = 0.9): Simulation {
  const weight = customBody({ mass, inertia: [1, 1, 1] });
  const joints = { rail: prismatic({ parent: "world", child: "weight", axis: [1, 0, 0], ...forces }) };
  const common = { timestep: h, gravity: [0, 0, 0], springConservation, damperCentering: rho } as const;
  return new Simulation(compile({ ...common, bodies: { weight }, joints }));
}

describe("a mass on a damper", () => {
  test.each(centerings)("slows down by (1 + ρ − ρX)/(1 + ρ + X) per step at ρ = %d", (rho) => {
    for (const X of stiffnesses) {
      const simulation = slider(rho, { damping: (X * mass) / h });
      const factor = (1 + rho - rho * X) / (1 + rho + X);
      let velocity = 0.7;
      run(simulation, maximalState(simulation.mechanism, { rail: { velocity: [velocity] } }), 12, (state) => {
        expect(Math.abs(state[7] - factor * velocity)).toBeLessThan(EXACT);
        velocity = state[7];
      });
    }
  });

  test("ends where the exponential does, with an error of (1−ρ)/(1+ρ) times that at ρ = 0, and of second order at ρ = 1", () => {
    const [damping, seconds] = [4, 1];
    const exact = (mass / damping) * (1 - Math.exp((-damping / mass) * seconds));
    const errorAt = (rho: number, steps: number): number => {
      const simulation = slider(rho, { damping });
      simulation.setParameter("timestep", seconds / steps);
      const start = stateAt(simulation, { rail: { velocity: [1] } });
      return run(simulation, start, steps).final[0] - exact;
    };
    const first = errorAt(0, 1000);
    for (const rho of [0.3, 0.65, 0.9]) {
      // second-order terms are h d/m = 0.003 of the first
      expect(errorAt(rho, 1000) / first).toBeCloseTo((1 - rho) / (1 + rho), 2);
    }
    expect(errorAt(1, 100) / errorAt(1, 1000)).toBeGreaterThan(95);
    expect(errorAt(0, 100) / errorAt(0, 1000)).toBeLessThan(11);
  });

  test("a servo's target is reached as the damped oscillator does, of second order at ρ = 1 and of first below", () => {
    const servo = { stiffness: 40, damping: 3 };
    const [seconds, target] = [0.6, Float64Array.of(0.2)];
    const decay = servo.damping / (2 * mass);
    const frequency = Math.sqrt(servo.stiffness / mass - decay ** 2);
    const swing = Math.cos(frequency * seconds) + (decay / frequency) * Math.sin(frequency * seconds);
    const exact = 0.2 * (1 - Math.exp(-decay * seconds) * swing);
    const errorAt = (rho: number, steps: number): number => {
      const simulation = slider(rho, { servo });
      simulation.setParameter("timestep", seconds / steps);
      const start = stateAt(simulation, {}, { input: target });
      return Math.abs(run(simulation, start, steps, undefined, () => target).final[0] - exact);
    };
    expect(errorAt(1, 60) / errorAt(1, 240)).toBeGreaterThan(15.5);
    expect(errorAt(0.65, 240) / errorAt(0, 240)).toBeLessThan(0.25);
    expect(errorAt(1, 240)).toBeLessThan(2e-5);
  });

  test("with a spring of another ρ its storage never grows", () => {
    const worst: number[] = [];
    for (const rho of centerings) {
      for (const springRho of [0, 0.9, 1]) {
        for (const X of stiffnesses) {
          const [damping, stiffness] = [(X * mass) / h, (0.1 * X * mass) / h ** 2];
          const simulation = slider(rho, { damping, stiffness }, springRho);
          const [a, b] = [rho, springRho].map((entry) => (1 - entry) / (1 + entry));
          const inertia = mass + (a * h * damping) / 2 + (b * b * h * h * stiffness) / 4;
          const storage = (state: Float64Array): number =>
            (inertia * state[7] ** 2 + stiffness * (state[0] - (h * state[7]) / 2) ** 2) / 2;
          const start = maximalState(simulation.mechanism, { rail: { position: [0.05], velocity: [0.7] } });
          const first = storage(start);
          let last = first;
          run(simulation, start, 40, (state) => {
            worst.push((storage(state) - last) / first);
            last = storage(state);
          });
        }
      }
    }
    expect(Math.max(...worst)).toBeLessThan(EXACT);
  });
});

/** Largest energy of a run over the first, less one. */
function gain(simulation: Simulation, start: Float64Array, steps: number): number {
  const first = simulation.energy(start).total;
  let most = Number.NEGATIVE_INFINITY;
  run(simulation, start, steps, (state) => {
    most = Math.max(most, simulation.energy(state).total / first - 1);
  });
  return most;
}

describe("no energy is gained", () => {
  /** Inertia of a link about its joints, kg·m², up to a factor of three. */
  const inertia = 0.02;
  const ratios = [0.01, 1, 100, 1e6];
  /** Shares of a damping d. At ρ = 1 a stiff damper turns a motion round for good, and a spring beside it takes part in that: see the storage above. */
  const combinations = {
    damper: { damping: 1, servoDamping: 0, stiffness: 0, rho: [0.65, 1] },
    servo: { damping: 0, servoDamping: 1, stiffness: 0, rho: [0.65, 1] },
    all: { damping: 1, servoDamping: 1, stiffness: 0.1 / h, rho: [0.3, 0.65] },
  } as const;

  const rows: (string | number)[][] = [];
  test.each(jointCases.filter(({ name }) => name !== "fixed"))("by a chain of $name joints", ({ name, form }) => {
    const forces = { damping: 1, stiffness: 1, servo: { stiffness: 0, damping: 1 } };
    const simulation = new Simulation(chain({ form, links: 3, timestep: h, forces }));
    const start = randomState(simulation.mechanism, 3, 1);
    const set = (what: RegExp, value: number): void => {
      for (const path of simulation.parameterNames) {
        if (what.test(path) && !path.startsWith("joints.joint0.")) simulation.setParameter(path, value);
      }
    };
    const gains = Object.entries(combinations).map(([what, shares]) => {
      const each = shares.rho.flatMap((rho) => ratios.map((ratio) => ({ rho, damping: (ratio * inertia) / h })));
      const found = each.map(({ rho, damping }) => {
        set(/^damperCentering$/, rho);
        set(/\.damping\./, damping * shares.damping);
        set(/\.servoDamping\./, damping * shares.servoDamping);
        set(/\.stiffness\./, damping * shares.stiffness);
        return gain(simulation, start, 25);
      });
      expect(Math.max(...found), what).toBeLessThan(EXACT);
      return Math.max(...found);
    });
    rows.push([name, ...gains]);
  });

  test("by light ends on heavy bodies", () => {
    const joints = { hinge: revolute, slide: prismatic, ball: spherical };
    for (const [name, joint] of Object.entries(joints)) {
      for (const rho of [0.3, 0.65]) {
        for (const damping of [1e-4, 1e-2, 1, 1e3]) {
          const forces = { damping, stiffness: 10 * damping, servo: { stiffness: 0, damping } };
          const mechanism: Mechanism = compile({
            timestep: h,
            gravity: [0, 0, 0],
            damperCentering: rho,
            bodies: {
              heavy: box({ size: [1, 0.7, 0.5], mass: 100 }),
              light: box({ size: [0.05, 0.04, 0.1], mass: 0.001 }),
            },
            joints: {
              base: { kind: "floating", parent: "world", child: "heavy" },
              end: joint({ parent: "heavy", child: "light", parentAnchor: [0.5, 0, 0], ...forces }),
            },
          });
          const start = randomState(mechanism, 5, 1, 0.2);
          expect(gain(new Simulation(mechanism), start, 60), `${name}, ρ = ${rho}, d = ${damping}`).toBeLessThan(EXACT);
        }
      }
    }
  });

  test("by a gear's spring and damper", () => {
    for (const rho of [0.3, 0.65]) {
      for (const damping of [1e-3, 1, 1e4]) {
        const wheel = customBody({ mass: 1, inertia: [0.2, 0.2, 0.2] });
        const mechanism = compile({
          timestep: h,
          gravity: [0, 0, 0],
          damperCentering: rho,
          bodies: { one: wheel, two: wheel },
          joints: {
            first: revolute({ parent: "world", child: "one", axis: [0, 0, 1] }),
            second: revolute({ parent: "world", child: "two", axis: [0, 0, 1] }),
          },
          gears: {
            band: {
              terms: [
                { joint: "first", ratio: 1 },
                { joint: "second", ratio: -2 },
              ],
              stiffness: 5 * damping,
              damping,
            },
          },
        });
        const start = maximalState(mechanism, { first: { velocity: [2] }, second: { velocity: [-1] } });
        expect(gain(new Simulation(mechanism), start, 60), `ρ = ${rho}, d = ${damping}`).toBeLessThan(EXACT);
      }
    }
  });

  test("the table", () => {
    printTable("largest energy over the first, less one", ["joint", ...Object.keys(combinations)], rows);
    expect(rows.length).toBe(jointCases.length - 1);
  });
});
