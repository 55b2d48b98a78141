import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { frictionContact, halfSpace, impactContact } from "./contacts.ts";
import type { MechanismDescription } from "./description.ts";
import { DescriptionError } from "./faults.ts";
import { fixed, floating, prismatic, revolute, serial, spherical, universal } from "./joints.ts";
import { box, capsule, customBody } from "./shapes.ts";
import { assertDescription, faultsOf } from "./validation.ts";

/** A fresh valid description with something of everything. */
function valid() {
  return {
    name: "test",
    timestep: 0.01,
    gravity: [0, 0, -9.81],
    springConservation: 0.9,
    damperCentering: 0.65,
    bodies: {
      rod: capsule({ radius: 0.05, length: 1, mass: 1 }),
      crate: box({ size: [1, 1, 1], mass: 2, color: "red" }),
      arm: customBody({ mass: 1, inertia: [1, 1, 1] }),
    },
    joints: {
      hinge: revolute({
        parent: "world",
        child: "rod",
        axis: [1, 0, 0],
        stiffness: 2,
        limits: [-1, null],
        actuated: true,
      }),
      base: floating({ parent: "world", child: "crate", damping: [1, 1, 1, 0, 0, 0] }),
      gimbal: universal({
        parent: "crate",
        child: "arm",
        axes: [
          [1, 0, 0],
          [0, 1, 0],
        ],
        limits: [null, [0, 1]],
      }),
    },
    contacts: [
      frictionContact({ name: "tip", body: "rod", point: [0, 0, 0.5], radius: 0.05, frictionCoefficient: 0.5 }),
      impactContact({
        body: "rod",
        point: [0, 0, 0],
        halfSpace: halfSpace({ body: "crate", normal: [0, 0, 1], offset: 0.5 }),
      }),
    ],
    gears: {
      belt: {
        terms: [
          { joint: "hinge", ratio: 1 },
          { joint: "gimbal", axis: 1, ratio: -2 },
        ],
        offset: 0,
      },
    },
  } satisfies MechanismDescription;
}

/** The valid description with the value at a path replaced (undefined deletes it). */
function withValue(path: readonly (string | number)[], value: unknown): unknown {
  const description: unknown = structuredClone(valid());
  let target = description as Record<string | number, unknown>;
  for (const step of path.slice(0, -1)) target = target[step] as Record<string | number, unknown>;
  const last = path[path.length - 1];
  if (value === undefined) delete target[last];
  else target[last] = value;
  return description;
}

/** Faults as the lines of the error. */
function lines(description: unknown): string[] {
  return faultsOf(description).map(({ code, path, message }) => `${code} at ${path}: ${message}`);
}

const hinge = ["joints", "hinge"];
const rod = ["bodies", "rod"];
const diagonal = (x: number, y: number, z: number) => [
  [x, 0, 0],
  [0, y, 0],
  [0, 0, z],
];
const ends = { parent: "world", child: "rod" };

describe("faults of a description", () => {
  it("a valid one has none, and survives JSON", () => {
    expect(lines(valid())).toEqual([]);
    expect(lines(JSON.parse(JSON.stringify(valid())))).toEqual([]);
  });

  it.each<[path: (string | number)[], value: unknown, line: RegExp]>([
    // types
    [["timestep"], "0.01", /^wrong-type at timestep: expected a number, got "0.01"$/],
    [["bodies"], [], /^wrong-type at bodies: expected bodies by name \(an object\), got an array of 0$/],
    [["bodies", "rod"], null, /^wrong-type at bodies\.rod: .* got null$/],
    [["bodies", "rod", "shapes", 0], 3, /^wrong-type at bodies\.rod\.shapes\[0\]: /],
    [[...hinge, "actuated"], 1, /^wrong-type at joints\.hinge\.actuated: expected true or false/],
    [["contacts"], {}, /^wrong-type at contacts: /],
    [["contacts", 0, "name"], 7, /^wrong-type at contacts\[0\]\.name: /],
    [["timestep"], undefined, /^missing-field at timestep: /],
    [[...rod, "mass"], undefined, /^missing-field at bodies\.rod\.mass: /],
    [
      ["contacts", 0, "frictionCoefficient"],
      undefined,
      /^missing-field at contacts\[0\]\.frictionCoefficient: .*give 0/,
    ],
    [[...hinge, "stifness"], 1, /^unknown-field at joints\.hinge\.stifness: .*did you mean stiffness\?$/],
    [["contacts", 0, "colour"], 1, /^unknown-field at contacts\[0\]\.colour: .*a contact has name, body/],
    // numbers
    [["timestep"], 0, /^non-positive at timestep: 0 must be above 0; /],
    [["timestep"], Number.NaN, /^not-finite at timestep: NaN; /],
    [["gravity", 2], Number.NEGATIVE_INFINITY, /^not-finite at gravity\[2\]: -Infinity; /],
    [["gravity"], [0, 0], /^wrong-length at gravity: has 2 entries; give 3$/],
    [["springConservation"], 1.1, /^out-of-range at springConservation: 1\.1 must be from 0/],
    [["damperCentering"], -0.1, /^out-of-range at damperCentering: -0\.1 must be from 0/],
    [["damperCentering"], Number.NaN, /^not-finite at damperCentering: /],
    // bodies
    [["bodies"], {}, /^no-bodies at bodies: /],
    [["bodies", "world"], valid().bodies.rod, /^reserved-name at bodies\.world: /],
    [[...rod, "mass"], -1, /^non-positive at bodies\.rod\.mass: -1 must be above 0; merge/],
    [[...rod, "mass"], Number.NaN, /^not-finite at bodies\.rod\.mass: /],
    [
      [...rod, "inertia"],
      [
        [1, 0.1, 0],
        [0, 1, 0],
        [0, 0, 1],
      ],
      /^inertia-not-symmetric at bodies\.rod\.inertia: .*mean is 0\.05$/,
    ],
    [[...rod, "inertia"], diagonal(1, 1, 0), /^inertia-not-positive-definite at bodies\.rod\.inertia: .*small radius/],
    [[...rod, "inertia"], diagonal(1, 1, -1), /^inertia-not-positive-definite at bodies\.rod\.inertia: .*signs/],
    [[...rod, "inertia"], diagonal(1, 1, 2.1), /^inertia-triangle at bodies\.rod\.inertia: /],
    [[...rod, "inertia"], diagonal(1, 1, 1).slice(1), /^wrong-length at bodies\.rod\.inertia: has 2 rows; give 3$/],
    [
      [...rod, "shapes", 0, "kind"],
      "capsle",
      /^unknown-kind at bodies\.rod\.shapes\[0\]\.kind: "capsle" .*did you mean "capsule"\?$/,
    ],
    [[...rod, "shapes", 0, "radius"], 0, /^non-positive at bodies\.rod\.shapes\[0\]\.radius: /],
    [["bodies", "crate", "shapes", 0, "size", 1], -1, /^non-positive at bodies\.crate\.shapes\[0\]\.size\[1\]: /],
    // joints
    [[...hinge, "kind"], "revolut", /^unknown-kind at joints\.hinge\.kind: "revolut" .*did you mean "revolute"\?$/],
    [
      [...hinge, "child"],
      "rodd",
      /^unknown-body at joints\.hinge\.child: "rodd" \(have: rod, crate, arm\); did you mean "rod"\?$/,
    ],
    [[...hinge, "parent"], "toString", /^unknown-body at joints\.hinge\.parent: /],
    [["joints", "gimbal", "child"], "crate", /^self-joint at joints\.gimbal: /],
    [
      ["joints", "swap"],
      fixed({ parent: "rod", child: "world" }),
      /^world-as-child at joints\.swap\.child: .*exchange/,
    ],
    [
      [...hinge, "axis"],
      [0, 0, 2],
      /^not-unit at joints\.hinge\.axis: has length 2, not 1; normalised it is \[0, 0, 1\]$/,
    ],
    [[...hinge, "axis"], [0, 0, 0], /^not-unit at joints\.hinge\.axis: .*needs a direction/],
    [
      [...hinge, "orientation"],
      [1, 1, 0, 0],
      /^not-unit at joints\.hinge\.orientation: .*\[0\.707106781, 0\.707106781, 0, 0\]$/,
    ],
    [
      [...hinge, "damping"],
      [1, 2],
      /^wrong-length at joints\.hinge\.damping: has 2 entries for 1 free axes; give 1, or/,
    ],
    [[...hinge, "stiffness"], -1, /^negative at joints\.hinge\.stiffness: /],
    [["joints", "base", "damping", 2], -1, /^negative at joints\.base\.damping\[2\]: /],
    [[...hinge, "armature"], -1, /^negative at joints\.hinge\.armature: /],
    [[...hinge, "friction"], -1, /^negative at joints\.hinge\.friction: /],
    [[...hinge, "limits"], [1, -1], /^limits-order at joints\.hinge\.limits: .*exchange them$/],
    [[...hinge, "limits"], [1, 1], /^limits-order at joints\.hinge\.limits: .*fixed axis/],
    [
      ["joints", "gimbal", "limits"],
      [
        [0, 1],
        [2, 1],
      ],
      /^limits-order at joints\.gimbal\.limits\[1\]: /,
    ],
    [["joints", "gimbal", "limits"], [[0, 1]], /^wrong-length at joints\.gimbal\.limits: /],
    [
      ["joints", "base", "limits"],
      [null, null, null, null, [7, 8], null],
      /^out-of-range at joints\.base\.limits\[4\]: .*between -6\.283 and 6\.283 rad/,
    ],
    [
      ["joints", "extra"],
      serial({
        ...ends,
        axes: [
          [1, 0, 0],
          [0, 1, 0],
          [0, 0, 1],
        ],
        limits: [
          [7, 9],
          [null, -1.6],
          [7, 9],
        ],
      }),
      /^out-of-range at joints\.extra\.limits\[1\]: .*between -1\.571 and 1\.571 rad/,
    ],
    [[...hinge, "tiltLimit"], 1, /^no-free-axis at joints\.hinge\.tiltLimit: /],
    [["joints", "base", "tiltLimit"], 0, /^non-positive at joints\.base\.tiltLimit: /],
    [["joints", "base", "tiltLimit"], 4, /^out-of-range at joints\.base\.tiltLimit: /],
    [["joints", "extra"], fixed({ ...ends, actuated: true }), /^no-free-axis at joints\.extra\.actuated: /],
    [["joints", "extra"], fixed({ ...ends, limits: [0, 1] }), /^no-free-axis at joints\.extra\.limits: /],
    [["joints", "extra"], prismatic({ ...ends, actuated: [true, true] }), /^wrong-length at joints\.extra\.actuated: /],
    [["joints", "gimbal", "axes"], [[1, 0, 0]], /^serial-axes at joints\.gimbal\.axes: has 1 axes/],
    [
      ["joints", "gimbal", "axes"],
      [
        [1, 0, 0],
        [-1, 0, 0],
      ],
      /^serial-axes at joints\.gimbal\.axes: .*parallel; use revolute/,
    ],
    [
      ["joints", "extra"],
      serial({
        ...ends,
        axes: [
          [1, 0, 0],
          [0, 1, 0],
          [1, 0, 0],
        ],
      }),
      /^serial-axes at joints\.extra\.axes: .*use spherical/,
    ],
    [["joints", "extra"], { kind: "serial", ...ends }, /^missing-field at joints\.extra\.axes: /],
    [[...hinge, "axes"], [[1, 0, 0]], /^serial-axes at joints\.hinge\.axes: .*use axis/],
    // connection
    [
      ["joints", "base"],
      undefined,
      /^unreachable-body at bodies\.crate: .*nor are 1 bodies.*floating\(\{ parent: "world", child: "crate" \}\)/,
    ],
    // contacts
    [["contacts", 0, "body"], "rodd", /^unknown-body at contacts\[0\]\.body: /],
    [
      ["collisions"],
      { exclude: [["rod", "wrld"]] },
      /^unknown-body at .*"wrld" \(have: rod, .*world\); did you mean "world"/,
    ],
    [["contacts", 0, "radius"], -1, /^negative at contacts\[0\]\.radius: /],
    [["contacts", 0, "frictionCoefficient"], -1, /^negative at contacts\[0\]\.frictionCoefficient: /],
    [
      ["contacts", 0, "model"],
      "pyramid",
      /^unknown-model at contacts\[0\]\.model: "pyramid" \(have: impact, linear, cone\)/,
    ],
    [["contacts", 1, "frictionCoefficient"], 1, /^friction-without-model at contacts\[1\]\.frictionCoefficient: /],
    [["contacts", 1, "name"], "tip", /^duplicate-name at contacts\[1\]\.name: "tip" is contacts\[0\] already/],
    [
      ["contacts", 0, "name"],
      "contact1",
      /^duplicate-name at contacts\[1\]\.name: "contact1" is contacts\[0\] already/,
    ],
    [
      ["contacts", 1, "halfSpace", "normal"],
      [0, 3, 4],
      /^not-unit at contacts\[1\]\.halfSpace\.normal: .*\[0, 0\.6, 0\.8\]$/,
    ],
    [["contacts", 1, "halfSpace", "body"], "rod", /^self-contact at contacts\[1\]: /],
    // gears
    [["gears", "belt", "terms"], [], /^empty-gear at gears\.belt\.terms: /],
    [
      ["gears", "belt", "terms", 0, "joint"],
      "hing",
      /^unknown-joint at gears\.belt\.terms\[0\]\.joint: .*did you mean "hinge"\?$/,
    ],
    [
      ["gears", "belt", "terms", 0, "axis"],
      1,
      /^unknown-axis at gears\.belt\.terms\[0\]\.axis: 1: joint "hinge" has 1 free axes/,
    ],
    [["gears", "belt", "terms", 0, "ratio"], 0, /^zero-ratio at gears\.belt\.terms\[0\]\.ratio: /],
  ])("%j = %j is one fault", (path, value, line) => {
    const found = lines(withValue(path, value)).filter((text) => line.test(text));
    expect(found, lines(withValue(path, value)).join("\n")).toHaveLength(1);
  });

  it.each<[path: (string | number)[], value: unknown]>([
    [["joints", "again"], revolute(ends)],
    [["joints", "extra"], spherical({ ...ends, stiffness: [1, 2, 3] })],
    [["joints", "extra"], spherical({ ...ends, tiltLimit: Math.PI / 2 })],
    [["joints", "extra"], fixed({ ...ends, actuated: false, stiffness: 0 })],
    [
      [...hinge, "axis"],
      [0, 0.6, 0.8000005],
    ],
    // a rod so thin that its small moment is nearly nothing
    [[...rod, "inertia"], diagonal(1, 1, 1e-9)],
    // a plate, whose moments meet the triangle inequality with rounding
    [[...rod, "inertia"], diagonal(1, 1, 2 + 1e-12)],
    [["contacts", 0, "frictionCoefficient"], 0],
  ])("%j = %j is none", (path, value) => {
    expect(lines(withValue(path, value))).toEqual([]);
  });

  it("a misspelt end hides the loss of the body it meant", () => {
    expect(lines(withValue([...hinge, "child"], "rodd"))).toHaveLength(1);
  });

  it("the error lists every fault, one per line", () => {
    const description = {
      timestep: 0,
      bodies: { rod: { ...valid().bodies.rod, mass: -1 } },
      joints: { hinge: revolute({ ...ends, child: "rodd" }) },
    };
    expect(() => assertDescription(description)).toThrow(DescriptionError);
    try {
      assertDescription(description);
    } catch (error) {
      expect((error as DescriptionError).faults.map((fault) => fault.code)).toEqual([
        "non-positive",
        "non-positive",
        "unknown-body",
      ]);
      expect((error as DescriptionError).message.split("\n")).toEqual([
        "the description has 3 faults:",
        "non-positive at timestep: 0 must be above 0; 0.01 is a common one",
        "non-positive at bodies.rod.mass: -1 must be above 0; merge a massless body with a neighbour, or give it its mass",
        'unknown-body at joints.hinge.child: "rodd" (have: rod); did you mean "rod"?',
      ]);
    }
  });
});

describe("untrusted descriptions", () => {
  /** Fixed, so that a failure repeats; fast-check prints the value that failed. */
  const seed = 20240601;

  /** All paths into a value. */
  function pathsOf(value: unknown, path: (string | number)[] = []): (string | number)[][] {
    if (typeof value !== "object" || value === null) return [path];
    const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
    return [path, ...keys.flatMap((key) => pathsOf((value as Record<string | number, unknown>)[key], [...path, key]))];
  }

  function expectOnlyDescriptionErrors(description: unknown): void {
    try {
      assertDescription(description);
    } catch (error) {
      expect(error).toBeInstanceOf(DescriptionError);
      expect((error as DescriptionError).faults.length).toBeGreaterThan(0);
    }
  }

  const anything = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>,
    fc.constantFrom<unknown>(
      undefined,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      "world",
      "rod",
      "__proto__",
      1e308,
      -0,
      5e-324,
      [],
      {},
      [[]],
    ),
    fc.constant(new Array(3)),
  );

  it("nothing but DescriptionError is thrown, whatever the value", () => {
    fc.assert(fc.property(fc.anything(), expectOnlyDescriptionErrors), { seed, numRuns: 500 });
  });

  it("nothing but DescriptionError is thrown, whatever replaces parts of a valid one", () => {
    const paths = pathsOf(valid()).filter((path) => path.length > 0);
    const mutation = fc.record({ path: fc.constantFrom(...paths), value: anything });
    const property = fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), (mutations) => {
      const description: unknown = structuredClone(valid());
      for (const { path, value } of mutations) {
        let target: unknown = description;
        for (const step of path.slice(0, -1)) target = (target as Record<string | number, unknown> | undefined)?.[step];
        if (typeof target === "object" && target !== null)
          (target as Record<string | number, unknown>)[path[path.length - 1]] = value;
      }
      expectOnlyDescriptionErrors(description);
    });
    fc.assert(property, { seed, numRuns: 3000 });
  });
});
