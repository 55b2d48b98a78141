export { type JointState, maximalState, stateFromCoordinates } from "./maximalState.ts";
