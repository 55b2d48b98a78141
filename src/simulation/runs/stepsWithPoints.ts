/** Steps that keep points for gradients (step/gradientPoints.ts): taken as if nobody had asked for them, to the bit. */
import type { BounceRecord } from "../bounce/bounceRecord.ts";
import type { StepDivision } from "../division/stepDivision.ts";
import type { KeptPoints } from "../step/keptPoints.ts";
import type { PathParameter } from "../step/pathParameter.ts";
import type { StepOptions, StepReport } from "../step/stepReport.ts";
import type { PieceWithPoints, StepPieces } from "../touch/stepPieces.ts";

/** What takes the steps: a simulation. */
export interface StepTaker<Result extends Readonly<StepReport>> {
  take(state: Float64Array, input: Float64Array, options: StepOptions): Result;
  readonly stepper: {
    readonly division: StepDivision | undefined;
    readonly solve: { readonly kept: readonly Readonly<KeptPoints>[] };
  };
  /** Where shapes touch: what may take steps as several. */
  readonly touching?: { readonly pieces: StepPieces; readonly isInPieces: boolean } | undefined;
}

/** What a step has kept of one kind. */
export interface PointsOfStep {
  /** One per substep: views until the next step; none where one of them was not found. */
  points: readonly Float64Array[];
  /** What is kept of the bounces of the same substeps; none where there are none. */
  bounces: readonly (BounceRecord | undefined)[];
  /** The pieces that a step of shapes that touch was taken as, with points of their own: these count then, and no others. */
  pieces: readonly PieceWithPoints[] | undefined;
}

const none: readonly Float64Array[] = [];
const noBounces: readonly (BounceRecord | undefined)[] = [];

export class StepsWithPoints<Result extends Readonly<StepReport>> {
  /** Of the last step, in the order of the paths. */
  readonly found: readonly PointsOfStep[];
  /** The parts of the last step, where a tolerance or its options divided it. */
  division: StepDivision | undefined;

  private readonly simulation: StepTaker<Result>;
  private readonly paths: readonly PathParameter[];
  private readonly given: StepOptions;
  private readonly options: StepOptions & { interval?: number | undefined };

  constructor(simulation: StepTaker<Result>, paths: readonly PathParameter[], options: StepOptions) {
    this.simulation = simulation;
    this.paths = paths;
    this.given = options;
    this.options = { ...options, points: paths };
    this.found = paths.map(() => ({ points: none, bounces: noBounces, pieces: undefined }));
  }

  /** Whether it was made for these. */
  isFor(paths: readonly PathParameter[], options: StepOptions): boolean {
    return options === this.given && paths.length === this.paths.length && paths.every(this.isPath);
  }

  private readonly isPath = ({ kappa, relativeKappa }: PathParameter, i: number): boolean =>
    kappa === this.paths[i].kappa && relativeKappa === this.paths[i].relativeKappa;

  /** `interval` is the option of this name; state and input are not checked. */
  take(state: Float64Array, input: Float64Array, interval = this.given.interval): Result {
    const { simulation, found, options } = this;
    options.interval = interval;
    const result = simulation.take(state, input, options);
    const { stepper, touching } = simulation;
    const isSolved = result.status === "solved";
    const isInPieces = touching?.isInPieces === true;
    this.division = isInPieces ? undefined : stepper.division;
    for (let i = 0; i < found.length; i++) {
      found[i].points = none;
      found[i].bounces = noBounces;
      found[i].pieces = isInPieces && isSolved ? touching.pieces.withPoints(i) : undefined;
      if (isInPieces || !isSolved) continue;
      const { points, count, bounces } = stepper.solve.kept[i];
      if (count !== result.substeps) continue;
      found[i].points = points.length === count ? points : points.slice(0, count);
      if (bounces.length > 0) found[i].bounces = bounces.slice();
    }
    return result;
  }
}
