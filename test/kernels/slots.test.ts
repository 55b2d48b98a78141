/**
 * Contacts that are bound at run time, against mechanisms that have the same contacts by hand: the same steps in the same number of
 * iterations, whatever was bound before, on all targets to the bit.
 */
import { describe, expect, it } from "vitest";
import { interpreter, javascript, type Target, webassembly } from "../../src/codegen/index.ts";
import {
  box,
  type ContactDescription,
  capsule,
  compile,
  floating,
  frictionContact,
  impactContact,
  type Mechanism,
  type MechanismDescription,
  maximalState,
  models,
  Random,
  revolute,
  spherical,
  startState,
  type Vector3,
} from "../../src/index.ts";
import { buildSystem, type System } from "../../src/kernels/index.ts";
import { Stepper } from "../../src/simulation/step/stepper.ts";

/** Of velocities, m/s: both are solved to about 1e-8 of a step's own speed, along the same way but for rounding. */
const TOLERANCE = 1e-12;
const contactParameters = 12;

const pools = (["cone", "impact"] as const).flatMap((model) =>
  [true, false].map((otherMoves) => ({ feature: "pointPlane", model, otherMoves, count: 32 }) as const),
);

interface Scene {
  readonly description: MechanismDescription;
  readonly start: Float64Array;
  /** All that can touch; the first ones stay. */
  readonly contacts: readonly ContactDescription[];
  readonly always: number;
}

const crate = box({ size: [0.4, 0.4, 0.4], mass: 1 });

/** Boxes on top of each other, on the floor. */
function stack(count: number): Scene {
  const names = Array.from({ length: count }, (_, i) => `box${i}`);
  const corners: Vector3[] = [-0.2, 0.2].flatMap((x) => [-0.2, 0.2].map((y): Vector3 => [x, y, -0.2]));
  const description: MechanismDescription = {
    timestep: 0.01,
    bodies: Object.fromEntries(names.map((name) => [name, crate])),
    joints: Object.fromEntries(names.map((child) => [child, floating({ parent: "world", child })])),
  };
  const contacts = names.flatMap((body, i) =>
    corners.map((point) =>
      frictionContact({
        ...{ body, point, frictionCoefficient: 0.5 },
        ...(i > 0 && { halfSpace: { body: names[i - 1], normal: [0, 0, 1] as const, offset: 0.2 } }),
      }),
    ),
  );
  const positions = Object.fromEntries(
    names.map((name, i) => [name, { position: [0.01 * i, 0.02, 0.201 + 0.401 * i, 0, 0, 0.1 * i] }]),
  );
  const start = maximalState(compile(description), positions);
  return { description, start, contacts, always: contacts.length };
}

/** A quadruped whose shins touch each other and its trunk, and which falls on the floor: contacts by hand would be left out in flight. */
function robot(): Scene {
  const { contacts: floor = [], ...description } = models.a1();
  const mechanism = compile(description);
  const shins = mechanism.bodies.map(({ name }) => name).filter((name) => /calf|foot|shin/i.test(name));
  const trunk = mechanism.bodies[0].name;
  const contacts = shins.flatMap((body, i) => [
    frictionContact({
      ...{ body, point: [0, 0, -0.1], radius: 0.02, frictionCoefficient: 0.6 },
      halfSpace: { body: shins[(i + 1) % shins.length], normal: [0, i % 2 ? 1 : -1, 0], offset: -0.3 },
    }),
    impactContact({
      ...{ body, point: [0.01, 0, -0.05], radius: 0.02 },
      halfSpace: { body: trunk, normal: [0, 0, -1], offset: 0.05 },
    }),
  ]);
  return { description, start: startState(mechanism), contacts: [...floor, ...contacts], always: floor.length };
}

/** Two arms that hold a bar between them, a loop, over a crate. */
function loop(): Scene {
  const link = capsule({ radius: 0.03, length: 0.4, mass: 0.5 });
  const hinge = (parent: string, child: string, x: number, axis: Vector3) =>
    revolute({ parent, child, axis, parentAnchor: [x, 0, -0.2], childAnchor: [0, 0, 0.2], damping: 0.05 });
  const description: MechanismDescription = {
    timestep: 0.01,
    bodies: { trunk: link, left: link, right: link, bar: link, crate },
    joints: {
      base: floating({ parent: "world", child: "trunk" }),
      left: hinge("trunk", "left", 0.2, [0, 1, 0]),
      right: hinge("trunk", "right", -0.2, [0.6, 0.8, 0]),
      grip: spherical({ parent: "left", child: "bar", parentAnchor: [0, 0, -0.2], childAnchor: [0.2, 0, 0] }),
      closing: spherical({ parent: "right", child: "bar", parentAnchor: [0, 0, -0.2], childAnchor: [-0.2, 0, 0] }),
      crate: floating({ parent: "world", child: "crate" }),
    },
    contacts: [-0.2, 0.2].flatMap((x) =>
      [-0.2, 0.2].map((y) => frictionContact({ body: "crate", point: [x, y, -0.2], frictionCoefficient: 0.7 })),
    ),
  };
  const on = (body: string, point: Vector3) =>
    frictionContact({
      ...{ body, point, radius: 0.03, frictionCoefficient: 0.4 },
      halfSpace: { body: "crate", normal: [0, 0, 1], offset: 0.2 },
    });
  const start = maximalState(compile(description), {
    base: { position: [0, 0, 1.05, 0, 0, 0] },
    crate: { position: [0.02, 0, 0.201, 0, 0, 0.2] },
  });
  const contacts = [
    on("bar", [0.15, 0, 0]),
    on("bar", [-0.15, 0, 0]),
    on("left", [0, 0, -0.2]),
    on("right", [0, 0, -0.2]),
  ];
  return { description, start, contacts, always: 2 };
}

const scenes: Readonly<Record<string, () => Scene>> = {
  "two boxes": () => stack(2),
  "a stack of six": () => stack(6),
  "a robot that touches itself": robot,
  "a loop over a crate": loop,
};

function byHand({ description, contacts }: Scene, taken: readonly number[]): Mechanism {
  return compile({ ...description, contacts: [...(description.contacts ?? []), ...taken.map((i) => contacts[i])] });
}

/** Binds these contacts, with the parameters that they have by hand. */
function bind(system: System, scene: Scene, taken: readonly number[], like: System, random: Random): void {
  const { touch, f64, mechanism } = system;
  if (!touch) throw new Error("no slots");
  for (const slot of [...touch.bound]) touch.release(slot);
  const order = taken.map((_, k) => k).sort(() => random.uniform(-1, 1));
  for (const k of order) {
    const { body, model, halfSpace } = scene.contacts[taken[k]];
    const index = (name: string | undefined): number => mechanism.bodies.findIndex((entry) => entry.name === name);
    const other = index(halfSpace?.body);
    const pool = touch.pools.find((entry) => entry.model === (model ?? "cone") && entry.otherMoves === other >= 0);
    let slot = pool?.first ?? 0;
    while (touch.isBound(slot)) slot += 1 + random.integer(2);
    touch.bind(slot, other, index(body));
    const contact = like.nodes.filter(({ kind }) => kind === "contact")[(scene.description.contacts ?? []).length + k];
    f64.set(
      like.f64.subarray(contact.parameters, contact.parameters + contactParameters),
      touch.nodes[slot].parameters,
    );
  }
  touch.arrange();
}

/** Few contacts that are bound at run time end further down the central path than contacts by hand, unless they are told not to. */
const usualEnd = { relativeKappa: 1e-8 };

/** Steps with changing patterns; `compare` looks at each. */
function run(scene: Scene, target: Target, rounds: number, compare: boolean): Float64Array {
  const random = new Random(5);
  const mechanism = compile(scene.description);
  const system = buildSystem(mechanism, target, undefined, "step", pools);
  const stepper = new Stepper(system, target);
  const [next, expected] = [0, 1].map(() => new Float64Array(mechanism.stateSize));
  let state = scene.start;
  for (let round = 0; round < rounds; round++) {
    const taken = scene.contacts.flatMap((_, i) => (i < scene.always || random.integer(2) === 0 ? [i] : []));
    const hand = buildSystem(byHand(scene, taken), target);
    bind(system, scene, taken, hand, random);
    const like = new Stepper(hand, target);
    // what the last steps have left is of other contacts
    stepper.history.restore(undefined);
    let handState = state;
    for (let k = 0; k < 4; k++) {
      // slots of a tree go on from a start that is predicted, contacts by hand between bodies do not: both start cold
      if (system.responses) for (const { history } of [stepper, like]) history.restore(undefined);
      expect(stepper.step(state, next, usualEnd)).toBe(true);
      state = next.slice();
      if (!compare) continue;
      // each goes on from where it is: a run that goes on starts from what it has left
      like.step(handState, expected, usualEnd);
      handState = expected.slice();
      expect(stepper.report.iterations).toBe(like.report.iterations);
      expect(stepper.report.retries).toBe(like.report.retries);
      const difference = next.reduce((most, value, i) => Math.max(most, Math.abs(value - expected[i])), 0);
      expect(difference).toBeLessThan(TOLERANCE);
    }
  }
  return state;
}

/** How the ports of bound contacts answer to their own impulses: by their rows, and by a solve with the impulse. */
function ownAnswers(scene: Scene): { rows: number[]; solved: number[] } {
  const system = buildSystem(compile(scene.description), webassembly, undefined, "step", pools);
  const stepper = new Stepper(system, webassembly);
  const all = scene.contacts.map((_, i) => i);
  bind(system, scene, all, buildSystem(byHand(scene, all), webassembly), new Random(3));
  const { problem } = stepper;
  const slots = system.responses?.slots;
  const { f64, places, touch } = system;
  if (!slots || !touch) throw new Error("no slots");
  f64.set(scene.start, places.state);
  problem.prepare(1e-8);
  problem.survey();
  system.run("linearise");
  slots.arrange();
  // limits neither push nor yield
  problem.c.fill(1);
  for (const list of ["free.factor", "slots.responses"]) system.run(list);
  const step = (): Float64Array => {
    system.run("solve");
    return f64.slice(slots.twists, slots.twists + 6 * system.mechanism.bodies.length);
  };
  system.run("free.rhs");
  const free = step();
  const [rows, solved]: [number[], number[]] = [[], []];
  touch.bound.forEach((slot, lane) => {
    const { ports, gradient, direction } = slots.contacts[slot];
    const sides = touch.nodes[slot].bodies.flatMap((body, side) => (body >= 0 ? [{ body, side }] : []));
    for (let port = 0; port < ports; port++) {
      system.run("free.rhs");
      for (const { body, side } of sides)
        for (let k = 0; k < 6; k++) f64[slots.force[body] + k] += f64[direction[side] + 6 * port + k];
      const change = step().map((value, i) => value - free[i]);
      let rate = 0;
      for (const { body, side } of sides)
        for (let k = 0; k < 6; k++) rate += f64[gradient[side] + 6 * port + k] * change[6 * body + k];
      const { rates, answers } = slots.placesOf(lane);
      const row = (from: number): Float64Array =>
        f64.subarray(from + slots.stride * port, from + slots.stride * (port + 1));
      const answer = row(answers);
      rows.push(row(rates).reduce((sum, seen, k) => sum + seen * answer[k], 0));
      solved.push(rate);
    }
  });
  return { rows, solved };
}

describe("contacts bound at run time", () => {
  it("answer to their impulses along both ways to the root as a solve says", () => {
    const { rows, solved } = ownAnswers(robot());
    expect(rows.length).toBeGreaterThan(60);
    for (let i = 0; i < rows.length; i++)
      expect(Math.abs(rows[i] - solved[i])).toBeLessThan(1e-9 * Math.abs(solved[i]));
  });

  it.each(Object.entries(scenes))("%s: the steps of contacts by hand", (_, make) => {
    run(make(), webassembly, 8, true);
  });

  it.each(Object.entries(scenes))("%s: the same bits on every target", (_, make) => {
    const [first, ...others] = [webassembly, javascript, interpreter].map((target) => run(make(), target, 2, false));
    for (const other of others) expect(other).toEqual(first);
  });
});
