/** Parameters of a mechanism from recordings of how it moved. */
export { type Comparison, compareRecording } from "./comparison.ts";
export {
  type DirectSearchOptions,
  type DirectSearchProblem,
  type DirectSearchProgress,
  type DirectSearchResult,
  directSearch,
} from "./directSearch.ts";
export {
  type FitOptions,
  type FitProgress,
  type FitResult,
  type FittedParameter,
  fitParameters,
} from "./fit.ts";
export { type FitFile, fitFormat, parseFitFile, valuesOf } from "./fitFile.ts";
export type { FitWarning } from "./fitWarnings.ts";
export { requireAboveGround } from "./groundCheck.ts";
export { fitThroughHorizons } from "./horizons.ts";
export {
  type FitStage,
  type Identification,
  type IdentificationProblem,
  type IdentifyOptions,
  type IdentifyProgress,
  identify,
  type Score,
  type SearchStage,
  type Stage,
  type StageReport,
  scoreRecordings,
} from "./identify.ts";
export { type IntervalKind, intervalKinds } from "./intervals.ts";
export {
  type LeastSquaresOptions,
  type LeastSquaresProblem,
  type LeastSquaresProgress,
  type LeastSquaresResult,
  type LocalSystem,
  levenbergMarquardt,
  type NormalEquations,
} from "./levenbergMarquardt.ts";
export { type Loss, lossKinds } from "./loss.ts";
export type { Noise } from "./measurement.ts";
export { namedParameters } from "./namedParameters.ts";
export { type MeasuredBody, type ParameterRange, type ParameterSet, startedFrom } from "./parameterSet.ts";
export { requireParameterSet } from "./parameterSetShape.ts";
export { parseRecording, type Recording, type RecordingOptions } from "./recording.ts";
export { type FitContext, type FitJob, type FitOutcome, fitKind } from "./residuals.ts";
export { requireWindows, type Sampling, usualWindow } from "./sampling.ts";
export { poseError, predictedPose, type ScoreJob, type ScoreOutcome, scoreKind } from "./score.ts";
export { type SyntheticOptions, syntheticTosses } from "./syntheticTosses.ts";
export {
  type TossConstants,
  tossedCube,
  tossedCubeDescription,
  tossParameterNames,
  tossParameters,
  tossStages,
  tossWidth,
  wholeToss,
} from "./tossedCube.ts";
export { type RunsContext, type StartFreedom, startFreedoms } from "./windowRuns.ts";
