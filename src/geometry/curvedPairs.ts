/** Cylinders and ellipsoids against everything. */
import { flatCylinderFeatures } from "./cylinderFlat.ts";
import { cylinderCylinderFeatures, cylinderHalfSpaceFeatures } from "./cylinderPairs.ts";
import {
  cylinderEllipsoidFeatures,
  ellipsoidEllipsoidFeatures,
  ellipsoidHalfSpaceFeatures,
  flatEllipsoidFeatures,
} from "./ellipsoidPairs.ts";
import { type ShapePair, shapePair } from "./pairs.ts";
import { convexDistance, halfSpaceDistance } from "./shapeDistance.ts";

const flat = ["sphere", "capsule", "box", "hull"] as const;

export const curvedPairs: readonly ShapePair[] = [
  ...flat.map((kind) => shapePair(kind, "cylinder", flatCylinderFeatures, convexDistance)),
  ...flat.map((kind) => shapePair(kind, "ellipsoid", flatEllipsoidFeatures, convexDistance)),
  shapePair("cylinder", "cylinder", cylinderCylinderFeatures, convexDistance),
  shapePair("cylinder", "ellipsoid", cylinderEllipsoidFeatures, convexDistance),
  shapePair("ellipsoid", "ellipsoid", ellipsoidEllipsoidFeatures, convexDistance),
  shapePair("cylinder", "halfSpace", cylinderHalfSpaceFeatures, halfSpaceDistance),
  shapePair("ellipsoid", "halfSpace", ellipsoidHalfSpaceFeatures, halfSpaceDistance),
];
