export type { Coordinates } from "./jacobians.ts";
export { StepSensitivity } from "./sensitivity.ts";
export { type GradientOptions, type StepGradients, stepGradients } from "./stepGradients.ts";
