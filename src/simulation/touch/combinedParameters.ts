/** Which parameters of contacts two surfaces have given, for gradients with respect to those of the surfaces. */
import { frictionPlace } from "../../equations/index.ts";
import { featureKinds } from "../../geometry/index.ts";
import { type SurfaceParameter, surfaceParameters } from "../../mechanism/index.ts";
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
    const { model, bounces, torsional, rolling } = touchRules[surfaces.rule(...shapes)];
    const start = active.nodes[active.table.slotOf[i]].parameters;
    const add = (name: SurfaceParameter, at: number): void => {
      found.push(surfaceParameters.indexOf(name), at, ...shapes);
    };
    if (model !== "impact") add("frictionCoefficient", start + frictionPlace(featureKinds[kind[i]]));
    let at = start + restitutionPlace(kind[i]);
    if (bounces) add("restitution", at++);
    if (torsional) add("torsionalFriction", at++);
    if (rolling) add("rollingFriction", at);
  }
  return Int32Array.from(found);
}
