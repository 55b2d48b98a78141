/** The public surface. */
export { chooseTarget, interpreter, javascript, type Target, webassembly } from "./codegen/index.ts";
export {
  type AnglesNear,
  addMinimalError,
  CoordinateMaps,
  type JointState,
  jointCoordinates,
  jointRates,
  jointStates,
  type KnownAngles,
  maximalFromMinimal,
  maximalFromMinimalInto,
  maximalJacobian,
  maximalState,
  minimalError,
  minimalJacobian,
  minimalState,
  minimalStateInto,
  namedJointStates,
  startState,
} from "./coordinates/index.ts";
export * from "./environments/index.ts";
export * from "./formats/index.ts";
export * from "./gradients/index.ts";
export * from "./identification/index.ts";
export * from "./learning/index.ts";
export { Random, type RandomState } from "./math/index.ts";
export type * from "./mechanism/index.ts";
export {
  ArgumentError,
  assertDescription,
  bodyFromShapes,
  bodyOffset,
  bodyStateSize,
  box,
  boxCorners,
  capsule,
  capsuleEnds,
  customBody,
  cylinder,
  cylindrical,
  cylindricalFree,
  DescriptionError,
  eachAxis,
  ellipsoid,
  equalityGears,
  faultsOf,
  fixed,
  fixedOrientation,
  floating,
  freeOrbital,
  freeRevolute,
  frictionContact,
  halfSpace,
  hull,
  impactContact,
  isSerial,
  jointFreedom,
  jointKinds,
  linearContact,
  matchingNamesWithDots,
  nearestName,
  orbital,
  perAxis,
  planar,
  planarAxis,
  planarFree,
  planarOrbital,
  prismatic,
  prismaticOrbital,
  revolute,
  serial,
  sphere,
  sphereContact,
  spherical,
  stateInput,
  stateOffsets,
  universal,
  visibleText,
  worldIndex,
} from "./mechanism/index.ts";
export * from "./models/index.ts";
export * from "./pictures/index.ts";
export * from "./planning/index.ts";
export * from "./quantities/index.ts";
export * from "./replay/index.ts";
export * from "./rollouts/index.ts";
export type * from "./simulation/index.ts";
export {
  checkState,
  compile,
  continuationAt,
  currentMechanism,
  defaultGradientPath,
  dumpStep,
  hasMotors,
  imu,
  jointWrench,
  precisions,
  projectState,
  reachOf,
  replayStep,
  restoreStep,
  ShapeDistances,
  Simulation,
  StateError,
  stateAt,
  stretchedBodies,
  sunkenBodies,
  Trajectory,
  touch,
  version,
  withServos,
} from "./simulation/index.ts";
/** Arithmetic of expressions, for costs and constraints of one's own: `expression.sub(q.time, 1)`. */
export * as expression from "./symbolic/index.ts";
export type * from "./work/index.ts";
export { inlineExecutor, serveWork, threadExecutor, WorkError } from "./work/index.ts";
export { workKinds } from "./workKinds.ts";
