/**
 * Steps that keep what gradients need: their point on the central path at the gradients' κ, one a substep. Mostly the solve holds there on
 * its way down (StepOptions.hold). Where that does not go through at the first attempt (1 to 5% of the steps of random scenes at an SI κ
 * that is huge or tiny for what moves there) the step is taken as if there were no gradients. Its point is the one that was kept before the
 * attempt went astray, or else comes from a solve of its own that ends at κ: so asking for gradients never makes a step harder, or substeps of what needs none.
 */
import type { PathParameter } from "./pathParameter.ts";
import type { StepOptions, StepReport } from "./stepReport.ts";

/** What takes the steps: a simulation. */
export interface StepTaker<Result extends Readonly<StepReport>> {
  take(state: Float64Array, input: Float64Array, options: StepOptions): Result;
  readonly stepper: { readonly held: readonly Float64Array[]; readonly kept: number; readonly keepsAbove: boolean };
}

/** Gradients want their point on the path to this fraction of κ. */
const pathTolerance = 1e-9;

export class HeldSteps<Result extends Readonly<StepReport>> {
  /** Of the last step, one a substep: views until the next; none where the solver did not get as far as κ. */
  points: readonly Float64Array[] = [];

  private readonly simulation: StepTaker<Result>;
  private readonly hold: PathParameter;
  private readonly options: StepOptions;
  private readonly first: StepOptions & { interval?: number | undefined };

  constructor(simulation: StepTaker<Result>, hold: PathParameter, options: StepOptions) {
    this.simulation = simulation;
    this.hold = hold;
    this.options = options;
    this.first = { ...options, hold, fallback: false };
  }

  /** Whether it was made for these. */
  isFor(hold: PathParameter, options: StepOptions): boolean {
    const { kappa, relativeKappa } = this.hold;
    return options === this.options && hold.kappa === kappa && hold.relativeKappa === relativeKappa;
  }

  /** `interval` is the option of that name; state and input are not checked. */
  take(state: Float64Array, input: Float64Array, interval = this.options.interval): Result {
    const { simulation, hold } = this;
    this.first.interval = interval;
    const result = simulation.take(state, input, this.first);
    this.points = this.pointsOf(result);
    if (result.status === "solved") return result;
    const options: StepOptions = { ...this.options, interval };
    if (!simulation.stepper.keepsAbove) {
      // the step's own end is what is kept
      const whole = simulation.take(state, input, { ...options, hold });
      this.points = this.pointsOf(whole);
      return whole;
    }
    if (this.points.length === 0 || result.status === "tooFast") this.takeAlone(state, input, options);
    this.points = this.points.map((point) => point.slice());
    return simulation.take(state, input, options);
  }

  /** A solve that ends at κ, for its points alone. */
  private takeAlone(state: Float64Array, input: Float64Array, options: StepOptions): void {
    const { hold } = this;
    const { kappa, relativeKappa } = hold;
    const end = { kappa, relativeKappa, exact: true, pathTolerance };
    const result = this.simulation.take(state, input, { ...options, ...end, hold });
    this.points = result.status === "solved" ? this.pointsOf(result) : [];
  }

  /** What the step has kept, if it has kept one a substep. */
  private pointsOf({ substeps }: Result): readonly Float64Array[] {
    const { held, kept } = this.simulation.stepper;
    if (kept !== substeps) return [];
    return held.length === substeps ? held : held.slice(0, substeps);
  }
}
