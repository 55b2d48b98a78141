/**
 * Forces that are read add up to what bodies gain in the step that the user takes, however it is taken: whole, in parts by a tolerance or as
 * given, in equal parts, in pieces with features of their own, with an impact inside. Where parts of other sizes meet, gravity acts from the
 * middle of one to the middle of the other (docs/solver.md).
 */
import { describe, expect, test } from "vitest";
import {
  bodyStateSize,
  box,
  boxCorners,
  capsule,
  compile,
  cylinder,
  ellipsoid,
  floating,
  frictionContact,
  type JointDescription,
  jointWrench,
  type MechanismDescription,
  maximalState,
  revolute,
  Simulation,
  type StepOptions,
  sphere,
  spherical,
  stateOffsets,
  worldIndex,
} from "../../src/index.ts";
import { Random, type Vector3, vector } from "../../src/math/index.ts";

/** N·s: what solves leave open, some 1e-8 of the largest impulses, which are of a few N·s. */
const tolerance = 1e-7;
const timestep = 0.02;
type State = Parameters<typeof maximalState>[1];
type Scene = { readonly description: MechanismDescription; readonly start: State };

const loose = (...names: string[]): Record<string, JointDescription> =>
  Object.fromEntries(names.map((child) => [child, floating({ parent: "world", child })]));

const scenes: Record<string, (surface: { frictionCoefficient: number; restitution?: number }) => Scene> = {
  "corners by hand on the floor": (surface) => {
    const crate = box({ size: [0.3, 0.2, 0.1], mass: 1 });
    const contacts = boxCorners(crate).map((point) => frictionContact({ body: "crate", point, ...surface }));
    const start = { crate: { position: [0, 0, 0.3, 0.3, 0.2, 0.1], velocity: [1, 0, -1, 8, 12, 9] } };
    return { description: { timestep, bodies: { crate }, joints: loose("crate"), contacts }, start };
  },
  "a ball by hand on a tray that turns": (surface) => {
    const bodies = { tray: box({ size: [1, 1, 0.1], mass: 2 }), ball: sphere({ radius: 0.1, mass: 1 }) };
    const halfSpace = { body: "tray", normal: [0, 0, 1], offset: 0.05 } as const;
    const contact = frictionContact({ body: "ball", point: [0.02, 0, 0], radius: 0.1, ...surface, halfSpace });
    const start = {
      tray: { velocity: [0, 0, 1, 9, 4, 2] },
      ball: { position: [0.1, 0.1, 0.2, 0, 0, 0], velocity: [0, 0, -1, 9, 3, 2] },
    };
    return { description: { timestep, bodies, joints: loose("tray", "ball"), contacts: [contact] }, start };
  },
  "a can on a half-space": (contact) => {
    const bodies = { can: cylinder({ radius: 0.1, length: 0.2, mass: 1, contact }) };
    const start = { can: { position: [0, 0, 0.3, 0.3, 0.2, 0.1], velocity: [1, 0, -1, 8, 12, 9] } };
    return { description: { timestep, bodies, joints: loose("can"), shapes: [{ kind: "halfSpace", contact }] }, start };
  },
  "two boxes on a half-space": (contact) => {
    const bodies = {
      one: box({ size: [0.6, 0.5, 0.2], mass: 1, contact }),
      two: box({ size: [0.3, 0.2, 0.1], mass: 1, contact }),
    };
    const start = {
      one: { position: [0, 0, 0.3, 0.1, 0, 0], velocity: [0, 0, 0, 5, 4, 9] },
      two: { position: [0.1, 0.05, 0.6, 0.3, 0.2, 0.1], velocity: [0, 0, -2, 8, 12, 9] },
    };
    return {
      description: { timestep, bodies, joints: loose("one", "two"), shapes: [{ kind: "halfSpace", contact }] },
      start,
    };
  },
  "a capsule and an ellipsoid in flight": (contact) => {
    const bodies = {
      one: capsule({ radius: 0.1, length: 0.6, mass: 1, contact }),
      two: ellipsoid({ radii: [0.15, 0.1, 0.2], mass: 1, contact }),
    };
    const start = {
      one: { position: [0, 0, 0, 0.1, 0, 0], velocity: [0, 0, 0, 9, 4, 2] },
      two: { position: [0.32, 0.02, 0.2, 0.3, 0.2, 0.1], velocity: [-3, 0, 0, 8, 12, 9] },
    };
    return { description: { timestep, gravity: [0, 0, 0], bodies, joints: loose("one", "two") }, start };
  },
  "a chain that whips the floor, with a foot by hand": (contact) => {
    const link = box({ size: [0.06, 0.06, 0.2], mass: 1, contact });
    const anchors = { parentAnchor: [0, 0, -0.14], childAnchor: [0, 0, 0.14] } as const;
    const joints = {
      a: revolute({
        parent: "world",
        child: "a",
        axis: [0, 1, 0],
        parentAnchor: [0, 0, 0.4],
        childAnchor: [0, 0, 0.14],
      }),
      b: spherical({ parent: "a", child: "b", ...anchors }),
      c: spherical({ parent: "b", child: "c", ...anchors }),
    };
    const halfSpace = { body: "a", normal: [0, 0, -1], offset: -0.45 } as const;
    const foot = frictionContact({ body: "c", point: [0, 0, 0.1], radius: 0.02, ...contact, halfSpace });
    const start = { a: { position: [1.5], velocity: [4] }, b: { velocity: [3, 8, 1] }, c: { velocity: [1, 9, 3] } };
    const shapes = [{ kind: "halfSpace", contact }] as const;
    return {
      description: { timestep, bodies: { a: link, b: link, c: link }, joints, contacts: [foot], shapes },
      start,
    };
  },
};

const modes: Record<
  string,
  { readonly restitution?: number; readonly options?: StepOptions; readonly parts?: number }
> = {
  whole: {},
  "by a tolerance": { options: { errorTolerance: 1e-4 } },
  "with restitution": { restitution: 0.6 },
  "with restitution, by a tolerance": { restitution: 0.6, options: { errorTolerance: 1e-4 } },
  "in given parts": { options: { division: { parts: [0.5, 0.25, 0.25], before: 0.25 } } },
  "in equal parts": { parts: 4 },
};

/** Impulses on every body, by all that is read; and the largest of them. */
function readImpulses(simulation: Simulation): { readonly sums: Vector3[]; readonly largest: number } {
  const { mechanism } = simulation;
  const sums = mechanism.bodies.map(() => vector.zero);
  let largest = 0;
  const push = (body: number, other: number, force: Vector3): void => {
    const impulse = vector.scale(force, simulation.timestep);
    largest = Math.max(largest, vector.norm(impulse));
    sums[body] = vector.add(sums[body], impulse);
    if (other !== worldIndex) sums[other] = vector.sub(sums[other], impulse);
  };
  const indexOf = (name: string): number => mechanism.bodies.findIndex((body) => body.name === name);
  for (const { body, other, force } of simulation.touches()) push(indexOf(body), indexOf(other), force);
  for (const { name, body, other } of mechanism.contacts) push(body, other, simulation.contact(name).force);
  for (const { name, parent, child, shape } of mechanism.joints)
    if (shape.translation + shape.rotation > 0) push(child, parent, jointWrench(simulation, name).force);
  return { sums, largest };
}

/** Steps, the largest imbalance in N·s, and in how many steps something pushed, and did so in parts. */
function balanceOf({ description, start }: Scene, options: StepOptions, steps: number, parts = 1) {
  const mechanism = compile(description);
  const simulation = new Simulation(mechanism, options);
  const h = simulation.timestep;
  let state = maximalState(mechanism, start);
  let interval = h;
  if (parts > 1) {
    interval = h / parts;
    state = simulation.transferState(state, interval);
  }
  const found = { imbalance: 0, pushed: 0, divided: 0, inPieces: 0 };
  const partAt = (): number => simulation.continuationOf(state)?.pace?.part ?? 1;
  for (let k = 0; k < steps; k++) {
    const result = simulation.step(state, undefined, { interval });
    expect(result.status).toBe("solved");
    const before = options.division ? options.division.before : partAt();
    const [last, next] = [state, result.next.slice()];
    interval = result.interval;
    state = next;
    const time = options.division ? h : h * (1 + (before - partAt()) / 2);
    const { sums, largest } = readImpulses(simulation);
    if (largest > 1e-3) {
      found.pushed++;
      if (result.substeps > 1) found.divided++;
      if (simulation.touching?.isInPieces) found.inPieces++;
    }
    mechanism.bodies.forEach(({ mass }, body) => {
      const at = bodyStateSize * body + stateOffsets.velocity;
      const gained = [0, 1, 2].map((i) => next[at + i] - last[at + i] - time * mechanism.gravity[i]);
      const off = Math.hypot(...gained.map((entry, i) => mass * entry - sums[body][i]));
      found.imbalance = Math.max(found.imbalance, off);
    });
    // the next one in as many parts
    if (parts > 1 && interval === h) {
      interval = h / parts;
      state = simulation.transferState(state, interval);
    }
  }
  return found;
}

describe.each(Object.entries(scenes))("%s", (_, scene) => {
  test.each(Object.entries(modes))(
    "gains what is read of forces: %s",
    (_mode, { restitution, options = {}, parts }) => {
      const surface = { frictionCoefficient: 0.5, ...(restitution ? { restitution } : {}) };
      const found = balanceOf(scene(surface), options, 30, parts);
      expect(found.imbalance).toBeLessThan(tolerance);
      expect(found.pushed).toBeGreaterThan(0);
      if (parts || options.errorTolerance || options.division) expect(found.divided).toBeGreaterThan(0);
    },
  );
});

describe("in pieces with features of their own", () => {
  const contact = { frictionCoefficient: 0.5 };
  test.each([0, 0.6])("links of chains that are thrown at each other gain what is read, e = %s", (restitution) => {
    const link = box({
      size: [0.06, 0.06, 0.2],
      mass: 1,
      contact: { ...contact, ...(restitution ? { restitution } : {}) },
    });
    const anchors = { parentAnchor: [0, 0, -0.14], childAnchor: [0, 0, 0.14] } as const;
    const description: MechanismDescription = {
      ...{ timestep: 0.01, gravity: [0, 0, 0], bodies: { p0: link, p1: link, q0: link, q1: link } },
      joints: {
        ...loose("p0", "q0"),
        p1: spherical({ parent: "p0", child: "p1", ...anchors }),
        q1: spherical({ parent: "q0", child: "q1", ...anchors }),
      },
      // a ball at the end of one chain that meets the other by hand
      contacts: [
        frictionContact({
          ...{ body: "p1", point: [0, 0, -0.1], radius: 0.04, ...contact },
          halfSpace: { body: "q0", normal: [-1, 0, 0], offset: 0.03 },
        }),
      ],
    };
    const start = {
      p0: { position: [-0.25, -0.027, 0.1, 0.1, -0.15, 0.9], velocity: [8, 0, 0, -3, 9, -12] },
      p1: { velocity: [4, -5, -9] },
      q0: { position: [0.25, -0.05, 0.1, 0.4, -0.13, 0], velocity: [-8, 0, 0, -8, -9, -7] },
      q1: { velocity: [-9, -7, -4] },
    };
    const found = balanceOf({ description, start }, {}, 12);
    expect(found.imbalance).toBeLessThan(tolerance);
    expect(found.inPieces).toBeGreaterThan(0);
  });
});

/** What the last stage of a bounce pushes apart gets its angular momentum back as a turn of all: readers see that too. */
test("bodies that turn fast and bounce off each other in flight gain what is read", () => {
  const random = new Random(3);
  let [impacts, worst] = [0, 0];
  for (let throws = 0; throws < 40; throws++) {
    const surface = { frictionCoefficient: throws % 4 === 0 ? 0 : 0.5, restitution: 0.6 };
    const kinds = [
      capsule({ radius: 0.06, length: 0.3, mass: 1, contact: surface }),
      ellipsoid({ radii: [0.15, 0.1, 0.2], mass: 1, contact: surface }),
      box({ size: [0.3, 0.2, 0.1], mass: 1, contact: surface }),
      cylinder({ radius: 0.1, length: 0.2, mass: 1, contact: surface }),
    ];
    const bodies = { one: kinds[throws % 4], two: kinds[(throws >> 2) % 4] };
    const spin = (): number[] => [0, 1, 2].map(() => 40 * random.uniform() - 20);
    const turn = (): number[] => [0, 1, 2].map(() => random.uniform());
    const start = {
      one: { position: [0, 0, 0, ...turn()], velocity: [0, 0, 0, ...spin()] },
      two: { position: [0.45, 0.05, 0.05, ...turn()], velocity: [-4, 0, 0, ...spin()] },
    };
    const description = { timestep: 0.01, gravity: [0, 0, 0], bodies, joints: loose("one", "two") } as const;
    const { pushed, imbalance } = balanceOf({ description, start }, {}, 12);
    impacts += pushed;
    worst = Math.max(worst, imbalance);
  }
  expect(impacts).toBeGreaterThan(40);
  expect(worst).toBeLessThan(tolerance);
});

test.each(Object.entries(modes))(
  "a body out of balance turns its axle by the torque that is read: %s",
  (_, { options = {}, parts = 1 }) => {
    // about its own centre, so that levers do not matter
    const body = box({ size: [0.5, 0.1, 0.3], mass: 2 });
    const axle = revolute({ parent: "world", child: "rotor", axis: [0.6, 0, 0.8], damping: 0.01 });
    const mechanism = compile({ timestep, gravity: [0, 0, 0], bodies: { rotor: body }, joints: { axle } });
    const simulation = new Simulation(mechanism, options);
    let interval = timestep / parts;
    let state = simulation.transferState(maximalState(mechanism, { axle: { velocity: [25] } }), interval);
    for (let k = 0; k < 10; k++) {
      const result = simulation.step(state, undefined, { interval });
      const before = simulation.momentum(state, interval).angular;
      const after = simulation.momentum(result.next, result.interval).angular;
      const { torque } = jointWrench(simulation, "axle");
      const gained = vector.sub(after, before);
      expect(vector.norm(torque)).toBeGreaterThan(1);
      expect(vector.norm(vector.sub(gained, vector.scale(torque, timestep)))).toBeLessThan(tolerance);
      interval = timestep / parts;
      state = simulation.transferState(result.next, interval, result.interval);
    }
  },
);
