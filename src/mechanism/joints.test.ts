import { describe, expect, it } from "vitest";
import { vector } from "../math/index.ts";
import { frictionContact, halfSpace, impactContact, linearContact } from "./contacts.ts";
import type { JointKind } from "./description.ts";
import { jointFreedom, jointKinds } from "./freedom.ts";
import * as joints from "./joints.ts";
import { limitsPerAxis, perAxis } from "./perAxis.ts";

const ends = { parent: "world", child: "rod" };
const { serial, universal, ...others } = joints;

describe("joints", () => {
  it("there is a constructor for every kind, named after it", () => {
    for (const [name, make] of Object.entries(others))
      expect(make({ ...ends, damping: 2 })).toEqual({ kind: name, ...ends, damping: 2 });
    expect([...Object.keys(others), "universal", "serial"].sort()).toEqual([...jointKinds].sort());
  });

  it("constrained and free axes make six", () => {
    const axes = [vector.unitX, vector.unitY] as const;
    for (const kind of jointKinds) {
      const { constrainedTranslations, constrainedRotations, freeAxes } = jointFreedom({ kind, axes });
      expect(constrainedTranslations + constrainedRotations + freeAxes.length, kind).toBe(6);
    }
  });

  it.each<[JointKind, string[]]>([
    ["fixed", []],
    ["prismatic", ["slide"]],
    ["planarAxis", ["slide1", "slide2", "angle"]],
    ["orbital", ["tilt1", "tilt2"]],
    ["spherical", ["rotationX", "rotationY", "rotationZ"]],
    ["floating", ["x", "y", "z", "rotationX", "rotationY", "rotationZ"]],
  ])("%s leaves %j free, translations first", (kind, names) => {
    expect(jointFreedom({ kind }).freeAxes.map((axis) => axis.name)).toEqual(names);
  });

  it("one constraint is along the axis, two are across it", () => {
    const directions = (kind: JointKind) =>
      jointFreedom({ kind, axis: [1, 0, 0] }).freeAxes.map((axis) => axis.direction);
    expect(directions("planar")).toEqual([vector.unitY, vector.unitZ]);
    expect(directions("prismatic")).toEqual([vector.unitX]);
    expect(directions("orbital")).toEqual([vector.unitY, vector.unitZ]);
    expect(directions("revolute")).toEqual([vector.unitX]);
  });

  it("serial joints have one angle a hinge", () => {
    const two = universal({ ...ends, axes: [vector.unitX, vector.unitY] });
    expect(jointFreedom(two)).toEqual({
      constrainedTranslations: 3,
      constrainedRotations: 1,
      freeAxes: [
        { name: "angle1", motion: "rotation", direction: vector.unitX },
        { name: "angle2", motion: "rotation", direction: vector.unitY },
      ],
    });
    const one = jointFreedom(serial({ ...ends, axes: [vector.unitX] }));
    expect(one).toEqual(jointFreedom(joints.revolute({ ...ends, axis: vector.unitX })));
  });
});

describe("options per axis", () => {
  it("one value serves all axes, an array one each, nothing the default", () => {
    expect(perAxis(2, 3, 0)).toEqual([2, 2, 2]);
    expect(perAxis([1, 2], 2, 0)).toEqual([1, 2]);
    expect(perAxis(undefined, 2, false)).toEqual([false, false]);
  });

  it("limits are a pair for all axes, or a pair or null each", () => {
    expect(limitsPerAxis([-1, 1], 2)).toEqual([
      [-1, 1],
      [-1, 1],
    ]);
    expect(limitsPerAxis([null, 1], 1)).toEqual([[null, 1]]);
    expect(limitsPerAxis([null, [0, 1]], 2)).toEqual([
      [null, null],
      [0, 1],
    ]);
    expect(limitsPerAxis([null, null], 2)).toEqual([
      [null, null],
      [null, null],
    ]);
    expect(limitsPerAxis(undefined, 1)).toEqual([[null, null]]);
  });
});

describe("contacts", () => {
  it("each constructor names its model", () => {
    const place = { body: "rod", point: [0, 0, 1] } as const;
    expect(frictionContact({ ...place, frictionCoefficient: 0.5 })).toEqual({
      ...place,
      model: "cone",
      frictionCoefficient: 0.5,
    });
    expect(linearContact({ ...place, frictionCoefficient: 0.5 }).model).toBe("linear");
    expect(impactContact({ ...place, halfSpace: halfSpace({ normal: [0, 1, 0] }) })).toEqual({
      ...place,
      model: "impact",
      halfSpace: { normal: [0, 1, 0], offset: 0 },
    });
  });
});
