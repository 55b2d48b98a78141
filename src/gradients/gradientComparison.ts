/** Gradients of a step beside differences, block by block and column by column: with everything held that they hold, and free. */
import {
  currentMechanism,
  minimalFromState,
  type Simulation,
  type StepOptions,
  stateFromMinimal,
} from "../simulation/index.ts";
import {
  type Column,
  type ColumnError,
  columnError,
  cornerOf,
  type Difference,
  type FreeBlock,
  type GradientBlock,
  type GradientCorner,
  lengthsFor,
  worstOf,
} from "./checkColumns.ts";
import { Differences, type FreeSteps } from "./differences.ts";
import type { StepGradients } from "./gradientResult.ts";
import { stateNames } from "./names.ts";
import { type ParameterDirection, parameterDirections } from "./parameters.ts";
import { withSlots } from "./slotContacts.ts";
import { type GradientOptions, gradientsOfStep } from "./stepGradients.ts";

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
  /** Whether free differences are taken where shapes touch, which takes three times as long. Default true. */
  readonly free?: boolean;
}

const defaultSteps = [1e-4, 1e-5, 1e-3, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10];
/** A column is not tried again once free differences are as near as this, and lengths below this drown in what a search leaves open. */
const freeEnough = 1e-6;
const shortestFree = 1e-8;

/** The error of what has no entries, such as the coordinates of bodies that are fixed. */
const none: ColumnError = { worst: 0, entry: "", implicit: 0, difference: 0 };

/** Gradients of a step, to be compared block by block. */
export class GradientComparison {
  private readonly simulation: Simulation;
  private readonly state: Float64Array;
  private readonly input: Float64Array;
  private readonly options: CheckGradientOptions;
  private readonly exact: StepOptions;
  private readonly gradients: StepGradients;
  private readonly directions: readonly ParameterDirection[];

  constructor(
    simulation: Simulation,
    given: Float64Array,
    input: Float64Array,
    options: CheckGradientOptions,
    exact: StepOptions,
  ) {
    const state = options.coordinates === "minimal" ? expressedState(simulation, given, exact) : given;
    this.simulation = simulation;
    this.state = state;
    this.input = input;
    this.options = options;
    this.gradients = gradientsOfStep(simulation, state, input, options, exact);
    this.directions = parameterDirections(
      { ...withSlots(simulation.system), combined: simulation.touching?.combined },
      options.parameters ?? [],
      simulation.touching !== undefined,
    );
    const { errorTolerance } = simulation.options;
    this.exact = options.freeParts ? { ...exact, division: undefined, errorTolerance } : exact;
  }

  /** Beside differences with everything held. */
  held(): GradientBlock[] {
    const { steps = defaultSteps, goodEnough = 1e-8 } = this.options;
    return this.blocks(undefined).map(({ name, norm, columns }) => {
      const errors = columns.map(({ column, along, size, sides }) => {
        const lengths = lengthsFor(column, steps, size()).flatMap((one) => sides.map((side) => side * one));
        return columnError(column, lengths, along, goodEnough);
      });
      return { name, norm, columns: columns.length, ...(errors.length > 0 ? worstOf(errors) : none) };
    });
  }

  /** The same beside free differences, by the names of blocks. */
  free(steps: FreeSteps): Map<string, FreeBlock> {
    const { goodEnough = 0 } = this.options;
    const lengths = (this.options.steps ?? defaultSteps).filter((one) => one >= shortestFree);
    return new Map(
      this.blocks(steps).map(({ name, columns }): [string, FreeBlock] => {
        const corners: GradientCorner[] = [];
        const errors = columns.map(({ column, along, size, sides, toSide }): ColumnError => {
          const own = lengthsFor(column, lengths, size());
          const enough = Math.max(goodEnough, freeEnough);
          const error = columnError(
            column,
            own.flatMap((one) => sides.map((side) => side * one)),
            along,
            enough,
          );
          const corner = error.worst > enough ? cornerOf(column, own, toSide, error) : undefined;
          if (!corner) return error;
          corners.push(corner);
          return none;
        });
        return [name, { ...(errors.length > 0 ? worstOf(errors) : none), corners }];
      }),
    );
  }

  private blocks(free: FreeSteps | undefined): VariedBlock[] {
    const { simulation, state, input, exact, gradients } = this;
    const { coordinates = "maximal" } = this.options;
    const { mechanism, inputSize } = simulation;
    const names = stateNames(mechanism, coordinates);
    const differences = new Differences(simulation, state, input, {
      coordinates,
      exact,
      gradients,
      ...(free && { free }),
    });
    const all = this.directions.length;
    // features of a step take no part in what they are found by
    const directions = this.directions.filter(({ name }) => !free || simulation.system.parameters.has(name));
    return [
      block("state", gradients.dNext_dState, names, names, (j) => ({
        along: (length) => differences.byState(j, length),
        toSide: (length) => differences.byState(j, length, true),
      })),
      ...(inputSize > 0
        ? [
            block("input", gradients.dNext_dInput, names, mechanism.inputNames, (j) => ({
              along: (length) => differences.byInput(j, length),
              toSide: (length) => differences.byInput(j, length, true),
              sides: differences.isOnLimit(j) ? [1, -1] : [1],
            })),
          ]
        : []),
      ...directions.map((direction) => {
        const j = this.directions.indexOf(direction);
        const column = Float64Array.from(names, (_, i) => gradients.dNext_dParameter[i * all + j]);
        return block(direction.name, column, names, [direction.name], () => ({
          along: (length) => differences.byParameter(direction, length),
          toSide: (length) => differences.byParameter(direction, length, true),
          size: () => differences.sizeOf(direction),
        }));
      }),
    ];
  }
}

/** Differences of a column: `sides` says to which, where an input lies on a limit. */
interface VariedColumn {
  readonly column: Column;
  readonly along: Difference;
  readonly toSide: Difference;
  readonly size: () => number;
  readonly sides: readonly number[];
}

interface VariedBlock {
  readonly name: string;
  readonly norm: number;
  readonly columns: readonly VariedColumn[];
}

function block(
  name: string,
  matrix: Float64Array,
  rows: readonly string[],
  columns: readonly string[],
  differencesOf: (j: number) => Pick<VariedColumn, "along" | "toSide"> & Partial<VariedColumn>,
): VariedBlock {
  const norm = matrix.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
  const width = columns.length;
  return {
    name,
    norm,
    columns: columns.map((own, j) => ({
      column: { matrix, width, j, norm, name: own, rows },
      ...{ size: () => 1, sides: [1] },
      ...differencesOf(j),
    })),
  };
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
