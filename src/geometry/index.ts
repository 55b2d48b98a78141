/** Shapes that touch: features of pairs, signed distances, bounding boxes. */

export { boundingBoxInto, boundingBoxSize } from "./boundingBox.ts";
export { BroadPhase, type BroadPhaseOptions, type PairFilter } from "./broadPhase.ts";
export { carryFeature, swapFeature } from "./carry.ts";
export {
  type ContactFeature,
  type FeatureField,
  FeatureList,
  type FieldType,
  featureAt,
  featureFields,
  featureKey,
  featureKinds,
  featureNumber,
  featureSizes,
  featureStride,
  featureValueNames,
  fieldSize,
} from "./features.ts";
export { type Hull, HullError, type HullOptions, hullOf, hullTriangles } from "./hull.ts";
export { contactPointInto, momentArm } from "./momentArm.ts";
export { canTouch, findFeatures, signedDistance } from "./narrowPhase.ts";
export { witnessSize } from "./pairs.ts";
export { type Polyhedron, polyhedron } from "./polyhedron.ts";
export {
  composePose,
  identityPose,
  invertPlacement,
  placeDirection,
  placementBetween,
  placementOf,
  placementSize,
  placePoint,
  poseSize,
} from "./pose.ts";
export {
  type BoxShape,
  type CapsuleShape,
  type ConvexShape,
  type CylinderShape,
  type EllipsoidShape,
  type HalfSpaceShape,
  type HeightFieldShape,
  type HullShape,
  prepareShape,
  type ShapeDimensions,
  type ShapeKind,
  type SphereShape,
  shapeKinds,
  type TouchShape,
} from "./shape.ts";
export { type BoundedShape, convexDistance } from "./shapeDistance.ts";
