/** Faces on faces, edges on edges: which features they get, that they stay the same, and that sizes do not matter. */
import { describe, expect, it } from "vitest";
import {
  FeatureList,
  featureKinds,
  featureStride,
  findFeatures,
  placementBetween,
  placementSize,
  prepareShape,
  type ShapeDimensions,
  signedDistance,
  type TouchShape,
} from "../../src/geometry/index.ts";
import { quaternion, Random, type Vector3 } from "../../src/math/index.ts";

const cube = prepareShape({ kind: "box", size: [1, 1, 1] });
const table = prepareShape({ kind: "box", size: [4, 4, 0.2] });
const rod: ShapeDimensions = { kind: "capsule", radius: 0.1, length: 1 };
const identity = Float64Array.of(0, 0, 0, 1, 0, 0, 0);

const pose = (position: Vector3, turn: Vector3 = [0, 0, 0]): Float64Array =>
  Float64Array.of(...position, ...quaternion.fromRotationVector(turn));

interface Found {
  readonly distance: number;
  readonly kinds: readonly string[];
  readonly keys: readonly number[];
  readonly tentative: readonly number[];
  readonly gaps: readonly number[];
}

function found(a: TouchShape, poseA: Float64Array, b: TouchShape, poseB: Float64Array, reach: number): Found {
  const placement = placementBetween(new Float64Array(placementSize), poseA, 0, poseB, 0);
  const list = new FeatureList();
  findFeatures(a, b, placement, reach, list);
  return {
    distance: signedDistance(a, b, placement),
    kinds: Array.from(list.kind.slice(0, list.count), (kind) => featureKinds[kind]),
    keys: [...list.key.slice(0, list.count)],
    tentative: [...list.tentative.slice(0, list.count)],
    gaps: [...list.distance.slice(0, list.count)],
  };
}

describe("a cube on a cube", () => {
  it.each([1e-3, 1e-9, 1e-12, 0, -1e-9])("with a gap of %d has four points, exactly that far away", (gap) => {
    const { kinds, gaps, tentative, distance } = found(cube, identity, cube, pose([0, 0, 1 + gap]), 1e-2);
    expect(kinds).toEqual(Array(4).fill("pointPlane"));
    expect(tentative).toEqual([0, 0, 0, 0]);
    for (const one of gaps) expect(one).toBeCloseTo(gap, 14);
    expect(distance).toBeCloseTo(gap, 14);
  });

  it("keeps its features while it trembles", () => {
    const random = new Random(3);
    const { keys } = found(cube, identity, cube, pose([0.1, 0.2, 1 + 2e-9]), 1e-2);
    for (let k = 0; k < 200; k++) {
      const shift = (): number => 1e-9 * random.normal();
      const trembling = pose([0.1 + shift(), 0.2 + shift(), 1 + 1e-8 + shift()], [shift(), shift(), shift()]);
      expect(found(cube, identity, cube, trembling, 1e-2).keys).toEqual(keys);
    }
  });

  it("turned by 45° stands on crossings of edges, and keeps four of the eight while it trembles", () => {
    const random = new Random(4);
    const { keys, kinds } = found(cube, identity, cube, pose([0, 0, 1 + 2e-9], [0, 0, Math.PI / 4]), 1e-2);
    expect(kinds).toEqual(Array(4).fill("lineLine"));
    for (let k = 0; k < 200; k++) {
      const shift = (): number => 1e-9 * random.normal();
      const trembling = pose([shift(), shift(), 1 + 1e-8 + shift()], [shift(), shift(), Math.PI / 4 + shift()]);
      expect(found(cube, identity, cube, trembling, 1e-2).keys).toEqual(keys);
    }
  });

  it("over the rim of a table has two corners and two crossings", () => {
    const { kinds } = found(table, identity, cube, pose([2, 0, 0.6 + 1e-9]), 1e-2);
    expect([...kinds].sort()).toEqual(["lineLine", "lineLine", "pointPlane", "pointPlane"]);
  });

  it("that leans on an edge has the face's other corners too, within reach", () => {
    const height = 0.1 + 0.5 * (Math.cos(0.05) + Math.sin(0.05)) + 1e-9;
    const leaning = pose([0, 0, height], [0.05, 0, 0]);
    expect(found(table, identity, cube, leaning, 0.1).gaps).toHaveLength(4);
    expect(found(table, identity, cube, leaning, 0.01).gaps).toHaveLength(2);
  });
});

describe("edges and corners", () => {
  it("edges that cross are one line on another", () => {
    const lower = pose([0, 0, 0], [Math.PI / 4, 0, 0]);
    const upper = pose([0, 0, Math.SQRT2 + 1e-9], [0, Math.PI / 4, 0]);
    const { kinds, gaps } = found(cube, lower, cube, upper, 1e-2);
    expect(kinds).toEqual(["lineLine"]);
    expect(gaps[0]).toBeCloseTo(1e-9, 14);
  });

  it.each([1e-9, 0, -1e-9])("a box that slides from tile to tile, %d m above the next, does not catch on it", (lip) => {
    const { tentative } = found(table, identity, cube, pose([2.501, 0, 0.6 + lip]), 1e-2);
    expect(tentative.length).toBeGreaterThan(0);
    expect(tentative).toEqual(tentative.map(() => 1));
    // once it is over the tile, even in it, it leaves upwards
    const over = found(table, identity, cube, pose([2.49, 0, 0.6 - 1e-6]), 1e-2);
    expect(over.distance).toBeCloseTo(-1e-6, 12);
    expect(over.tentative).toEqual(over.tentative.map(() => 0));
  });

  it("a box that meets a wall squarely is stopped by it at once", () => {
    const { tentative, kinds } = found(table, identity, cube, pose([2.501, 0, 0]), 1e-2);
    expect(kinds).toHaveLength(4);
    expect(tentative).toEqual([0, 0, 0, 0]);
  });
});

describe("capsules", () => {
  const lying = (position: Vector3): Float64Array => pose(position, [0, Math.PI / 2, 0]);
  it.each([
    ["on a table rests on its ends", table, lying([0, 0, 0.2 + 1e-9]), ["pointPlane", "pointPlane"]],
    [
      "across a small box rests on its edges",
      prepareShape({ kind: "box", size: [0.4, 0.4, 0.4] }),
      lying([0, 0, 0.3 + 1e-9]),
      ["lineLine", "lineLine"],
    ],
    [
      "along an edge has its ends on it",
      table,
      lying([0, 2 + 0.1 * Math.SQRT1_2, 0.1 + 0.1 * Math.SQRT1_2 + 1e-9]),
      ["pointLine", "pointLine"],
    ],
    ["beside a capsule has two points", prepareShape(rod), lying([0.3, 0, 0.2 + 1e-9]), ["pointLine", "pointLine"]],
  ] as const)("%s", (_, other, where, kinds) => {
    const second = other.kind === "capsule" ? lying([0, 0, 0]) : identity;
    const result = found(prepareShape(rod), where, other, second, 1e-2);
    expect(result.kinds).toEqual(kinds);
    for (const gap of result.gaps) expect(gap).toBeCloseTo(result.distance, 13);
  });
});

describe("sizes", () => {
  it.each([1e-3, 1, 100])("a grain of 1 mm on a box of %d m", (size) => {
    const ground = prepareShape({ kind: "box", size: [size, size, size] });
    const grain = prepareShape({ kind: "box", size: [1e-3, 1e-3, 1e-3] });
    const where = pose([0.2 * size, 0.1 * size, size / 2 + 5e-4 + 1e-9], [0, 0, 0.3]);
    const { gaps, distance } = found(ground, identity, grain, where, 1e-4);
    // eight digits of the box's size are left of a nanometre
    expect(distance).toBeCloseTo(1e-9, 12);
    expect(gaps).toHaveLength(4);
    for (const gap of gaps) expect(gap).toBeCloseTo(1e-9, 12);
  });

  it("a round hull of 64 corners keeps four points that surround its centre", () => {
    const points = Array.from({ length: 64 }, (_, i): Vector3 => {
      const angle = (Math.PI * (i >> 1)) / 16;
      return [Math.cos(angle), Math.sin(angle), i & 1 ? 0.5 : -0.5];
    });
    const drum = prepareShape({ kind: "hull", points });
    const placement = placementBetween(new Float64Array(placementSize), pose([0, 0, 0.6 + 1e-9]), 0, identity, 0);
    const list = new FeatureList();
    findFeatures(drum, table, placement, 1e-2, list);
    expect(list.count).toBe(4);
    const angles = Array.from({ length: 4 }, (_, i) =>
      Math.atan2(list.values[i * featureStride + 1], list.values[i * featureStride]),
    ).sort((a, b) => a - b);
    const turns = angles.map((angle, i) => (i < 3 ? angles[i + 1] : angles[0] + 2 * Math.PI) - angle);
    expect(Math.max(...turns)).toBeLessThan(0.6 * Math.PI);
  });
});
