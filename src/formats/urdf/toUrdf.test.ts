import { describe, expect, it } from "vitest";
import { quaternion, vector } from "../../math/index.ts";
import { DescriptionError, type JointDescription, type MechanismDescription } from "../../mechanism/index.ts";
import { importUrdf } from "./importUrdf.ts";
import { toUrdf } from "./toUrdf.ts";

/** Rounding of a handful of rotations. */
const ROUNDING = 1e-12;
const expectClose = (actual: readonly number[] | undefined, expected: readonly number[]) => {
  expect(actual).toHaveLength(expected.length);
  for (const [i, entry] of expected.entries()) {
    expect(Math.abs((actual?.[i] ?? Number.NaN) - entry)).toBeLessThan(ROUNDING);
  }
};

describe("export", () => {
  const description: MechanismDescription = {
    name: "a < b",
    timestep: 0.02,
    gravity: [0, 0, -1],
    bodies: {
      a: {
        mass: 1,
        inertia: [
          [1, 0.1, 0],
          [0.1, 1, 0],
          [0, 0, 1],
        ],
        shapes: [{ kind: "capsule", radius: 0.1, length: 1, color: "rgb(255, 0, 0)" }],
      },
      b: {
        mass: 2,
        inertia: [
          [1, 0, 0],
          [0, 1, 0],
          [0, 0, 1],
        ],
        shapes: [{ kind: "box", size: [1, 2, 3], position: [0, 0, 1], color: "tomato" }],
      },
      c: {
        mass: 3,
        inertia: [
          [1, 0, 0],
          [0, 1, 0],
          [0, 0, 1],
        ],
      },
    },
    joints: {
      base: {
        kind: "planarAxis",
        parent: "world",
        child: "a",
        axis: [0, 1, 0],
        childAnchor: [0, 0, -1],
        damping: [1, 1, 2],
      },
      // points towards the world
      turned: {
        kind: "revolute",
        parent: "b",
        child: "a",
        axis: [0, 0.6, 0.8],
        parentAnchor: [1, 0, 0],
        childAnchor: [0, 1, 0],
        orientation: [0.6, 0.8, 0, 0],
        limits: [-1, null],
        stiffness: 3,
        actuated: true,
      },
      arm: { kind: "prismatic", parent: "b", child: "c", axis: [1, 0, 0], armature: 1, actuated: true, effortLimit: 7 },
      loop: { kind: "spherical", parent: "a", child: "c", parentAnchor: [0, 0, 5] },
    },
    contacts: [{ name: "tip", body: "c", point: [0, 0, 1], frictionCoefficient: 0.5 }],
    gears: {
      g: {
        terms: [
          { joint: "arm", ratio: 2 },
          { joint: "turned", ratio: -1 },
        ],
        offset: 4,
      },
    },
  };

  it("reads back to the same mechanism", () => {
    const { xml: text } = toUrdf(description);
    const { description: back } = importUrdf(text, { timestep: 0.02, gravity: [0, 0, -1] });
    expect(back.name).toBe("a < b");
    expect(Object.keys(back.joints ?? {})).toEqual(["base", "turned", "arm", "loop"]);
    const { base, turned, arm: slide, loop } = back.joints as Record<string, JointDescription>;
    expect(base).toMatchObject({ kind: "planarAxis", parent: "world", child: "a", axis: [0, 1, 0] });
    expect(base.damping).toBeCloseTo(4 / 3, 12);
    expectClose(base.childAnchor, [0, 0, -1]);
    expect(turned).toMatchObject({ kind: "revolute", parent: "a", child: "b", limits: [-1, null], actuated: true });
    expectClose(turned.parentAnchor, [0, 1, 0]);
    expectClose(turned.childAnchor, [1, 0, 0]);
    expectClose(turned.orientation, [0.6, -0.8, 0, 0]);
    expectClose(turned.axis, vector.scale(quaternion.rotate([0.6, -0.8, 0, 0], [0, 0.6, 0.8]), -1));
    expect(slide).toMatchObject({ kind: "prismatic", effortLimit: 7, actuated: true });
    expect(slide.limits).toBeUndefined();
    expect(loop).toMatchObject({ kind: "spherical", parent: "a", child: "c" });
    expectClose(loop.parentAnchor, [0, 0, 5]);
    expect(back.gears?.arm_mimic).toEqual({
      terms: [
        { joint: "arm", ratio: 1 },
        { joint: "turned", ratio: -0.5 },
      ],
      offset: 2,
    });
    expect(back.contacts?.[0].name).toBe("tip");
    expectClose(back.contacts?.[0].point, [0, 0, 1]);
    expect(back.bodies.a.shapes?.[0].color).toBe("#ff0000");
    expectClose(back.bodies.b.shapes?.[0].position, [0, 0, 1]);
    for (const name of ["a", "b", "c"]) {
      expect(back.bodies[name].mass).toBe(description.bodies[name].mass);
      expectClose(back.bodies[name].inertia.flat(), description.bodies[name].inertia.flat());
    }
  });

  it("lists what URDF cannot say", () => {
    const paths = toUrdf(description).warnings.map(({ message }) => message.split(": ")[0]);
    expect(paths.sort()).toEqual(
      [
        "bodies.a.shapes[0]",
        "bodies.b.shapes[0].color",
        "contacts[0].frictionCoefficient",
        "gravity",
        "joints.arm.armature",
        "joints.base",
        "joints.base.damping",
        "joints.loop",
        "joints.turned.stiffness",
        "timestep",
      ].sort(),
    );
  });

  it("writes the mean of efforts that are bounded where others are not", () => {
    const base: JointDescription = { kind: "planarAxis", parent: "world", child: "a", effortLimit: [6, null, 8] };
    const { xml, warnings } = toUrdf({ ...description, joints: { ...description.joints, base } });
    expect(xml).toMatch(/name="base" type="planaraxis">[\s\S]*?effort="7"/);
    expect(warnings.map(({ message }) => message).join()).toMatch(/effortLimit: .* the mean, 7/);
  });

  it("writes shapes as collisions when asked, and refuses what cannot be turned", () => {
    expect(toUrdf(description, { collisions: "shapes" }).xml.match(/<collision>/g)).toHaveLength(2);
    expect(toUrdf(description, { collisions: "none" }).xml).not.toMatch(/<collision/);
    const wrong = {
      ...description,
      joints: { ...description.joints, turned: { kind: "spherical" as const, parent: "b", child: "a" } },
    };
    expect(() => toUrdf(wrong)).toThrow(/wrong-way at joints.turned: points towards the world/);
    expect(() => toUrdf({ ...description, timestep: 0 })).toThrow(DescriptionError);
  });
});
