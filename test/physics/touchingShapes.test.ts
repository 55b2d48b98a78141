/** Shapes that touch each other, against closed forms and conservation laws. */
import { expect, test } from "vitest";
import {
  capsule,
  checkState,
  compile,
  ellipsoid,
  floating,
  frictionContact,
  type MechanismDescription,
  maximalState,
  projectState,
  type Shape,
  ShapeDistances,
  Simulation,
  sphere,
  sunkenBodies,
  touch,
} from "../../src/index.ts";

const floor: Shape = { kind: "halfSpace", name: "floor", contact: true };

/** Balls by name, each with a floating joint called after it. */
function balls(
  radii: Readonly<Record<string, number>>,
  part: Partial<MechanismDescription> = {},
): MechanismDescription {
  const entries = Object.entries(radii);
  return {
    timestep: 0.01,
    bodies: Object.fromEntries(
      entries.map(([name, radius]) => [name, sphere({ radius, mass: (radius / 0.1) ** 3, contact: true })]),
    ),
    joints: Object.fromEntries(entries.map(([name]) => [name, floating({ parent: "world", child: name })])),
    ...part,
  };
}

const at = (x: number, y: number, z: number, velocity: readonly number[] = [0, 0, 0, 0, 0, 0]) => ({
  position: [x, y, z, 0, 0, 0],
  velocity,
});

test("two balls that meet in flight keep linear and angular momentum", () => {
  const mechanism = compile(balls({ a: 0.1, b: 0.15 }, { gravity: [0, 0, 0] }));
  const simulation = new Simulation(mechanism);
  const start = maximalState(mechanism, {
    a: at(-0.5, 0, 0.03, [2, 0.1, 0, 1, -3, 2]),
    b: at(0, 0.05, 0, [-0.5, 0, 0.2, 0, 4, 0]),
  });
  const before = simulation.momentum(start);
  const run = simulation.rollout(start, { steps: 60 });
  expect(run.solved).toBe(true);
  const after = simulation.momentum(run.final);
  // they have met: b flies off faster than it came
  expect(run.velocities("b")[60][0]).toBeGreaterThan(-0.3);
  for (let k = 0; k < 3; k++) {
    // of momenta of a few kg m/s, what solves to a residual of 1e-8 leave
    expect(after.linear[k]).toBeCloseTo(before.linear[k], 9);
    expect(after.angular[k]).toBeCloseTo(before.angular[k], 9);
  }
});

test("balls without friction that meet along their line of centres go on together", () => {
  const contact = { frictionCoefficient: 0 };
  const bodies = { a: sphere({ radius: 0.1, mass: 1, contact }), b: sphere({ radius: 0.1, mass: 3, contact }) };
  const mechanism = compile({ ...balls({ a: 0.1, b: 0.1 }, { gravity: [0, 0, 0] }), bodies });
  const start = maximalState(mechanism, { a: at(-0.5, 0, 0, [2, 0, 0, 0, 0, 0]), b: at(0, 0, 0) });
  const run = new Simulation(mechanism).rollout(start, { steps: 60 });
  // m v = (m + M) u
  expect(run.velocities("a")[60][0]).toBeCloseTo(0.5, 5);
  expect(run.velocities("b")[60][0]).toBeCloseTo(0.5, 5);
});

test("a ball rests in a trough of two planes, which share its weight", () => {
  // planes that rise at 30° to either side: forces m g / (2 cos 30°) each
  const tilted = (angle: number, name: string): Shape => ({
    kind: "halfSpace",
    name,
    orientation: [Math.cos(angle / 2), 0, Math.sin(angle / 2), 0],
    contact: { frictionCoefficient: 0 },
  });
  const mechanism = compile(
    balls({ ball: 0.1 }, { shapes: [tilted(Math.PI / 6, "left"), tilted(-Math.PI / 6, "right")] }),
  );
  const simulation = new Simulation(mechanism);
  const height = 0.1 / Math.cos(Math.PI / 6);
  const run = simulation.rollout(maximalState(mechanism, { ball: at(0, 0, height + 1e-3) }), { steps: 100 });
  expect(run.solved).toBe(true);
  expect(run.final[2]).toBeCloseTo(height, 8);
  const readings = simulation.touches();
  expect(readings.map(({ otherShape }) => otherShape).sort()).toEqual(["left", "right"]);
  const share = 9.81 / (2 * Math.cos(Math.PI / 6));
  for (const { normalForce, other, body } of readings) {
    expect([other, body]).toEqual(["world", "ball"]);
    // hover and damping at κ' = 1e-8
    expect(normalForce).toBeCloseTo(share, 5);
  }
  expect(touch(simulation, "ball")).toBeCloseTo(2 * share, 5);
});

test("a thrown ball slides on the floor, then rolls with 5/7 of its speed", () => {
  const mechanism = compile(balls({ ball: 0.1 }, { shapes: [floor] }));
  const start = maximalState(mechanism, { ball: at(0, 0, 0.1 + 1e-9, [1, 0, 0, 0, 0, 0]) });
  const run = new Simulation(mechanism).rollout(start, { steps: 100 });
  expect(run.velocities("ball")[100][0]).toBeCloseTo(5 / 7, 3);
});

test("overlapping balls are named with their depth, and parted", () => {
  const mechanism = compile(balls({ a: 0.1, b: 0.1, c: 0.1 }, { shapes: [floor] }));
  const simulation = new Simulation(mechanism);
  const state = maximalState(mechanism, { a: at(0, 0, 0.06), b: at(0.12, 0, 0.12), c: at(0.12, 0.15, 0.12) });
  const faults = checkState(simulation, state);
  expect(faults.map(({ code, path }) => [code, path])).toEqual([
    ["penetration", "bodies.b.shapes.shape0"],
    ["penetration", "bodies.c.shapes.shape0"],
    ["penetration", "bodies.a.shapes.shape0"],
  ]);
  expect(faults[2].message).toContain("is 0.04 m inside shapes.floor");
  expect(() => simulation.rollout(state, { steps: 1 })).toThrow("inside");
  const parted = projectState(simulation, state);
  expect(checkState(simulation, parted)).toEqual([]);
  expect(simulation.rollout(parted, { steps: 20 }).solved).toBe(true);
});

test("twelve balls at one point are parted, and none goes farther than a heap of them is wide", () => {
  const names = Array.from({ length: 12 }, (_, i) => `ball${i}`);
  const mechanism = compile(balls(Object.fromEntries(names.map((name) => [name, 0.1])), { shapes: [floor] }));
  const simulation = new Simulation(mechanism);
  const state = maximalState(mechanism, Object.fromEntries(names.map((name) => [name, at(0, 0, 0.5)])));
  const parted = projectState(simulation, state);
  expect(checkState(simulation, parted)).toEqual([]);
  for (let i = 0; i < names.length; i++)
    expect(Math.hypot(parted[13 * i], parted[13 * i + 1], parted[13 * i + 2] - 0.5)).toBeLessThan(0.4);
});

test("a heap of balls comes to rest, and none is in another", () => {
  const names = ["a", "b", "c", "d", "e"];
  const walls: Shape[] = [
    [0, 1],
    [0, -1],
    [1, 0],
    [-1, 0],
  ].map(([x, y]) => ({
    kind: "halfSpace" as const,
    position: [-0.16 * x, -0.16 * y, 0],
    // z of the frame turned to (x, y, 0)
    orientation: [Math.SQRT1_2, -y * Math.SQRT1_2, x * Math.SQRT1_2, 0],
    contact: true,
  }));
  const mechanism = compile(balls(Object.fromEntries(names.map((name) => [name, 0.1])), { shapes: [floor, ...walls] }));
  const simulation = new Simulation(mechanism);
  const state = maximalState(
    mechanism,
    Object.fromEntries(
      names.map((name, i) => [name, at(0.02 * ((i % 3) - 1), 0.03 * ((i % 2) - 0.5), 0.15 + 0.21 * i)]),
    ),
  );
  const run = simulation.rollout(state, { steps: 300 });
  expect(run.solved).toBe(true);
  for (const name of names) expect(Math.hypot(...run.velocities(name)[300])).toBeLessThan(1e-2);
  // true distances, after every step
  const overlaps = run.states.map((one) => checkState(simulation, one).filter(({ code }) => code === "penetration"));
  expect(overlaps.flat()).toEqual([]);
});

test("balls bounce off each other: with restitution e, v₁ = (1 − e)/2 v and v₂ = (1 + e)/2 v", () => {
  for (const restitution of [1, 0.5]) {
    const contact = { frictionCoefficient: 0, restitution };
    const bodies = { a: sphere({ radius: 0.1, mass: 1, contact }), b: sphere({ radius: 0.1, mass: 1, contact }) };
    const mechanism = compile({ ...balls({ a: 0.1, b: 0.1 }, { gravity: [0, 0, 0] }), bodies });
    const start = maximalState(mechanism, { a: at(-0.5, 0, 0, [2, 0, 0, 0, 0, 0]), b: at(0, 0, 0) });
    const run = new Simulation(mechanism).rollout(start, { steps: 60 });
    expect(run.solved).toBe(true);
    expect(run.velocities("a")[60][0]).toBeCloseTo(1 - restitution, 8);
    expect(run.velocities("b")[60][0]).toBeCloseTo(1 + restitution, 8);
  }
});

test("of elastic balls in a row with gaps of 0.1 mm only the last one leaves", () => {
  const contact = { frictionCoefficient: 0, restitution: 1 };
  const names = ["a", "b", "c", "d"];
  const bodies = Object.fromEntries(names.map((name) => [name, sphere({ radius: 0.1, mass: 1, contact })]));
  const radii = Object.fromEntries(names.map((name) => [name, 0.1]));
  const mechanism = compile({ ...balls(radii, { gravity: [0, 0, 0] }), bodies });
  const start = maximalState(mechanism, {
    a: at(-0.3, 0, 0, [1, 0, 0, 0, 0, 0]),
    ...Object.fromEntries(names.slice(1).map((name, i) => [name, at(0.2001 * i, 0, 0)])),
  });
  const run = new Simulation(mechanism).rollout(start, { steps: 80 });
  expect(run.solved).toBe(true);
  names.forEach((name, i) => {
    expect(run.velocities(name)[80][0]).toBeCloseTo(i === 3 ? 1 : 0, 6);
  });
});

test("torsional friction stops a spinning ball, rolling friction a rolling one, as torques c m g say", () => {
  const [radius, g] = [0.1, 9.81];
  const run = (surface: { torsionalFriction?: number; rollingFriction?: number }, velocity: readonly number[]) => {
    const bodies = { ball: sphere({ radius, mass: 1, contact: { frictionCoefficient: 0.8, ...surface } }) };
    const mechanism = compile({ ...balls({ ball: radius }, { shapes: [floor] }), bodies });
    const simulation = new Simulation(mechanism);
    return simulation.rollout(maximalState(mechanism, { ball: at(0, 0, radius + 1e-9, velocity) }), { steps: 20 });
  };
  // I ω̇ = −c m g with I = 2/5 m r²
  const c = 2e-4;
  const spun = run({ torsionalFriction: c }, [0, 0, 0, 0, 0, 5]);
  expect(spun.solved).toBe(true);
  const loss = (20 * 0.01 * c * g) / (0.4 * radius ** 2);
  expect(spun.angularVelocities("ball")[20][2]).toBeCloseTo(5 - loss, 3);
  // the balance of forces and torques of a ball that rolls: 7/5 m v̇ = −c m g/r
  const rolled = run({ rollingFriction: c }, [1, 0, 0, 0, 10, 0]);
  expect(rolled.solved).toBe(true);
  expect(rolled.velocities("ball")[20][0]).toBeCloseTo(1 - (20 * 0.01 * c * g) / (1.4 * radius), 4);
  expect(run({}, [0, 0, 0, 0, 0, 5]).angularVelocities("ball")[20][2]).toBeCloseTo(5, 6);
});

test("shapes for show, filters and terrain that nothing touches change no bit of a step", () => {
  const thrown = (part: Partial<MechanismDescription>, contact: boolean) => {
    const ball = sphere({ radius: 0.1, mass: 1, contact });
    const mechanism = compile({
      ...balls({ ball: 0.1 }),
      bodies: { ball },
      contacts: [{ body: "ball", point: [0, 0, 0], radius: 0.1, frictionCoefficient: 0.5 }],
      ...part,
    });
    const start = maximalState(mechanism, { ball: at(0, 0, 0.3, [1, 0, 0, 0, 3, 0]) });
    return new Simulation(mechanism).rollout(start, { steps: 60 }).final;
  };
  const plain = thrown({}, false);
  expect(thrown({ shapes: [{ ...floor, contact: false }], collisions: { adjacent: true } }, true)).toEqual(plain);
  expect(thrown({ shapes: [floor], collisions: { exclude: [["ball", "world"]] } }, true)).toEqual(plain);
});

test("an error tolerance divides the steps of shapes as it divides those of the same contacts by hand", () => {
  const radius = 0.1;
  const joints = {
    ball: floating({ parent: "world", child: "ball" }),
    other: floating({ parent: "world", child: "other" }),
  };
  const [contact, frictionCoefficient] = [{ frictionCoefficient: 0.5 }, 0.5];
  const shapes = compile({
    timestep: 0.05,
    bodies: { ball: sphere({ radius, mass: 1, contact }), other: sphere({ radius, mass: 2, contact }) },
    joints,
    shapes: [{ kind: "halfSpace", contact }],
  });
  const byHand = compile({
    timestep: 0.05,
    bodies: { ball: sphere({ radius, mass: 1 }), other: sphere({ radius, mass: 2 }) },
    joints,
    contacts: ["ball", "other"].map((body) => frictionContact({ body, point: [0, 0, 0], radius, frictionCoefficient })),
  });
  const options = { errorTolerance: 1e-4 };
  const runs = [shapes, byHand].map((mechanism) => {
    const start = maximalState(mechanism, {
      ball: { position: [0, 0, 0.3, 0, 0, 0], velocity: [1, 0, 0, 0, 0, 3] },
      other: { position: [1, 0, 0.5, 0, 0, 0], velocity: [0, 1, 0, 2, 0, 0] },
    });
    return new Simulation(mechanism, options).rollout(start, { steps: 12 });
  });
  expect(runs.map(({ solved }) => solved)).toEqual([true, true]);
  const parts = runs.map(({ reports }) => reports.map(({ substeps }) => substeps));
  expect(parts[0]).toEqual(parts[1]);
  // impacts are where parts end
  expect(Math.max(...parts[0])).toBeGreaterThan(2);
  runs[0].final.forEach((value, i) => {
    expect(value).toBeCloseTo(runs[1].final[i], 7);
  });
});

test("a ball whose mask lets it through the floor's shape is named as sunken", () => {
  const description = balls({ held: 0.1, ghost: 0.1 }, { shapes: [{ ...floor, position: [0, 0, 1] } as Shape] });
  const { ghost } = description.bodies;
  const shapes = (ghost.shapes ?? []).map((shape) => ({ ...shape, contact: { group: 2, mask: 2 } }));
  const mechanism = compile({ ...description, bodies: { ...description.bodies, ghost: { ...ghost, shapes } } });
  const state = maximalState(mechanism, { held: at(0, 0, 1.1), ghost: at(1, 0, 0.5) });
  expect(sunkenBodies(mechanism, state)).toEqual([{ body: "ghost", depth: 0.5 }]);
});

/** A state of bodies as they are in the world: thirteen numbers each, orientations made unit again. */
function stateOf(...numbers: readonly number[]): Float64Array {
  const state = Float64Array.from(numbers);
  for (let at = 3; at < state.length; at += 13) {
    const quaternion = state.subarray(at, at + 4);
    const length = Math.hypot(...quaternion);
    for (let k = 0; k < 4; k++) quaternion[k] /= length;
  }
  return state;
}

/** The energy that a time of the whole time step adds, taken in so many steps. */
function energyGiven(simulation: Simulation, start: Float64Array, parts: number): number {
  const h = simulation.timestep;
  let state = simulation.changeTimestep(start, h / parts);
  const before = simulation.energy(state).total;
  for (let k = 0; k < parts; k++) {
    const { status, next } = simulation.step(state);
    expect(status).toBe("solved");
    state = Float64Array.from(next);
  }
  const given = simulation.energy(state).total - before;
  simulation.setParameter("timestep", h);
  return given;
}

test("few bodies make no energy either: an ellipsoid that lands flat, spinning, made four times what it had", () => {
  const rod = ellipsoid({ radii: [0.032, 0.036, 0.144], mass: 3.1, contact: true });
  const joints = { base: floating({ parent: "world", child: "rod" }) };
  const simulation = new Simulation(compile({ timestep: 0.02, bodies: { rod }, joints, shapes: [floor] }));
  const attitude = [-0.23874, -0.69841, 0.16313, 0.65469];
  const landing = stateOf(0, 0, 0.0365, ...attitude, 1.14, 0.113, -1.286, -9.06, -13.59, -1.067);
  const { status, next, substeps } = simulation.step(landing);
  expect(status).toBe("solved");
  expect(substeps).toBeGreaterThan(1);
  const given = simulation.energy(next).total - simulation.energy(landing).total;
  // of 6.4 J it loses a third, as it does in short steps
  expect(given).toBeLessThan(-1);
  expect(Math.abs(given / energyGiven(simulation, landing, 32) - 1)).toBeLessThan(0.3);
});

test("an ellipsoid that swings over in a step stays out of the floor: before, its other end was 0.4 mm in it", () => {
  const rod = ellipsoid({ radii: [0.1, 0.02, 0.02], mass: 1, contact: true });
  const joints = { base: floating({ parent: "world", child: "rod" }) };
  const simulation = new Simulation(compile({ timestep: 0.02, bodies: { rod }, joints, shapes: [floor] }));
  const attitude = [-0.20819, 0.87389, -0.31193, 0.30931];
  const swing = stateOf(0, 0, 0.047368, ...attitude, -0.63576, 0.37679, -1.6615, 8.0865, -20.121, -10.403);
  const { status, next, overlap = 1 } = simulation.step(swing);
  expect(status).toBe("solved");
  // rounding, and what the lowest point has moved on in the last solve
  expect(overlap).toBeLessThan(1e-9);
  // true distances, by another search
  for (const { distance } of new ShapeDistances(simulation.mechanism).at(next, 1))
    expect(distance).toBeGreaterThan(-1e-9);
});

test("nor does a capsule whose axis no longer crosses that of another where the step ends", () => {
  const smooth = { contact: { frictionCoefficient: 0 } };
  const bodies = {
    under: capsule({ radius: 0.04265, length: 0.21475, mass: 0.3188, ...smooth }),
    over: capsule({ radius: 0.06747, length: 0.10048, mass: 0.9478, ...smooth }),
  };
  const joints = {
    under: floating({ parent: "world", child: "under" }),
    over: floating({ parent: "world", child: "over" }),
  };
  const simulation = new Simulation(compile({ timestep: 0.005, bodies, joints, shapes: [floor] }));
  const start = stateOf(
    ...[-0.06483, -0.04326, 0.04266, 0.68075, -0.42033, 0.56861, 0.19125, -1.3188, 0.21582, 0, 3.73, 1.407, -0.811],
    ...[-0.00388, -0.05339, 0.14408, 0.75807, -0.61301, 0.00276, -0.2226, 0.582, -0.464, -2.052, -19.459, -11, 1.714],
  );
  const { status, next } = simulation.step(start);
  expect(status).toBe("solved");
  // it had 3.6 J and gained 0.8
  expect(simulation.energy(next).total).toBeLessThan(simulation.energy(start).total);
});

test("what is pushed may gain energy: its steps stay whole", () => {
  const ball = sphere({ radius: 0.1, mass: 1, contact: true });
  const scene = (actuated: boolean) =>
    new Simulation(
      compile({
        timestep: 0.01,
        bodies: { ball },
        joints: { base: floating({ parent: "world", child: "ball", ...(actuated ? { actuated } : {}) }) },
        shapes: [floor],
      }),
    );
  const [driven, pulled] = [scene(true), scene(false)];
  pulled.setWrench("ball", { force: [30, 0, 0] });
  for (const simulation of [driven, pulled]) {
    const start = maximalState(simulation.mechanism, { base: { position: [0, 0, 0.1001, 0, 0, 0] } });
    const inputs = simulation.inputSize > 0 ? { inputs: [30, 0, 0, 0, 0, 0] } : {};
    const run = simulation.rollout(start, { steps: 10, ...inputs });
    expect(run.solved).toBe(true);
    expect(run.reports.map(({ substeps }) => substeps)).toEqual(new Array(10).fill(1));
    expect(simulation.energy(run.final).kinetic).toBeGreaterThan(1);
  }
});
