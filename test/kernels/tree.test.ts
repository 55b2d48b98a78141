/**
 * Newton's step of a tree, solved body by body, against the block elimination of the same equations: the same residual, and the same
 * step from any point. The regularisation of the blocks, which the tree does without, is switched off.
 */
import { describe, expect, it } from "vitest";
import { type Target, webassembly } from "../../src/codegen/index.ts";
import {
  box,
  compile,
  cylindricalFree,
  floating,
  frictionContact,
  impactContact,
  linearContact,
  type MechanismDescription,
  maximalFromMinimal,
  maximalState,
  models,
  orbital,
  planarFree,
  prismatic,
  Random,
  revolute,
  Simulation,
  type SimulationOptions,
  serial,
  spherical,
  universal,
} from "../../src/index.ts";
import { buildSystem, type Extension, type System, vectorSensitivities } from "../../src/kernels/index.ts";
import { impactMechanism } from "../../src/simulation/impact.ts";
import { stewartPlatform } from "../toys/loops.ts";

/** Of the largest entry: elimination in another order, at condition numbers up to 1e6. */
const TOLERANCE = 1e-9;

const axes = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
] as const;
const link = box({ size: [0.1, 0.1, 0.5], mass: 1 });

/** Three links, one on two others, with everything that can act on a hinge; a gear of each kind; a contact of each model. */
function bundle(): MechanismDescription {
  const hinge = (parent: string, child: string, more = {}) =>
    revolute({
      parent,
      child,
      axis: [0.36, 0.8, 0.48],
      parentAnchor: [0, 0, -0.25],
      childAnchor: [0, 0, 0.25],
      ...more,
    });
  return {
    timestep: 0.01,
    bodies: { trunk: link, left: link, right: link, foot: link, tail: link },
    joints: {
      base: floating({ parent: "world", child: "trunk" }),
      left: hinge("trunk", "left", { stiffness: 3, damping: 0.1, armature: 0.01, limits: [-1, 1] }),
      right: hinge("trunk", "right", { friction: 0.2 }),
      foot: hinge("left", "foot", { actuated: true, limits: [-2, 0.5] }),
      tail: spherical({ parent: "trunk", child: "tail", childAnchor: [0, 0, 0.25] }),
    },
    gears: {
      tied: {
        terms: [
          { joint: "left", ratio: 1 },
          { joint: "right", ratio: -0.7 },
        ],
      },
      tendon: {
        terms: [
          { joint: "left", ratio: 1 },
          { joint: "foot", ratio: 0.5 },
        ],
        range: [-0.5, 0.5],
      },
      band: {
        terms: [
          { joint: "right", ratio: 1 },
          { joint: "foot", ratio: -1 },
        ],
        stiffness: 2,
        damping: 0.3,
      },
    },
    contacts: [
      frictionContact({ body: "foot", point: [0, 0, -0.25], radius: 0.02, frictionCoefficient: 0.6 }),
      linearContact({ body: "right", point: [0.05, 0, -0.25], frictionCoefficient: 0.5 }),
      impactContact({ body: "tail", point: [0, 0.05, -0.25] }),
    ],
  };
}

/** Potentials of rotation vectors: on three free rotations, on two, beside a sliding one, and named against the walk. */
function balls(): MechanismDescription {
  const place = { parentAnchor: [0, 0, -0.25], childAnchor: [0, 0, 0.25] } as const;
  return {
    timestep: 0.01,
    bodies: { trunk: link, a: link, b: link, c: link, d: link, e: link },
    joints: {
      base: floating({ parent: "world", child: "trunk" }),
      a: spherical({ parent: "trunk", child: "a", ...place, stiffness: [3, 1, 2], rest: [0.3, 0, -0.2], damping: 0.1 }),
      b: spherical({ parent: "a", child: "b", ...place, tiltLimit: 1, friction: 0.1 }),
      c: orbital({ parent: "a", child: "c", axis: [0.6, 0, 0.8], ...place, stiffness: 2, rest: 0.1, limits: [-1, 1] }),
      d: spherical({ parent: "d", child: "trunk", ...place, damping: 0.2, tiltLimit: 1.2, stiffness: 1 }),
      e: cylindricalFree({
        parent: "d",
        child: "e",
        ...place,
        stiffness: 5,
        servo: { stiffness: 4, damping: 0.3 },
        effortLimit: 0.5,
      }),
    },
    contacts: [frictionContact({ body: "b", point: [0, 0, -0.25], frictionCoefficient: 0.6 })],
  };
}

function against(): MechanismDescription {
  const place = { parentAnchor: [0, 0, -0.25], childAnchor: [0, 0.1, 0.25] } as const;
  const axis = [0.36, 0.8, 0.48] as const;
  return {
    timestep: 0.01,
    bodies: { trunk: link, a: link, b: link, c: link },
    joints: {
      base: floating({ parent: "world", child: "trunk" }),
      a: revolute({ parent: "a", child: "trunk", axis, ...place, stiffness: 3, damping: 0.1, limits: [-1, 1] }),
      b: universal({ parent: "b", child: "a", ...place, axes: [axes[0], axes[2]], damping: 0.1 }),
      c: prismatic({ parent: "b", child: "c", axis, ...place, friction: 1 }),
    },
    gears: {
      tied: {
        terms: [
          { joint: "a", ratio: 1 },
          { joint: "c", ratio: 0.4 },
        ],
      },
    },
  };
}

/** Two arms whose hands hold one bar, and a strut between them. */
function loaded(): MechanismDescription {
  const hinge = (parent: string, child: string, x: number, more = {}) =>
    revolute({
      parent,
      child,
      axis: x > 0 ? [0.36, 0.8, 0.48] : [0.48, 0.36, 0.8],
      parentAnchor: [x, 0, -0.25],
      childAnchor: [0, 0, 0.25],
      ...more,
    });
  return {
    timestep: 0.01,
    bodies: { trunk: link, a: link, b: link, c: link, d: link, bar: link },
    joints: {
      base: floating({ parent: "world", child: "trunk" }),
      a: hinge("trunk", "a", 0.2),
      b: hinge("a", "b", 0),
      c: hinge("trunk", "c", -0.2, { damping: 0.1 }),
      d: hinge("c", "d", 0.1),
      left: spherical({
        parent: "b",
        child: "bar",
        parentAnchor: [0, 0, -0.25],
        childAnchor: [0, 0, 0.25],
        damping: 0.1,
      }),
      right: spherical({
        parent: "d",
        child: "bar",
        parentAnchor: [0, 0, -0.25],
        childAnchor: [0, 0, -0.25],
        tiltLimit: 2,
      }),
      strut: planarFree({ parent: "c", child: "b", stiffness: 10, limits: [-1, 1], friction: 0.2 }),
    },
    contacts: [frictionContact({ body: "bar", point: [0, 0, -0.25], frictionCoefficient: 0.6 })],
  };
}

/** Across the tree, between neighbours, and with a body on its own. */
function touching(): MechanismDescription {
  const description = bundle();
  const plane = { normal: [0, 0, 1], offset: 0.25 } as const;
  return {
    ...description,
    bodies: { ...description.bodies, crate: link },
    joints: { ...description.joints, crate: floating({ parent: "world", child: "crate" }) },
    contacts: [
      ...(description.contacts ?? []),
      frictionContact({
        body: "foot",
        point: [0, 0.1, 0],
        frictionCoefficient: 0.6,
        halfSpace: { body: "tail", ...plane },
      }),
      frictionContact({
        body: "foot",
        point: [0, 0, 0.2],
        radius: 0.1,
        frictionCoefficient: 0.6,
        halfSpace: { body: "tail", ...plane },
      }),
      linearContact({
        body: "left",
        point: [0, 0.1, 0],
        frictionCoefficient: 0.6,
        halfSpace: { body: "trunk", ...plane },
      }),
      impactContact({ body: "crate", point: [0, 0.1, 0], halfSpace: { body: "right", ...plane } }),
    ],
  };
}

/** Bodies on no joint: some stand on others, in a ring, and some on nothing. */
function loose(): MechanismDescription {
  const names = ["a", "b", "c", "d", "e"];
  const rests: readonly [string, string][] = [
    ["b", "a"],
    ["c", "a"],
    ["d", "b"],
    ["d", "c"],
  ];
  return {
    timestep: 0.01,
    bodies: Object.fromEntries(names.map((name) => [name, link])),
    joints: Object.fromEntries(
      names.map((child) => [child, floating({ parent: "world", child, actuated: child === "b" })]),
    ),
    fluid: { density: 100, viscosity: 0.1 },
    contacts: [
      frictionContact({ body: "a", point: [0, 0, -0.25], frictionCoefficient: 0.6 }),
      impactContact({ body: "e", point: [0, 0.05, -0.25] }),
      ...rests.map(([body, on]) =>
        frictionContact({
          body,
          point: [0, 0.05, -0.25],
          frictionCoefficient: 0.5,
          halfSpace: { body: on, normal: [0, 0, 1], offset: 0.25 },
        }),
      ),
    ],
  };
}

function manyGears(): MechanismDescription {
  const description = loaded();
  const pairs = [
    ["a", "b"],
    ["b", "c"],
    ["a", "c"],
    ["c", "d"],
    ["a", "d"],
    ["b", "d"],
    ["strut", "a"],
  ];
  return {
    ...description,
    gears: {
      ...Object.fromEntries(
        pairs.map(([first, second], i) => [
          `gear${i}`,
          {
            terms: [
              { joint: first, ratio: 1 },
              { joint: second, ratio: 0.5 - i },
            ],
            ...(i % 2 ? { stiffness: 3, damping: 0.1 } : { range: [-1, 2] as const }),
          },
        ]),
      ),
      turned: {
        terms: [
          { joint: "left", axis: 1, ratio: 1 },
          { joint: "a", ratio: 2 },
        ],
        stiffness: 2,
      },
    },
  };
}

const mechanisms: Readonly<Record<string, () => MechanismDescription>> = {
  "springs, limits, friction, gears and contacts of every kind": bundle,
  "a quadruped": () => models.a1({ bodyContacts: true }),
  "servos within their efforts": () => models.a1({ servo: { stiffness: 50, damping: 1 }, effortLimits: true }),
  "serial angles, ranges on tendons": () => models.humanoid({ bodyContacts: true }),
  "an arm on the ground, sliders tied by a gear": () => models.panda(),
  atlas: () => models.atlas(),
  "ball joints with springs, limits on tilt, servos and limits": balls,
  "joints named against the walk": against,
  "a delta robot": () => models.delta(),
  "a Stewart platform": () => stewartPlatform([-0.2, 0.2]),
  "loops with springs, limits and friction in them": loaded,
  "links that touch each other": touching,
  "gears on rotation vectors, in loops, and eight of them": manyGears,
  "bodies on no joint": loose,
};

/** The system that steps the mechanism, and one that solves by blocks, as all that are extended do. */
function systems(
  description: MechanismDescription,
  target: Target,
  positions: Readonly<Record<number, number>> = {},
): { tree: System; blocks: System } {
  const mechanism = compile(description);
  const [tree, blocks] = [buildSystem(mechanism, target), buildSystem(mechanism, target, undefined, true)];
  // redundant loops need theirs
  const inTree = mechanism.tree.map(({ joint }) => `joints.${mechanism.joints[joint].name}.`);
  for (const { parameters, f64 } of [tree, blocks]) {
    for (const [path, index] of parameters)
      if (path.includes("regularization") && inTree.some((start) => path.startsWith(start))) f64[index] = 0;
  }
  setPoint([tree, blocks], positions);
  return { tree, blocks };
}

/** Any point inside the cones, the same in all of the mechanism's systems. */
function setPoint(all: readonly System[], positions: Readonly<Record<number, number>> = {}): void {
  const [{ mechanism, places, unknowns, coneSize, cones }] = all;
  const random = new Random(3);
  const x = Float64Array.from({ length: 2 * mechanism.coordinateCount }, () => random.uniform(-0.3, 0.3));
  for (const [index, position] of Object.entries(positions)) x[Number(index)] = position;
  const set = (start: number, values: ArrayLike<number>): void => {
    for (const { f64 } of all) f64.set(values, start);
  };
  const draw = (length: number, low: number, high: number): number[] =>
    Array.from({ length }, () => random.uniform(low, high));
  set(places.state, maximalFromMinimal(mechanism, x));
  set(places.input, draw(mechanism.inputSize, -1, 1));
  set(places.unknown, draw(unknowns, -0.5, 0.5));
  set(places.coneB, draw(coneSize, 0, 0.01));
  set(places.coneC, draw(coneSize, 0, 0.01));
  for (const { size, offset } of cones) {
    if (size === 3) for (const start of [places.coneB, places.coneC]) set(start + offset, [0.1]);
  }
  set(places.coneRhs, draw(coneSize, 0, 1e-3));
}

/** Only the solver of limbs evaluates contacts on their own. */
const isByLimbs = (system: System): boolean => system.has("contacts");

function newtonStep(system: System): void {
  const { f64, places, unknowns, zeroed } = system;
  system.run("prepare");
  f64.fill(0, ...zeroed);
  system.run("evaluate");
  system.run("linearise");
  system.run("factor");
  for (let i = 0; i < unknowns; i++) f64[places.step + i] = -f64[places.residual + i];
  for (const list of ["rhs", "solve", "recover"]) system.run(list);
}

/** Largest difference of two stretches of memory, in units of the largest entry. */
function difference(a: System, b: System, start: number, length: number): number {
  let [most, size] = [0, 0];
  for (let i = start; i < start + length; i++) {
    most = Math.max(most, Math.abs(a.f64[i] - b.f64[i]));
    size = Math.max(size, Math.abs(b.f64[i]));
  }
  return most / size;
}

describe.each(["step", "impact"] as const)("gradients of a %s", (physics) => {
  it.each(Object.entries(mechanisms))("%s: solves with the matrix and with its transpose are adjoint", (_, make) => {
    const whole = compile(make());
    const mechanism = physics === "step" ? whole : impactMechanism(whole);
    const extend: Extension = (plan, register) => vectorSensitivities(plan, register, "motion").lists;
    const system = buildSystem(mechanism, webassembly, extend, false, physics);
    setPoint([system]);
    const { f64, places, unknowns } = system;
    const random = new Random(8);
    const draw = (length: number): number[] => Array.from({ length }, () => random.uniform(-1, 1));
    const [bodies, rows] = [draw(6 * mechanism.bodies.length), draw(unknowns)];
    const solved = (list: string, rhs: readonly number[]): Float64Array => {
      f64.fill(0, places.step, places.step + unknowns);
      f64.set(rhs, places.step);
      system.run(list);
      return f64.slice(places.step, places.step + unknowns);
    };
    for (const list of ["matrix", "factor"]) system.run(list);
    // gᵀ(R⁻¹ q) = (R⁻ᵀ g)ᵀ q, for any q, and any g on the velocities of bodies
    const sum = (a: ArrayLike<number>, b: readonly number[]): number =>
      b.reduce((total, value, i) => total + a[i] * value, 0);
    const [there, back] = [sum(solved("solve", rows), bodies), sum(solved("transposedSolve", bodies), rows)];
    expect(Math.abs(there - back) / Math.abs(there)).toBeLessThan(TOLERANCE);
  });
});

describe("a tree of joints", () => {
  it.each(Object.entries(mechanisms))("%s: the step of the block elimination", (_, make) => {
    const { tree, blocks } = systems(make(), webassembly);
    expect([tree, blocks].map(isByLimbs)).toEqual([true, false]);
    for (const system of [tree, blocks]) newtonStep(system);
    const { places, unknowns, coneSize, equalities } = tree;
    expect(difference(tree, blocks, places.residual, unknowns + equalities)).toBeLessThan(1e-14);
    expect(difference(tree, blocks, places.step, unknowns)).toBeLessThan(TOLERANCE);
    if (coneSize > 0) {
      expect(difference(tree, blocks, places.stepB, coneSize)).toBeLessThan(TOLERANCE);
      expect(difference(tree, blocks, places.stepC, coneSize)).toBeLessThan(TOLERANCE);
    }
  });

  it("blocks can be asked for, and nothing else", () => {
    const mechanism = compile(models.a1());
    expect(isByLimbs(new Simulation(mechanism).system)).toBe(true);
    expect(isByLimbs(new Simulation(mechanism, { elimination: "blocks" }).system)).toBe(false);
    const unknown = { elimination: "dense" } as unknown as SimulationOptions;
    expect(() => new Simulation(mechanism, unknown)).toThrow(/options\.elimination.*dense.*"fitting".*"blocks"/s);
  });

  it("three hinges in a row that nothing acts on do not lock", () => {
    const description: MechanismDescription = {
      timestep: 0.01,
      bodies: { trunk: link, arm: link },
      joints: {
        base: floating({ parent: "world", child: "trunk" }),
        shoulder: serial({ parent: "trunk", child: "arm", axes, childAnchor: [0, 0, 0.25] }),
      },
    };
    // the second angle, after the six coordinates of the trunk, brings the third axis onto the first
    const { tree, blocks } = systems(description, webassembly, { 7: Math.PI / 2 });
    expect(isByLimbs(tree)).toBe(true);
    for (const system of [tree, blocks]) newtonStep(system);
    expect(difference(tree, blocks, tree.places.step, tree.unknowns)).toBeLessThan(TOLERANCE);
  });

  it("a four-bar linkage, three of whose rows say nothing new: the same motion", () => {
    const { tree, blocks } = systems(models.fourBar(), webassembly);
    const rest = maximalState(tree.mechanism, models.fourBar().states?.rest ?? {});
    for (const { f64, places, unknowns } of [tree, blocks]) {
      f64.set(rest, places.state);
      f64.fill(0, places.unknown, places.unknown + unknowns);
    }
    for (const system of [tree, blocks]) newtonStep(system);
    expect(isByLimbs(tree)).toBe(true);
    expect(difference(tree, blocks, tree.places.step, 6 * tree.mechanism.bodies.length)).toBeLessThan(TOLERANCE);
  });
});
