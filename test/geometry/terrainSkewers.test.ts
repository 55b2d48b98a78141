/** Solids with hills through them: all below the surface of terrain is ground, whether or not a corner or an edge of the solid is in it. */
import { expect, test } from "vitest";
import { placementBetween, placementSize, prepareShape, signedDistance } from "../../src/geometry/index.ts";
import { quaternion, Random } from "../../src/math/index.ts";
import { type Ground, type Solid, sampledDepth } from "./sampledDepth.ts";

const count = 25;
const samples = 30;
const origin = Float64Array.of(0, 0, 0, 1, 0, 0, 0);

const solids: Record<string, (random: Random) => Solid> = {
  plate: (random) => ({ kind: "box", size: [random.uniform(0.15, 0.6), random.uniform(0.15, 0.6), 0.03] }),
  rod: (random) => ({ kind: "box", size: [random.uniform(0.15, 0.6), 0.03, 0.03] }),
  box: (random) => ({
    kind: "box",
    size: [random.uniform(0.1, 0.3), random.uniform(0.1, 0.3), random.uniform(0.1, 0.3)],
  }),
  hull: (random) => ({
    kind: "hull",
    points: Array.from({ length: 14 }, () => {
      const [x, y, z] = random.unitVector();
      return [0.3 * x, 0.2 * y, 0.03 * z];
    }),
  }),
};

/** Height of a vertex that is not the one in the middle. */
const grounds: Record<string, (random: Random) => number> = {
  "one peak": () => 0,
  "a peak in rough ground": (random) => random.uniform(-0.02, 0.02),
  "steep hills": (random) => random.uniform(-0.2, 0.2),
};

function groundOf(heightOf: (random: Random) => number, cell: number, random: Random): Ground {
  const heights = Array.from({ length: count }, () => Array.from({ length: count }, () => heightOf(random)));
  heights[12][12] = 0.2;
  return { size: [cell * (count - 1), cell * (count - 1)], heights };
}

test.each(Object.keys(solids).flatMap((solid) => Object.keys(grounds).map((ground) => [solid, ground] as const)))(
  "a %s and %s overlap where points of the one are below the surface of the other",
  (solidName, groundName) => {
    const random = new Random(7);
    let [overlapping, apart] = [0, 0];
    for (let k = 0; k < 100; k++) {
      const cell = random.uniform(0.05, 0.3);
      const ground = groundOf(grounds[groundName], cell, random);
      const solid = solids[solidName](random);
      const turn = quaternion.fromRotationVector([
        random.uniform(-0.5, 0.5),
        random.uniform(-0.5, 0.5),
        random.uniform(-3, 3),
      ]);
      const pose = [random.uniform(-0.15, 0.15), random.uniform(-0.15, 0.15), random.uniform(0, 0.3), ...turn];
      const terrain = prepareShape({ kind: "heightField", ...ground });
      const placement = placementBetween(new Float64Array(placementSize), Float64Array.from(pose), 0, origin, 0);
      const distance = signedDistance(prepareShape(solid), terrain, placement);
      const steepest = 0.4 / cell;
      // points beside the deepest may be deeper by as much as ground and solid rise between two samples
      const unsampled = (0.6 / samples) * (steepest + 2);
      const depth = sampledDepth(ground, solid, pose, samples);
      if (depth > 1e-6) {
        overlapping++;
        // a point this far below the surface is this far from it at least, and the way that is reported may be one of three
        expect(-distance, `scene ${k}`).toBeGreaterThan(depth / Math.sqrt(1 + 2 * steepest ** 2) / 3);
        // up is always a way out
        expect(-distance, `scene ${k}`).toBeLessThan(depth + unsampled + 1e-3);
      } else if (depth < -unsampled) {
        apart++;
        expect(distance, `scene ${k}`).toBeGreaterThan(0);
      }
    }
    expect(overlapping).toBeGreaterThan(30);
    if (solidName !== "box") expect(apart).toBeGreaterThan(0);
  },
);
