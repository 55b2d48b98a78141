/** Inverse dynamics where shapes may touch, beside the same mechanism without shapes, the same with explicit contacts, and steps. */
import { expect, test } from "vitest";
import {
  type BodyDescription,
  box,
  boxCorners,
  capsule,
  compile,
  cylinder,
  floating,
  frictionContact,
  gravityCompensation,
  inverseDynamics,
  type MechanismDescription,
  maximalState,
  models,
  Random,
  revolute,
  Simulation,
  startState,
} from "../../src/index.ts";
import { closeTo } from "../toys/arm.ts";

const contact = { frictionCoefficient: 0.3 };
const floor = (z = 0, surface = contact): NonNullable<MechanismDescription["shapes"]> => [
  { kind: "halfSpace", name: "floor", position: [0, 0, z], contact: surface },
];

test("a floor out of reach changes nothing", () => {
  const arm = (more: Partial<MechanismDescription>): Simulation => {
    const rod = capsule({ radius: 0.04, length: 0.4, mass: 1, contact });
    const hinge = revolute({
      parent: "world",
      child: "rod",
      axis: [0, 1, 0],
      childAnchor: [0, 0, 0.2],
      actuated: true,
    });
    return new Simulation(compile({ timestep: 0.01, bodies: { rod }, joints: { hinge }, ...more }));
  };
  const free = arm({});
  const above = arm({ shapes: floor(-5) });
  expect(above.mechanism.touch).toBeDefined();
  const random = new Random(5);
  for (let trial = 0; trial < 5; trial++) {
    const state = maximalState(free.mechanism, {
      hinge: { position: [random.uniform(-3, 3)], velocity: [random.uniform(-2, 2)] },
    });
    const next = Float64Array.from(free.step(state, Float64Array.of(random.uniform(-1, 1))).next);
    for (const [expected, found] of [
      [inverseDynamics(free, state, next), inverseDynamics(above, state, next)],
      [gravityCompensation(free, state), gravityCompensation(above, state)],
    ]) {
      closeTo(found.input, expected.input, 1e-12);
      closeTo(found.imbalance, expected.imbalance, 1e-12);
      expect(Math.abs(found.input[0])).toBeGreaterThan(1e-3);
      expect(found.touches).toEqual([]);
    }
  }
});

/** A crate that is pushed along the floor. */
const pushed = floating({ parent: "world", child: "crate", actuated: [true, true, false, false, false, true] });

test("a crate that is pushed along a floor of shapes needs what it does with explicit contacts", () => {
  const size = [0.4, 0.4, 0.2] as const;
  const crate = box({ size, mass: 2 });
  const byHand = new Simulation(
    compile({
      timestep: 0.01,
      bodies: { crate },
      joints: { base: pushed },
      contacts: boxCorners(crate).map((point) => frictionContact({ body: "crate", point, ...contact })),
    }),
  );
  const byShapes = new Simulation(
    compile({
      timestep: 0.01,
      bodies: { crate: box({ size, mass: 2, contact }) },
      joints: { base: pushed },
      shapes: floor(),
    }),
  );
  for (const friction of [0.3, 0.6]) {
    byHand.setParameter("contacts.*.frictionCoefficient", friction);
    // √(ab)
    byShapes.setParameter("surfaces.*.frictionCoefficient", friction);
    let state = maximalState(byHand.mechanism, {
      base: { position: [0, 0, 0.1, 0, 0, 0], velocity: [1, 0.2, 0, 0, 0, 0] },
    });
    const input = Float64Array.of(8, 1, 0.2);
    for (let k = 0; k < 5; k++) state = Float64Array.from(byHand.step(state, input).next);
    const next = Float64Array.from(byHand.step(state, input).next);
    const expected = inverseDynamics(byHand, state, next);
    const found = inverseDynamics(byShapes, state, next);
    closeTo(found.input, expected.input, 1e-6);
    closeTo(found.input, input, 0.03);
    expect(found.residual).toBeLessThan(1e-3);
    expect(found.contactForces).toEqual({});
    expect(found.touches.length).toBe(4);
    const force = (k: number): number => found.touches.reduce((sum, touch) => sum + touch.force[k], 0);
    expect(force(2)).toBeCloseTo(2 * 9.81, 2);
    expect(Math.hypot(force(0), force(1))).toBeCloseTo(friction * 2 * 9.81, 1);
  }
});

test("inputs of steps are given back where moving bodies carry and drag each other", () => {
  const bodies: Record<string, BodyDescription> = {
    crate: box({ size: [0.4, 0.4, 0.2], mass: 2, contact }),
    drum: cylinder({ radius: 0.1, length: 0.2, mass: 1, contact: { ...contact, torsionalFriction: 0.02 } }),
  };
  const mechanism = compile({
    timestep: 0.01,
    bodies,
    joints: { base: pushed, drum: floating({ parent: "world", child: "drum" }) },
    // slippery, so that the crate slides: what sticks needs no input
    shapes: floor(0, { frictionCoefficient: 0.03 }),
  });
  const simulation = new Simulation(mechanism);
  const random = new Random(3);
  let state = maximalState(mechanism, {
    base: { position: [0, 0, 0.1, 0, 0, 0], velocity: [3, 0, 0, 0, 0, 0] },
    drum: { position: [0.05, 0, 0.3, 0, 0, 0], velocity: [3, 0, 0, 0, 0, 0] },
  });
  for (let k = 0; k < 40; k++) {
    const input = Float64Array.from([5, 2, 0.2], (most) => random.uniform(-most, most));
    const { next, status } = simulation.step(state, input);
    expect(status).toBe("solved");
    const before = simulation.save();
    const continuation = JSON.stringify(simulation.continuation);
    const own = Float64Array.from(next);
    if (k % 8 === 7) {
      const found = inverseDynamics(simulation, state, own);
      expect(found.residual).toBeLessThan(0.02);
      closeTo(found.input, input, 0.05);
      expect(found.touches.some(({ other, body }) => other !== "world" && body !== "world")).toBe(true);
      // the run goes on as if nobody had asked
      expect(simulation.save()).toEqual(before);
      expect(JSON.stringify(simulation.continuation)).toBe(continuation);
    }
    state = own;
  }
});

test("A1 whose legs may touch each other is held by the same motors as one without shapes", () => {
  const [expected, found] = [models.a1(), models.a1({ selfCollisions: true })].map((description) => {
    const simulation = new Simulation(compile(description));
    return gravityCompensation(simulation, startState(simulation.mechanism), { contactDistance: 5e-3 });
  });
  closeTo(found.input, expected.input, 1e-9);
  expect(found.residual).toBeLessThan(1e-9);
  expect(Math.max(...expected.input)).toBeGreaterThan(4);
});

test("a lamp that stands on a table, which stands on the floor, is held by its motor and stays where it is", () => {
  const hinge = { axis: [0, 1, 0], parentAnchor: [0, 0, 0.05], childAnchor: [0, 0, -0.2], actuated: true } as const;
  const mechanism = compile({
    timestep: 0.01,
    bodies: {
      table: box({ size: [0.8, 0.6, 0.05], mass: 5, contact }),
      foot: box({ size: [0.3, 0.3, 0.1], mass: 2, contact }),
      arm: capsule({ radius: 0.02, length: 0.36, mass: 0.5, contact }),
    },
    joints: {
      table: floating({ parent: "world", child: "table" }),
      foot: floating({ parent: "world", child: "foot" }),
      hinge: revolute({ parent: "foot", child: "arm", ...hinge }),
    },
    shapes: floor(),
  });
  const simulation = new Simulation(mechanism);
  const angle = 0.7;
  const state = maximalState(mechanism, {
    table: { position: [0, 0, 0.025, 0, 0, 0] },
    foot: { position: [0.1, 0.05, 0.1, 0, 0, 0.3] },
    hinge: { position: [angle] },
  });
  const { input, residual, touches } = gravityCompensation(simulation, state);
  expect(input[0]).toBeCloseTo(-0.5 * 9.81 * 0.2 * Math.sin(angle), 5);
  expect(residual).toBeLessThan(1e-5);
  const borne = (...pair: string[]): number =>
    Math.abs(
      touches
        .filter(({ body, other }) => pair.includes(body) && pair.includes(other))
        .reduce((sum, { force }) => sum + force[2], 0),
    );
  expect(borne("world", "table")).toBeCloseTo(7.5 * 9.81, 4);
  expect(borne("table", "foot")).toBeCloseTo(2.5 * 9.81, 4);
  const { next } = simulation.step(state, input);
  closeTo(next, state, 1e-5);
});

test("what is not finite is refused", () => {
  const simulation = new Simulation(
    compile({
      timestep: 0.01,
      bodies: { crate: box({ size: [1, 1, 1], mass: 1e300, contact }) },
      joints: { base: pushed },
      shapes: floor(),
    }),
  );
  const state = maximalState(simulation.mechanism, { base: { position: [0, 0, 5, 0, 0, 0] } });
  const next = Float64Array.from(state);
  next[0] = 1e12;
  expect(() => inverseDynamics(simulation, state, next)).toThrow(/finite/);
});
