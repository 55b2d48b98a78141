/** What a predicted start (predictedStart.ts) needs of the step's problem (stepProblem.ts). */
export interface Predictable {
  readonly contacts: { readonly slots: Uint8Array } | undefined;
  /** Whether contacts far away take no part. */
  readonly leavesOut: boolean;
}
