/** A mechanism whose shapes touch, with the features of its last step as contacts by hand: what slots that are bound at run time are compared with. */
import { featureKinds, featureSizes, featureStride } from "../../src/geometry/index.ts";
import { type Mechanism, withContacts } from "../../src/mechanism/index.ts";
import { touchRules } from "../../src/simulation/touch/foundFeatures.ts";
import type { TouchSteps } from "../../src/simulation/touch/touchSteps.ts";

/** Contacts in the order of the features, after the mechanism's own. */
export function contactsByHand(mechanism: Mechanism, { features, surfaces }: TouchSteps): Mechanism {
  return withContacts(
    mechanism,
    Array.from({ length: features.count }, (_, i) => {
      const [own, met] = [features.bodyShape[i], features.otherShape[i]];
      const { bounces } = touchRules[surfaces.rule(own, met)];
      const from = featureStride * i;
      return {
        name: `touch${i}`,
        body: features.body[i],
        other: features.other[i],
        feature: featureKinds[features.kind[i]],
        values: Array.from(features.values.subarray(from, from + featureSizes[features.kind[i]])),
        frictionCoefficient: surfaces.friction(own, met),
        restitution: bounces ? surfaces.restitution(own, met) : null,
        torsionalFriction: surfaces.torsionalFriction(own, met),
        rollingFriction: surfaces.rollingFriction(own, met),
      };
    }),
  );
}
