/** Shapes that touch: features of pairs, signed distances, bounding boxes. */

export { boundingBoxInto, boundingBoxSize } from "./boundingBox.ts";
export { BroadPhase } from "./broadPhase.ts";
export { carryFeature, swapFeature } from "./carry.ts";
export {
  type ContactFeature,
  type FeatureField,
  FeatureList,
  featureAt,
  featureFields,
  featureKinds,
  featureNumber,
  featureSizes,
  featureStride,
  featureValueNames,
} from "./features.ts";
export { HullError, hullOf, hullTriangles } from "./hull.ts";
export { addKnown, sharePlane } from "./knownFeature.ts";
export { crossing, crossLines } from "./lines.ts";
export { canTouch, findFeatures, signedDistance, witnessSize } from "./narrowPhase.ts";

export { polyhedron } from "./polyhedron.ts";
export {
  composePose,
  invertPlacement,
  placeDirection,
  placeDirectionBack,
  placementBetween,
  placementInto,
  placementOf,
  placementSize,
  placePoint,
} from "./pose.ts";
export { type ConvexShape, prepareShape, type ShapeDimensions, type TouchShape } from "./shape.ts";
export { type BoundedShape, convexDistance, coreOf, reachAlong, separationAlong } from "./shapeDistance.ts";
export { coreKind, coreSize, type SupportCore } from "./supportCore.ts";
