/** Terrain crossed with other features: level terrain is a half-space, and on a body that moves it is the top of a box. */
import { describe, expect, test } from "vitest";
import {
  type BodyDescription,
  box,
  capsule,
  compile,
  cylinder,
  ellipsoid,
  floating,
  hull,
  type MechanismDescription,
  maximalState,
  Random,
  type Shape,
  Simulation,
  type SimulationOptions,
  type SurfaceDescription,
  sphere,
  stepGradients,
} from "../../src/index.ts";
import { type Quaternion, quaternion, type Vector3, vector } from "../../src/math/index.ts";

const bodies: Record<string, (contact: SurfaceDescription) => BodyDescription> = {
  sphere: (contact) => sphere({ radius: 0.1, mass: 1, contact }),
  capsule: (contact) => capsule({ radius: 0.05, length: 0.2, mass: 1, contact }),
  box: (contact) => box({ size: [0.2, 0.15, 0.1], mass: 1, contact }),
  plate: (contact) => box({ size: [0.3, 0.25, 0.03], mass: 1, contact }),
  cylinder: (contact) => cylinder({ radius: 0.1, length: 0.12, mass: 1, contact }),
  ellipsoid: (contact) => ellipsoid({ radii: [0.12, 0.1, 0.08], mass: 1, contact }),
  hull: (contact) => {
    const tips = [0.15, 0.12, 0.1].flatMap((length, axis) =>
      [length, -length].map((x) => [0, 1, 2].map((k) => (k === axis ? x : 0)) as unknown as Vector3),
    );
    return hull({ points: tips, mass: 1, contact });
  },
};

const options: Record<string, SimulationOptions> = {
  "default options": {},
  "precision fast": { precision: "fast" },
  "an error tolerance": { errorTolerance: 1e-4 },
  "a smooth step": { kappa: 1e-5 },
  "relative smoothness": { relativeKappa: 1e-3 },
  "an exact point of the path": { exact: true, kappa: 1e-6 },
};

/** Forces of the others begin where a pair is near, which is farther for larger shapes. */
const sharp = ["default options", "precision fast", "an error tolerance", "relative smoothness"];

const surfaces: Record<string, SurfaceDescription> = {
  friction: { frictionCoefficient: 0.7 },
  ice: { frictionCoefficient: 0 },
  restitution: { frictionCoefficient: 0.4, restitution: 0.6 },
  "torsional and rolling friction": { frictionCoefficient: 0.6, torsionalFriction: 0.01, rollingFriction: 0.005 },
};

/** Every body with every option, and with every surface; the surfaces go round. */
const table = Object.keys(bodies).flatMap((body, i) =>
  Object.keys(options).map((option, j) => {
    const names = Object.keys(surfaces);
    return { body, option, surface: names[(i + j + 1) % names.length] };
  }),
);

/** How far places may be from each other after half a second and several impacts, m: a step may be taken in other parts. */
const near = 2e-4;

/** A shape thrown at a slope, which is terrain that was put anywhere, or a half-space. */
function thrown(seed: number, body: string, surface: string): readonly [MechanismDescription[], number[], Quaternion] {
  const random = new Random(seed);
  const contact = surfaces[surface];
  const [a, b] = [random.uniform(-0.4, 0.4), random.uniform(-0.4, 0.4)];
  const orientation = quaternion.fromRotationVector([
    random.uniform(-1, 1),
    random.uniform(-1, 1),
    random.uniform(-3, 3),
  ]);
  const position: Vector3 = [random.uniform(-5, 5), random.uniform(-5, 5), random.uniform(-5, 5)];
  const heights = Array.from({ length: 17 }, (_, j) =>
    Array.from({ length: 21 }, (_, i) => a * (0.4 * i - 4) + b * (0.4 * j - 3.2)),
  );
  const tilt = quaternion.betweenVectors([0, 0, 1], vector.normalize([-a, -b, 1]));
  const grounds: Shape[] = [
    { kind: "heightField", name: "ground", size: [8, 6.4], heights, position, orientation, contact },
    { kind: "halfSpace", name: "ground", position, orientation: quaternion.multiply(orientation, tilt), contact },
  ];
  const [x, y] = [random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3)];
  const velocity = quaternion.rotate(orientation, [
    random.uniform(-1, 1),
    random.uniform(-1, 1),
    random.uniform(-2, 0),
  ]);
  const spin = [random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-3, 3)];
  const place = vector.add(position, quaternion.rotate(orientation, [x, y, a * x + b * y + 0.35]));
  const descriptions = grounds.map((ground) => ({
    timestep: 0.01,
    gravity: quaternion.rotate(orientation, [0, 0, -9.81]),
    bodies: { body: bodies[body](contact) },
    joints: { free: floating({ parent: "world", child: "body" }) },
    shapes: [ground],
  }));
  return [descriptions, [...place, ...velocity, ...spin], quaternion.multiply(orientation, random.quaternion())];
}

function startOf(simulation: Simulation, [x, y, z, ...velocity]: number[], turn: Quaternion): Float64Array {
  const state = maximalState(simulation.mechanism, { free: { position: [x, y, z, 0, 0, 0], velocity } });
  state.set(turn, 3);
  return state;
}

describe("level terrain is a half-space", () => {
  test.each(table)("to a $body with $option and $surface", ({ body, option, surface }) => {
    for (const seed of [101, 102]) {
      const [descriptions, motion, turn] = thrown(seed, body, surface);
      const [terrain, plane] = descriptions.map((description) => {
        const simulation = new Simulation(compile(description), options[option]);
        const run = simulation.rollout(startOf(simulation, motion, turn), { steps: 60 });
        expect(run.solved).toBe(true);
        return run.states;
      });
      for (const step of [20, 40, 60]) {
        for (let k = 0; k < 3; k++)
          expect(Math.abs(terrain[step][k] - plane[step][k]), `step ${step}`).toBeLessThan(near);
      }
    }
  });

  test.each(Object.keys(bodies))("to gradients of a %s", (body) => {
    const [descriptions, motion, turn] = thrown(101, body, "friction");
    const simulations = descriptions.map((description) => new Simulation(compile(description)));
    const { states } = simulations[1].rollout(startOf(simulations[1], motion, turn), { steps: 60 });
    for (const step of [25, 40, 60]) {
      const [terrain, plane] = simulations.map(
        (simulation) => stepGradients(simulation, states[step], undefined, { relativeKappa: 1e-2 }).dNext_dState,
      );
      let largest = 0;
      let difference = 0;
      for (let k = 0; k < plane.length; k++) {
        largest = Math.max(largest, Math.abs(plane[k]));
        difference = Math.max(difference, Math.abs(terrain[k] - plane[k]));
      }
      expect(difference, `step ${step}`).toBeLessThan(1e-5 * largest);
    }
  });
});

test.each(table.filter(({ option }) => sharp.includes(option)))(
  "terrain on a moving body is the top of a box to a $body with $option and $surface",
  ({ body, option, surface }) => {
    const random = new Random(301);
    const contact = surfaces[surface];
    const heights = Array.from({ length: 9 }, () => new Array(9).fill(0.5));
    const tops: Shape[] = [
      { kind: "heightField", name: "top", size: [3, 3], heights, contact },
      { kind: "box", name: "top", size: [3, 3, 1], contact },
    ];
    const turn = [random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-3, 3)];
    const position = [random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), 0.8, ...turn];
    const velocity = [random.uniform(-1, 1), random.uniform(-1, 1), -2, 1, -1, 2];
    const [terrain, top] = tops.map((shape) => {
      const mechanism = compile({
        timestep: 0.01,
        gravity: [0, 0, 0],
        bodies: {
          body: bodies[body](contact),
          table: {
            mass: 20,
            inertia: [
              [2, 0, 0],
              [0, 2, 0],
              [0, 0, 3],
            ],
            shapes: [shape],
          },
        },
        joints: {
          free: floating({ parent: "world", child: "body" }),
          table: floating({ parent: "world", child: "table" }),
        },
      });
      const start = maximalState(mechanism, {
        free: { position, velocity },
        table: { velocity: [0.3, -0.2, 0.1, 0.05, 0.1, 0.2] },
      });
      const run = new Simulation(mechanism, options[option]).rollout(start, { steps: 50 });
      expect(run.solved).toBe(true);
      for (let k = 7; k < 10; k++) {
        const gained = run.final[k] - start[k] + 20 * (run.final[13 + k] - start[13 + k]);
        expect(Math.abs(gained)).toBeLessThan(1e-9);
      }
      return run.states;
    });
    for (const step of [20, 35, 50]) {
      for (const k of [0, 1, 2, 13, 14, 15]) {
        expect(Math.abs(terrain[step][k] - top[step][k]), `step ${step}`).toBeLessThan(near);
      }
    }
  },
);
