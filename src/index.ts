/** The public surface. */
export { chooseTarget, interpreter, javascript, type Target, webassembly } from "./codegen/index.ts";
export { type JointState, jointCoordinates, jointRates, maximalState } from "./coordinates/index.ts";
export { Random } from "./math/index.ts";
export * from "./mechanism/index.ts";
export * from "./simulation/index.ts";
