import { describe, expect, it } from "vitest";
import { Random } from "../math/index.ts";
import { FeatureList, featureNumber, featureSizes, featureStride } from "./features.ts";
import { addKnown } from "./knownFeature.ts";
import { findFeatures } from "./narrowPhase.ts";
import { placementOf, placementSize } from "./pose.ts";
import { prepareShape } from "./shape.ts";

const crate = prepareShape({ kind: "box", size: [0.4, 0.3, 0.2] });
const corners = [-1, 1].flatMap((x) =>
  [-1, 1].flatMap((y) => [-1, 1].map((z) => [0.1 * x, 0.15 * y, 0.1 * z] as const)),
);
const block = prepareShape({ kind: "hull", points: corners });

/** Where a shape stands that is moved by (x, y, z) and turned about z. */
function placed(x: number, y: number, z: number, angle: number): Float64Array {
  const pose = Float64Array.of(x, y, z, Math.cos(angle / 2), 0, 0, Math.sin(angle / 2));
  return placementOf(new Float64Array(placementSize), pose, 0);
}

describe("features by their keys", () => {
  it.each([
    ["a box below a hull", crate, block],
    ["a hull below a box", block, crate],
  ] as const)("of %s, vertices over faces are what the narrow phase finds", (_, below, above) => {
    const random = new Random(3);
    let compared = 0;
    for (let k = 0; k < 60; k++) {
      const [found, known] = [new FeatureList(), new FeatureList()];
      const x = () => random.uniform(-0.15, 0.15);
      const placement = placed(x(), x(), 0.2 + random.uniform(0, 1e-3), random.uniform(-3, 3));
      findFeatures(below, above, placement, 0.01, found);
      for (let i = 0; i < found.count; i++) {
        known.clear();
        if (!addKnown(below, above, placement, found.key[i], 0.01, known)) continue;
        expect([known.side[0], known.key[0]]).toEqual([found.side[i], found.key[i]]);
        expect(known.distance[0]).toBeCloseTo(found.distance[i], 12);
        for (let j = 0; j < featureSizes[featureNumber.pointPlane]; j++)
          expect(known.values[j]).toBeCloseTo(found.values[i * featureStride + j], 12);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(60);
  });

  it("are none where the vertex is beside the face, below it or too high", () => {
    const found = new FeatureList();
    const over = placed(0, 0, 0.2, 0);
    findFeatures(crate, block, over, 0.01, found);
    expect(found.count).toBe(4);
    const isThere = (placement: Float64Array): boolean =>
      addKnown(crate, block, placement, found.key[0], 0.01, new FeatureList());
    expect(isThere(over)).toBe(true);
    expect(isThere(placed(0, 0, 0.211, 0))).toBe(false);
    expect(isThere(placed(0, 0, 0.199, 0))).toBe(false);
    expect([-1, 1].map((side) => isThere(placed(0.31 * side, 0, 0.2, 0)))).toContain(false);
  });
});
