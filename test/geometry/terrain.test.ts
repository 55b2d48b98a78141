/** Terrain against spheres, capsules, boxes and hulls: distances are the least over the prisms under its triangles. */
import { describe, expect, it } from "vitest";
import {
  FeatureList,
  featureKinds,
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

const [countX, countY] = [11, 10];
const size: [number, number] = [6, 5];
const ROUNDING = 1e-12;

const x = (i: number): number => (size[0] * i) / (countX - 1) - size[0] / 2;
const y = (j: number): number => (size[1] * j) / (countY - 1) - size[1] / 2;

/** A hull under each triangle, deep enough that nothing comes out below. */
function prisms(heights: readonly (readonly number[])[]): TouchShape[] {
  const shapes: TouchShape[] = [];
  for (let i = 0; i + 1 < countX; i++) {
    for (let j = 0; j + 1 < countY; j++) {
      for (const corner of [
        [i + 1, j],
        [i, j + 1],
      ]) {
        const places = [[i, j], corner, [i + 1, j + 1]];
        const points = places.flatMap(([k, l]): Vector3[] => [
          [x(k), y(l), heights[l][k]],
          [x(k), y(l), -20],
        ]);
        shapes.push(prepareShape({ kind: "hull", points }));
      }
    }
  }
  return shapes;
}

const dimensions = (kind: string, random: Random): ShapeDimensions => {
  const length = (): number => 0.2 + 0.6 * random.uniform();
  if (kind === "sphere") return { kind, radius: length() };
  if (kind === "capsule") return { kind, radius: length() / 2, length: length() };
  if (kind === "box") return { kind, size: [length(), length(), length()] };
  const direction = (): Vector3 => vector.normalize([random.normal(), random.normal(), random.normal()]);
  return { kind: "hull", points: Array.from({ length: 20 }, () => vector.scale(direction(), length())) };
};

type Prepared = ReturnType<typeof prepareShape>;

function distanceFrom(terrain: Prepared, shape: Prepared, pose: readonly number[]): number {
  const ground = Float64Array.of(0, 0, 0, 1, 0, 0, 0);
  const placement = placementBetween(new Float64Array(placementSize), Float64Array.from(pose), 0, ground, 0);
  return signedDistance(shape, terrain, placement);
}

describe("terrain", () => {
  it.each(["sphere", "capsule", "box", "hull"])("and a %s: distance, sign and features", (kind) => {
    const random = new Random(31);
    const uniform = (): number => 2 * random.uniform() - 1;
    const list = new FeatureList();
    let [apart, overlapping, nearest] = [0, 0, 0];
    for (let set = 0; set < 4; set++) {
      const isFlat = set === 3;
      const heights = Array.from({ length: countY }, () =>
        Array.from({ length: countX }, () => (isFlat ? 0.1 : 0.3 * uniform())),
      );
      const terrain = prepareShape({ kind: "heightField", size, heights });
      const under = prisms(heights);
      const shape = prepareShape(dimensions(kind, random));
      for (let k = 0; k < 60; k++) {
        const ground = Float64Array.of(uniform(), uniform(), uniform(), ...turn(random));
        const placed: Vector3 = [0.6 * uniform(), 0.6 * uniform(), 0.5 + 0.7 * uniform()];
        const orientation: [number, number, number, number] = [ground[3], ground[4], ground[5], ground[6]];
        const where = vector.add([ground[0], ground[1], ground[2]], quaternion.rotate(orientation, placed));
        const pose = Float64Array.of(...where, ...turn(random));
        const placement = placementBetween(new Float64Array(placementSize), pose, 0, ground, 0);
        const witness = new Float64Array(9);
        const distance = signedDistance(shape, terrain, placement, witness);
        const expected = Math.min(...under.map((prism) => signedDistance(shape, prism, placement)));
        list.clear();
        findFeatures(shape, terrain, placement, 0.1, list);
        for (let i = 0; i < list.count; i++) {
          expect(featureGap(list, i, placement)).toBeCloseTo(list.distance[i], 12);
        }
        if (expected <= 0) {
          expect(distance).toBeLessThanOrEqual(ROUNDING);
          expect(list.count).toBeGreaterThan(0);
          overlapping++;
          continue;
        }
        apart++;
        expect(distance).toBeCloseTo(expected, 11);
        const span = vector.norm([witness[3] - witness[0], witness[4] - witness[1], witness[5] - witness[2]]);
        expect(span).toBeCloseTo(distance, 11);
        const gaps = Array.from(list.distance.slice(0, list.count));
        for (const gap of gaps) expect(gap).toBeGreaterThan(0);
        if (distance < 0.1 && gaps.length > 0 && Math.abs(Math.min(...gaps) - distance) < ROUNDING) nearest++;
        // spheres and capsules meet whatever is nearest; corners of solids beside ridges have no feature of their own
        if ((kind === "sphere" || kind === "capsule") && distance < 0.1) {
          expect(Math.min(...gaps)).toBeCloseTo(distance, 12);
        }
      }
    }
    expect(apart).toBeGreaterThan(50);
    expect(overlapping).toBeGreaterThan(30);
    expect(nearest).toBeGreaterThan(10);
  });

  it.each([
    {
      heights: [
        [0.013, 0.093, 0.004],
        [0.014, 0.146, 0.106],
        [0.066, 0.075, 0.057],
      ],
      pose: [-0.079, 0.019, 0.186, 0.922, 0.038, -0.063, 0.379],
    },
    {
      heights: [
        [0.072, 0.037, 0.096],
        [0.098, 0.116, 0.066],
        [0.091, 0.021, 0.029],
      ],
      pose: [-0.081, 0.04, 0.179, 0.992, 0.01, 0.097, -0.078],
    },
  ])(
    "with a peak in a box, nearest to a side that it does not come out of: they overlap ($pose)",
    ({ heights, pose }) => {
      const terrain = prepareShape({ kind: "heightField", size: [0.4, 0.4], heights });
      const box = prepareShape({ kind: "box", size: [0.2, 0.15, 0.1] });
      const [px, py, pz, ...q] = pose;
      const [w, i, j, k] = q.map((entry) => entry / Math.hypot(...q));
      const inBox = quaternion.rotate([w, -i, -j, -k], [-px, -py, heights[1][1] - pz]);
      const depth = Math.min(...[0.1, 0.075, 0.05].map((half, axis) => half - Math.abs(inBox[axis])));
      expect(depth).toBeGreaterThan(2e-3);
      const ground = Float64Array.of(0, 0, 0, 1, 0, 0, 0);
      const placed = Float64Array.of(px, py, pz, w, i, j, k);
      const placement = placementBetween(new Float64Array(placementSize), placed, 0, ground, 0);
      expect(signedDistance(box, terrain, placement)).toBeLessThan(-depth);
      // it is not much deeper under the face that it does come out of
      expect(signedDistance(box, terrain, placement)).toBeGreaterThan(-3 * depth);
    },
  );

  it("with a peak in a box from all of whose sides the ground goes on: they overlap", () => {
    const heights = [
      [0.056, 0.087, 0.089],
      [0.055, 0.146, 0.032],
      [0.035, 0.045, 0.076],
    ];
    const terrain = prepareShape({ kind: "heightField", size: [0.4, 0.4], heights });
    const box = prepareShape({ kind: "box", size: [0.2, 0.15, 0.1] });
    const turn = [0.338, -0.651, -0.454, -0.506];
    const pose = [0.041, 0.051, 0.208, ...turn.map((entry) => entry / Math.hypot(...turn))];
    // the way out of the deepest of the prisms under its triangles; a search over 4,000 directions found none that is shorter
    expect(distanceFrom(terrain, box, pose)).toBeCloseTo(-0.0243272505316453, 12);
  });

  it("holds an edge away from a ridge that it just touches", () => {
    const random = new Random(3);
    const box = prepareShape({ kind: "box", size: [0.5, 0.4, 0.05] });
    const list = new FeatureList();
    let touching = 0;
    for (let k = 0; k < 600; k++) {
      const heights = Array.from({ length: 5 }, () => Array.from({ length: 5 }, () => random.uniform(-0.1, 0.1)));
      const terrain = prepareShape({ kind: "heightField", size: [0.8, 0.8], heights });
      const tilt = quaternion.fromRotationVector([
        random.uniform(-0.5, 0.5),
        random.uniform(-0.5, 0.5),
        random.uniform(-3, 3),
      ]);
      const at = (z: number) => {
        const pose = Float64Array.of(0.1 * Math.sin(k), 0.1 * Math.cos(k), z, ...tilt);
        return placementBetween(new Float64Array(placementSize), pose, 0, Float64Array.of(0, 0, 0, 1, 0, 0, 0), 0);
      };
      // down by as much as there is room below, to the last bit
      let z = 0.4;
      for (let room = 1, fall = 0; room > 1e-17 && fall < 40; fall++) {
        room = signedDistance(box, terrain, at(z));
        if (room > 0) z -= room;
      }
      list.clear();
      findFeatures(box, terrain, at(z), 1e-6, list);
      for (let i = 0; i < list.count; i++) {
        if (featureKinds[list.kind[i]] !== "lineLine") continue;
        touching++;
        expect(featureGap(list, i, at(z + 1e-5)), `pose ${k}`).toBeGreaterThan(0);
      }
    }
    expect(touching).toBeGreaterThan(200);
  });

  it("does not reach what is beside its rim and below", () => {
    const box = prepareShape({ kind: "box", size: [0.2, 0.15, 0.1] });
    const random = new Random(3);
    for (let k = 0; k < 300; k++) {
      const heights = Array.from({ length: 3 }, () => Array.from({ length: 3 }, () => 0.3 * random.uniform()));
      const terrain = prepareShape({ kind: "heightField", size: [0.8, 0.8], heights });
      const turn = Array.from({ length: 4 }, () => random.uniform() - 0.5);
      const where = [random.uniform() - 0.5, 0.55 + 0.5 * random.uniform(), -0.2 - random.uniform()];
      const pose = [...where, ...turn.map((entry) => entry / Math.hypot(...turn))];
      expect(distanceFrom(terrain, box, pose)).toBeGreaterThan(0);
    }
  });

  it.each([1e-6, 0.03])(
    "that is level has no edges to catch on: a box has four corners on faces, anywhere %d m over it",
    (gap) => {
      const heights = Array.from({ length: countY }, (_, j) =>
        Array.from({ length: countX }, (_, i) => 0.2 * x(i) + 0.1 * y(j)),
      );
      const slope = prepareShape({ kind: "heightField", size, heights });
      const box = prepareShape({ kind: "box", size: [1, 0.8, 0.4] });
      const normal = vector.normalize([-0.2, -0.1, 1]);
      const tilt = quaternion.betweenVectors([0, 0, 1], normal);
      const random = new Random(5);
      for (let k = 0; k < 50; k++) {
        const [px, py] = [random.uniform(), random.uniform()];
        const where = vector.add([px, py, 0.2 * px + 0.1 * py], vector.scale(normal, 0.2 + gap));
        const spin = quaternion.fromRotationVector([0, 0, 6 * random.uniform()]);
        const pose = Float64Array.of(...where, ...quaternion.multiply(tilt, spin));
        const ground = Float64Array.of(0, 0, 0, 1, 0, 0, 0);
        const placement = placementBetween(new Float64Array(placementSize), pose, 0, ground, 0);
        const list = new FeatureList();
        findFeatures(box, slope, placement, 1.5 * gap, list);
        const kinds = Array.from(list.kind.slice(0, list.count), (number) => featureKinds[number]);
        expect(kinds).toEqual(Array(4).fill("pointPlane"));
        for (let i = 0; i < 4; i++) expect(list.distance[i]).toBeCloseTo(gap, 12);
      }
    },
  );
});

function turn(random: Random): [number, number, number, number] {
  return [...quaternion.normalize([random.normal(), random.normal(), random.normal(), random.normal()])];
}
