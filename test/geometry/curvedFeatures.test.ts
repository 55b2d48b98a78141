/**
 * Features of cylinders and ellipsoids against everything: their gaps, computed apart from the engine (featureGap.ts), against the true
 * distance, and what they keep apart.
 */
import { describe, expect, it } from "vitest";
import { type ConvexShape, FeatureList, findFeatures, prepareShape, signedDistance } from "../../src/geometry/index.ts";
import { type Quaternion, quaternion, Random, type Vector3, vector } from "../../src/math/index.ts";
import { featureGap } from "./featureGap.ts";
import {
  type BoundedKind,
  boundedKinds,
  type Frame,
  logUniform,
  placementFrom,
  randomDirection,
  randomOrientation,
  randomShape,
  sizeOf,
} from "./shapeOracle.ts";

type Kind = BoundedKind | "halfSpace";
const curved: readonly Kind[] = ["cylinder", "ellipsoid"];
const kinds: readonly Kind[] = [...boundedKinds, "halfSpace"];
const pairs = kinds.flatMap((first, i) =>
  kinds.slice(i).flatMap((second) => (curved.includes(first) || curved.includes(second) ? [[first, second]] : [])),
) as [BoundedKind, Kind][];

const halfTurn = Math.SQRT1_2;
const rightAngles: readonly Quaternion[] = [
  [1, 0, 0, 0],
  [halfTurn, halfTurn, 0, 0],
  [halfTurn, 0, halfTurn, 0],
  [0.5, 0.5, 0.5, 0.5],
];

const list = new FeatureList();
const witness = new Float64Array(9);
const halfSpace = prepareShape({ kind: "halfSpace" }) as ConvexShape;

/** A small turn about any axis. */
function turn(random: Random, angle: number): Quaternion {
  const [x, y, z] = vector.scale(randomDirection(random), Math.sin(angle / 2));
  return [Math.cos(angle / 2), x, y, z];
}

/** Two shapes at a wanted distance: in any attitude, at right angles, nearly at right angles. */
function scene(first: BoundedKind, second: Kind, random: Random, i: number, size = 1): Scene {
  const a = randomShape(first, random, size);
  const b = second === "halfSpace" ? halfSpace : randomShape(second, random, size);
  const extent = sizeOf(a) + (b.kind === "halfSpace" ? 0 : sizeOf(b));
  const least = Math.min(sizeOf(a), b.kind === "halfSpace" ? Number.POSITIVE_INFINITY : sizeOf(b));
  const square = rightAngles[Math.floor(random.uniform() * 4)];
  const orientation =
    i % 3 === 0
      ? randomOrientation(random)
      : i % 3 === 1
        ? square
        : quaternion.multiply(turn(random, logUniform(random, 1e-8, 0.3)), square);
  const far: Frame = { position: vector.scale(randomDirection(random), 1.3 * extent), orientation };
  const distance = signedDistance(a, b, placementFrom(far), witness);
  const wanted = [1e-6, 1e-3, 0.03][Math.floor(random.uniform() * 3)] * least;
  const position = vector.add(far.position, vector.scale(normal(), wanted - distance));
  return { a, b, frame: { position, orientation }, size: least };
}

interface Scene {
  readonly a: ConvexShape;
  readonly b: ConvexShape;
  readonly frame: Frame;
  /** Of the smaller shape. */
  readonly size: number;
}

const normal = (): Vector3 => [witness[6], witness[7], witness[8]];

function find(a: ConvexShape, b: ConvexShape, placement: Float64Array, reach: number): void {
  list.clear();
  findFeatures(a, b, placement, reach, list);
}

describe.each(pairs)("%s and %s", (first, second) => {
  it("features of 1000 poses have the gaps they say; the least is the distance, to 1e-6 of the size", () => {
    const random = new Random(21);
    for (let i = 0; i < 1000; i++) {
      const { a, b, frame, size } = scene(first, second, random, i, logUniform(random, 1e-3, 100));
      const placement = placementFrom(frame);
      const distance = signedDistance(a, b, placement);
      find(a, b, placement, 0.05 * size);
      expect(list.count).toBeGreaterThan(0);
      const gaps = Array.from({ length: list.count }, (_, f) => featureGap(list, f, placement));
      let off = 0;
      for (const [f, gap] of gaps.entries()) off = Math.max(off, Math.abs(gap - list.distance[f]));
      expect(off).toBeLessThan(1e-6 * size);
      expect(Math.abs(Math.min(...gaps) - distance)).toBeLessThan(1e-6 * size);
      expect(new Set(list.key.subarray(0, list.count)).size).toBe(list.count);
    }
  });

  it("features found again after a small move have the same identities", () => {
    const random = new Random(22);
    let same = 0;
    let all = 0;
    for (let i = 0; i < 200; i++) {
      const { a, b, frame, size } = scene(first, second, random, i);
      find(a, b, placementFrom(frame), 0.05 * size);
      const before = new Set(list.key.subarray(0, list.count));
      const orientation = quaternion.multiply(turn(random, 1e-7), frame.orientation);
      find(a, b, placementFrom({ ...frame, orientation }), 0.05 * size);
      for (const key of list.key.subarray(0, list.count)) if (before.has(key)) same++;
      all += Math.max(list.count, before.size);
    }
    // right angles to the last bit are where parts change: an end becomes a rim
    expect(same / all).toBeGreaterThan(0.8);
  });
});
