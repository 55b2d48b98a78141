import { describe, expect, test } from "vitest";
import { matrix3, quaternion } from "../math/index.ts";
import type { Matrix3, Vector3 } from "../mechanism/index.ts";
import {
  assemble,
  between,
  inertiaOf,
  type Link,
  linkFromShapes,
  merge,
  nearestInertia,
  type Robot,
  rollPitchYaw,
} from "./builder.ts";
import { lowestPoint, placeLinks, standingState } from "./placement.ts";

const close = (a: readonly number[], b: readonly number[]): void => {
  expect(a.length).toBe(b.length);
  for (const [i, value] of a.entries()) expect(value).toBeCloseTo(b[i], 12);
};
const closeMatrix = (a: Matrix3, b: Matrix3): void => {
  for (const i of [0, 1, 2] as const) close(a[i], b[i]);
};

const upper: Link = {
  mass: 2,
  center: [0.1, 0, 0],
  inertia: [1, 2, 2.5],
  inertiaFrame: rollPitchYaw(0, 0, Math.PI / 2),
  shapes: [{ kind: "sphere", radius: 0.1, position: [0.3, 0, 0] }],
  spots: [{ name: "elbow", point: [0.2, 0, 0], radius: 0.05 }],
};
const lower: Link = {
  mass: 1,
  center: [0, 0, -0.2],
  inertia: inertiaOf(1, 0.1, 0, 1, 0, 1),
  spots: [{ name: "tip", point: [0, 0, -0.4] }],
};
const arm: Robot = {
  links: { upper, lower },
  joints: {
    base: { kind: "floating", parent: "world", child: "upper" },
    hinge: {
      kind: "revolute",
      parent: "upper",
      child: "lower",
      position: [0.2, 0, 0],
      orientation: rollPitchYaw(0, 0, Math.PI / 2),
      axis: [2, 0, 0],
      pivot: [0, 0, 0.05],
    },
  },
};

describe("assemble", () => {
  const { bodies, joints, contacts } = assemble(arm, { frictionCoefficient: 0.7 });

  test("anchors, shapes and contacts are measured from centres of mass", () => {
    close(joints?.hinge.parentAnchor ?? [], [0.1, 0, 0.05]);
    close(joints?.hinge.childAnchor ?? [], [0, 0, 0.25]);
    close(joints?.base.childAnchor ?? [], [-0.1, 0, 0]);
    close(bodies.upper.shapes?.[0].position ?? [], [0.2, 0, 0]);
    expect(contacts?.map(({ name }) => name)).toEqual(["elbow", "tip"]);
    close(contacts?.[0].point ?? [], [0.1, 0, 0]);
    close(contacts?.[1].point ?? [], [0, 0, -0.2]);
    expect(contacts?.[0]).toMatchObject({ body: "upper", radius: 0.05, frictionCoefficient: 0.7 });
  });

  test("the joint's axis is turned into the parent and made a unit vector", () => {
    close(joints?.hinge.axis ?? [], [0, 1, 0]);
  });

  test("the inertia is turned from its own frame into the link's", () => {
    closeMatrix(bodies.upper.inertia, matrix3.diagonal(2, 1, 2.5));
    expect(bodies.lower.inertia).toEqual(lower.inertia);
  });

  test("without a floor there are no contacts", () => {
    expect(assemble(arm, { frictionCoefficient: 0.7, floor: false }).contacts).toEqual([]);
  });
});

describe("merge", () => {
  test("two halves of a box weigh and turn like the whole", () => {
    const half = (x: number) => linkFromShapes([{ kind: "box", size: [0.5, 0.2, 0.1], position: [x, 0, 0], mass: 1 }]);
    const whole = linkFromShapes([{ kind: "box", size: [1, 0.2, 0.1], mass: 2 }]);
    const merged = merge([half(-0.25), { ...half(0), position: [0.25, 0, 0] }]);
    expect(merged.mass).toBe(2);
    close(merged.center ?? [], [0, 0, 0]);
    closeMatrix(merged.inertia as Matrix3, whole.inertia as Matrix3);
  });

  test("a part that is turned brings its inertia, shapes and contacts along", () => {
    const turn = rollPitchYaw(0, 0, Math.PI / 2);
    const merged = merge([{ ...upper, position: [0, 0, 1], orientation: turn }]);
    close(merged.center ?? [], [0, 0.1, 1]);
    closeMatrix(merged.inertia as Matrix3, matrix3.diagonal(1, 2, 2.5));
    close(merged.spots?.[0].point ?? [], [0, 0.2, 1]);
    close(merged.shapes?.[0].position ?? [], [0, 0.3, 1]);
  });
});

describe("figures", () => {
  test("roll, pitch and yaw turn about fixed axes", () => {
    const turned = quaternion.rotate(rollPitchYaw(Math.PI / 2, 0, Math.PI / 2), [0, 1, 0]);
    close(turned, [0, 0, 1]);
    close(quaternion.rotate(rollPitchYaw(0, Math.PI / 2, 0), [1, 0, 0]), [0, 0, -1]);
  });

  test("an impossible inertia becomes the nearest possible one, others stay", () => {
    const possible = matrix3.diagonal(1, 2, 2.5);
    expect(nearestInertia(possible)).toBe(possible);
    const [a, b, c] = matrix3.symmetricEigenvalues(nearestInertia(matrix3.diagonal(1, 2, 4)));
    expect(a + b).toBeCloseTo(c, 12);
    // each by a seventh
    close([a, b, c], [8 / 7, 16 / 7, 24 / 7]);
  });

  test("a limb lies between its ends", () => {
    const { position, orientation, length } = between([0, 0, 1], [0, 3, 5]);
    close(position, [0, 1.5, 3]);
    expect(length).toBe(5);
    close(quaternion.rotate(orientation, [0, 0, 1]), [0, 0.6, 0.8]);
  });
});

describe("placement", () => {
  const bent = { hinge: [Math.PI / 2] };

  test("a hinge turns its link about the pivot", () => {
    const pose = placeLinks(arm, bent).get("lower");
    // the pivot is at (0.2, 0, 0.05); a quarter turn about y takes the link's z to x
    const axis: Vector3 = quaternion.rotate(pose?.orientation ?? quaternion.identity, [0, 0, 1]);
    close(axis, [1, 0, 0]);
    close(pose?.position ?? [], [0.15, 0, 0.05]);
  });

  test("the standing state puts the lowest contact on the floor", () => {
    expect(lowestPoint(arm, {})).toBeCloseTo(-0.4, 12);
    const state = standingState(arm, "base", {});
    expect(state.base.position?.[2]).toBeCloseTo(0.4, 12);
    expect(lowestPoint(arm, bent)).toBeCloseTo(-0.05, 12);
  });
});
