/**
 * Episodes of policies as work that can be done anywhere: an outcome depends on the environment, the policy's shape and the job alone, to
 * the bit. Methods of training hand in jobs and take outcomes in the order of the jobs; who runs them does not matter.
 */
import { describeEnvironment, Environment, type EnvironmentData, readEnvironment } from "../environments/index.ts";
import { Random } from "../math/index.ts";
import { ArgumentError } from "../mechanism/index.ts";
import type { PathParameter } from "../simulation/index.ts";
import type { WorkKind } from "../work/index.ts";
import { type Episode, type EpisodeOptions, type EpisodePause, Episodes, type GradientKind } from "./episodes.ts";
import { type FilterState, ObservationFilter } from "./observationFilter.ts";
import { largestEntry } from "./optimizer.ts";
import { type PolicyShape, policyOf } from "./policy.ts";

/** What all episodes of a training have in common. */
export interface EpisodeContext {
  /** One of those in `environments`, or one of your own as data. */
  readonly environment: string | EnvironmentData;
  /** Handed to what describes a named one. Default none. */
  readonly options?: Readonly<Record<string, unknown>>;
  readonly policy: PolicyShape;
}

export interface EpisodeJob {
  /** Parameters of the policy. */
  readonly parameters: Float64Array;
  /** Held during the episode. */
  readonly filter: FilterState;
  /** Seed of the start; or where an episode goes on. */
  readonly start: number | EpisodePause;
  /** At most so many steps. Default: to the end of the episode. */
  readonly steps?: number;
  /** Differentiate the return. Default: do not. */
  readonly gradient?: {
    readonly kind: GradientKind;
    readonly path: PathParameter;
    /** The horizon of a part of an episode: discount, and the value of its end as a network that takes observations to one number. */
    readonly horizon?: {
      readonly discount: number;
      readonly shape: PolicyShape;
      readonly parameters: Float64Array;
    };
  };
  /** Whether to bring observations, rewards and the end of the part. Default false. */
  readonly recorded?: boolean;
}

export interface EpisodeOutcome {
  /** Sum of rewards. */
  readonly return: number;
  /** Steps of the environment. */
  readonly steps: number;
  readonly solved: boolean;
  readonly terminated: boolean;
  /** Mean and deviations of what was observed before each step. */
  readonly seen: FilterState;
  /** Absent where the job did not ask for it, a step was not solved, or it is not finite. */
  readonly gradient?: Float64Array;
  readonly record?: EpisodeRecord;
}

export interface EpisodeRecord {
  /** Observations before the filter, one after the other; that after the last step too. */
  readonly observations: Float64Array;
  readonly rewards: Float64Array;
  /** Where the episode goes on; absent where it is over. */
  readonly end?: EpisodePause;
}

/** The environment of a name, or of data. Throws where there is none. */
export function namedEnvironment(source: string | EnvironmentData, options?: EpisodeContext["options"]): Environment {
  return new Environment(typeof source === "string" ? describeEnvironment(source, options) : readEnvironment(source));
}

export const episodeKind: WorkKind<EpisodeContext, EpisodeJob, EpisodeOutcome> = {
  name: "episodes",
  prepare: ({ environment, options, policy }) => episodeRunner(namedEnvironment(environment, options), policy),
};

/** The same in an environment of one's own, in this thread. */
export function episodeRunner(environment: Environment, shape: PolicyShape): (job: EpisodeJob) => EpisodeOutcome {
  const policy = policyOf(shape);
  const { observationSize: size } = shape;
  const filter = new ObservationFilter(size);
  const seen = new ObservationFilter(size);
  const episodes = new Episodes(environment, policy, filter);

  return ({ parameters, filter: held, start, steps, gradient, recorded = false }) => {
    policy.parameters.set(parameters);
    filter.restore(held);
    const from = typeof start === "number" ? environment.start(new Random(start)) : start;
    const episode = finiteEpisode(episodes, from, {
      ...(gradient && { gradients: gradient.path }),
      ...(steps !== undefined && { steps }),
    });
    seen.clear();
    for (let k = 0; k < episode.steps; k++) seen.observe(episodes.observation(k));
    const found = gradient && episode.solved ? finiteGradient(episodes, gradient) : undefined;
    return {
      ...episode,
      seen: seen.state,
      ...(found && { gradient: found }),
      ...(recorded && { record: recordOf(episodes, episode.steps, size) }),
    };
  };
}

/**
 * An episode whose policy wants more than numbers can say ends there, and counts as not solved. One in which the description makes no
 * number of a state that has not blown up is a fault of the description.
 */
function finiteEpisode(episodes: Episodes, from: Float64Array | EpisodePause, options: EpisodeOptions): Episode {
  try {
    return episodes.run(from, options);
  } catch (error) {
    if (!(error instanceof ArgumentError) || error.code !== "not-finite") throw error;
    if (!error.path.startsWith("action") && !episodes.hasBlownUp) throw error;
    const { steps, rewards } = episodes;
    const sum = rewards.subarray(0, steps).reduce((total, reward) => total + reward, 0);
    return { return: sum, steps, solved: false, terminated: false };
  }
}

/** Undefined where it cannot be found or is not finite. */
function finiteGradient(
  episodes: Episodes,
  { kind, horizon }: NonNullable<EpisodeJob["gradient"]>,
): Float64Array | undefined {
  try {
    const gradient = episodes.gradient(
      kind,
      horizon && { discount: horizon.discount, critic: policyOf(horizon.shape, horizon.parameters) },
    );
    return Number.isFinite(largestEntry(gradient)) ? gradient : undefined;
  } catch (error) {
    if (error instanceof ArgumentError && ["not-finite", "not-solved"].includes(error.code)) return undefined;
    throw error;
  }
}

function recordOf(episodes: Episodes, steps: number, size: number): EpisodeRecord {
  const observations = new Float64Array((steps + 1) * size);
  for (let k = 0; k <= steps; k++) observations.set(episodes.observation(k), k * size);
  const { pause } = episodes;
  return { observations, rewards: episodes.rewards.slice(0, steps), ...(pause && { end: pause }) };
}
