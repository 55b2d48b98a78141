/** Joints that turn about one axis at most share the kernels of their ports, whatever acts on their coordinates. */
import { expect, test } from "vitest";
import { type CoordinateFeatures, coordinateFeatures, type JointSpecies } from "../../src/equations/index.ts";
import { jointGeometry, treeJointKernels } from "../../src/kernels/elimination/treeNodes.ts";
import { jointOf } from "../../src/kernels/species/library.ts";

const names = Object.keys(coordinateFeatures) as (keyof CoordinateFeatures)[];
const some = (chosen: readonly string[]): CoordinateFeatures =>
  Object.fromEntries(names.map((name) => [name, chosen.includes(name)])) as unknown as CoordinateFeatures;
const features = [[], ...names.map((name) => [name]), ["passive", "lower", "upper", "actuated"], names].map(some);
/** Directions and axes that are held. */
const types = [
  { name: "a hinge", held: { translation: 3, rotation: 2 } },
  { name: "a slide", held: { translation: 2, rotation: 3 } },
  { name: "a cylindrical joint", held: { translation: 2, rotation: 2 } },
  { name: "a hinge that slides in a plane", held: { translation: 1, rotation: 2 } },
  { name: "a joint that only turns are held of", held: { translation: 0, rotation: 3 } },
] as const;

/** What is made last in a graph of its own, as it would be if nobody had made it before. */
function geometryText(species: JointSpecies): string {
  const { name, node, geometry } = jointOf(species, "step");
  if (geometry === undefined) throw new Error(`${name} does not share its geometry`);
  treeJointKernels(name, node, 1, () => jointGeometry(geometry, node, 1));
  const { kernels, scratchSize } = jointGeometry(geometry, node, 1);
  return JSON.stringify([
    scratchSize,
    Object.entries(kernels).map(([stage, kernel]) => [stage, kernel.operands, [...kernel.written], kernel.program]),
  ]);
}

test.each(types)("$name: the same instructions for all features", ({ held }) => {
  for (const parentMoves of [true, false]) {
    const texts = features.map((own) => {
      const count = 6 - held.translation - held.rotation;
      const shape = { ...held, serial: false, mirrored: false };
      return geometryText({
        type: shape,
        parentMoves,
        features: Array.from({ length: count }, () => own),
        tilt: false,
      });
    });
    expect(texts[0].length).toBeGreaterThan(1000);
    expect(new Set(texts).size).toBe(1);
  }
});
