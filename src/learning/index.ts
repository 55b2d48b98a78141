/** Policies and their training, by random search and by gradients. */

export type { AscentSettings } from "./ascentSearch.ts";
export { type Checkpoint, checkpointFromJson, checkpointJson, resumedSearch } from "./checkpoint.ts";
export {
  type EpisodeContext,
  type EpisodeJob,
  type EpisodeOutcome,
  type EpisodeRecord,
  episodeKind,
  episodeRunner,
  namedEnvironment,
} from "./episodeKind.ts";
export {
  type Episode,
  type EpisodeOptions,
  type EpisodePause,
  Episodes,
  type GradientKind,
  type Horizon,
} from "./episodes.ts";
export {
  augmentedGradientSearch,
  type GradientSearchOptions,
  type GradientSearchSettings,
  type GradientSource,
  gradientSearch,
} from "./gradientSearch.ts";
export { type TrainingMethod, trainingMethods } from "./methodNames.ts";
export { searchOf, type TrainingSettings } from "./methods.ts";
export { type FilterState, ObservationFilter } from "./observationFilter.ts";
export { type OptimizerKind, optimizerKinds } from "./optimizer.ts";
export { type Policy, type PolicyKind, type PolicyShape, policyKinds, policyOf, randomPolicy } from "./policy.ts";
export {
  augmentedRandomSearch,
  type RandomSearchOptions,
  type RandomSearchSettings,
  randomSearch,
} from "./randomSearch.ts";
export { type Recipe, recipeOf, usualMethod } from "./recipes.ts";
export { type ExecutedSearchOptions, executeScore, executeSearch } from "./runSearch.ts";
export type { Schedule } from "./schedule.ts";
export { Search, type SearchState } from "./search.ts";
export {
  type ShortHorizonOptions,
  type ShortHorizonSettings,
  shortHorizonRun,
  shortHorizonSearch,
} from "./shortHorizonSearch.ts";
export {
  PolicyRun,
  policyController,
  policyFromJson,
  policyJson,
  policyScore,
  type ScoreOptions,
  scoreStart,
  type TrainedPolicy,
} from "./trainedPolicy.ts";
export type { ProgressOptions, SearchOptions, Training, TrainingProgress, TrainingRun } from "./training.ts";
