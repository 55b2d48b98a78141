import { describe, expect, test } from "vitest";
import { crankRocker, fourBar, stewartPlatform } from "../../../test/toys/loops.ts";
import { DescriptionError, type MechanismDescription, revolute, spherical } from "../../mechanism/index.ts";
import { compile } from "./compileMechanism.ts";

function faultsOf(description: MechanismDescription): string[] {
  try {
    compile(description);
  } catch (error) {
    expect(error).toBeInstanceOf(DescriptionError);
    return (error as DescriptionError).faults.map(({ code, path, message }) => `${code} at ${path}: ${message}`);
  }
  return [];
}

describe("loops that close pass", () => {
  test("four-bars of many shapes, stretched ones among them", () => {
    let tried = 0;
    for (let i = 0; i < 30; i++) {
      const [crank, coupler, rocker] = [0.3 + 0.05 * (i % 5), 0.8 + 0.1 * (i % 3), 0.7 + 0.1 * (i % 4)];
      // from folded to stretched: the shortest and the longest ground that fits, and between
      const least = Math.max(0, Math.max(coupler - crank - rocker, rocker - crank - coupler));
      const most = crank + coupler + rocker;
      const ground = least + ((most - least) * (i % 7)) / 6;
      // folded onto itself, its ground would have no length
      if (!(ground > 0)) continue;
      expect(faultsOf(fourBar({ crank, coupler, rocker, ground })), `${i}`).toEqual([]);
      tried++;
    }
    expect(tried).toBeGreaterThanOrEqual(25);
  });

  test("a Stewart platform", () => {
    expect(faultsOf(stewartPlatform())).toEqual([]);
  });
});

describe("loops that nothing closes are refused", () => {
  test("a four-bar with the ground longer than its bars", () => {
    const [fault, ...others] = faultsOf(fourBar({ ...crankRocker, ground: 2.5 }));
    expect(others).toEqual([]);
    expect(fault).toContain("contradictory-loop at joints.wrist");
    expect(fault).toMatch(/0\.\d+ m/);
    expect(fault).toContain("check anchors and axes");
  });

  test("a four-bar a millimetre too long", () => {
    expect(faultsOf(fourBar({ ...crankRocker, ground: 2.201 }))).toHaveLength(1);
  });

  test("a four-bar with a bar turned out of its plane, and not with a ball joint in its place", () => {
    const { joints = {}, ...rest } = fourBar();
    const { parent, child, parentAnchor, childAnchor } = joints.pivot;
    const ends = {
      parent,
      child,
      parentAnchor: parentAnchor ?? [0, 0, 0],
      childAnchor: childAnchor ?? [0, 0, 0],
    } as const;
    const askew = {
      ...rest,
      joints: { ...joints, pivot: revolute({ ...ends, axis: [1, 0, 0], orientation: [0.96, 0, 0.28, 0] }) },
    };
    expect(faultsOf(askew)).toHaveLength(1);
    expect(faultsOf({ ...rest, joints: { ...joints, pivot: spherical(ends) } })).toEqual([]);
  });

  test("of several loops, the first that does not fit is named", () => {
    const { joints = {}, ...rest } = stewartPlatform([-0.2, 0.5]);
    const far = { ...joints, foot4: { ...joints.foot4, parentAnchor: [1, 0, 0] as const } };
    expect(faultsOf({ ...rest, joints: far })).toEqual([]);
    const welded = Object.fromEntries(
      Object.entries(joints).map(([name, joint]) => {
        const { limits: _, ...free } = joint;
        return [name, name === "slide4" ? ({ ...free, kind: "fixed", parentAnchor: [0, 0, 30] } as const) : free];
      }),
    );
    const rigid = Object.fromEntries(
      Object.entries(welded).map(([name, joint]) => [
        name,
        name.startsWith("slide") ? { ...joint, kind: "fixed" as const } : joint,
      ]),
    );
    const [fault] = faultsOf({ ...rest, joints: rigid });
    expect(fault).toContain("contradictory-loop at joints.slide4");
  });
});

test("faults of the description itself come first", () => {
  const { bodies, ...rest } = fourBar({ ...crankRocker, ground: 2.5 });
  expect(faultsOf({ ...rest, bodies: { ...bodies, crank: { ...bodies.crank, mass: -1 } } })).toEqual([
    expect.stringContaining("non-positive at bodies.crank.mass"),
  ]);
});
