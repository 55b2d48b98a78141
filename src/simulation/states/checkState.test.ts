import { describe, expect, test } from "vitest";
import { fourBar } from "../../../test/toys/loops.ts";
import { maximalState } from "../../coordinates/index.ts";
import {
  box,
  boxCorners,
  capsule,
  compile,
  floating,
  frictionContact,
  type MechanismDescription,
  revolute,
} from "../../mechanism/index.ts";
import { Simulation } from "../simulation.ts";
import { checkState } from "./checkState.ts";
import { StateError } from "./stateFaults.ts";

const rod = capsule({ radius: 0.05, length: 1, mass: 1 });
const hinge = revolute({ parent: "world", child: "rod", axis: [1, 0, 0], childAnchor: [0, 0, 0.5], limits: [-2, 2] });
const pendulum = compile({ timestep: 0.01, bodies: { rod }, joints: { hinge } });

const crate = box({ size: [0.5, 0.5, 0.5], mass: 1 });
const drop = compile({
  timestep: 0.05,
  bodies: { crate },
  joints: { base: floating({ parent: "world", child: "crate" }) },
  contacts: boxCorners(crate).map((point) => frictionContact({ body: "crate", point, frictionCoefficient: 0.8 })),
});
const codes = (faults: readonly { code: string; path: string }[]): string[] =>
  faults.map(({ code, path }) => `${code} ${path}`);

describe("a state is found faulty", () => {
  test("when a joint is apart, by how much", () => {
    const state = maximalState(pendulum, { hinge: { position: [0.5] } });
    state[1] += 0.02;
    state[2] += 0.01;
    const [now, ...others] = checkState(pendulum, state);
    expect(others).toEqual([]);
    expect(now).toMatchObject({ code: "joint-violated", path: "joints.hinge" });
    expect(now.message).toContain("is off by 0.02 m");
    expect(now.message).toContain("projectState");
  });

  test("when velocities do not fit the joints", () => {
    const state = maximalState(pendulum, { hinge: { position: [0.5] } });
    state[8] = 0.1;
    const faults = checkState(pendulum, state);
    expect(codes(faults)).toEqual(["joint-violated joints.hinge"]);
    expect(faults[0].message).toContain("was off by 0.001 m one step ago");
  });

  test("when a limit is exceeded, on the side it is", () => {
    const above = checkState(pendulum, maximalState(pendulum, { hinge: { position: [2.25] } }));
    expect(codes(above)).toEqual(["limit-exceeded joints.hinge.limits[0]"]);
    expect(above[0].message).toContain("2.25 rad is past the upper limit 2 by 0.25");
    const below = checkState(pendulum, maximalState(pendulum, { hinge: { position: [-2.25] } }));
    expect(below[0].message).toContain("past the lower limit -2");
  });

  test("when contacts penetrate, each with its depth", () => {
    const state = maximalState(drop, { base: { position: [0, 0, 0.2, 0, 0, 0] } });
    const faults = checkState(drop, state);
    expect(faults).toHaveLength(4);
    for (const { code, message } of faults) {
      expect(code).toBe("penetration");
      expect(message).toContain('"crate" is 0.05 m inside');
    }
  });

  test("when it spins past √2/h, with the time step that would do", () => {
    const state = maximalState(drop, { base: { position: [0, 0, 1, 0, 0, 0] } });
    state[11] = 50;
    const faults = checkState(drop, state);
    expect(codes(faults)).toEqual(["too-fast bodies.crate.angularVelocity"]);
    expect(faults[0].message).toContain("below 0.0283 s");
    expect(checkState(drop, state, { timestep: 0.028 })).toEqual([]);
  });

  test("when it is not finite, of the wrong size, or no rotation", () => {
    const state = maximalState(drop, { base: { position: [0, 0, 1, 0, 0, 0] } });
    state[1] = Number.NaN;
    state[8] = Number.POSITIVE_INFINITY;
    expect(codes(checkState(drop, state))).toEqual([
      "not-finite bodies.crate.position[1]",
      "not-finite bodies.crate.velocity[1]",
    ]);
    expect(codes(checkState(drop, new Float64Array(12)))).toEqual(["wrong-size state"]);
    expect(codes(checkState(drop, new Float64Array(13)))).toEqual(["not-unit bodies.crate.orientation"]);
  });

  test("when a loop is open", () => {
    const mechanism = compile(fourBar());
    expect(codes(checkState(mechanism, maximalState(mechanism)))).toEqual(["joint-violated joints.wrist"]);
  });

  test("when a gear is out of mesh", () => {
    const geared: MechanismDescription = {
      timestep: 0.01,
      bodies: { rod, tip: rod },
      joints: {
        hinge,
        knee: revolute({ parent: "rod", child: "tip", parentAnchor: [0, 0, -0.5], childAnchor: [0, 0, 0.5] }),
      },
      gears: {
        mimic: {
          terms: [
            { joint: "hinge", ratio: 2 },
            { joint: "knee", ratio: -1 },
          ],
        },
      },
    };
    const mechanism = compile(geared);
    const fits = maximalState(mechanism, { hinge: { position: [0.3] }, knee: { position: [0.6] } });
    expect(checkState(mechanism, fits)).toEqual([]);
    const apart = maximalState(mechanism, { hinge: { position: [0.3] } });
    expect(codes(checkState(mechanism, apart))).toEqual(["joint-violated gears.mimic"]);
  });
});

describe("a state passes", () => {
  test("made for another time step, taken over by changeTimestep", () => {
    const simulation = new Simulation(pendulum);
    const state = maximalState(pendulum, { hinge: { position: [0.5], velocity: [6] } });
    for (const h of [0.05, 0.02, 0.001]) {
      const changed = simulation.changeTimestep(state, h);
      expect(checkState(simulation, changed)).toEqual([]);
      simulation.changeTimestep(changed, 0.01);
    }
  });

  test("with textbook velocities, v = ω × r", () => {
    const state = maximalState(pendulum, { hinge: { position: [0.5] } });
    const spin = 5;
    state[10] = spin;
    state[8] = spin * 0.5 * Math.cos(0.5);
    state[9] = spin * 0.5 * Math.sin(0.5);
    expect(checkState(pendulum, state)).toEqual([]);
    // and not with the wrong sign
    state[9] *= -1;
    expect(checkState(pendulum, state)).toHaveLength(1);
  });

  test("after any step of a swing against its limits, and of a box that lands", () => {
    const swing = new Simulation(pendulum);
    const landing = new Simulation(drop);
    const starts: [Simulation, Float64Array][] = [
      [swing, maximalState(pendulum, { hinge: { position: [1], velocity: [8] } })],
      [landing, maximalState(drop, { base: { position: [0, 0, 0.6, 0.4, 0.2, 0], velocity: [1, 0, -2, 3, 2, 1] } })],
    ];
    for (const [simulation, start] of starts) {
      const { states, solved } = simulation.rollout(start, { steps: 150 });
      expect(solved).toBe(true);
      for (const state of states) expect(checkState(simulation, state)).toEqual([]);
    }
  });

  test("by the simulation's parameters, not the description's", () => {
    const simulation = new Simulation(pendulum);
    const state = maximalState(pendulum, { hinge: { position: [1.5] } });
    simulation.setParameter("joints.hinge.upper.0", 1);
    expect(checkState(simulation, state)).toHaveLength(1);
    expect(checkState(pendulum, state)).toHaveLength(0);
  });

  test("of a mechanism a thousand times smaller, with a thousandth of the tolerance", () => {
    const small = capsule({ radius: 5e-5, length: 1e-3, mass: 1e-6 });
    const joints = { hinge: revolute({ parent: "world", child: "rod", axis: [1, 0, 0], childAnchor: [0, 0, 5e-4] }) };
    const mechanism = compile({ timestep: 1e-3, bodies: { rod: small }, joints });
    const state = maximalState(mechanism);
    expect(checkState(mechanism, state)).toEqual([]);
    state[2] += 1e-8;
    expect(checkState(mechanism, state)).not.toEqual([]);
    expect(checkState(mechanism, state, { tolerance: 1e-6 })).toEqual([]);
  });
});

test("a rollout refuses a faulty start and lists every fault, unless told not to check", () => {
  const simulation = new Simulation(drop);
  const start = maximalState(drop, { base: { position: [0, 0, 0.2, 0, 0, 0] } });
  const error = (() => {
    try {
      simulation.rollout(start, { steps: 1 });
    } catch (thrown) {
      return thrown as StateError;
    }
    return undefined;
  })();
  expect(error).toBeInstanceOf(StateError);
  expect(error?.faults).toHaveLength(4);
  expect(error?.message).toContain("projectState");
  expect(error?.message).toContain("penetration at contacts.contact2");
  expect(simulation.rollout(start, { steps: 1, check: false }).steps).toBe(1);
});
