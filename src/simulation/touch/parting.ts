/**
 * Parts shapes that overlap: the nearest configuration in which none do, joints, limits and contacts kept. The features that the shapes have
 * where they are become contacts of a mechanism, onto which the configuration is projected; where others overlap then, their features join
 * them, and again. Where that leads nowhere, it starts from bodies that are spread (spreading.ts).
 */
import type { Target } from "../../codegen/index.ts";
import type { KnownAngles } from "../../coordinates/index.ts";
import { featureKinds, featureSizes, featureStride } from "../../geometry/index.ts";
import type { System } from "../../kernels/index.ts";
import {
  type FeatureContactOptions,
  type Mechanism,
  type MechanismTouch,
  withContacts,
} from "../../mechanism/index.ts";
import { Projector } from "../states/projector.ts";
import { FoundFeatures } from "./foundFeatures.ts";
import { spreadState } from "./spreading.ts";
import { TouchSearch } from "./touchSearch.ts";

/** Layers of a heap part one after the other. */
const mostRounds = 20;
/** Projections that may fall short before the way is given up. */
const mostShort = 2;

/** `mechanism` has the parameters of now; `source` is the system where they are set. */
export function partedConfiguration(
  mechanism: Mechanism & { readonly touch: MechanismTouch },
  target: Target,
  state: Float64Array,
  tolerance: number,
  source: System,
  known: KnownAngles | undefined,
): Float64Array {
  const { touch, ...plain } = mechanism;
  const search = new TouchSearch(touch);
  const part = (start: Float64Array): Float64Array => {
    const features = new FoundFeatures();
    let configuration = start;
    for (let round = 0, short = 0; round < mostRounds && short < mostShort; round++) {
      const crossed = search.addOverlaps(configuration, round, features);
      if (crossed === 0 && round > 0) break;
      const arranged = withContacts(plain, contactsOf(features));
      const projection = new Projector(arranged, target).ontoAll(start, tolerance, arranged, source, known);
      configuration = projection.configuration;
      if (projection.violation > tolerance) short++;
    }
    return configuration;
  };
  const parted = part(state);
  search.check(parted);
  return search.crossed === 0 ? parted : part(spreadState(mechanism, search, state));
}

function contactsOf(features: FoundFeatures): FeatureContactOptions[] {
  return Array.from({ length: features.count }, (_, i) => {
    const start = i * featureStride;
    return {
      name: `parting ${i}`,
      body: features.body[i],
      other: features.other[i],
      feature: featureKinds[features.kind[i]],
      values: Array.from(features.values.subarray(start, start + featureSizes[features.kind[i]])),
      frictionCoefficient: 0,
    };
  });
}
