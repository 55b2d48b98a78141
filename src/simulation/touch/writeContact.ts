/** Writes a feature, and what its two surfaces have together, as the parameters of a contact: in the order of `contactNames`. */
import { frictionPlace } from "../../equations/index.ts";
import { featureKinds, featureSizes, featureStride } from "../../geometry/index.ts";
import { conesOf, type NodePlace } from "../../kernels/index.ts";
import { type FoundFeatures, touchRules } from "./foundFeatures.ts";
import type { PairSurfaces } from "./surfaces.ts";

export function writeContact(
  f64: Float64Array,
  parameters: number,
  features: FoundFeatures,
  i: number,
  surfaces: PairSurfaces,
): void {
  const [own, other] = [features.bodyShape[i], features.otherShape[i]];
  const friction = frictionPlace(featureKinds[features.kind[i]]);
  const size = featureSizes[features.kind[i]];
  const from = i * featureStride;
  for (let k = 0; k < size; k++) f64[parameters + (k < friction ? k : k + 1)] = features.values[from + k];
  f64[parameters + friction] = surfaces.friction(own, other);
  let at = parameters + restitutionPlace(features.kind[i]);
  const { torsional, rolling, bounces } = touchRules[surfaces.rule(own, other)];
  if (bounces) f64[at++] = surfaces.restitution(own, other);
  if (torsional) f64[at++] = surfaces.torsionalFriction(own, other);
  if (rolling) f64[at] = surfaces.rollingFriction(own, other);
}

/** Where a contact that bounces has its coefficient, among the parameters of a feature of this kind: after those of the feature and friction. */
export function restitutionPlace(kind: number): number {
  return featureSizes[kind] + 1;
}

/** How many cone variables a contact has. */
export function coneSizeOf(node: NodePlace): number {
  return conesOf(node).reduce((sum, { size }) => sum + size, 0);
}
