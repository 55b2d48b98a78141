export { type AnglesNear, anglesOf, coordinateValue, type KnownAngles, turnsTowards, turnsWithin } from "./angles.ts";
export { coordinateKernels } from "./coordinateKernels.ts";
export { CoordinateMaps } from "./coordinateMaps.ts";
export { GearTies, needsClosure } from "./gearTies.ts";
export { type GeometryValues, type GeometryVector, valuesOfMechanism } from "./geometry.ts";
export { type JointState, jointStates, maximalState, namedJointStates } from "./jointStates.ts";
export { MassMetric, OrthonormalBasis } from "./massMetric.ts";
export { addMinimalError, minimalError } from "./minimalError.ts";
export {
  jointCoordinates,
  jointRates,
  maximalFromMinimal,
  maximalFromMinimalInto,
  maximalJacobian,
  minimalJacobian,
  minimalState,
  minimalStateInto,
} from "./minimalState.ts";
export { type NumericFunction, numericFunction } from "./numericFunction.ts";
export { startState } from "./startState.ts";
