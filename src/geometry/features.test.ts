import { describe, expect, it } from "vitest";
import { quaternion, Random, type Vector3, vector } from "../math/index.ts";
import {
  boundingBoxInto,
  carryFeature,
  composePose,
  FeatureList,
  featureKinds,
  featureNumber,
  featureSizes,
  featureStride,
  featureValueNames,
  findFeatures,
  invertPlacement,
  placementBetween,
  placementOf,
  prepareShape,
  signedDistance,
} from "./index.ts";

const random = new Random(7);
const uniform = (): number => 2 * random.uniform() - 1;
const randomPose = (): Float64Array => {
  const q = quaternion.normalize([uniform(), uniform(), uniform(), uniform()]);
  return Float64Array.of(uniform(), uniform(), uniform(), ...q);
};
const position = (pose: Float64Array): Vector3 => [pose[0], pose[1], pose[2]];
const rotation = (pose: Float64Array): [number, number, number, number] => [pose[3], pose[4], pose[5], pose[6]];
const at = (pose: Float64Array, p: Vector3): Vector3 =>
  vector.add(position(pose), quaternion.rotate(rotation(pose), p));

describe("features", () => {
  it("values have names, and all kinds fit", () => {
    expect(featureValueNames.pointPlane.join(" ")).toBe(
      "point.x point.y point.z radius normal.x normal.y normal.z offset tangent.x tangent.y tangent.z",
    );
    expect(featureSizes).toEqual([11, 11, 14, 18, 17, 26, 23, 21]);
    expect(Math.max(...featureSizes)).toBeLessThanOrEqual(featureStride);
    for (const [i, kind] of featureKinds.entries()) expect(featureNumber[kind]).toBe(i);
  });

  it("a list grows and keeps what it had", () => {
    const list = new FeatureList();
    for (let i = 0; i < 100; i++) {
      const place = list.add(1, i % 2, i, -i);
      list.values[place + 3] = i;
    }
    expect(list.count).toBe(100);
    for (let i = 0; i < 100; i++) {
      expect([list.kind[i], list.side[i], list.key[i], list.distance[i], list.values[i * featureStride + 3]]).toEqual([
        1,
        i % 2,
        i,
        -i,
        i,
      ]);
    }
  });

  it("placements take points of b into a's frame, and back", () => {
    const [a, b] = [randomPose(), randomPose()];
    const placement = placementBetween(new Float64Array(12), a, 0, b, 0);
    const p: Vector3 = [0.3, -0.2, 0.7];
    const world = at(b, p);
    const inA = quaternion.rotateInverse(rotation(a), vector.sub(world, position(a)));
    const row = (m: Float64Array, k: number, v: Vector3): number =>
      m[k] + m[3 + 3 * k] * v[0] + m[4 + 3 * k] * v[1] + m[5 + 3 * k] * v[2];
    const back = invertPlacement(new Float64Array(12), placement);
    for (let k = 0; k < 3; k++) {
      expect(row(placement, k, p)).toBeCloseTo(inA[k], 14);
      expect(row(back, k, inA)).toBeCloseTo(p[k], 14);
    }
    const composed = new Float64Array(7);
    composePose(composed, 0, a, 0, b, 0);
    const expected = at(a, at(b, p));
    for (let k = 0; k < 3; k++) expect(at(composed, p)[k]).toBeCloseTo(expected[k], 14);
  });

  it("a plane and a point keep their gap when they are carried into the frames of bodies", () => {
    const [ball, ground] = [prepareShape({ kind: "sphere", radius: 0.25 }), prepareShape({ kind: "halfSpace" })];
    const [poseBall, poseGround, inBall, inGround] = [randomPose(), randomPose(), randomPose(), randomPose()];
    const shapes = new Float64Array(14);
    composePose(shapes, 0, poseBall, 0, inBall, 0);
    composePose(shapes, 7, poseGround, 0, inGround, 0);
    const placement = placementBetween(new Float64Array(12), shapes, 0, shapes, 7);
    for (const [first, second, m] of [
      [ball, ground, placement],
      [ground, ball, invertPlacement(new Float64Array(12), placement)],
    ] as const) {
      const list = new FeatureList();
      findFeatures(first, second, m, 100, list);
      expect([list.count, list.kind[0], list.side[0]]).toEqual([1, 0, first === ball ? 0 : 1]);
      carryFeature(list, 0, placementOf(new Float64Array(12), inBall), placementOf(new Float64Array(12), inGround));
      const v = list.values;
      const centre = at(poseBall, [v[0], v[1], v[2]]);
      const inOther = quaternion.rotateInverse(rotation(poseGround), vector.sub(centre, position(poseGround)));
      const gap = vector.dot([v[4], v[5], v[6]], inOther) - v[7] - v[3];
      expect(gap).toBeCloseTo(signedDistance(first, second, m), 13);
      expect(gap).toBeCloseTo(list.distance[0], 13);
    }
  });

  it("bounding boxes hold what they should, and no more", () => {
    const pose = randomPose();
    const box = new Float64Array(6);
    boundingBoxInto(box, 0, prepareShape({ kind: "box", size: [1, 2, 3] }), pose, 0, 0.5);
    const corners = [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z) => at(pose, [x / 2, y, 1.5 * z]))));
    for (let k = 0; k < 3; k++) {
      expect(box[k]).toBeCloseTo(Math.min(...corners.map((c) => c[k])) - 0.5, 13);
      expect(box[3 + k]).toBeCloseTo(Math.max(...corners.map((c) => c[k])) + 0.5, 13);
    }
  });
});
