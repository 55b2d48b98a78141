/**
 * A step that keeps what gradients need: its point on the central path at their κ, one a substep. Mostly the solve holds there on its
 * way down (StepOptions.hold). Where that does not go through at the first attempt (1 to 5% of the steps of random scenes at an SI κ that
 * is huge or tiny for what moves there) the step is taken as if there were no gradients. Its point is the one that was kept before the
 * attempt went astray, or else comes from a solve of its own that ends at κ: so asking for gradients never makes a step harder, or substeps of what needs none.
 */
import type { PathParameter } from "./pathParameter.ts";
import type { StepOptions, StepReport } from "./stepper.ts";

/** What takes the steps: a simulation. */
export interface StepTaker<Result extends Readonly<StepReport>> {
  step(state: Float64Array, input: Float64Array, options: StepOptions): Result;
  readonly stepper: { readonly held: readonly Float64Array[]; readonly kept: number; readonly keepsAbove: boolean };
}

export interface HeldStep<Result> {
  readonly result: Result;
  /** Views until the next step, one a substep; undefined where the solver did not get as far as κ. */
  readonly points: readonly Float64Array[] | undefined;
}

/** Gradients want their point on the path to this fraction of κ. */
const pathTolerance = 1e-9;

export function heldStep<Result extends Readonly<StepReport>>(
  simulation: StepTaker<Result>,
  state: Float64Array,
  input: Float64Array,
  hold: PathParameter,
  options: StepOptions,
): HeldStep<Result> {
  const result = simulation.step(state, input, { ...options, hold, fallback: false });
  if (result.status === "solved") return { result, points: pointsOf(simulation, result) };
  // the step's own end is what is kept
  if (!simulation.stepper.keepsAbove) {
    const whole = simulation.step(state, input, { ...options, hold });
    return { result: whole, points: pointsOf(simulation, whole) };
  }
  const kept = result.status === "tooFast" ? undefined : pointsOf(simulation, result);
  const points = (kept ?? pointsAlone(simulation, state, input, hold, options))?.map((point) => point.slice());
  return { result: simulation.step(state, input, options), points };
}

function pointsAlone<Result extends Readonly<StepReport>>(
  simulation: StepTaker<Result>,
  state: Float64Array,
  input: Float64Array,
  hold: PathParameter,
  options: StepOptions,
): HeldStep<Result>["points"] {
  const { kappa, relativeKappa } = hold;
  const alone = simulation.step(state, input, {
    ...options,
    kappa,
    relativeKappa,
    exact: true,
    pathTolerance,
    hold,
  });
  return alone.status === "solved" ? pointsOf(simulation, alone) : undefined;
}

/** What the step has kept, if it has kept one a substep. */
function pointsOf<Result extends Readonly<StepReport>>(
  { stepper }: StepTaker<Result>,
  { substeps }: Result,
): HeldStep<Result>["points"] {
  return stepper.kept === substeps ? stepper.held.slice(0, substeps) : undefined;
}
