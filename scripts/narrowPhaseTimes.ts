/**
 * Prints microseconds per call of the narrow phase, features and distances of some pairs: the least of several rounds.
 *   npx tsx scripts/narrowPhaseTimes.ts
 */
import {
  FeatureList,
  findFeatures,
  placementBetween,
  placementSize,
  prepareShape,
  signedDistance,
  type TouchShape,
} from "../src/geometry/index.ts";
import { quaternion, Random, type Vector3, vector } from "../src/math/index.ts";

const random = new Random(3);
const list = new FeatureList();

const sphere = prepareShape({ kind: "sphere", radius: 0.5 });
const capsule = prepareShape({ kind: "capsule", radius: 0.2, length: 1 });
const box = prepareShape({ kind: "box", size: [1, 1, 1] });
const halfSpace = prepareShape({ kind: "halfSpace" });
const hull = prepareShape({
  kind: "hull",
  points: Array.from({ length: 100 }, () => vector.normalize([random.normal(), random.normal(), random.normal()])),
});
const terrain = prepareShape({
  kind: "heightField",
  size: [8, 8],
  heights: Array.from({ length: 41 }, () => Array.from({ length: 41 }, () => 0.1 * random.uniform())),
});

/** Least time of a call, over rounds of about 20 ms. */
function microseconds(call: () => void): number {
  for (let i = 0; i < 200; i++) call();
  const start = performance.now();
  for (let i = 0; i < 200; i++) call();
  const calls = Math.ceil((20 * 200) / (performance.now() - start));
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 10; round++) {
    const begin = performance.now();
    for (let i = 0; i < calls; i++) call();
    least = Math.min(least, (1000 * (performance.now() - begin)) / calls);
  }
  return least;
}

/** The first shape at the origin, the second at a place and turned. */
function measure(name: string, a: TouchShape, b: TouchShape, position: Vector3, turn: Vector3, reach: number): void {
  const placement = placementBetween(
    new Float64Array(placementSize),
    [0, 0, 0, 1, 0, 0, 0],
    0,
    [...position, ...quaternion.fromRotationVector(turn)],
    0,
  );
  const features = microseconds(() => {
    list.clear();
    findFeatures(a, b, placement, reach, list);
  });
  const distance = microseconds(() => signedDistance(a, b, placement));
  console.log(
    `${name.padEnd(30)} features ${features.toFixed(2).padStart(7)}   distance ${distance.toFixed(2).padStart(7)}`,
  );
}

measure("spheres", sphere, sphere, [1.001, 0, 0], [0, 0, 0], 0.01);
measure("sphere, box", sphere, box, [1.001, 0, 0], [0, 0, 0], 0.01);
measure("capsule, box", capsule, box, [0.705, 0.1, 0], [0, 0, 0], 0.01);
measure("box, half-space", box, halfSpace, [0, 0, -0.501], [0, 0, 0], 0.01);
measure("boxes, far", box, box, [2, 0.3, 0.2], [0.1, 0.2, 0.3], 0.01);
measure("boxes, vertex over face", box, box, [1.3, 0.1, 0.2], [0.1, 0.7, 0.3], 0.2);
measure("boxes, face on face", box, box, [0.1, 0.2, 1 + 1e-9], [0, 0, 0.5], 0.01);
measure("boxes, overlapping", box, box, [0.1, 0.2, 0.999], [0, 0, 0.5], 0.01);
measure("hulls of 100, near", hull, hull, [1.99, 0, 0], [0.1, 0.7, 0.3], 0.1);
measure("hulls of 100, overlapping", hull, hull, [1.8, 0, 0], [0.1, 0.7, 0.3], 0.1);
measure("sphere, terrain", sphere, terrain, [-0.1, -0.2, -0.6], [0, 0, 0], 0.05);
measure("box, terrain", box, terrain, [-0.1, -0.2, -0.6], [0, 0, 0], 0.05);
