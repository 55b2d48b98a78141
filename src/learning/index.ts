/** Policies and their training, by random search and by gradients. */
export { augmentedGradientSearch, type GradientSearchOptions, gradientSearch } from "./augmentedGradientSearch.ts";
export { augmentedRandomSearch, type RandomSearchOptions, randomSearch } from "./augmentedRandomSearch.ts";
export { type Episode, type EpisodeOptions, Episodes, type GradientKind } from "./episodes.ts";
export { type FilterState, ObservationFilter } from "./observationFilter.ts";
export { type OptimizerKind, optimizerKinds } from "./optimizer.ts";
export { type Policy, type PolicyKind, type PolicyShape, policyKinds, policyOf, randomPolicy } from "./policy.ts";
export {
  policyController,
  policyFromJson,
  policyJson,
  policyScore,
  type ScoreOptions,
  type TrainedPolicy,
} from "./trainedPolicy.ts";
export type { Training, TrainingOptions, TrainingProgress, TrainingRun } from "./training.ts";
