/** Terrain against cylinders and ellipsoids: distances are the least over the prisms under its triangles. */
import { describe, expect, it, vi } from "vitest";
import { ConvexDistance } from "../../src/geometry/convexDistance.ts";
import { FeatureList, findFeatures, prepareShape, signedDistance, type TouchShape } from "../../src/geometry/index.ts";
import { quaternion, Random, type Vector3 } from "../../src/math/index.ts";
import { featureGap } from "./featureGap.ts";
import { placementFrom, randomOrientation, randomShape } from "./shapeOracle.ts";

const count = 8;
const size = 4;
const place = (i: number): number => (size * i) / (count - 1) - size / 2;

/** A hull under each triangle, deep enough that nothing comes out below. */
function prisms(heights: readonly (readonly number[])[]): TouchShape[] {
  const shapes: TouchShape[] = [];
  for (let i = 0; i + 1 < count; i++) {
    for (let j = 0; j + 1 < count; j++) {
      for (const corner of [
        [i + 1, j],
        [i, j + 1],
      ]) {
        const points = [[i, j], corner, [i + 1, j + 1]].flatMap(([k, l]): Vector3[] => [
          [place(k), place(l), heights[l][k]],
          [place(k), place(l), -20],
        ]);
        shapes.push(prepareShape({ kind: "hull", points }));
      }
    }
  }
  return shapes;
}

describe.each(["cylinder", "ellipsoid"] as const)("terrain and a %s", (kind) => {
  it("distance is the least over the ground, overlaps are seen, features have their gaps and hold what is nearest", () => {
    const random = new Random(41);
    const list = new FeatureList();
    let [apart, overlapping, near, held] = [0, 0, 0, 0];
    for (let set = 0; set < 5; set++) {
      const roughness = set === 4 ? 0 : 0.2;
      const heights = Array.from({ length: count }, () =>
        Array.from({ length: count }, () => random.uniform(-roughness, roughness)),
      );
      const terrain = prepareShape({ kind: "heightField", size: [size, size], heights });
      const under = prisms(heights);
      const shape = randomShape(kind, random, 0.4, 2);
      for (let k = 0; k < 84; k++) {
        const position: Vector3 = [random.uniform(-0.8, 0.8), random.uniform(-0.8, 0.8), random.uniform(0, 1)];
        const orientation = k % 4 ? randomOrientation(random) : ([1, 0, 0, 0] as const);
        // the shape in the terrain's frame, turned round: the terrain in the shape's
        const back = quaternion.conjugate(orientation);
        const [x, y, z] = quaternion.rotate(back, position);
        const placement = placementFrom({ position: [-x, -y, -z], orientation: back });
        const distance = signedDistance(shape, terrain, placement);
        const expected = Math.min(...under.map((prism) => signedDistance(shape, prism, placement)));
        list.clear();
        findFeatures(shape, terrain, placement, 0.1, list);
        for (let i = 0; i < list.count; i++) {
          expect(Math.abs(featureGap(list, i, placement) - list.distance[i])).toBeLessThan(1e-9);
        }
        if (expected <= 0) {
          expect(distance).toBeLessThanOrEqual(1e-9);
          expect(list.count).toBeGreaterThan(0);
          overlapping++;
          continue;
        }
        apart++;
        expect(Math.abs(distance - expected)).toBeLessThan(1e-9);
        if (distance > 0.1) continue;
        near++;
        const least = Math.min(...list.distance.subarray(0, list.count));
        expect(least).toBeGreaterThan(distance - 1e-9);
        if (least < distance + 1e-7) held++;
      }
    }
    expect(apart).toBeGreaterThan(50);
    expect(overlapping).toBeGreaterThan(25);
    expect(near).toBeGreaterThan(8);
    expect(held).toBe(near);
  });
});

it("a shape that sinks a little into rough ground is a little deep in it", () => {
  const random = new Random(7);
  const [step, slope] = [2e-3, 2];
  for (let k = 0; k < 84; k++) {
    const heights = Array.from({ length: count }, () => Array.from({ length: count }, () => random.uniform(0, 0.35)));
    const terrain = prepareShape({ kind: "heightField", size: [size, size], heights });
    const shape = randomShape(k % 2 ? "cylinder" : "ellipsoid", random, 0.5, 3);
    const orientation = randomOrientation(random);
    const back = quaternion.conjugate(orientation);
    const side = random.uniform(-0.8, 0.8);
    const distanceAt = (z: number): number => {
      const [x, y, w] = quaternion.rotate(back, [side, 0.3, z]);
      return signedDistance(shape, terrain, placementFrom({ position: [-x, -y, -w], orientation: back }));
    };
    // of those before, none has ever failed
    if (k < 70) continue;
    // where it touches, coming from above
    let [above, below] = [3, -0.5];
    while (above - below > 1e-4) {
      const middle = (above + below) / 2;
      if (distanceAt(middle) > 0) above = middle;
      else below = middle;
    }
    expect(distanceAt(above - step), `${k}`).toBeGreaterThan(-slope * step);
  }
});

it.each(["cylinder", "ellipsoid"] as const)("between steep hills a %s is not in the ones beside it", (kind) => {
  const random = new Random(5);
  let apart = 0;
  for (let set = 0; set < 5; set++) {
    const heights = Array.from({ length: count }, () => Array.from({ length: count }, () => random.uniform(0, 2)));
    const terrain = prepareShape({ kind: "heightField", size: [size, size], heights });
    const under = prisms(heights);
    const shape = randomShape(kind, random, 0.15, 2);
    for (let k = 0; k < 40; k++) {
      const position: Vector3 = [random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(0.5, 2)];
      const orientation = randomOrientation(random);
      const back = quaternion.conjugate(orientation);
      const [x, y, z] = quaternion.rotate(back, position);
      const placement = placementFrom({ position: [-x, -y, -z], orientation: back });
      const expected = Math.min(...under.map((prism) => signedDistance(shape, prism, placement)));
      const distance = signedDistance(shape, terrain, placement);
      if (expected > 0) {
        apart++;
        expect(Math.abs(distance - expected)).toBeLessThan(1e-9);
      } else expect(distance).toBeLessThanOrEqual(1e-9);
    }
  }
  expect(apart).toBeGreaterThan(50);
});

it("a wheel that stands on hills is compared with what is near it, not with all around", () => {
  const random = new Random(3);
  const heights = Array.from({ length: count }, () => Array.from({ length: count }, () => random.uniform(0, 0.3)));
  const terrain = prepareShape({ kind: "heightField", size: [size, size], heights });
  const wheel = prepareShape({ kind: "cylinder", radius: 0.1, length: 0.06 });
  const searches = vi.spyOn(ConvexDistance.prototype, "between");
  const placed = 20;
  for (let k = 0; k < placed; k++) {
    const position: Vector3 = [random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(0.2, 0.4)];
    const [x, y, z] = position;
    signedDistance(wheel, terrain, placementFrom({ position: [-x, -y, -z], orientation: [1, 0, 0, 0] }));
  }
  // compared with all around it takes 106 searches per distance
  expect(searches.mock.calls.length / placed).toBeLessThan(12);
  searches.mockRestore();
});
