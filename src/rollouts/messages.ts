/** What a pool and its workers say to each other. */
import type { MechanismDescription } from "../mechanism/index.ts";
import type { RolloutJob, RolloutOutcome, SharedStepOptions } from "./job.ts";

export type Request =
  | { readonly kind: "mechanism"; readonly description: MechanismDescription; readonly options: SharedStepOptions }
  | {
      readonly kind: "work";
      readonly jobs: readonly PostedJob[];
      /** In shared memory, where there is any: not 0 once nobody wants the outcomes. */
      readonly cancelled: Int32Array | undefined;
    };

export interface PostedJob {
  readonly id: number;
  readonly job: RolloutJob;
  /** Where the states go, in shared memory; else they are sent back. */
  readonly into: Float64Array | undefined;
}

export type Answer =
  | { readonly kind: "ready" }
  /** Jobs are answered in their order. Without states where they went into shared memory. */
  | { readonly kind: "outcome"; readonly id: number; readonly outcome: PostedOutcome; readonly milliseconds: number }
  /** The job cannot be begun. */
  | { readonly kind: "refusal"; readonly id: number; readonly message: string }
  /** The worker cannot go on. */
  | { readonly kind: "fault"; readonly message: string };

export type PostedOutcome = Omit<RolloutOutcome, "states"> & { readonly states: Float64Array | undefined };
