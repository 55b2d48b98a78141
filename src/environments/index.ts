/** Environments for learning, in Gymnasium's shape, with gradients. */
export type { EnvironmentDescription, StepQuantities } from "./description.ts";
export { Environment, type EnvironmentInfo, type Outcome, type Transition } from "./environment.ts";
export { type EnvironmentData, readEnvironment } from "./environmentData.ts";
export { EnvironmentFunctions, type StateCotangent, stateCotangent } from "./environmentFunctions.ts";
export * from "./library/index.ts";
export type { Moment, RunningMoment } from "./moment.ts";
export { type Bound, BoxSpace } from "./space.ts";
export { type AutoresetMode, autoresetModes, VectorEnvironment, type VectorOptions } from "./vectorEnvironment.ts";
