/**
 * What acts on rotation vectors: springs, servos, limits and gears have potentials, so that no motion gains energy from them, whatever
 * the rest, the stiffnesses and the kind of joint. Energies of springs are computed anew here, from quaternions.
 */
import { describe, expect, it } from "vitest";
import {
  compile,
  customBody,
  floating,
  type JointDescription,
  maximalState,
  minimalState,
  orbital,
  projectState,
  Random,
  Simulation,
  spherical,
  type Vector3,
} from "../../src/index.ts";
import { type Quaternion, quaternion, vector } from "../../src/math/index.ts";
import { chain, jointCases, randomState } from "./jointCases.ts";
import { bodyState, run } from "./measures.ts";

const vectorCases = jointCases.filter(({ name }) => /[oO]rbital|spherical|Free|floating/.test(name));
const entriesOf = (name: string): number => (/[oO]rbital/.test(name) ? 2 : 3);
const slidesOf = (name: string): number =>
  ({ spherical: 0, orbital: 0, prismaticOrbital: 1, cylindricalFree: 1, planarOrbital: 2, planarFree: 2 })[name] ?? 3;

const inertia: Vector3 = [0.02, 0.03, 0.04];
const body = customBody({ mass: 1, inertia });

/** Largest deviation of the total energy from its start, over the largest kinetic energy; looked at every now and then. */
function energyError(simulation: Simulation, start: Float64Array, steps: number): number {
  const first = simulation.energy(start).total;
  let [worst, kinetic] = [0, 0];
  run(simulation, start, steps, (state, step) => {
    if (step % 7 !== 0) return;
    const energy = simulation.energy(state);
    worst = Math.max(worst, Math.abs(energy.total - first));
    kinetic = Math.max(kinetic, energy.kinetic);
  });
  return worst / kinetic;
}

/** log(b⁻¹ r b⁻¹), b² = exp(rest). */
function departure(r: Quaternion, rest: Vector3): Vector3 {
  const back = quaternion.fromRotationVector(vector.scale(rest, -0.5));
  return quaternion.toRotationVector(quaternion.multiply(quaternion.multiply(back, r), back));
}

describe("springs on rotation vectors", () => {
  it.each([
    ["alike, with a rest", [0.2, 0.2, 0.2], [0.5, 0.3, 0]],
    ["unlike", [0, 0.2, 1], [0, 0, 0]],
    ["unlike, with a rest half a turn away", [0.3, 0.1, 0.5], [1.6, -2, 1.5]],
  ] as const)("%s, keep the energy of a body on a ball joint for 20 s", (_, stiffness, rest) => {
    const timestep = 0.01;
    const mechanism = compile({
      timestep,
      gravity: [0, 0, 0],
      springConservation: 1,
      bodies: { body },
      joints: { ball: spherical({ parent: "world", child: "body", stiffness, rest }) },
    });
    const simulation = new Simulation(mechanism);
    const start = maximalState(mechanism, { ball: { position: [1, -0.5, 0.4], velocity: [0.5, 0.3, -0.4] } });
    const energy = (state: Float64Array): number => {
      const { orientation, spin } = bodyState(state, 0);
      const psi = vector.scale(spin, timestep / 2);
      const turn: Quaternion = [Math.sqrt(1 - vector.dot(psi, psi)), ...psi];
      const before = quaternion.multiply(orientation, quaternion.conjugate(turn));
      const [now, then] = [orientation, before].map((r) => departure(r, rest));
      return inertia.reduce(
        (sum, moment, i) => sum + 0.5 * moment * spin[i] ** 2 + 0.5 * stiffness[i] * ((now[i] + then[i]) / 2) ** 2,
        0,
      );
    };
    const first = energy(start);
    expect(simulation.energy(start).total / first).toBeCloseTo(1, 12);
    let [worst, apart] = [0, 0];
    run(simulation, start, 2000, (state, step) => {
      const now = energy(state);
      worst = Math.max(worst, Math.abs(now / first - 1));
      if (step % 50 === 0) apart = Math.max(apart, Math.abs(simulation.energy(state).total / now - 1));
    });
    expect(apart).toBeLessThan(1e-12);
    // (h ω)² of some rad/s
    expect(worst).toBeLessThan(2e-3);
  });

  it.each(vectorCases)("keep the energy of a floating chain of $name joints to second order in h", ({ name, form }) => {
    const random = new Random(3);
    const slides = slidesOf(name);
    const axes = Array.from({ length: slides + entriesOf(name) }, (_, i) => i);
    const stiffness = axes.map((i) => (i < slides ? random.uniform(5, 20) : random.uniform(0.05, 1)));
    const rest = axes.map((i) => (i < slides ? random.uniform(-0.1, 0.1) : random.uniform(-0.8, 0.8)));
    const [coarse, fine] = [0.01, 0.005].map((timestep) => {
      const mechanism = chain({ form, links: 2, timestep, forces: { stiffness, rest }, springConservation: 1 });
      return energyError(new Simulation(mechanism), randomState(mechanism, 11, 1.5, 0.5), 5 / timestep);
    });
    expect(coarse).toBeLessThan(0.02);
    expect(fine).toBeLessThan(0.4 * coarse);
  });

  it("are stable at any stiffness, and take energy by default", () => {
    const rest = [0.9, -1.2, 0.5];
    // h²k/J from 0.01 to 1e4
    for (const stiffness of [3, 300, 3e4, 3e6].map((size) => [size, 3 * size, 0.2 * size])) {
      const mechanism = compile({
        timestep: 0.01,
        gravity: [0, 0, 0],
        bodies: { body },
        joints: { ball: spherical({ parent: "world", child: "body", stiffness, rest }) },
      });
      const simulation = new Simulation(mechanism);
      const start = maximalState(mechanism, { ball: { position: [0.92, -1.19, 0.52], velocity: [0.2, 0, -0.1] } });
      const first = simulation.energy(start).total;
      let [least, gain] = [first, 0];
      run(simulation, start, 300, (state) => {
        const { total } = simulation.energy(state);
        gain = Math.max(gain, total - least);
        least = Math.min(least, total);
      });
      // turns between the three weighed configurations do not commute
      expect(gain).toBeLessThan(1e-3 * first);
      expect(least).toBeLessThan(0.9 * first);
    }
  });
});

describe("servos on rotation vectors", () => {
  const timestep = 0.02;
  const stiffness = 2;
  it.each([
    ["spherical", spherical],
    ["orbital", orbital],
  ] as const)("of a %s joint arrive from everywhere, with and without effort limits", (kind, joint) => {
    const random = new Random(17);
    const draw = (): number[] => {
      const length = random.uniform(0, 3.1);
      const entries = Array.from({ length: entriesOf(kind) }, () => random.uniform(-1, 1));
      return entries.map((entry) => (entry * length) / vector.norm(entries));
    };
    for (const ratio of [0.05, 0.3, 0.6, 1, 5]) {
      for (const effort of [{}, { effortLimit: 0.4 }]) {
        const servo = { stiffness, damping: 2 * ratio * Math.sqrt(stiffness * inertia[1]) };
        const mechanism = compile({
          timestep,
          gravity: [0, 0, 0],
          bodies: { body },
          joints: { joint: joint({ parent: "world", child: "body", servo, ...effort }) },
        });
        const simulation = new Simulation(mechanism);
        for (let n = 0; n < 2; n++) {
          const [start, target] = [draw(), draw()];
          const begin = maximalState(mechanism, {
            joint: { position: start, velocity: start.map((entry) => (kind === "orbital" ? entry : 3)) },
          });
          const input = Float64Array.from(target);
          const { final } = run(simulation, begin, 40 / timestep, undefined, () => input);
          const minimal = minimalState(mechanism, final);
          target.forEach((entry, i) => {
            expect(Math.abs(minimal[i] - entry), `${ratio}: ${start} to ${target}`).toBeLessThan(1e-3);
            expect(Math.abs(minimal[entriesOf(kind) + i])).toBeLessThan(1e-3);
          });
        }
      }
    }
  });
});

describe("limits on rotation vectors", () => {
  it.each(vectorCases)("of $name joints only take energy", ({ form }) => {
    const mechanism = chain({ form, links: 3, timestep: 0.01, forces: { limits: [-1.6, 1.2] } });
    const simulation = new Simulation(mechanism);
    for (const seed of [1, 3]) {
      const start = randomState(mechanism, seed, 6, 1.1);
      const first = simulation.energy(start).total;
      let most = 0;
      run(simulation, start, 400, (state) => {
        most = Math.max(most, simulation.energy(state).total);
      });
      // (h ω)² of 6 rad/s, to and fro
      expect(most).toBeLessThan(1.01 * first);
    }
  });
});

describe("gears on rotation vectors", () => {
  const terms = [
    { joint: "first", axis: 0, ratio: 1 },
    { joint: "second", axis: 1, ratio: -1.5 },
  ];
  it.each([
    ["a spring", { stiffness: 0.5, rest: 0.4 }],
    ["a relation", {}],
  ])("do no work around: %s between two ball joints", (_, gear) => {
    const ends = { parentAnchor: [0, 0, 0.2], childAnchor: [0, 0.1, -0.2] } as const;
    const mechanism = compile({
      timestep: 0.01,
      gravity: [0, 0, 0],
      springConservation: 1,
      bodies: { a: body, b: body, c: body },
      joints: {
        base: floating({ parent: "world", child: "a" }),
        first: spherical({ ...ends, parent: "a", child: "b" }),
        second: spherical({ ...ends, parent: "b", child: "c" }),
      },
      gears: { gear: { terms, ...gear } },
    });
    const simulation = new Simulation(mechanism);
    const start = maximalState(mechanism, {
      first: { position: [0.6, 0.4, -0.5], velocity: [1, -1, 1.5] },
      second: { position: [0.3, 0.4, 0.2], velocity: [1.2, 0.5, -1] },
    });
    const settled = run(simulation, projectState(simulation, start), 1).final;
    expect(energyError(simulation, settled, 1000)).toBeLessThan(3e-3);
  });
});

describe("what acts about the child's axes", () => {
  /** Of a body on a joint, with three unlike values. */
  const onJoint = (forces: Partial<JointDescription>, timestep: number) => {
    const mechanism = compile({
      timestep,
      gravity: [0, 0, 0],
      bodies: { base: customBody({ mass: 2, inertia: [0.1, 0.2, 0.15] }), body },
      joints: {
        floating: floating({ parent: "world", child: "base" }),
        ball: spherical({ parent: "base", child: "body", childAnchor: [0, 0.1, 0.2], ...forces }),
      },
    });
    const start = maximalState(mechanism, {
      floating: { velocity: [0, 0, 0, 1, -2, 1] },
      ball: { position: [1, -0.5, 0.4], velocity: [2, 1, -3] },
    });
    return { simulation: new Simulation(mechanism), start };
  };

  it("rotors keep their energy and the joint's", () => {
    const armature = [0.05, 0.01, 0.2];
    const [coarse, fine] = [0.01, 0.005].map((timestep) => {
      const { simulation, start } = onJoint({ armature }, timestep);
      const first = simulation.energy(start).total;
      let worst = 0;
      run(simulation, start, 5 / timestep, (state) => {
        worst = Math.max(worst, Math.abs(simulation.energy(state).total / first - 1));
      });
      return worst;
    });
    expect(coarse).toBeLessThan(2e-3);
    expect(fine).toBeLessThan(0.4 * coarse);
  });

  it.each([
    ["dampers", { damping: [0.01, 0.05, 0.002] }],
    ["friction", { friction: [0.01, 0.03, 0.02] }],
  ])("%s only take energy", (_, forces) => {
    const { simulation, start } = onJoint(forces, 0.01);
    const first = simulation.energy(start).total;
    let [least, gain] = [first, 0];
    run(simulation, start, 500, (state) => {
      const { total } = simulation.energy(state);
      gain = Math.max(gain, total - least);
      least = Math.min(least, total);
    });
    expect(gain).toBeLessThan(1e-3 * first);
    expect(least).toBeLessThan(0.9 * first);
  });
});
