/** Environments for learning, in Gymnasium's shape, with gradients. */
export type { EnvironmentDescription, StepQuantities } from "./description.ts";
export { Environment, type EnvironmentInfo, type Transition } from "./environment.ts";
export { EnvironmentFunctions, type Moment, type StateCotangent, stateCotangent } from "./environmentFunctions.ts";
export * from "./library/index.ts";
export { type Bound, BoxSpace } from "./space.ts";
