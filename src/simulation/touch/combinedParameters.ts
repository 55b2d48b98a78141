/** Which parameters of contacts two surfaces have given, for gradients with respect to those of the surfaces. */
import { frictionPlace } from "../../equations/index.ts";
import { featureKinds } from "../../geometry/index.ts";
import { type FoundFeatures, touchRules } from "./foundFeatures.ts";
import type { SlotSystem } from "./slotSystem.ts";
import type { PairSurfaces } from "./surfaces.ts";
import { restitutionPlace } from "./writeContact.ts";

/** Four numbers each: which of their parameters (surfaceParameters), where it lies in memory, and the two shapes. */
export function combinedParameters(active: SlotSystem, features: FoundFeatures, surfaces: PairSurfaces): Int32Array {
  const { bodyShape, otherShape, kind } = features;
  const found: number[] = [];
  for (let i = 0; i < features.count; i++) {
    const shapes = [bodyShape[i], otherShape[i]] as const;
    const { model, bounces } = touchRules[surfaces.rule(...shapes)];
    const start = active.nodes[active.table.slotOf[i]].parameters;
    if (model !== "impact") found.push(0, start + frictionPlace(featureKinds[kind[i]]), ...shapes);
    if (bounces) found.push(1, start + restitutionPlace(kind[i]), ...shapes);
  }
  return Int32Array.from(found);
}
