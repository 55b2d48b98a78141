/** Gradients with respect to inputs that change, of runs whose steps an error tolerance divides. */
import { describe, expect, test } from "vitest";
import {
  box,
  compile,
  floating,
  frictionContact,
  type MechanismDescription,
  prismatic,
  pullback,
  pushforward,
  Random,
  revolute,
  Simulation,
  type StepDivision,
  sphere,
  stateAt,
  type Trajectory,
} from "../../src/index.ts";

const steps = 8;

/** A driven body of shapes that touch: it is thrown against a crate. */
const shapes: MechanismDescription = {
  timestep: 0.02,
  bodies: {
    arm: box({ size: [0.1, 0.1, 0.4], mass: 1, contact: true }),
    crate: box({ size: [0.2, 0.2, 0.2], mass: 0.5, contact: true }),
  },
  joints: {
    hinge: revolute({ parent: "world", child: "arm", axis: [0, 1, 0], childAnchor: [0, 0, 0.2], actuated: true }),
    crate: floating({ parent: "world", child: "crate" }),
  },
  shapes: [{ kind: "halfSpace", name: "floor", position: [0, 0, -0.45], contact: true }],
};

/** A cart with a pole, both driven, the pole's motor within bounds; and a ball that lands and bounces, or not, under a thruster. */
function scene(restitution: number | undefined): MechanismDescription {
  const ball = sphere({ radius: 0.1, mass: 1 });
  return {
    timestep: 0.05,
    damperCentering: 1,
    springConservation: 1,
    bodies: { cart: ball, bob: sphere({ radius: 0.1, mass: 0.5 }), ball },
    joints: {
      rail: prismatic({ parent: "world", child: "cart", axis: [1, 0, 0], actuated: true, damping: 0.4, stiffness: 3 }),
      hinge: revolute({
        ...{ parent: "cart", child: "bob", axis: [0, 1, 0], childAnchor: [0, 0, 0.4] },
        ...{ actuated: true, effortLimit: 1.5, damping: 0.02, armature: 0.01 },
      }),
      base: floating({ parent: "world", child: "ball" }),
    },
    thrusters: { jet: { body: "ball", force: [0.2, 0, 1], position: [0, 0.02, 0] } },
    contacts: [
      frictionContact({
        ...{ body: "ball", point: [0, 0, 0], radius: 0.1, frictionCoefficient: 0.4 },
        ...(restitution !== undefined && { restitution }),
      }),
    ],
  };
}

const start = (height: number) => ({
  rail: { position: [0.1], velocity: [0.5] },
  hinge: { position: [2.5], velocity: [3] },
  base: { position: [2, 0, height, 0, 0, 0], velocity: [1, 0, -1, 0, 4, 0] },
});

/** Inputs that jump from step to step, one of them over its motor's bound, to and fro. */
function inputsOf(random: Random): number[][] {
  return Array.from({ length: steps }, () => [random.uniform(-5, 5), random.uniform(-4, 4), random.uniform(0, 8)]);
}

function divided(height: number, restitution: number | undefined, checkpointEvery = 1) {
  const random = new Random(5);
  const simulation = new Simulation(compile(scene(restitution)), { errorTolerance: 1e-4 });
  const from = stateAt(simulation, start(height));
  const inputs = inputsOf(random);
  const divisions: (StepDivision | undefined)[] = [];
  const trajectory = simulation.rollout(from, {
    ...{ inputs, gradients: { checkpointEvery } },
    onStep: () => {
      divisions.push(simulation.division);
    },
  });
  expect(trajectory.solved).toBe(true);
  return { random, simulation, from, inputs, trajectory, divisions };
}

const product = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, entry, i) => sum + entry * b[i], 0);

describe("gradients with respect to inputs under a tolerance", () => {
  test("are those of the same parts under other inputs", () => {
    const { random, simulation, from, inputs, trajectory, divisions } = divided(3, undefined);
    const weights = Float64Array.from({ length: 36 }, () => random.normal());
    const weighed = (varied: readonly (readonly number[])[]): number => {
      let state = from;
      varied.forEach((input, k) => {
        const { parts, before, drive } = divisions[k] as StepDivision;
        const last = drive && [...varied[k - 1], ...drive.slice(input.length)];
        const result = simulation.step(state, Float64Array.from(input), { division: { parts, before, drive: last } });
        expect(result.status).toBe("solved");
        state = result.next.slice();
      });
      return [0, 1, 2].reduce((sum, body) => {
        const own = (at: number, size: number) => state.subarray(13 * body + at, 13 * body + at + size);
        const of = (at: number) => weights.subarray(12 * body + at, 12 * body + at + 3);
        return sum + product(own(0, 3), of(0)) + product(own(7, 3), of(6)) + product(own(10, 3), of(9));
      }, 0);
    };
    for (const body of [0, 1, 2]) weights.fill(0, 12 * body + 3, 12 * body + 6);
    const { inputs: pulled } = pullback(trajectory, [...new Array(steps).fill(undefined), weights]);
    const size = Math.max(...pulled.flatMap((row) => Array.from(row, Math.abs)));
    inputs.forEach((input, k) => {
      input.forEach((_, i) => {
        const step = 1e-4;
        const at = (amount: number): number =>
          weighed(inputs.map((row, j) => row.map((value, u) => (j === k && u === i ? value + amount : value))));
        const difference = (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step);
        expect(Math.abs(pulled[k][i] - difference) / size).toBeLessThan(1e-6);
      });
    });
  });

  test.each([
    ["in flight", 3, undefined],
    ["that lands", 0.35, undefined],
    ["that bounces", 0.35, 0.6],
  ] as const)("a ball %s: backwards equals forwards, kept and taken again", (_, height, restitution) => {
    const { random, trajectory } = divided(height, restitution);
    const size = 36;
    const cotangents = Array.from({ length: steps + 1 }, () =>
      Float64Array.from({ length: size }, () => random.normal()),
    );
    const inputs = inputsOf(random).map((row) => Float64Array.from(row));
    const state = Float64Array.from({ length: size }, () => random.normal());
    const pushed = pushforward(trajectory, { state, inputs });
    const forwards = pushed.reduce((sum, tangent, k) => sum + product(tangent, cotangents[k]), 0);
    const backwards = (kept: Trajectory): number => {
      const pulled = pullback(kept, cotangents);
      return product(pulled.state, state) + pulled.inputs.reduce((sum, row, k) => sum + product(row, inputs[k]), 0);
    };
    // contacts at the ends of parts are stiff, and impacts, whose stiffness nothing caps, are the stiffest
    const tolerance = restitution === undefined ? 1e-6 : 2e-5;
    expect(Math.abs(backwards(trajectory) / forwards - 1)).toBeLessThan(tolerance);
    expect(Math.abs(backwards(divided(height, restitution, 3).trajectory) / forwards - 1)).toBeLessThan(tolerance);
  });

  test("of shapes that touch: backwards equals forwards", () => {
    const random = new Random(7);
    const simulation = new Simulation(compile(shapes), { errorTolerance: 1e-4 });
    const from = stateAt(simulation, {
      hinge: { position: [0.9], velocity: [-3] },
      crate: { position: [0, 0, -0.31, 0.1, 0.05, 0], velocity: [0.3, 0, -0.5, 1, 0, 0] },
    });
    const inputs = Array.from({ length: 20 }, () => [random.uniform(-4, 4)]);
    const meets = new Set<number>();
    const trajectory = simulation.rollout(from, {
      ...{ inputs, gradients: true },
      onStep: (_, k) => {
        if (simulation.touches().length > 0) meets.add(k);
      },
    });
    expect(trajectory.solved).toBe(true);
    expect(meets.size).toBeGreaterThan(3);
    const cotangents = trajectory.states.map(() => Float64Array.from({ length: 24 }, () => random.normal()));
    const tangents = inputs.map(() => Float64Array.of(random.normal()));
    const pushed = pushforward(trajectory, { inputs: tangents });
    const forwards = pushed.reduce((sum, tangent, k) => sum + product(tangent, cotangents[k]), 0);
    const pulled = pullback(trajectory, cotangents);
    const backwards = pulled.inputs.reduce((sum, row, k) => sum + product(row, tangents[k]), 0);
    expect(Math.abs(backwards / forwards - 1)).toBeLessThan(1e-8);
  });
});
