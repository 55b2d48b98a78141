export { jointCoordinates, jointRates, relativeNow } from "./jointCoordinates.ts";
export { type JointState, maximalState, stateFromCoordinates } from "./maximalState.ts";
