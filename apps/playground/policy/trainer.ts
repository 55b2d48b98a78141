/** A training that can be stopped between updates and continued, by an executor. Knows nothing of threads. */
import {
  type EpisodeContext,
  type Executor,
  executeScore,
  executeSearch,
  namedEnvironment,
  policyJson,
  type Search,
  searchOf,
} from "dojo-sim";
import type { TrainingReport } from "./protocol.ts";
import type { PolicySettings } from "./settings.ts";

/** Starts from which a policy is scored in the end. */
const scoreStarts = 20;

export class Trainer {
  private readonly search: Search;
  private readonly context: EpisodeContext;
  private readonly executor: Executor;
  private isWanted = false;
  private seconds = 0;

  constructor({ robot, method, seed, updates }: PolicySettings, executor: Executor) {
    this.executor = executor;
    // random search is that of the paper, whose policies are linear
    const policy = method === "ars" ? "linear" : "network";
    this.search = searchOf(namedEnvironment(robot), { method, seed, updates, policy });
    this.context = { environment: robot, policy: this.search.shape };
  }

  /** Goes on until it is done, or until `stop`; tells of each update, and of the score in the end. */
  async go(tell: (training: TrainingReport) => void): Promise<void> {
    const { search, executor, context } = this;
    this.isWanted = true;
    let begin = performance.now();
    const training = await executeSearch(executor, context, search, {
      onUpdate: () => {
        this.seconds += (performance.now() - begin) / 1000;
        begin = performance.now();
        tell(this.report());
        return this.isWanted;
      },
    });
    if (!search.isDone) return;
    const score = await executeScore(executor, context, training.policy, { starts: scoreStarts });
    tell({ ...this.report(), score });
  }

  /** After the update under way. */
  stop(): void {
    this.isWanted = false;
  }

  private report(): TrainingReport {
    const { policy, returns, spent, divergence } = this.search.training;
    return {
      spent,
      returns,
      updates: this.search.updates,
      seconds: this.seconds,
      policy: policyJson(policy),
      isDone: this.search.isDone,
      ...(divergence !== undefined && { divergence }),
    };
  }
}
