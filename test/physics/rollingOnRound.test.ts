/**
 * Spheres and capsules roll on round parts, and on what turns below them, to second order in the time step: halving it leaves a quarter of the
 * error. With the normal and the turning frame of the start of a step it left half: balls that spin lost energy, and on a turntable they sped up.
 */
import { expect, it } from "vitest";
import {
  type BodyDescription,
  capsule,
  compile,
  cylinder,
  floating,
  maximalState,
  type Shape,
  Simulation,
  sphere,
} from "../../src/index.ts";

const contact = { frictionCoefficient: 5 };
const ball = sphere({ radius: 0.1, mass: 1, contact });
const rod = capsule({ radius: 0.05, length: 0.4, mass: 1, contact });
const alongY = [Math.SQRT1_2, Math.SQRT1_2, 0, 0] as const;
const below = [0, 0, -0.5] as const;

interface Roll {
  readonly body: BodyDescription;
  readonly ground: Shape;
  readonly height: number;
  readonly turn: readonly number[];
  readonly spin: readonly number[];
}

const rolls: Readonly<Record<string, Roll>> = {
  "a ball that spins on a ball": {
    body: ball,
    ground: { kind: "sphere", radius: 0.5, position: below, contact },
    height: 0.1,
    turn: [0, 0, 0],
    spin: [0.5, 0, 30],
  },
  "a ball that spins on a cylinder": {
    body: ball,
    ground: { kind: "cylinder", radius: 0.5, length: 3, position: below, orientation: alongY, contact },
    height: 0.1,
    turn: [0, 0, 0],
    spin: [0.3, 0.6, 30],
  },
  "a capsule that rocks across another": {
    body: rod,
    ground: { kind: "capsule", radius: 0.5, length: 3, position: below, orientation: alongY, contact },
    height: 0.05,
    turn: [0, Math.PI / 2, 0],
    spin: [2, 1.5, 6],
  },
};

it.each(Object.entries(rolls))("%s keeps its energy", (_, { body, ground, height, turn, spin }) => {
  const [coarse, fine] = [0.008, 0.004].map((timestep) => {
    const mechanism = compile({
      timestep,
      bodies: { body },
      joints: { base: floating({ parent: "world", child: "body" }) },
      shapes: [ground],
    });
    const simulation = new Simulation(mechanism);
    const start = maximalState(mechanism, { base: { position: [0, 0, height + 1e-6, ...turn] } });
    start.set(spin, 10);
    // it falls onto its ground first
    const landed = simulation.rollout(start, { steps: Math.round(0.064 / timestep) });
    const rolling = simulation.rollout(landed.final, { steps: Math.round(0.4 / timestep) });
    expect(rolling.solved).toBe(true);
    return Math.abs(simulation.energy(rolling.final).total - simulation.energy(landed.final).total);
  });
  expect(fine).toBeLessThan(0.3 * coarse);
});

it("a ball on a turntable goes round in a circle, at the speed that it has", () => {
  const [coarse, fine] = [0.008, 0.004].map((timestep) => {
    const mechanism = compile({
      timestep,
      bodies: { table: cylinder({ radius: 2, length: 0.1, mass: 1e4, contact }), ball },
      joints: {
        table: floating({ parent: "world", child: "table" }),
        ball: floating({ parent: "world", child: "ball" }),
      },
      shapes: [{ kind: "halfSpace", contact: { frictionCoefficient: 0, priority: 1 } }],
    });
    const simulation = new Simulation(mechanism);
    const start = maximalState(mechanism, {
      table: { position: [0, 0, 0.05 + 1e-7, 0, 0, 0], velocity: [0, 0, 0, 0, 0, 3] },
      ball: { position: [0.5, 0, 0.2 + 2e-7, 0, 0, 0], velocity: [0, 0.5, 0, 0, 0, 0] },
    });
    const run = simulation.rollout(start, { steps: Math.round(2 / timestep) });
    expect(run.solved).toBe(true);
    const speeds = run.states.map((state) => Math.hypot(state[13 + 7], state[13 + 8]));
    return Math.abs(speeds[speeds.length - 1] / speeds[Math.round(0.2 / timestep)] - 1);
  });
  expect(fine).toBeLessThan(1e-3);
  expect(fine).toBeLessThan(0.3 * coarse);
});
