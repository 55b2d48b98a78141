/** Mechanisms that have everything between them which the elimination by limbs knows. */
import {
  box,
  cylindricalFree,
  floating,
  frictionContact,
  impactContact,
  linearContact,
  type MechanismDescription,
  models,
  orbital,
  planarFree,
  prismatic,
  revolute,
  spherical,
  universal,
} from "../../src/index.ts";
import { stewartPlatform } from "../toys/loops.ts";

export const axes = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
] as const;
export const link = box({ size: [0.1, 0.1, 0.5], mass: 1 });

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

export const mechanisms: Readonly<Record<string, () => MechanismDescription>> = {
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
