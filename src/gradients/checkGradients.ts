/**
 * Compares the gradients of a step with fourth-order central differences of the same step, solved exactly at the same κ:
 *   f' ≈ (8 (f(ε) − f(−ε)) − (f(2ε) − f(−2ε))) / 12 ε
 * An error is |implicit − difference| over max(1, the largest entry of its block); blocks are the state, the input, and every
 * parameter by itself. Differences have their own limits: too long a step ε crosses a kink that κ has not rounded, too short a
 * one drowns in rounding. So several are tried, and a column is as good as at its best one. Where an input lies on a limit of its motor or
 * thruster, the gradient is that of one side, and differences are taken to either.
 *
 * The natural units of the cones, which `relativeKappa` counts in, vary a little with velocities, masses, gravity and the time step.
 * Gradients hold them as they are in the undisturbed step, and so do the differences. The same goes for the parts of a step that is divided
 * by an error tolerance, for what a bounce is chosen by (simulation/bounce/bounceHold.ts), and, where shapes touch, for features and the
 * pieces that a step is taken as.
 *
 * Differences that hold what the gradients hold cannot tell whether it may be held. So where shapes touch, there are free differences besides,
 * of steps that find features, pieces and bounces of their own. Where the set of features changes the step has a corner, and no derivative:
 * one-sided differences say so, and such columns are listed and do not count as errors.
 */
import { moreOptionNamesOf, requireOptionNames } from "../mechanism/index.ts";
import {
  type Continuation,
  gradientPath,
  isStepEnd,
  type PathParameter,
  type Simulation,
  type StepDivision,
  type StepOptions,
  stepEnd,
} from "../simulation/index.ts";
import { type FreeBlock, type GradientBlock, type GradientCorner, worstOf } from "./checkColumns.ts";
import { checkTable } from "./checkTable.ts";
import { heldPieces } from "./differences.ts";
import { type CheckGradientOptions, GradientComparison } from "./gradientComparison.ts";
import { gradientOptionNames } from "./stepGradients.ts";

const checkOptionNames = moreOptionNamesOf<CheckGradientOptions>()(
  gradientOptionNames,
  "steps goodEnough freeParts free",
);

export interface GradientCheck {
  readonly worst: number;
  readonly entry: string;
  /** The verdict of free differences, where shapes touch. */
  readonly free?: { readonly worst: number; readonly entry: string; readonly corners: readonly GradientCorner[] };
  readonly blocks: readonly GradientBlock[];
  /** A table for people. */
  format(): string;
}

/**
 * κ' that stands for the end of a step, of which differences need one that is found exactly. At 1e-8 they drown in rounding: those of a bounce are good to
 * 1e-4, here to 1e-6.
 */
const checkedEnd = { relativeKappa: 1e-6 } as const;
const ends = [stepEnd];

/** An input that is left out is zero, as in `step`. */
export function checkGradients(
  simulation: Simulation,
  state: Float64Array,
  input: Float64Array = new Float64Array(simulation.inputSize),
  options: CheckGradientOptions = {},
): GradientCheck {
  requireOptionNames("options", options, checkOptionNames);
  const { interval = options.continuation?.interval ?? simulation.options.interval } = options;
  const finding = { ...simulation.options, interval };
  simulation.requireStep(state, input, finding);
  // where shapes touch, the features of the step are held
  const held = simulation.holdingFeatures(state, input, finding, () => checkHeld(simulation, state, input, options));
  const { blocks, free } = held;
  const checked = free && options.free !== false ? withFree(blocks, free(finding)) : blocks;
  const worst = worstOf(blocks);
  const frees = checked.flatMap((block) => block.free ?? []);
  const corners = frees.flatMap((block) => block.corners);
  return {
    worst: worst.worst,
    entry: worst.entry,
    ...(frees.length > 0 && { free: { worst: worstOf(frees).worst, entry: worstOf(frees).entry, corners } }),
    blocks: checked,
    format: () => checkTable(checked),
  };
}

/** The comparison with everything held, and what compares the same gradients with free differences, where shapes touch. */
interface HeldCheck {
  readonly blocks: readonly GradientBlock[];
  readonly free?: (finding: StepOptions) => ReadonlyMap<string, FreeBlock>;
}

function checkHeld(
  simulation: Simulation,
  state: Float64Array,
  input: Float64Array,
  options: CheckGradientOptions,
): HeldCheck {
  // what is varied starts from other states, whose angles are near
  const continuation =
    options.continuation ?? simulation.continuationOf(state) ?? coldContinuation(simulation, state, input, options);
  const { version, angles, gears } = continuation ?? {};
  const near = version && angles ? { version, angles, ...(gears && { gears }) } : undefined;
  const exact: StepOptions = {
    ...checkedPath(options),
    continuation: near,
    exact: true,
    pathTolerance: 1e-11,
    tolerance: 1e-14,
    maxIterations: 60,
    interval: options.interval ?? continuation?.interval ?? simulation.options.interval,
  };
  const { stepper } = simulation;
  const { errorTolerance } = simulation.options;
  const held = {
    ...exact,
    division:
      errorTolerance === undefined ? undefined : divisionOf(simulation, state, input, { ...options, continuation }),
  };
  const pieces = heldPieces(simulation);
  if (!pieces && errorTolerance === undefined) stepper.heldParts = partsOfStep(simulation, state, input, exact);
  stepper.bounceHold?.begin();
  if (pieces) pieces.holdManner(() => simulation.stepWith(state, input, { ...held, points: ends }));
  else if (exact.kappa === undefined) stepper.solve.fixedUnits = unitsOfStep(simulation, state, input, held);
  const bonds = simulation.system.touch?.bonds;
  const { heldParts } = stepper;
  const { fixedUnits } = stepper.solve;
  try {
    const compared = new GradientComparison(simulation, state, input, { ...options, continuation: near }, held);
    const blocks = compared.held();
    if (!simulation.touching) return { blocks };
    // units are those of the step as it is, where another has the same contacts
    const hold = <T>(run: () => T): T => {
      const now = simulation.stepper;
      const isSame = isEqual(bonds, simulation.system.touch?.bonds);
      now.heldParts = heldParts;
      if (isSame) now.solve.fixedUnits = fixedUnits;
      try {
        return run();
      } finally {
        now.heldParts = now.solve.fixedUnits = undefined;
      }
    };
    return { blocks, free: (finding) => compared.free({ finding, hold }) };
  } finally {
    stepper.heldParts = stepper.solve.fixedUnits = undefined;
    stepper.bounceHold?.end();
    pieces?.holdManner(undefined);
  }
}

function isEqual(a: Int32Array | undefined, b: Int32Array | undefined): boolean {
  return a?.length === b?.length && (a?.every((one, k) => one === b?.[k]) ?? true);
}

/** Where on the path steps end that are compared. */
function checkedPath(options: CheckGradientOptions): PathParameter {
  const path = gradientPath(options);
  return isStepEnd(path) ? checkedEnd : path;
}

/** The number of equal parts into which the step falls by itself, if its end may be written in one of them; none of a whole one. */
function partsOfStep(
  simulation: Simulation,
  state: Float64Array,
  input: Float64Array,
  { interval, continuation }: StepOptions,
): number | undefined {
  if (interval === undefined) return undefined;
  const { substeps } = simulation.step(state, input, { interval, continuation });
  return substeps > 1 ? substeps : undefined;
}

/** The parts that the simulation's tolerance gives the step. */
function divisionOf(
  simulation: Simulation,
  state: Float64Array,
  input: Float64Array,
  { interval, continuation }: CheckGradientOptions,
): StepDivision | undefined {
  simulation.step(state, input, { interval, continuation });
  return simulation.division;
}

/** What a cold step from the state takes its angles and the turns of its gears to be. */
function coldContinuation(
  simulation: Simulation,
  state: Float64Array,
  input: Float64Array,
  { interval }: CheckGradientOptions,
): Continuation | undefined {
  simulation.stepWith(state, input, { interval });
  const { version, angles, gears } = simulation.continuationOf(state) ?? {};
  return version && angles && { version, angles, ...(gears && { gears }) };
}

/** Natural units of the cones in the step, and in each of its substeps. */
function unitsOfStep(
  simulation: Simulation,
  state: Float64Array,
  input: Float64Array,
  exact: StepOptions,
): Float64Array[] {
  const { stepper } = simulation;
  const units: Float64Array[] = [];
  stepper.solve.onKept = (substep) => {
    units[substep] = stepper.solve.naturalUnits.slice();
  };
  try {
    simulation.stepWith(state, input, { ...exact, points: ends });
  } finally {
    stepper.solve.onKept = undefined;
  }
  return units;
}

function withFree(blocks: readonly GradientBlock[], found: ReadonlyMap<string, FreeBlock>): GradientBlock[] {
  return blocks.map((one) => {
    const free = found.get(one.name);
    return free ? { ...one, free } : one;
  });
}
