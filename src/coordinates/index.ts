export { type AnglesNear, anglesOf, coordinateValue, type KnownAngles, turnsTowards, turnsWithin } from "./angles.ts";
export { CoordinateMaps } from "./coordinateMaps.ts";
export { GearTies, needsClosure } from "./gearTies.ts";
export { type GeometryValues, type GeometryVector, valuesOfMechanism } from "./geometry.ts";
export { jointCoordinates, jointRates } from "./jointCoordinates.ts";
export { MassMetric, OrthonormalBasis } from "./massMetric.ts";
export { type JointState, maximalState, stateFromCoordinates } from "./maximalState.ts";
export { addMinimalError, minimalError } from "./minimalError.ts";
export {
  jointStates,
  maximalFromMinimal,
  maximalFromMinimalInto,
  maximalJacobian,
  minimalJacobian,
  minimalState,
  minimalStateInto,
  namedJointStates,
} from "./minimalState.ts";
export { type NumericFunction, numericFunction } from "./numericFunction.ts";
export { startState } from "./startState.ts";
