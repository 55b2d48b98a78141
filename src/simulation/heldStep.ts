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
  readonly stepper: { readonly held: Float64Array[]; readonly keepsAbove: boolean };
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
  const held = takeStep(simulation, state, input, { ...options, hold, fallback: false });
  if (held.result.status === "solved") return held;
  // the step's own end is what is kept
  if (!simulation.stepper.keepsAbove) return takeStep(simulation, state, input, { ...options, hold });
  const kept = held.result.status === "tooFast" ? undefined : held.points;
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
  const end = { kappa, relativeKappa, exact: true, pathTolerance };
  const alone = takeStep(simulation, state, input, { ...options, ...end, hold });
  return alone.result.status === "solved" ? alone.points : undefined;
}

function takeStep<Result extends Readonly<StepReport>>(
  simulation: StepTaker<Result>,
  state: Float64Array,
  input: Float64Array,
  options: StepOptions,
): HeldStep<Result> {
  const { held } = simulation.stepper;
  // what an earlier step has kept must not pass for this one's
  for (const point of held) point[0] = Number.NaN;
  const result = simulation.step(state, input, options);
  const points = held.slice(0, result.substeps);
  const isKept = points.length === result.substeps && points.every((point) => !Number.isNaN(point[0]));
  return { result, points: isKept ? points : undefined };
}
