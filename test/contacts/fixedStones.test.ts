/** A crate on stones of the world: points of the world that meet faces of a body that moves. */
import { expect, test } from "vitest";
import {
  box,
  compile,
  fixed,
  floating,
  maximalState,
  type Shape,
  Simulation,
  sphere,
  stepGradients,
} from "../../src/index.ts";
import { quaternion, Random, vector } from "../../src/math/index.ts";

const contact = { frictionCoefficient: 0.6 };

/** Stones of all kinds, whose tops are about as high as each other. */
function stones(): Shape[] {
  const random = new Random(4);
  return Array.from({ length: 25 }, (_, i): Shape => {
    const height = 0.002 * random.uniform();
    const position = [0.1 * ((i % 5) - 2), 0.1 * (Math.floor(i / 5) - 2), height] as const;
    const axis = vector.normalize([random.normal(), random.normal(), random.normal()]);
    const orientation = quaternion.fromAxisAngle(axis, 3 * random.uniform());
    const place = { name: `stone${i}`, position, orientation, contact };
    if (i % 4 === 0) return { ...place, kind: "sphere", radius: 0.04 };
    if (i % 4 === 1) return { ...place, kind: "ellipsoid", radii: [0.045, 0.04, 0.035] };
    if (i % 4 === 2) return { ...place, kind: "capsule", radius: 0.02, length: 0.05 };
    return { ...place, kind: "box", size: [0.05, 0.045, 0.04] };
  });
}

function crateOn(place: "world" | "welded") {
  const crate = box({ size: [0.5, 0.45, 0.1], mass: 2, contact });
  const ground = { mass: 1, inertia: sphere({ radius: 0.1, mass: 1 }).inertia, shapes: stones() };
  const isWelded = place === "welded";
  const mechanism = compile({
    timestep: 0.01,
    bodies: { crate, ...(isWelded && { ground }) },
    joints: {
      base: floating({ parent: "world", child: "crate" }),
      ...(isWelded && { ground: fixed({ parent: "world", child: "ground" }) }),
    },
    shapes: isWelded ? [] : stones(),
  });
  const start = { position: [0.01, 0.02, 0.098, 0.01, -0.015, 0.2], velocity: [0.6, -0.3, 0, 0.2, 0.3, 1.5] };
  return { mechanism, simulation: new Simulation(mechanism), state: maximalState(mechanism, { base: start }) };
}

test("stones of the world are those of a body that is welded to it, with the same gradients", () => {
  const [world, welded] = [crateOn("world"), crateOn("welded")];
  const size = 13;
  let touching = 0;
  for (let k = 0; k < 25; k++) {
    const options = { relativeKappa: k % 2 ? 0.1 : 1e-3 };
    const gradients = [world, welded].map(({ simulation, state }) =>
      stepGradients(simulation, state, undefined, options).dNext_dState.slice(),
    );
    let [norm, apart] = [1, 0];
    for (let i = 0; i < 12; i++)
      for (let j = 0; j < 12; j++) {
        const [own, other] = [gradients[0][12 * i + j], gradients[1][24 * i + j]];
        norm = Math.max(norm, Math.abs(own));
        apart = Math.max(apart, Math.abs(own - other));
      }
    expect(apart / norm, `step ${k}`).toBeLessThan(1e-5);
    for (const one of [world, welded]) {
      const { status, next } = one.simulation.step(one.state);
      expect(status).toBe("solved");
      one.state = Float64Array.from(next);
    }
    touching += world.simulation.touches().filter(({ normalForce }) => normalForce > 1).length;
    // the same motion: what differs is rounding, once more from the same state
    for (let i = 0; i < size; i++) expect(Math.abs(world.state[i] - welded.state[i]), `step ${k}`).toBeLessThan(1e-6);
    welded.state.set(world.state.subarray(0, size));
  }
  expect(touching).toBeGreaterThan(40);
});

test("forces on the crate add up to what it gains, along normals that point to it, at its surface", () => {
  const { mechanism, simulation, state } = crateOn("world");
  let at = state;
  for (let k = 0; k < 15; k++) {
    const before = at.slice(7, 10);
    const next = Float64Array.from(simulation.step(at).next);
    const touches = simulation.touches();
    for (let axis = 0; axis < 3; axis++) {
      const force = touches.reduce((sum, one) => sum + one.force[axis], 0);
      const gained = (2 * (next[7 + axis] - before[axis])) / mechanism.timestep - (axis === 2 ? 2 * -9.81 : 0);
      expect(Math.abs(force - gained), `step ${k}`).toBeLessThan(1e-5);
    }
    for (const { body, other, normal, point, distance } of touches) {
      expect([body, other]).toEqual(["crate", "world"]);
      if (distance > 1e-3) continue;
      expect(normal[2]).toBeGreaterThan(0.9);
      // the underside of the crate, where the step began
      const local = quaternion.rotate(
        quaternion.conjugate([at[3], at[4], at[5], at[6]]),
        vector.sub(point, [at[0], at[1], at[2]]),
      );
      expect(local[2]).toBeCloseTo(-0.05, 3);
    }
    at = next;
  }
});

test("a crate bounces off a ball of the world as off one that is welded to it", () => {
  const bouncing = { ...contact, restitution: 0.8 };
  const ball: Shape = { kind: "sphere", radius: 0.05, name: "ball", contact: bouncing };
  const ends = [true, false].map((isWelded) => {
    const crate = box({ size: [0.5, 0.4, 0.1], mass: 2, contact: bouncing });
    const ground = { mass: 1, inertia: sphere({ radius: 0.1, mass: 1 }).inertia, shapes: [ball] };
    const mechanism = compile({
      timestep: 0.01,
      bodies: { crate, ...(isWelded && { ground }) },
      joints: {
        base: floating({ parent: "world", child: "crate" }),
        ...(isWelded && { ground: fixed({ parent: "world", child: "ground" }) }),
      },
      shapes: isWelded ? [] : [ball],
    });
    const start = { position: [0.05, 0.03, 0.13, 0.1, 0.05, 0.2], velocity: [0.3, 0, -2, 0.5, 1, 2] };
    const simulation = new Simulation(mechanism);
    let state = maximalState(mechanism, { base: start });
    const speeds: number[] = [];
    const slopes: Record<number, number[]> = { 0.1: [], 0: [] };
    for (let k = 0; k < 6; k++) {
      for (const smoothing of [0.1, 0]) {
        const { dNext_dState, rows } = stepGradients(simulation, state, undefined, { smoothing });
        for (let i = 0; i < 12; i++) slopes[smoothing].push(...dNext_dState.subarray(rows * i, rows * i + 12));
      }
      state = Float64Array.from(simulation.step(state).next);
      speeds.push(...state.subarray(7, 13));
    }
    return { speeds, slopes };
  });
  const [welded, world] = ends;
  expect(Math.max(...world.speeds.filter((_, i) => i % 6 === 2))).toBeGreaterThan(0.3);
  for (const [i, speed] of world.speeds.entries()) expect(Math.abs(speed - welded.speeds[i])).toBeLessThan(1e-7);
  // nothing caps the stiffness of impacts at their end, and rounding counts as much more there
  for (const [smoothing, error] of [
    [0.1, 1e-6],
    [0, 5e-5],
  ]) {
    const norm = Math.max(...world.slopes[smoothing].map(Math.abs));
    for (const [i, slope] of world.slopes[smoothing].entries()) {
      expect(Math.abs(slope - welded.slopes[smoothing][i]) / norm).toBeLessThan(error);
    }
  }
});
