/**
 * Spheres, capsules, boxes, hulls and half-spaces: distances against MuJoCo's, features against distances, and motions that features
 * allow against overlap.
 */
import { beforeAll, describe, expect, it } from "vitest";
import {
  type BoundedShape,
  convexDistance,
  FeatureList,
  findFeatures,
  placementBetween,
  placementSize,
  prepareShape,
  type ShapeDimensions,
  signedDistance,
  type TouchShape,
} from "../../src/geometry/index.ts";
import { quaternion, Random, type Vector3, vector } from "../../src/math/index.ts";
import { featureGap } from "./featureGap.ts";
import { distanceOracle, loadDistanceOracle, type Mujoco } from "./mujocoDistance.ts";

const kinds = ["sphere", "capsule", "box", "hull", "halfSpace"] as const;
type Kind = (typeof kinds)[number];
const pairs = kinds.flatMap((a, i) =>
  kinds.slice(i).flatMap((b) => (a === "halfSpace" ? [] : [[a, b] as [Kind, Kind]])),
);

/** MuJoCo keeps vertices of meshes as 32-bit numbers. */
const MESH_ROUNDING = 1e-6;
const ROUNDING = 1e-12;

function dimensions(kind: Kind, random: Random, size = 1): ShapeDimensions {
  const length = (): number => size * (0.2 + random.uniform());
  switch (kind) {
    case "sphere":
      return { kind, radius: length() / 2 };
    case "capsule":
      return { kind, radius: length() / 3, length: length() };
    case "box":
      return { kind, size: [length(), length(), length()] };
    case "hull":
      return { kind, points: Array.from({ length: 24 }, () => vector.scale(direction(random), 0.6 * length())) };
    case "halfSpace":
      return { kind };
  }
}

const direction = (random: Random): Vector3 => vector.normalize([random.normal(), random.normal(), random.normal()]);

const turn = (random: Random): [number, number, number, number] => [
  ...quaternion.normalize([random.normal(), random.normal(), random.normal(), random.normal()]),
];

const between = (a: Float64Array, b: Float64Array): Float64Array =>
  placementBetween(new Float64Array(placementSize), a, 0, b, 0);

/** A pose of b at about the wanted distance from a, which has pose `poseA`: moved along the normal a few times. */
function poseAt(a: TouchShape, poseA: Float64Array, b: TouchShape, wanted: number, random: Random): Float64Array {
  const away = vector.scale(direction(random), 2);
  const pose = Float64Array.of(poseA[0] + away[0], poseA[1] + away[1], poseA[2] + away[2], ...turn(random));
  const witness = new Float64Array(9);
  for (let k = 0; k < 4; k++) {
    const distance = signedDistance(a, b, between(poseA, pose), witness);
    const normal = quaternion.rotate([poseA[3], poseA[4], poseA[5], poseA[6]], [witness[6], witness[7], witness[8]]);
    for (let i = 0; i < 3; i++) pose[i] += (wanted - distance) * normal[i];
  }
  return pose;
}

/** Far, near, touching, overlapping, deep. */
const wantedDistances = [1, 0.1, 1e-3, 1e-6, 1e-9, -1e-6, -1e-2, -0.2];

describe("distances", () => {
  let mujoco: Mujoco;
  beforeAll(async () => {
    mujoco = await loadDistanceOracle();
  });

  it.each(pairs)("of a %s and a %s are MuJoCo's at 1,000 poses", (first, second) => {
    const random = new Random(17);
    let [poses, worst] = [0, 0];
    for (let set = 0; set < 5; set++) {
      const [formA, formB] = [dimensions(first, random), dimensions(second, random)];
      const [a, b] = [prepareShape(formA), prepareShape(formB)];
      // MuJoCo's own formula for a capsule and a box stops short when they overlap: its general one takes a mesh
      const oracle = distanceOracle(mujoco, formA, first === "capsule" ? asHull(formB) : formB);
      for (let k = 0; k < 200; k++, poses++) {
        const poseA = Float64Array.of(random.normal(), random.normal(), random.normal(), ...turn(random));
        const poseB = poseAt(a, poseA, b, wantedDistances[k % wantedDistances.length], random);
        const ours = signedDistance(a, b, between(poseA, poseB));
        worst = Math.max(worst, Math.abs(ours - oracle.distance(poseA, poseB)));
        expect(signedDistance(b, a, between(poseB, poseA))).toBeCloseTo(ours, 12);
      }
      oracle.free();
    }
    expect(poses).toBe(1000);
    const hasMesh = second === "hull" || first === "hull" || (first === "capsule" && second === "box");
    expect(worst).toBeLessThan(hasMesh ? MESH_ROUNDING : ROUNDING);
  });

  it.each([1e-3, 1e-6, 1e-8, 1e-12, 0])(
    "of capsules that are parallel but for %s rad are those of any convex shapes",
    (angle) => {
      const random = new Random(5);
      const [ours, theirs] = [new Float64Array(9), new Float64Array(9)];
      for (let k = 0; k < 200; k++) {
        const [a, b] = [prepareShape(dimensions("capsule", random)), prepareShape(dimensions("capsule", random))];
        const poseA = Float64Array.of(0, 0, 0, 1, 0, 0, 0);
        const half = angle / 2;
        const poseB = Float64Array.of(
          random.normal(),
          random.normal(),
          random.normal(),
          Math.cos(half),
          Math.sin(half),
          0,
          0,
        );
        const placement = between(poseA, poseB);
        const distance = signedDistance(a, b, placement, ours);
        expect(
          Math.abs(distance - convexDistance(a as BoundedShape, b as BoundedShape, placement, theirs)),
        ).toBeLessThan(ROUNDING);
        // the witness is one
        for (let i = 0; i < 3; i++) expect(ours[3 + i] - ours[i]).toBeCloseTo(distance * ours[6 + i], 12);
      }
    },
  );
});

function asHull(form: ShapeDimensions): ShapeDimensions {
  if (form.kind !== "box") return form;
  const signs = [-0.5, 0.5];
  const points = signs.flatMap((x) =>
    signs.flatMap((y) => signs.map((z): Vector3 => [x * form.size[0], y * form.size[1], z * form.size[2]])),
  );
  return { kind: "hull", points };
}

describe("features", () => {
  const list = new FeatureList();

  it.each(pairs)("of a %s and a %s are as near as the shapes, and none is nearer", (first, second) => {
    const random = new Random(23);
    for (let set = 0; set < 4; set++) {
      const [a, b] = [prepareShape(dimensions(first, random)), prepareShape(dimensions(second, random))];
      for (let k = 0; k < 50; k++) {
        const poseA = Float64Array.of(random.normal(), random.normal(), random.normal(), ...turn(random));
        const poseB = poseAt(a, poseA, b, wantedDistances[1 + (k % 4)], random);
        const placement = between(poseA, poseB);
        const distance = signedDistance(a, b, placement);
        list.clear();
        findFeatures(a, b, placement, distance + 0.2, list);
        const gaps = Array.from({ length: list.count }, (_, i) => featureGap(list, i, placement));
        for (const [i, gap] of gaps.entries()) expect(gap).toBeCloseTo(list.distance[i], 12);
        // of edges that are equally near to 1e-8 of the size, one is enough
        expect(Math.min(...gaps)).toBeLessThan(distance + 1e-8);
        // a vertex that misses a face by a millionth counts as over it
        expect(Math.min(...gaps)).toBeGreaterThan(0.99 * distance - ROUNDING);
        expect(new Set(list.key.slice(0, list.count)).size).toBe(list.count);
        // the other way round they are the same, but for which shape is which
        const backwards = new FeatureList();
        findFeatures(b, a, between(poseB, poseA), distance + 0.2, backwards);
        if (a.number !== b.number) {
          expect(backwards.count).toBe(list.count);
          for (let i = 0; i < list.count; i++) expect(backwards.side[i]).toBe(1 - list.side[i]);
        }
        list.clear();
        findFeatures(a, b, placement, distance - 1e-3, list);
        expect(list.count).toBe(0);
      }
    }
  });

  /**
   * Motions of size δ that keep all gaps positive may overlap by what features leave out: bends of second order, and what lies beyond
   * the reach. Shapes are of size 1.
   */
  it.each(pairs)("of a %s and a %s stop every small motion that would make them overlap", (first, second) => {
    const random = new Random(29);
    const delta = 1e-4;
    let [allowed, overlap] = [0, 0];
    for (let set = 0; set < 4; set++) {
      const [a, b] = [prepareShape(dimensions(first, random)), prepareShape(dimensions(second, random))];
      for (let k = 0; k < 40; k++) {
        const poseA = Float64Array.of(0, 0, 0, 1, 0, 0, 0);
        const poseB = poseAt(a, poseA, b, 1e-5, random);
        list.clear();
        findFeatures(a, b, between(poseA, poseB), 10 * delta, list);
        for (let motion = 0; motion < 25; motion++) {
          const moved = Float64Array.from(poseB);
          for (let i = 0; i < 3; i++) moved[i] += delta * random.normal();
          const small = quaternion.fromRotationVector(vector.scale(direction(random), delta * random.uniform()));
          moved.set(quaternion.multiply(small, [poseB[3], poseB[4], poseB[5], poseB[6]]), 3);
          // turns are about the shape's own origin, which contacts are at most 1 away from
          const placement = between(poseA, moved);
          let isAllowed = true;
          for (let i = 0; i < list.count && isAllowed; i++) isAllowed = featureGap(list, i, placement) >= 0;
          if (!isAllowed) continue;
          allowed++;
          overlap = Math.max(overlap, -signedDistance(a, b, placement));
        }
      }
    }
    expect(allowed).toBeGreaterThan(500);
    expect(overlap).toBeLessThan(SECOND_ORDER * delta * delta);
  });

  /** How sharply the gaps of the smallest shapes here (0.1) may bend, per unit of size. */
  const SECOND_ORDER = 20;
});
