/** The public surface. */
export { chooseTarget, interpreter, javascript, type Target, webassembly } from "./codegen/index.ts";
export {
  type JointState,
  jointCoordinates,
  jointRates,
  jointStates,
  maximalFromMinimal,
  maximalJacobian,
  maximalState,
  minimalJacobian,
  minimalState,
  namedJointStates,
} from "./coordinates/index.ts";
export * from "./formats/index.ts";
export * from "./gradients/index.ts";
export { Random } from "./math/index.ts";
export * from "./mechanism/index.ts";
export * from "./models/index.ts";
export * from "./replay/index.ts";
export * from "./rollouts/index.ts";
export * from "./simulation/index.ts";
// the simulation's, which also refuses loops that nothing closes
export { compile } from "./simulation/index.ts";
