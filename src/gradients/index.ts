export type { FreeBlock, GradientBlock, GradientCorner } from "./checkColumns.ts";
export { checkGradients, type GradientCheck } from "./checkGradients.ts";
export type { ImpulseWeights } from "./contactImpulses.ts";
export { costOf } from "./costOf.ts";
export { allFinite, requireFiniteArgument } from "./finite.ts";
export type { CheckGradientOptions } from "./gradientComparison.ts";
export { NoGradientsError, StepGradients } from "./gradientResult.ts";
export type { Coordinates } from "./jacobians.ts";
export type { NamedCost, NamedWeights } from "./namedCosts.ts";
export { stateNames } from "./names.ts";
export type { ParameterDirection } from "./parameters.ts";
export { type Cotangent, type Cotangents, type Pullback, type PullbackOptions, pullback } from "./pullback.ts";
export {
  type PushforwardOptions,
  parameterEntries,
  pushforward,
  pushforwardMany,
  type Tangents,
} from "./pushforward.ts";
export { addError, cotangentOfRaw, rawOfCotangent, stateError } from "./stateError.ts";
export { type GradientOptions, stepGradients } from "./stepGradients.ts";
