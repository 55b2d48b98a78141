import { expect, test } from "vitest";
import {
  FeatureList,
  featureAt,
  featureKinds,
  featureStride,
  findFeatures,
  invertPlacement,
  placementOf,
  placementSize,
  placePoint,
  prepareShape,
} from "../../geometry/index.ts";
import { holdCrossing } from "./heldCrossing.ts";

const rod = prepareShape({ kind: "capsule", radius: 0.04, length: 0.2 });
const bar = prepareShape({ kind: "box", size: [0.02, 0.02, 0.4] });

/** A frame that is turned about x. */
function placement(x: number, y: number, z: number, angle: number): Float64Array {
  const pose = Float64Array.of(x, y, z, Math.cos(angle / 2), Math.sin(angle / 2), 0, 0);
  return placementOf(new Float64Array(placementSize), pose, 0);
}

function crossingRods(here: Float64Array): FeatureList {
  const list = new FeatureList();
  findFeatures(rod, rod, here, 0.01, list);
  expect(featureKinds[list.kind[0]]).toBe("lineLine");
  return list;
}

const kindOf = (list: FeatureList): string => featureKinds[list.kind[0]];
const slightly = 0.1;

test("two lines stay as they are where their crossing does", () => {
  const here = placement(0.081, 0, 0, slightly);
  const list = crossingRods(here);
  const before = list.values.slice(0, featureStride);
  holdCrossing(list, 0, here, placement(0.08, 1e-4, 0.01, slightly), 0.02);
  expect(kindOf(list)).toBe("lineLine");
  expect(list.values.slice(0, featureStride)).toEqual(before);
});

test.each([
  ["it runs along the lines", placement(0.081, 0.005, 0, slightly)],
  ["the lines turn past each other", placement(0.081, 0, 0, -slightly)],
  ["the lines become parallel", placement(0.081, 0, 0, 0)],
])("the point at the crossing is held where %s", (_, there) => {
  const here = placement(0.081, 0, 0.02, slightly);
  for (const side of [0, 1]) {
    const list = crossingRods(here);
    const gap = list.distance[0];
    const [now, then] = [here, there].map((m) =>
      side === 0 ? m : invertPlacement(new Float64Array(placementSize), m),
    );
    list.side[0] = side;
    holdCrossing(list, 0, now, then, 0.02);
    expect(kindOf(list)).toBe("pointLine");
    // in the frame of the feature's body the other's axis goes through (0.081, 0, 0.02), so it is crossed at z = 0.02
    const { values } = list;
    const at = featureAt.pointLine;
    expect(Array.from(values.slice(at.point, at.point + 3))).toEqual([0, 0, expect.closeTo(0.02, 12)]);
    expect(Math.hypot(0.081) - values[at.radius] - values[at.otherRadius]).toBeCloseTo(gap, 12);
  }
});

test("of edges, the point over the plane through the other edge is held", () => {
  // bars with edges towards each other: all is turned about z by 45°, and the second bar about the line between them
  const [c, s] = [Math.SQRT1_2, Math.SQRT1_2];
  const between = 0.02 * Math.SQRT2 + 0.001;
  const beside = (y: number): Float64Array => {
    const turn = Math.sin(slightly / 2);
    const pose = [c * between + s * y, c * y - s * between, 0, Math.cos(slightly / 2), c * turn, -s * turn, 0];
    return placementOf(new Float64Array(placementSize), Float64Array.from(pose), 0);
  };
  const here = beside(0);
  const list = new FeatureList();
  findFeatures(bar, bar, here, 0.01, list);
  expect(kindOf(list)).toBe("lineLine");
  expect(list.distance[0]).toBeCloseTo(0.001, 12);
  holdCrossing(list, 0, here, beside(0.01), 0.02);
  expect(kindOf(list)).toBe("pointPlane");
  const { values } = list;
  const at = featureAt.pointPlane;
  const point = new Float64Array(3);
  placePoint(point, 0, invertPlacement(new Float64Array(placementSize), here), values, at.point);
  const height = [0, 1, 2].reduce((sum, k) => sum + values[at.normal + k] * point[k], -values[at.offset]);
  expect(height).toBeCloseTo(0.001, 12);
});
