/**
 * Gradients of one step: dNext/dState, dNext/dInput and dNext/dParameter, at the smoothness that κ asks for. The step itself
 * is simulated down to its own κ; on the way it holds on the central path at the gradient's κ, and that point is
 * differentiated. A step that took substeps is differentiated through them.
 *
 * What is held while a parameter varies: in maximal coordinates the states of the bodies, in minimal coordinates the joint
 * positions and velocities. There the bodies follow the joints' frames, and the time step, before the step and after it:
 *   x₊ = minimal(step(maximal(x; θ), u; θ); θ).
 * Loops and gears: in minimal coordinates a change of x is projected onto them first, so all columns are tangent to them.
 */
import { CoordinateMaps, needsClosure } from "../coordinates/index.ts";
import {
  defaultGradientKappa,
  heldStep,
  type Simulation,
  type StepOptions,
  type StepReport,
} from "../simulation/index.ts";
import { geometryValues, geometryVector } from "./geometryVectors.ts";
import { type Coordinates, StepJacobians } from "./jacobians.ts";
import { type ParameterDirection, parameterDirections } from "./parameters.ts";
import type { SolvedStep } from "./point.ts";
import { type Column, StepChain } from "./stepChain.ts";

export interface GradientOptions {
  /** Central-path parameter (SI) at which to differentiate: large is smooth, small is sharp. Default 3e-4, as in the paper. */
  readonly kappa?: number;
  /** Maximal: 12 numbers a body (position, attitude error, velocity, angular velocity). Minimal: joint positions, then velocities. Default maximal. */
  readonly coordinates?: Coordinates;
  /** Names of parameters to differentiate by; parameters.ts says which there are. Default none. */
  readonly parameters?: readonly string[];
}

interface Matrices {
  readonly dNext_dState: Float64Array;
  readonly dNext_dInput: Float64Array;
  readonly dNext_dParameter: Float64Array;
}

/** What `stepGradients` returns. The Jacobians of a step that cannot be differentiated throw when they are read. */
export class StepGradients implements Readonly<StepReport> {
  readonly status: StepReport["status"];
  readonly iterations: number;
  readonly retries: number;
  readonly substeps: number;
  readonly interval: number;
  readonly residualViolation: number;
  readonly complementarityViolation: number;
  readonly next: Float64Array;
  /** Of every Jacobian: 12 a body, or twice the joint coordinates. */
  readonly rows: number;
  /** Columns of `dNext_dParameter`. */
  readonly parameterNames: readonly string[];
  /**
   * True when the Jacobians are there: the point on the central path was reached and they are finite. That can be so for a step that is
   * not solved, whose solver went astray further down; see `status`.
   */
  readonly differentiable: boolean;

  private readonly matrices: Matrices | undefined;

  constructor(
    report: Readonly<StepReport>,
    next: Float64Array,
    rows: number,
    parameterNames: readonly string[],
    matrices: Matrices | undefined,
  ) {
    this.status = report.status;
    this.iterations = report.iterations;
    this.retries = report.retries;
    this.substeps = report.substeps;
    this.interval = report.interval;
    this.residualViolation = report.residualViolation;
    this.complementarityViolation = report.complementarityViolation;
    this.next = next;
    this.rows = rows;
    this.parameterNames = parameterNames;
    this.matrices = matrices;
    this.differentiable = matrices !== undefined;
  }

  /** Row-major, `rows` × `rows`. */
  get dNext_dState(): Float64Array {
    return this.require().dNext_dState;
  }

  /** Row-major, `rows` × inputs. */
  get dNext_dInput(): Float64Array {
    return this.require().dNext_dInput;
  }

  /** Row-major, `rows` × parameters asked for. */
  get dNext_dParameter(): Float64Array {
    return this.require().dNext_dParameter;
  }

  private require(): Matrices {
    if (this.matrices) return this.matrices;
    const wayOut = "look at `differentiable` first; a larger kappa or a smaller timestep may help";
    throw new Error(
      `the step has no gradients: it ended as ${this.status} before the central path at kappa; ${wayOut}`,
    );
  }
}

export function stepGradients(
  simulation: Simulation,
  state: Float64Array,
  input: Float64Array,
  options: GradientOptions = {},
): StepGradients {
  return gradientsOfStep(simulation, state, input, options, simulation.options);
}

/** The same for a step taken with options of its own. */
export function gradientsOfStep(
  simulation: Simulation,
  state: Float64Array,
  input: Float64Array,
  options: GradientOptions,
  stepOptions: StepOptions,
): StepGradients {
  const { kappa = defaultGradientKappa, coordinates = "maximal", parameters = [] } = options;
  const { mechanism } = simulation;
  const directions = parameterDirections(simulation.system, parameters);
  const { result, points } = heldStep(simulation, state, input, kappa, stepOptions);
  const rows = coordinates === "minimal" ? 2 * mechanism.coordinateCount : 12 * mechanism.bodies.length;
  const next = result.next.slice();
  const solved = points && { data: simulation.system.f64.subarray(0, simulation.system.dataEnd), input, points };
  const matrices = solved && stepMatrices(simulation, state, solved, coordinates, directions);
  const usable = matrices && Object.values(matrices).every(isFiniteMatrix);
  const names = directions.map(({ name }) => name);
  return new StepGradients(result, next, rows, names, usable ? matrices : undefined);
}

function isFiniteMatrix(matrix: Float64Array): boolean {
  // 0·x is NaN for all that is not finite
  let sum = 0;
  for (let i = 0; i < matrix.length; i++) sum += 0 * matrix[i];
  return sum === 0;
}

/** The linear map of single steps of a simulation; its memory is made once. */
export function chainOf(simulation: Simulation): StepChain {
  return simulation.resource("stepChain", () => new StepChain(simulation.mechanism, simulation.target));
}

/** Joint coordinates about the state before a step, or after it. */
export function mapsOf(simulation: Simulation, when: "before" | "after"): CoordinateMaps {
  return simulation.resource(
    `coordinates.${when}`,
    () => new CoordinateMaps(simulation.mechanism, geometryValues(simulation.system)),
  );
}

function stepMatrices(
  simulation: Simulation,
  state: Float64Array,
  step: SolvedStep,
  coordinates: Coordinates,
  directions: readonly ParameterDirection[],
): Matrices | undefined {
  const { mechanism, inputSize } = simulation;
  const isPlain = step.points.length === 1 && !(coordinates === "minimal" && needsClosure(mechanism));
  if (!isPlain) return byColumns(simulation, state, step, coordinates, directions, true);

  const jacobians = simulation.resource(
    `jacobians.${coordinates}`,
    () => new StepJacobians(mechanism, simulation.target, coordinates),
  );
  const { rows } = jacobians;
  const dNext_dState = new Float64Array(rows * rows);
  const dNext_dInput = new Float64Array(rows * inputSize);
  if (!jacobians.write(step, dNext_dState, dNext_dInput)) return undefined;
  const dNext_dParameter =
    directions.length === 0
      ? new Float64Array(0)
      : byColumns(simulation, state, step, coordinates, directions, false).dNext_dParameter;
  return { dNext_dState, dNext_dInput, dNext_dParameter };
}

/** All Jacobians, or those by parameters alone, a tangent a column. */
function byColumns(
  simulation: Simulation,
  state: Float64Array,
  step: SolvedStep,
  coordinates: Coordinates,
  directions: readonly ParameterDirection[],
  all: boolean,
): Matrices {
  const { mechanism, system, inputSize, timestep } = simulation;
  const errors = 12 * mechanism.bodies.length;
  const isMinimal = coordinates === "minimal";
  const rows = isMinimal ? 2 * mechanism.coordinateCount : errors;
  const theta = new Float64Array(system.dataEnd);
  const vector = geometryVector(system, theta);
  const before = mapsOf(simulation, "before");
  if (isMinimal) before.update(state, timestep);

  // tangents of the state
  const columns: Column[] = [];
  const start = (x: number | undefined, entries: Column["entries"]): void => {
    const tangent = new Float64Array(errors);
    if (isMinimal) {
      const xDot = new Float64Array(rows);
      if (x !== undefined) xDot[x] = 1;
      withDirection(theta, entries, () => before.pushMaximalInto(tangent, xDot, vector));
    } else if (x !== undefined) tangent[x] = 1;
    columns.push({ state: tangent, entries });
  };
  if (all) {
    for (let x = 0; x < rows; x++) start(x, []);
    for (let u = 0; u < inputSize; u++) start(undefined, [{ index: system.places.input + u, weight: 1 }]);
  }
  for (const { entries } of directions) start(undefined, entries);

  // through the step, and back to joint coordinates
  const next = new Float64Array(state.length);
  chainOf(simulation).push(step, columns, next);
  const after = mapsOf(simulation, "after");
  if (isMinimal) after.updateMinimal(next, timestep);
  const results = columns.map(({ state: tangent, entries }) => {
    if (!isMinimal) return tangent;
    const out = new Float64Array(rows);
    withDirection(theta, entries, () => after.pushMinimalInto(out, tangent, vector));
    return out;
  });
  const matrix = (list: readonly Float64Array[]): Float64Array => {
    const out = new Float64Array(rows * list.length);
    list.forEach((column, j) => {
      for (let i = 0; i < rows; i++) out[i * list.length + j] = column[i];
    });
    return out;
  };
  const first = all ? rows + inputSize : 0;
  return {
    dNext_dState: matrix(all ? results.slice(0, rows) : []),
    dNext_dInput: matrix(all ? results.slice(rows, first) : []),
    dNext_dParameter: matrix(results.slice(first)),
  };
}

/** Runs with the direction written into θ̇, and takes it out again. */
function withDirection(theta: Float64Array, entries: Column["entries"], run: () => void): void {
  for (const { index, weight } of entries) theta[index] += weight;
  run();
  for (const { index } of entries) theta[index] = 0;
}
