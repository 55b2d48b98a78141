/** What a predicted start (predictedStart.ts) needs of the step's problem (stepProblem.ts). */
export interface Predictable {
  readonly b: Float64Array;
  readonly c: Float64Array;
  readonly residual: Float64Array;
  readonly weight: Float64Array;
  readonly lastPair: { readonly b: Float64Array };
  readonly units: { readonly speed: number };
  readonly contacts: { readonly slots: Uint8Array } | undefined;
  /** Whether contacts far away take no part. */
  readonly leavesOut: boolean;
}
