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
 */
import { moreOptionNamesOf, requireOptionNames, visibleText } from "../mechanism/index.ts";
import {
  type Continuation,
  currentMechanism,
  gradientPath,
  minimalFromState,
  type Simulation,
  type StepDivision,
  type StepOptions,
  stateFromMinimal,
} from "../simulation/index.ts";
import { Differences, heldPieces } from "./differences.ts";
import { stateNames } from "./names.ts";
import { parameterDirections } from "./parameters.ts";
import { withSlots } from "./slotContacts.ts";
import { type GradientOptions, gradientOptionNames, gradientsOfStep } from "./stepGradients.ts";

export interface CheckGradientOptions extends GradientOptions {
  /** Lengths ε tried, for numbers of size 1, in this order. Default 1e-4, 1e-5, 1e-3, then down to 1e-10. */
  readonly steps?: readonly number[];
  /** A column this good is not tried again. Default 1e-8. */
  readonly goodEnough?: number;
  /**
   * Where the simulation's steps are divided by an error tolerance: let the varied steps choose parts of their own. Gradients hold the parts,
   * and so do the differences unless told so. Default false.
   */
  readonly freeParts?: boolean;
}

const checkOptionNames = moreOptionNamesOf<CheckGradientOptions>()(gradientOptionNames, "steps goodEnough freeParts");

export interface GradientBlock {
  /** "state", "input", or a parameter's name. */
  readonly name: string;
  /** Largest error over max(1, norm). */
  readonly worst: number;
  /** Where, such as "d(crate.velocity.z)/d(gravity.x)". */
  readonly entry: string;
  readonly implicit: number;
  readonly difference: number;
  /** Largest entry. */
  readonly norm: number;
}

export interface GradientCheck {
  readonly worst: number;
  readonly entry: string;
  readonly blocks: readonly GradientBlock[];
  /** A table for people. */
  format(): string;
}

const defaultSteps = [1e-4, 1e-5, 1e-3, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10];
/** Columns with entries above this are differenced with steps as much shorter. */
const steep = 100;

/** An input that is left out is zero, as in `step`. */
export function checkGradients(
  simulation: Simulation,
  state: Float64Array,
  input: Float64Array = new Float64Array(simulation.inputSize),
  options: CheckGradientOptions = {},
): GradientCheck {
  requireOptionNames("options", options, checkOptionNames);
  // where shapes touch, the features of the step are held
  const { interval = options.continuation?.interval ?? simulation.options.interval } = options;
  const taken = { ...simulation.options, interval };
  simulation.requireStep(state, input, taken);
  return simulation.holdingFeatures(state, input, taken, () => checkHeld(simulation, state, input, options));
}

function checkHeld(
  simulation: Simulation,
  state: Float64Array,
  input: Float64Array,
  options: CheckGradientOptions,
): GradientCheck {
  // what is varied starts from other states, whose angles are near
  const continuation =
    options.continuation ?? simulation.continuationOf(state) ?? coldContinuation(simulation, state, input, options);
  const { version, angles, gears } = continuation ?? {};
  const near = version && angles ? { version, angles, ...(gears && { gears }) } : undefined;
  const exact: StepOptions = {
    ...gradientPath(options),
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
  if (pieces) pieces.holdManner(() => simulation.stepWith(state, input, { ...held, hold: held }));
  else if (exact.kappa === undefined) stepper.solve.fixedUnits = unitsOfStep(simulation, state, input, held);
  try {
    return compare(simulation, state, input, { ...options, continuation: near }, held);
  } finally {
    stepper.heldParts = stepper.solve.fixedUnits = undefined;
    stepper.bounceHold?.end();
    pieces?.holdManner(undefined);
  }
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
    simulation.stepWith(state, input, { ...exact, hold: exact });
  } finally {
    stepper.solve.onKept = undefined;
  }
  return units;
}

function compare(
  simulation: Simulation,
  given: Float64Array,
  input: Float64Array,
  options: CheckGradientOptions,
  exact: StepOptions,
): GradientCheck {
  const { coordinates = "maximal", steps = defaultSteps, goodEnough = 1e-8 } = options;
  const state = coordinates === "minimal" ? expressedState(simulation, given, exact) : given;
  const gradients = gradientsOfStep(simulation, state, input, options, exact);
  const { rows } = gradients;
  const { mechanism, inputSize } = simulation;
  const names = stateNames(mechanism, coordinates);
  const { errorTolerance } = simulation.options;
  const varied = options.freeParts ? { ...exact, division: undefined, errorTolerance } : exact;
  const differences = new Differences(simulation, state, input, { coordinates, exact: varied, gradients });

  const directions = parameterDirections(
    { ...withSlots(simulation.system), combined: simulation.touching?.combined },
    options.parameters ?? [],
    simulation.touching !== undefined,
  );
  const block = (
    name: string,
    matrix: Float64Array,
    columns: readonly string[],
    along: (column: number, length: number) => Float64Array | undefined,
    sizeOf: (column: number) => number = () => 1,
    isOnKink: (column: number) => boolean = () => false,
  ): GradientBlock => {
    const width = columns.length;
    const norm = matrix.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
    const found = { name, worst: 0, entry: "", implicit: 0, difference: 0, norm };
    columns.forEach((column, j) => {
      let best: Omit<GradientBlock, "name" | "norm"> | undefined;
      let steepest = steep;
      for (let i = 0; i < rows; i++) steepest = Math.max(steepest, Math.abs(matrix[i * width + j]));
      const sides = isOnKink(j) ? [1, -1] : [1];
      const tries = steps.flatMap((step) => lengths(step, steepest, sizeOf(j)));
      for (const length of tries.flatMap((one) => sides.map((side) => side * one))) {
        const difference = along(j, length);
        if (!difference) continue;
        const tried = { worst: 0, entry: "", implicit: 0, difference: 0 };
        for (let i = 0; i < rows; i++) {
          const implicit = matrix[i * width + j];
          const error = Math.abs(implicit - difference[i]) / Math.max(1, norm);
          if (error <= tried.worst) continue;
          Object.assign(tried, { worst: error, implicit, difference: difference[i] });
          tried.entry = `d(${names[i]})/d(${column})`;
        }
        if (!best || tried.worst < best.worst) best = tried;
        if (best.worst <= goodEnough) break;
      }
      best ??= {
        worst: Number.POSITIVE_INFINITY,
        entry: `d(next)/d(${column}): no difference could be taken`,
        implicit: 0,
        difference: 0,
      };
      if (best.worst > found.worst) Object.assign(found, best);
    });
    return found;
  };
  const blocks = [
    block("state", gradients.dNext_dState, names, (j, length) => differences.byState(j, length)),
    ...(inputSize > 0
      ? [
          block(
            "input",
            gradients.dNext_dInput,
            mechanism.inputNames,
            (j, length) => differences.byInput(j, length),
            undefined,
            (j) => differences.isOnLimit(j),
          ),
        ]
      : []),
    ...directions.map((direction, j) => {
      const column = Float64Array.from(
        { length: rows },
        (_, i) => gradients.dNext_dParameter[i * directions.length + j],
      );
      return block(
        direction.name,
        column,
        [direction.name],
        (_, length) => differences.byParameter(direction, length),
        () => differences.sizeOf(direction),
      );
    }),
  ];
  const worst = blocks.reduce((most, one) => (one.worst > most.worst ? one : most));
  return { worst: worst.worst, entry: worst.entry, blocks, format: () => table(blocks) };
}

/**
 * The state that a state's own joint coordinates give. What divided steps lead to has velocities that are means over parts, written in the
 * time step with momenta kept: no joint goes along with them to the last digit, and differences of coordinates start from what they express.
 */
function expressedState(simulation: Simulation, state: Float64Array, exact: StepOptions): Float64Array {
  const { interval, continuation } = exact;
  const mechanism = currentMechanism(simulation.system);
  const x = minimalFromState(simulation, state, interval, mechanism, continuation);
  return stateFromMinimal(simulation, x, interval, mechanism, continuation?.gears);
}

/**
 * Lengths for a number of some size whose column has entries up to `steepest`. What answers strongly bends soon, and is differenced in
 * shorter steps. A small number may be small for its kind, such as the inertia of a light body, which asks for steps of its size;
 * or it is next to nothing, such as the damping of a heavy one, and such steps drown in rounding: both are tried.
 */
function lengths(step: number, steepest: number, size: number): number[] {
  const length = (unit: number): number => (step * unit * steep) / Math.max(steep, steepest * unit);
  return size > 0 && size < 1 ? [length(size), length(1)] : [length(1)];
}

function table(blocks: readonly GradientBlock[]): string {
  const rows = blocks.map(({ name, worst, norm, entry }) => [
    visibleText(name),
    worst.toExponential(1),
    norm.toExponential(1),
    visibleText(entry),
  ]);
  const all = [["block", "error", "norm", "worst entry"], ...rows];
  const widths = [0, 1, 2].map((k) => Math.max(...all.map((row) => row[k].length)));
  return all.map((row) => row.map((cell, k) => (k < 3 ? cell.padEnd(widths[k]) : cell)).join("  ")).join("\n");
}
