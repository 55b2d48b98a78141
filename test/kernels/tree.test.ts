/**
 * The elimination by limbs against the equations themselves: along Newton's step from any point the residual falls to zero, by central
 * differences, and solves with the transposed matrix are adjoint to solves with the matrix.
 */
import { describe, expect, it } from "vitest";
import { webassembly } from "../../src/codegen/index.ts";
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
  serial,
  spherical,
  universal,
} from "../../src/index.ts";
import { buildSystem, type Extension, type System, vectorSensitivities } from "../../src/kernels/index.ts";
import { impactMechanism } from "../../src/simulation/bounce/impact.ts";
import { stewartPlatform } from "../toys/loops.ts";

/** Two ways through the same factors, at condition numbers up to 1e6. */
const TOLERANCE = 1e-9;

/** By how much the unknowns are moved for a central difference, and its error in units of the largest residual: 6e-8 at most. */
const DISPLACEMENT = 1e-5;
const DIFFERENCES = 2e-7;

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

/** Any point inside the cones. */
function setPoint(system: System, positions: Readonly<Record<number, number>> = {}): void {
  const { mechanism, places, unknowns, coneSize, cones, f64 } = system;
  const random = new Random(3);
  const x = Float64Array.from({ length: 2 * mechanism.coordinateCount }, () => random.uniform(-0.3, 0.3));
  for (const [index, position] of Object.entries(positions)) x[Number(index)] = position;
  const set = (start: number, values: ArrayLike<number>): void => f64.set(values, start);
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

interface NewtonStep {
  readonly residual: Float64Array;
  /** How the residual changes along the step, by central differences. */
  readonly change: Float64Array;
  /** d(b ∘ c) along the step. */
  readonly products: number[];
}

/** Newton's step from the point in memory. */
function newtonStep(system: System): NewtonStep {
  const { f64, places, unknowns, equalities, coneSize, cones } = system;
  for (const list of ["prepare", "evaluate", "linearise", "factor"]) system.run(list);
  const part = (start: number, length: number): Float64Array => f64.slice(start, start + length);
  const residual = part(places.residual, unknowns + equalities);
  f64.set(
    residual.subarray(0, unknowns).map((value) => -value),
    places.step,
  );
  for (const list of ["rhs", "solve", "recover"]) system.run(list);
  const moved = [
    [places.unknown, part(places.unknown, unknowns), part(places.step, unknowns)],
    [places.coneB, part(places.coneB, coneSize), part(places.stepB, coneSize)],
    [places.coneC, part(places.coneC, coneSize), part(places.stepC, coneSize)],
  ] as const;
  const largest = moved.reduce((most, [, , step]) => step.reduce((m, value) => Math.max(m, Math.abs(value)), most), 0);
  const size = DISPLACEMENT / largest;
  const at = (length: number): Float64Array => {
    for (const [start, from, step] of moved)
      f64.set(
        from.map((value, i) => value + length * step[i]),
        start,
      );
    system.run("evaluate");
    return part(places.residual, unknowns + equalities);
  };
  const [ahead, behind] = [at(size), at(-size)];
  const [, [, b, stepB], [, c, stepC]] = moved;
  return {
    residual,
    change: ahead.map((value, i) => (value - behind[i]) / (2 * size)),
    products: cones.flatMap(({ kind, offset, size: length }) => {
      const dot = (x: Float64Array, y: Float64Array): number =>
        x.subarray(offset, offset + length).reduce((sum, value, i) => sum + value * y[offset + i], 0);
      if (kind === "orthant") return [dot(b, stepC) + dot(c, stepB)];
      const entry = (i: number): number =>
        b[offset] * stepC[i] + stepB[offset] * c[i] + c[offset] * stepB[i] + stepC[offset] * b[i];
      return [dot(b, stepC) + dot(c, stepB), entry(offset + 1), entry(offset + 2)];
    }),
  };
}

describe.each(["step", "impact"] as const)("gradients of a %s", (physics) => {
  it.each(Object.entries(mechanisms))("%s: solves with the matrix and with its transpose are adjoint", (_, make) => {
    const whole = compile(make());
    const mechanism = physics === "step" ? whole : impactMechanism(whole);
    const extend: Extension = (plan, register) => vectorSensitivities(plan, register, "motion").lists;
    const system = buildSystem(mechanism, webassembly, extend, physics);
    setPoint(system);
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

/** The residual and all b ∘ c − rhs are zero at the end of Newton's step, if equations were linear. */
function expectNewtonStep(system: System): void {
  const rhs = system.f64.slice(system.places.coneRhs, system.places.coneRhs + system.coneSize);
  const { residual, change, products } = newtonStep(system);
  const largest = Math.max(...residual.map(Math.abs));
  expect(largest).toBeGreaterThan(0.01);
  residual.forEach((value, i) => {
    expect(Math.abs(value + change[i])).toBeLessThan(DIFFERENCES * largest);
  });
  products.forEach((product, i) => {
    expect(Math.abs(product - rhs[i])).toBeLessThan(1e-14);
  });
}

describe("Newton's step", () => {
  it.each(Object.entries(mechanisms))("%s: the residual falls to zero along it", (_, make) => {
    const system = buildSystem(compile(make()), webassembly);
    setPoint(system);
    expectNewtonStep(system);
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
    const system = buildSystem(compile(description), webassembly);
    // the second angle, after the six coordinates of the trunk, brings the third axis onto the first
    setPoint(system, { 7: Math.PI / 2 });
    expectNewtonStep(system);
  });

  it("a four-bar linkage, three of whose rows say nothing new", () => {
    const system = buildSystem(compile(models.fourBar()), webassembly);
    const { f64, places, mechanism, unknowns } = system;
    f64.set(maximalState(mechanism, models.fourBar().states?.rest ?? {}), places.state);
    f64.fill(0, places.unknown, places.unknown + unknowns);
    expectNewtonStep(system);
  });
});
