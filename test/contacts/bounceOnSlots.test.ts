/**
 * Restitution between shapes: contacts that are bound at run time bounce as the same contacts by hand do, for every kind of feature, and so do
 * their gradients, which equal differences; runs are carried on to the bit.
 */
import { beforeAll, describe, expect, test } from "vitest";
import {
  box,
  capsule,
  checkGradients,
  compile,
  cylinder,
  ellipsoid,
  floating,
  frictionContact,
  type Mechanism,
  maximalState,
  pullback,
  Simulation,
  sphere,
  stepGradients,
} from "../../src/index.ts";
import type { TouchSteps } from "../../src/simulation/touch/touchSteps.ts";
import { contactsByHand } from "./contactsByHand.ts";

/** On the central path both are one and the same point; velocities of 10 rad/s are solved for to this. */
const solved = 1e-7;
const exact = { relativeKappa: 1e-9, exact: true };

const surface = (restitution: number, more = {}) => ({ frictionCoefficient: 0.5, restitution, ...more });
const turning = { torsionalFriction: 0.01, rollingFriction: 0.002 };

/** Seven bodies of all shapes that fall on each other and on the floor. */
function heap(): { mechanism: Mechanism; start: Float64Array } {
  const bodies = {
    a: box({ size: [0.3, 0.3, 0.2], mass: 3, contact: surface(0.4) }),
    b: sphere({ radius: 0.06, mass: 0.3, contact: surface(0.6, turning) }),
    c: capsule({ radius: 0.05, length: 0.3, mass: 0.5, contact: surface(0.5) }),
    d: ellipsoid({ radii: [0.08, 0.06, 0.05], mass: 0.4, contact: surface(0.7) }),
    e: cylinder({ radius: 0.05, length: 0.12, mass: 0.4, contact: surface(0.5, { frictionCoefficient: 0 }) }),
    f: ellipsoid({ radii: [0.05, 0.07, 0.06], mass: 0.4, contact: surface(0.2) }),
    // this one does not bounce off the floor
    g: capsule({ radius: 0.04, length: 0.2, mass: 0.3, contact: true }),
  };
  const mechanism = compile({
    timestep: 0.01,
    bodies,
    joints: Object.fromEntries(Object.keys(bodies).map((child) => [child, floating({ parent: "world", child })])),
    shapes: [{ kind: "halfSpace", contact: true }],
  });
  const start = maximalState(mechanism, {
    a: { position: [0, 0, 0.13, 0.1, 0.05, 0.2], velocity: [0, 0, -1, 0, 0, 0] },
    b: { position: [-0.06, 0.02, 0.35, 0, 0, 0], velocity: [0.1, 0, -1.5, 0, 1, 0] },
    c: { position: [0.06, 0, 0.34, 1.5, 0.1, 0], velocity: [0, 0.1, -1.2, 0, 0, 0] },
    d: { position: [0.3, 0, 0.08, 0, 0, 0.3], velocity: [-0.3, 0, -1, 0, 0, 0.5] },
    e: { position: [-0.3, 0, 0.12, 0.4, 0.3, 0], velocity: [0.5, 0, -1, 0, 0, 0] },
    f: { position: [0.31, 0.01, 0.22, 0, 0, 0], velocity: [0, 0, -1.3, 0, 0, 0] },
    g: { position: [0.15, 0.3, 0.05, 0, Math.PI / 2, 0], velocity: [0, -1.5, 0, 0, 0, 0] },
  });
  return { mechanism, start };
}

const { mechanism, start } = heap();
const states: Float64Array[] = [];
beforeAll(() => {
  const simulation = new Simulation(mechanism);
  let state = start;
  for (let k = 0; k < 40; k++) {
    states.push(state);
    state = Float64Array.from(simulation.step(state).next);
  }
});

/** Steps on slots, and the same one with its features as contacts by hand. */
function both(state: Float64Array): {
  readonly slots: Simulation;
  readonly byHand: Simulation;
  readonly apart: number;
  readonly bounced: boolean;
} {
  const slots = new Simulation(mechanism);
  const taken = slots.step(state, undefined, exact);
  expect(taken.status).toBe("solved");
  const { touch: _, ...plain } = contactsByHand(mechanism, slots.touching as TouchSteps);
  const byHand = new Simulation({ ...plain, touch: null } as unknown as Mechanism);
  const expected = byHand.step(state, undefined, exact);
  expect(expected.status).toBe("solved");
  const { hasBounced: bounced } = byHand.stepper as unknown as { readonly hasBounced: boolean };
  return { slots, byHand, apart: difference(taken.next, expected.next), bounced };
}

function difference(a: Float64Array, b: Float64Array): number {
  expect(a.length).toBe(b.length);
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);
}

test("steps are those of contacts by hand, whatever touches what", () => {
  const features = new Set<string>();
  let bounces = 0;
  for (let k = 0; k < states.length; k += 4) {
    const { slots, byHand, apart, bounced } = both(states[k]);
    if (bounced) bounces++;
    for (const { feature } of slots.touches()) features.add(feature);
    expect(apart).toBeLessThan(solved);
    // what each has given in all stages
    slots.touches().forEach(({ force }, i) => {
      const own = byHand.contact(`touch${i}`).force;
      expect(Math.hypot(...force.map((entry, k) => entry - own[k]))).toBeLessThan(1e-4);
    });
  }
  expect(bounces).toBeGreaterThan(3);
  expect([...features].sort()).toEqual(["lineLine", "pointLine", "pointPlane", "roundPlane", "roundRound"]);
});

describe("gradients", () => {
  test("are those of contacts by hand, with respect to state and parameters", () => {
    const parameters = ["timestep", "bodies.c.mass", "contacts.*.restitution", "contacts.*.frictionCoefficient"];
    // one step is enough: contacts by hand are compiled anew for each, and other steps are compared with differences below
    const { byHand, bounced } = both(states[17]);
    expect(bounced).toBe(true);
    const options = { relativeKappa: 1e-2, parameters };
    const own = stepGradients(new Simulation(mechanism), states[17], undefined, options);
    const expected = stepGradients(byHand, states[17], undefined, options);
    const scale = expected.dNext_dState.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
    expect(difference(own.dNext_dState, expected.dNext_dState) / scale).toBeLessThan(1e-7);
    expect(difference(own.dNext_dParameter, expected.dNext_dParameter) / scale).toBeLessThan(1e-7);
  });

  test.each([9, 25])("equal differences at step %i", (k) => {
    const { worst } = checkGradients(new Simulation(mechanism), states[k], undefined, {
      relativeKappa: 1e-2,
      parameters: ["timestep", "bodies.c.mass", "contacts.*.restitution"],
    });
    expect(worst).toBeLessThan(1e-6);
  });

  test("where a contact by hand bounces beside shapes that do not", () => {
    const mixed = compile({
      timestep: 0.01,
      bodies: {
        tray: box({ size: [0.4, 0.4, 0.05], mass: 1, contact: true }),
        ball: sphere({ radius: 0.05, mass: 0.3, contact: true }),
      },
      joints: {
        tray: floating({ parent: "world", child: "tray" }),
        ball: floating({ parent: "world", child: "ball" }),
      },
      contacts: [
        frictionContact({ body: "tray", point: [0.1, 0.1, -0.025], frictionCoefficient: 0.4, restitution: 0.6 }),
        frictionContact({ body: "tray", point: [-0.1, -0.1, -0.025], frictionCoefficient: 0.4, restitution: 0.6 }),
      ],
    });
    const state = maximalState(mixed, {
      tray: { position: [0, 0, 0.035, 0.02, 0.01, 0], velocity: [0.1, 0, -1, 0, 0, 0] },
      ball: { position: [0.03, 0.02, 0.112, 0, 0, 0], velocity: [0.1, 0, -1.3, 0, 0, 0] },
    });
    const simulation = new Simulation(mixed);
    simulation.step(state);
    expect(simulation.touches().length).toBeGreaterThan(0);
    const { worst } = checkGradients(simulation, state, undefined, {
      relativeKappa: 1e-2,
      parameters: ["contacts.contact0.restitution", "bodies.ball.mass"],
    });
    expect(worst).toBeLessThan(1e-6);
  });
});

describe("a ball that flies past a rod within a step", () => {
  const [mass, radius, speed, restitution] = [0.1, 0.03, 60, 0.6];
  const contact = { frictionCoefficient: 0, restitution };
  const scene = compile({
    timestep: 0.03,
    gravity: [0, 0, 0],
    bodies: {
      rod: capsule({ radius: 0.06, length: 0.6, mass: 2, contact }),
      ball: sphere({ radius, mass, contact }),
    },
    joints: { rod: floating({ parent: "world", child: "rod" }), ball: floating({ parent: "world", child: "ball" }) },
  });
  const thrown = (aside: number, turn: readonly number[]): Float64Array =>
    maximalState(scene, {
      rod: { position: [0, 0, 0, ...turn] },
      ball: { position: [0.4, aside, 0.1, 0, 0, 0], velocity: [-speed, 0, 0, 0, 0, 0] },
    });

  test("comes back with p = (1 + e) v/(1/m + 1/M + d²/I)", () => {
    const simulation = new Simulation(scene);
    const { status, next, substeps, overlap } = simulation.step(thrown(0, [0, 0, 0]));
    const [rod] = scene.bodies;
    const impulse = ((1 + restitution) * speed) / (1 / mass + 1 / rod.mass + 0.1 ** 2 / rod.inertia[1][1]);
    expect(status).toBe("solved");
    expect(substeps).toBeGreaterThan(2);
    expect(overlap).toBeLessThan(1e-9);
    expect(next[13 + 7]).toBeCloseTo(-speed + impulse / mass, 4);
    expect(next[7]).toBeCloseTo(-impulse / rod.mass, 5);
  });

  test("has gradients that go through the pieces of the step", () => {
    const { worst } = checkGradients(new Simulation(scene), thrown(0.003, [0.01, 0.02, 0.03]), undefined, {
      relativeKappa: 1e-2,
      parameters: ["timestep", "bodies.rod.mass", "contacts.*.restitution"],
    });
    expect(worst).toBeLessThan(1e-6);
  });
});

describe("restitution of a surface", () => {
  const path = { floor: "surfaces.world.floor.restitution", ball: "surfaces.ball.shape0.restitution" };
  /** A ball without spin that falls on a floor from 0.45 m above it, the floor having more restitution or the last word. */
  const falling = (floor: object, ball: object) => {
    const contact = { frictionCoefficient: 0.3 };
    const scene = compile({
      timestep: 0.01,
      bodies: { ball: sphere({ radius: 0.05, mass: 0.3, contact: { ...contact, ...ball } }) },
      joints: { ball: floating({ parent: "world", child: "ball" }) },
      shapes: [{ kind: "halfSpace", name: "floor", contact: { ...contact, ...floor } }],
    });
    return { scene, start: maximalState(scene, { ball: { position: [0, 0, 0.5, 0, 0, 0] } }) };
  };
  /** Beyond the first bounce, before the second. */
  const steps = 40;

  test.each([
    ["the larger one counts", { restitution: 0.7 }, { restitution: 0.4 }, "floor"],
    ["the ball's may be larger", { restitution: 0.2 }, { restitution: 0.6 }, "ball"],
    ["a priority decides", { restitution: 0.5, priority: 1 }, { restitution: 0.8 }, "floor"],
    ["one surface alone may have it", { restitution: 0.6 }, {}, "floor"],
  ] as const)("is a parameter with gradients: %s", (_, floor, ball, decides) => {
    const { scene, start } = falling(floor, ball);
    const names = Object.values(path).filter((name) => new Simulation(scene).parameterNames.includes(name));
    expect(names).toContain(path.floor);
    const run = new Simulation(scene).rollout(start, { steps, gradients: { relativeKappa: 1e-4 } });
    const weights = new Float64Array(12);
    weights[2] = 1;
    const { parameters } = pullback(run, [...new Array(steps).fill(undefined), weights], { parameters: names });
    for (const name of names) {
      const change = 1e-4;
      const [more, less] = [change, -change].map((amount) => {
        const other = new Simulation(scene);
        other.setParameter(name, other.parameter(name) + amount);
        return other.rollout(start, { steps }).final[2];
      });
      expect(parameters[name]).toBeCloseTo((more - less) / (2 * change), 4);
      // z = u e t after the bounce, with u²/2 = g 0.45 m
      if (name === path[decides]) expect(parameters[name]).toBeGreaterThan(0.1);
      else expect(parameters[name]).toBe(0);
    }
  });

  test("is refused outside of 0 to 1", () => {
    const simulation = new Simulation(falling({ restitution: 0.7 }, {}).scene);
    expect(() => simulation.setParameter(path.floor, 1.1)).toThrow("between 0");
    expect(() => simulation.setParameter(path.ball, 0.5)).toThrow("no such parameter");
  });
});

test("a run is carried on to the bit, through JSON", () => {
  const whole = new Simulation(mechanism).rollout(start, { steps: 30 });
  const first = new Simulation(mechanism).rollout(start, { steps: 13 });
  const continuation = JSON.parse(JSON.stringify(first.continuation));
  const second = new Simulation(mechanism).rollout(first.final, { steps: 17, continuation });
  expect(second.final).toEqual(whole.final);
});
