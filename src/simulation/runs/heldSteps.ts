/**
 * Steps that keep what gradients need: their point on the central path at the gradients' κ, one per substep. Mostly the solve holds there on
 * its way down (StepOptions.hold). Where that does not go through at the first attempt (1 to 5% of the steps of random scenes at an SI κ
 * that is huge or tiny for what moves there) the step is taken as if there were no gradients. Its point is the one that was kept before the
 * attempt went astray, or else comes from a solve of its own that ends at κ: so asking for gradients never makes a step harder, or substeps of what needs none.
 * It is taken in the parts of the step, if it can be: what is differentiated is what the step did, at κ. Before all that, a hold far down the
 * path is tried once more with a smoother one on the way, as where both are asked for.
 * Where shapes touch, such a step may be taken as several with features of their own: their points are found once it is taken (touch/stepPieces.ts).
 */
import type { BounceRecord } from "../bounce/bounceRecord.ts";
import { type Pace, partBeforeOf } from "../division/pace.ts";
import type { StepDivision } from "../division/stepDivision.ts";
import type { KeptPoints } from "../step/keptPoints.ts";
import { defaultGradientPath, type PathParameter } from "../step/pathParameter.ts";
import type { HoldName } from "../step/route.ts";
import type { StepOptions, StepReport } from "../step/stepReport.ts";
import type { PieceWithPoints, StepPieces } from "../touch/stepPieces.ts";
import { undivided } from "../touch/touchOptions.ts";

/** What takes the steps: a simulation. */
export interface StepTaker<Result extends Readonly<StepReport>> {
  take(state: Float64Array, input: Float64Array, options: StepOptions): Result;
  readonly stepper: {
    heldParts: number | undefined;
    readonly report: StepReport;
    readonly division: StepDivision | undefined;
    readonly solve: { readonly kept: Readonly<Record<HoldName, Readonly<KeptPoints>>> };
  };
  /** Where shapes touch: what may take steps as several. */
  readonly touching?: PieceTaker | undefined;
}

interface PieceTaker {
  readonly pieces: StepPieces;
  /** Whether pieces and features are held, and whether the last step was kept from what a plain one would have tried. */
  readonly isHeld: boolean;
  readonly isInPieces: boolean;
  readonly isCurtailed: boolean;
  /** The pace with which the last step began, where it was to be divided and was not. */
  readonly paceBefore: Pace | undefined;
  mayHalve(options: StepOptions): boolean;
}

/** Where to hold: at one place on the central path, or at a sharper one of the same units as well. */
export type Holds = { readonly hold: PathParameter; readonly alsoHold?: PathParameter | undefined };

/** Gradients want their point on the path to this fraction of κ. */
const pathTolerance = 1e-9;
const none: readonly Float64Array[] = [];
const noBounces: readonly (BounceRecord | undefined)[] = [];

export class HeldSteps<Result extends Readonly<StepReport>> {
  /** Points of the last step, one per substep: views until the next; none where the solver did not get as far as κ. */
  points = none;
  /** Those of the second hold, if it is asked for. */
  alsoPoints = none;

  /** Their sizes, where a tolerance divided the step. */
  division: StepDivision | undefined;

  /** What is kept of the bounces of the same substeps; none where there are none. */
  bounces = noBounces;
  alsoBounces = noBounces;

  /** The pieces that a step of shapes that touch was taken as, with points of their own: these count then, and no others. */
  pieces: readonly PieceWithPoints[] | undefined;
  alsoPieces: readonly PieceWithPoints[] | undefined;

  private readonly simulation: StepTaker<Result>;
  private readonly holds: Holds;
  private readonly options: StepOptions;
  private readonly first: StepOptions & { interval?: number | undefined; division?: StepDivision | undefined };

  constructor(simulation: StepTaker<Result>, holds: Holds, options: StepOptions) {
    this.simulation = simulation;
    this.holds = holds;
    this.options = options;
    this.first = { ...options, ...holds, fallback: false };
  }

  /** Whether it was made for these. */
  isFor({ hold, alsoHold }: Holds, options: StepOptions): boolean {
    return options === this.options && isSame(hold, this.holds.hold) && isSame(alsoHold, this.holds.alsoHold);
  }

  /** `interval` and `division` are the options of these names; state and input are not checked. */
  take(
    state: Float64Array,
    input: Float64Array,
    interval = this.options.interval,
    division = this.options.division,
  ): Result {
    const { simulation, holds } = this;
    const { touching } = simulation;
    this.pieces = this.alsoPieces = undefined;
    if (touching?.isHeld && touching.isInPieces)
      return this.takePieces(touching, state, input, { ...this.options, interval });
    this.first.interval = interval;
    this.first.division = division;
    const result = simulation.take(state, input, this.first);
    this.division = simulation.stepper.division;
    this.points = this.pointsOf("hold", result);
    if (holds.alsoHold) this.alsoPoints = this.pointsOf("alsoHold", result);
    if (result.status === "solved" && !touching?.isCurtailed) return result;
    const byWay = result.status === "tooFast" || touching ? undefined : this.takeByWay(state, input);
    if (byWay) return byWay;
    const again = { ...this.options, interval, division: division ?? this.division };
    if (touching && !touching.isHeld && again.fallback !== false && touching.mayHalve(again)) {
      const taken = this.takePieces(touching, state, input, again);
      if (taken.status === "solved") return taken;
    } else if (result.status === "solved") return result;
    return this.takeAgain(state, input, again, result.status === "tooFast");
  }

  /** The step with a stop at the usual κ' of gradients before its own hold, if that is further down; undefined where that is not solved either. */
  private takeByWay(state: Float64Array, input: Float64Array): Result | undefined {
    const { simulation, holds, first } = this;
    const { kappa, relativeKappa = defaultGradientPath.relativeKappa } = holds.hold;
    const isBelow = kappa === undefined && relativeKappa < defaultGradientPath.relativeKappa;
    if (!isBelow || holds.alsoHold || !simulation.stepper.solve.kept.hold.isAbove) return undefined;
    const result = simulation.take(state, input, { ...first, hold: defaultGradientPath, alsoHold: holds.hold });
    if (result.status !== "solved") return undefined;
    this.division = simulation.stepper.division;
    this.points = this.pointsOf("alsoHold", result);
    this.bounces = this.alsoBounces;
    return result;
  }

  /** The step as if there were no gradients, as the pieces that it falls into; then their points. */
  private takePieces(touching: PieceTaker, state: Float64Array, input: Float64Array, options: StepOptions): Result {
    const { pieces } = touching;
    pieces.keepsWhole = true;
    try {
      const result = this.simulation.take(state, input, options);
      if (result.status !== "solved") return result;
      const own = touching.paceBefore ? undivided(options, partBeforeOf(touching.paceBefore)) : options;
      const { hold, alsoHold } = pieces.withPoints(this.holds, own);
      this.pieces = hold;
      this.alsoPieces = alsoHold;
      return result;
    } finally {
      pieces.keepsWhole = false;
    }
  }

  /** The step as if there were no gradients, but that its own end is kept where a hold is not above it. */
  private takeAgain(state: Float64Array, input: Float64Array, options: StepOptions, tooFast: boolean): Result {
    const { simulation, holds } = this;
    const { kept } = simulation.stepper.solve;
    const holdIsAbove = kept.hold.isAbove;
    const alsoIsAbove = holds.alsoHold !== undefined && kept.alsoHold.isAbove;
    const alone = (name: HoldName, found: readonly Float64Array[]): readonly Float64Array[] => {
      const points = found.length === 0 || tooFast ? this.pointsAlone(name, state, input, options) : found;
      return points.map((point) => point.slice());
    };
    if (holdIsAbove) this.points = alone("hold", this.points);
    if (alsoIsAbove) this.alsoPoints = alone("alsoHold", this.alsoPoints);
    const hold = holdIsAbove ? undefined : holds.hold;
    const alsoHold = alsoIsAbove ? undefined : holds.alsoHold;
    const plain = (): Result => simulation.take(state, input, { ...options, hold, alsoHold });
    let result = plain();
    this.division = simulation.stepper.division;
    if (result.status === "solved" && !this.division && !simulation.touching) {
      const { substeps, iterations, retries } = result;
      const inParts = (points: readonly Float64Array[], name: HoldName): readonly Float64Array[] => {
        if (points.length === substeps) return points;
        const found = this.pointsAlone(name, state, input, options, substeps).map((point) => point.slice());
        result = this.inSoManyParts(substeps, plain);
        for (const report of [result, simulation.stepper.report]) Object.assign(report, { iterations, retries });
        return found.length > 0 ? found : points;
      };
      if (holdIsAbove) this.points = inParts(this.points, "hold");
      if (alsoIsAbove) this.alsoPoints = inParts(this.alsoPoints, "alsoHold");
    }
    if (hold) this.points = this.pointsOf("hold", result);
    if (alsoHold) this.alsoPoints = this.pointsOf("alsoHold", result);
    return result;
  }

  /** Steps in so many parts and no others: what a step that was solved in these has tried before would fail again. */
  private inSoManyParts(parts: number | undefined, take: () => Result): Result {
    const { stepper } = this.simulation;
    const { heldParts } = stepper;
    stepper.heldParts = parts;
    try {
      return take();
    } finally {
      stepper.heldParts = heldParts;
    }
  }

  /** Those of a solve that ends at κ; in so many parts, if that is said. */
  private pointsAlone(
    name: HoldName,
    state: Float64Array,
    input: Float64Array,
    options: StepOptions,
    parts?: number,
  ): readonly Float64Array[] {
    const { simulation } = this;
    const { kappa, relativeKappa } = this.holds[name] ?? this.holds.hold;
    const end = { kappa, relativeKappa, exact: true, pathTolerance };
    const own = { ...options, ...end, [name]: { kappa, relativeKappa } };
    const result = this.inSoManyParts(parts, () => simulation.take(state, input, own));
    return result.status === "solved" ? this.pointsOf(name, result) : none;
  }

  /** What the step has kept, if it has kept one per substep. */
  private pointsOf(name: HoldName, { substeps }: Result): readonly Float64Array[] {
    const { points, count, bounces } = this.simulation.stepper.solve.kept[name];
    const kept = bounces.length > 0 ? bounces.slice() : noBounces;
    if (name === "hold") this.bounces = kept;
    else this.alsoBounces = kept;
    if (count !== substeps) return none;
    return points.length === substeps ? points : points.slice(0, substeps);
  }
}

function isSame(a: PathParameter | undefined, b: PathParameter | undefined): boolean {
  return a?.kappa === b?.kappa && a?.relativeKappa === b?.relativeKappa;
}
