/**
 * What two bodies meet with at a contact, as expressions: a *feature* of each kind (geometry/features.ts has kinds, values and gaps). `body`
 * carries a core, a point, line or round set, thickened by a radius ρ; `other` is what it meets. Of two poses:
 *   gap       φ, by its closed form
 *   normal    unit, from other to body, in the frame of `other`
 *   core      the point of body's core that is nearest to `other`, in the frame of `body`, and ρ: the contact is at point − ρ·normal
 * φ does not change when both bodies move as one, so impulses along its gradient are equal and opposite and have no net torque.
 */
import type { ContactFeature } from "../geometry/index.ts";
import type { Scalar } from "../symbolic/index.ts";
import { type FeatureGeometry, ValueReader } from "./featureGeometry.ts";
import { roundLine, roundPlane, roundRound } from "./roundFeature.ts";
import { lineLine, pointLine, pointPlane, pointPoint, rimPlane } from "./straightFeature.ts";

/** `values` in the order of `featureFields`; directions may be of any length. */
export function featureGeometry(feature: ContactFeature, values: readonly Scalar[]): FeatureGeometry {
  return makers[feature](new ValueReader(values));
}

const makers: Readonly<Record<ContactFeature, (read: ValueReader) => FeatureGeometry>> = {
  pointPlane,
  pointPoint,
  pointLine,
  lineLine,
  roundPlane,
  roundRound,
  roundLine,
  rimPlane,
};
