/**
 * Thin, tiny and huge shapes in poses that line up: faces on faces, edges along edges, corners over corners. Two searches of ours that
 * share nothing (separations of parts, and support points) must agree, and features must say what the distance says.
 */
import { expect, it } from "vitest";
import type { BoundedShape } from "../../src/geometry/index.ts";
import {
  FeatureList,
  findFeatures,
  placementBetween,
  placementSize,
  prepareShape,
  type ShapeDimensions,
  signedDistance,
} from "../../src/geometry/index.ts";
import { convexDistance } from "../../src/geometry/shapeDistance.ts";
import { type Quaternion, quaternion, Random, type Vector3, vector } from "../../src/math/index.ts";
import { featureGap } from "./featureGap.ts";

const random = new Random(41);
const pick = <T>(list: readonly T[]): T => list[Math.floor(random.uniform() * list.length)];
const direction = (): Vector3 => vector.normalize([random.normal(), random.normal(), random.normal()]);

function awkward(size: number): ShapeDimensions {
  const length = (): number => size * pick([1, 1, 0.5, 0.1, 0.02, 3 * random.uniform() + 0.01]);
  switch (pick(["sphere", "capsule", "box", "box", "ball", "drum", "wedge"])) {
    case "sphere":
      return { kind: "sphere", radius: length() };
    case "capsule":
      return { kind: "capsule", radius: length(), length: length() };
    case "box":
      return { kind: "box", size: [length(), length(), length()] };
    case "ball":
      return {
        kind: "hull",
        points: Array.from({ length: pick([8, 30, 100]) }, () => vector.scale(direction(), size)),
      };
    case "drum": {
      const [sides, height] = [pick([3, 5, 12, 40]), length()];
      const corner = (i: number): Vector3 => {
        const angle = (2 * Math.PI * (i >> 1)) / sides;
        return [size * Math.cos(angle), size * Math.sin(angle), i & 1 ? height : -height];
      };
      return { kind: "hull", points: Array.from({ length: 2 * sides }, (_, i) => corner(i)) };
    }
    default: {
      const corners: Vector3[] = [
        [0, 0, 0],
        [size, 0, 0],
        [0, size, 0],
        [0, 0, size * pick([1, 0.1, 0.01])],
      ];
      return { kind: "hull", points: corners };
    }
  }
}

const turns: readonly Quaternion[] = [
  [1, 0, 0, 0],
  [1, 1, 0, 0],
  [1, 0, 1, 0],
  [1, 1, 1, 1],
  [1, 0, 0, 0.1],
  [1, 0.2, 0, 0],
];
const turn = (): Quaternion =>
  quaternion.normalize(
    pick([true, false]) ? pick(turns) : [random.normal(), random.normal(), random.normal(), random.normal()],
  );

/** Relative to the shapes: vertices of hulls are merged into faces within 1e-9 or so, which the two searches see differently. */
const AGREEMENT = 1e-10;

it("1,500 awkward poses of sizes from 1 mm to 100 m: distances agree, and the nearest feature is as near", () => {
  const list = new FeatureList();
  const witness = new Float64Array(9);
  for (let set = 0; set < 150; set++) {
    const first = 1e-3 * 1e5 ** random.uniform();
    const second = pick([first, first * Math.exp(6 * random.uniform() - 3)]);
    const [a, b] = [prepareShape(awkward(first)), prepareShape(awkward(second))] as [BoundedShape, BoundedShape];
    const [size, small] = [Math.max(first, second), Math.min(first, second)];
    for (let k = 0; k < 10; k++) {
      const along = pick<Vector3>([direction(), [0, 0, 1], [1, 0, 0], [1, 1, 0]]);
      const apart = (first + second) * pick([0, 0.5, 1, 1.2, 2]);
      const [poseA, poseB] = [
        Float64Array.of(0, 0, 0, ...turn()),
        Float64Array.of(...vector.scale(along, apart), ...turn()),
      ];
      const placement = new Float64Array(placementSize);
      const wanted = pick([undefined, 0, 1e-9 * size, 1e-6 * size, -1e-6 * small, 0.01 * small]);
      for (let i = 0; i < 4 && wanted !== undefined; i++) {
        const away = wanted - signedDistance(a, b, placementBetween(placement, poseA, 0, poseB, 0), witness);
        const normal = quaternion.rotate(
          [poseA[3], poseA[4], poseA[5], poseA[6]],
          [witness[6], witness[7], witness[8]],
        );
        for (let c = 0; c < 3; c++) poseB[c] += away * normal[c];
      }
      placementBetween(placement, poseA, 0, poseB, 0);
      const distance = signedDistance(a, b, placement, witness);
      expect(Math.abs(distance - convexDistance(a, b, placement, undefined))).toBeLessThan(AGREEMENT * size);
      expect(witness.every(Number.isFinite)).toBe(true);

      list.clear();
      findFeatures(a, b, placement, Math.max(distance, 0) + 0.05 * small, list);
      expect(list.count).toBeGreaterThan(0);
      let least = Number.POSITIVE_INFINITY;
      for (let i = 0; i < list.count; i++) {
        const gap = featureGap(list, i, placement);
        if (!(Math.abs(gap - list.distance[i]) < AGREEMENT * size)) expect(gap).toBe(list.distance[i]);
        least = Math.min(least, gap);
      }
      if (distance <= 0) continue;
      expect(least).toBeLessThan(distance + 1e-8 * size);
      expect(least).toBeGreaterThan(0.99 * distance - 1e-12 * size);
    }
  }
});
