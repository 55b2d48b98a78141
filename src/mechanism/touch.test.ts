import { expect, test } from "vitest";
import { compile } from "./compile.ts";
import type { MechanismDescription, Shape } from "./description.ts";
import { fixed, floating, revolute } from "./joints.ts";
import { worldIndex } from "./mechanism.ts";
import { box, sphere } from "./shapes.ts";
import { touchFilter } from "./touch.ts";

const ball = (contact: Shape["contact"] = true) => sphere({ radius: 0.1, mass: 1, contact });
const floor: Shape = { kind: "halfSpace", name: "floor", contact: true };

/** base – upper – lower hinged in a row, with a plate fixed to the upper one, and a ball that floats. */
function arm(part: Partial<MechanismDescription> = {}): MechanismDescription {
  return {
    timestep: 0.01,
    bodies: { base: ball(), upper: ball(), lower: ball(), plate: ball(), loose: ball() },
    joints: {
      hip: revolute({ parent: "world", child: "base" }),
      elbow: revolute({ parent: "base", child: "upper" }),
      wrist: revolute({ parent: "upper", child: "lower" }),
      weld: fixed({ parent: "upper", child: "plate" }),
      flight: floating({ parent: "lower", child: "loose" }),
    },
    shapes: [floor],
    ...part,
  };
}

/** Pairs of bodies that may touch, as "base–lower". */
function pairs(description: MechanismDescription): string[] {
  const { touch, bodies } = compile(description);
  if (!touch) return [];
  const { mayTouch } = touchFilter(touch);
  const name = (body: number) => (body === worldIndex ? "world" : bodies[body].name);
  return touch.shapes.flatMap((a) =>
    touch.shapes.filter((b) => b.index > a.index && mayTouch(a, b)).map((b) => `${name(a.body)}–${name(b.body)}`),
  );
}

test("bodies that a joint holds together do not touch, nor what is fixed to them", () => {
  const world = ["base", "upper", "lower", "plate", "loose"].map((name) => `world–${name}`);
  const free = ["base–lower", "base–loose", "upper–loose", "lower–loose", "plate–loose"];
  expect(pairs(arm()).sort()).toEqual([...world, ...free].sort());
});

test("adjacent, exclude, include and only say otherwise; a weld holds whatever they say", () => {
  expect(pairs(arm({ collisions: { adjacent: true } }))).toContain("upper–lower");
  expect(pairs(arm({ collisions: { adjacent: true } }))).not.toContain("upper–plate");
  expect(pairs(arm({ collisions: { exclude: [["loose", "world"]] } }))).not.toContain("world–loose");
  expect(pairs(arm({ collisions: { include: [["lower", "upper"]] } }))).toContain("upper–lower");
  expect(pairs(arm({ collisions: { only: [["loose", "base"]] } }))).toEqual(["base–loose"]);
});

test("a bit of one's group in the other's mask is enough, as in MJCF", () => {
  const two = (a: Shape["contact"], b: Shape["contact"]) =>
    pairs({
      timestep: 0.01,
      bodies: { a: ball(a), b: ball(b) },
      joints: { fa: floating({ parent: "world", child: "a" }), fb: floating({ parent: "world", child: "b" }) },
    }).length;
  expect(two(true, true)).toBe(1);
  expect(two({ group: 2, mask: 0 }, { group: 4, mask: 2 })).toBe(1);
  expect(two({ group: 2, mask: 4 }, { group: 8, mask: 1 })).toBe(0);
  expect(two({ group: 2 ** 31, mask: 0 }, { group: 0, mask: 2 ** 31 })).toBe(1);
  expect(two({ group: 0, mask: 0 }, true)).toBe(0);
});

test("nothing that can touch: no touch at all", () => {
  expect("touch" in compile(arm({ shapes: [], collisions: { only: [] } }))).toBe(false);
  const crate = { timestep: 0.01, bodies: { crate: box({ size: [1, 1, 1], mass: 1, contact: true }) } };
  const joints = { base: floating({ parent: "world", child: "crate" }) };
  expect(compile({ ...crate, joints }).touch).toBeUndefined();
  expect(compile({ ...crate, joints, shapes: [{ ...floor, contact: false }] }).touch).toBeUndefined();
  expect(compile({ ...crate, joints, shapes: [floor] }).touch?.shapes.map(({ name }) => name)).toEqual([
    "floor",
    "shape0",
  ]);
});

test("a description with shapes that touch survives JSON", () => {
  const shapes: Shape[] = [
    {
      kind: "heightField",
      size: [4, 2],
      heights: [
        [0, 0.1],
        [0.2, 0.1],
        [0, 0],
      ],
      contact: { frictionCoefficient: 0 },
    },
    {
      kind: "hull",
      points: [
        [0, 0, 0],
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
      ],
      contact: true,
      name: "wedge",
    },
  ];
  const description = arm({ shapes });
  const again = JSON.parse(JSON.stringify(description)) as MechanismDescription;
  expect(compile(again).touch).toEqual(compile(description).touch);
});
