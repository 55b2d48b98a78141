/** What an executor and the threads of its workers say to each other. */

export type Request =
  | { readonly kind: "context"; readonly context: number; readonly work: string; readonly data: unknown }
  /** Nothing more will be asked of a context. */
  | { readonly kind: "forget"; readonly context: number }
  | {
      readonly kind: "work";
      readonly context: number;
      readonly jobs: readonly PostedJob[];
      /** A flag in shared memory, where there is any: not 0 once nobody wants the outcomes. */
      readonly cancelled: Int32Array | undefined;
    };

export interface PostedJob {
  readonly id: number;
  readonly job: unknown;
}

export type Answer =
  /** The script runs. */
  | { readonly kind: "hello" }
  | { readonly kind: "prepared"; readonly context: number }
  /** The context is wrong, or its kind of work is not known. */
  | { readonly kind: "unprepared"; readonly context: number; readonly message: string }
  /** Jobs are answered in their order. */
  | { readonly kind: "outcome"; readonly id: number; readonly outcome: unknown; readonly milliseconds: number }
  /** The job cannot be begun. */
  | { readonly kind: "refusal"; readonly id: number; readonly message: string };
