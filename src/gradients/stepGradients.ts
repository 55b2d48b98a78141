/**
 * Gradients of one step: dNext/dState, dNext/dInput and dNext/dParameter, where the step has ended, or smoothed. The step is taken as if nobody had asked
 * for them; the points at which it is differentiated are found once it is known (simulation/step/gradientPoints.ts). A step that took
 * substeps is differentiated through them.
 *
 * What is held while a parameter varies: in maximal coordinates the states of the bodies, in minimal coordinates the joint
 * positions and velocities. There the bodies follow the joints' frames, and the time step, before the step and after it:
 *   x₊ = minimal(step(maximal(x; θ), u; θ); θ).
 * Loops and gears: in minimal coordinates a change of x is projected onto them first, so all columns are tangent to them.
 */
import { CoordinateMaps, needsClosure } from "../coordinates/index.ts";
import type { SensitivityScope } from "../kernels/index.ts";
import { bodyTangentSize } from "../math/index.ts";
import { moreOptionNamesOf, requireOptionNames } from "../mechanism/index.ts";
import {
  alsoPath,
  type Continuation,
  type GradientPath,
  gradientPath,
  gradientPathNames,
  isStepEnd,
  minimalOfRunInto,
  type PathParameter,
  type Simulation,
  type StepOptions,
  type StepResult,
  StepsWithPoints,
} from "../simulation/index.ts";
import { contactIndices, type ImpulseJacobians, impulseJacobiansInto, impulsesInto } from "./contactImpulses.ts";
import { allFinite } from "./finite.ts";
import { geometryValues, geometryVector } from "./geometryVectors.ts";
import { StepGradients } from "./gradientResult.ts";
import { type Coordinates, StepJacobians } from "./jacobians.ts";
import { type ParameterDirection, parameterDirections } from "./parameters.ts";
import { hasPoints, piecesOf, type SolvedStep } from "./point.ts";
import { withSlots } from "./slotContacts.ts";
import { type Column, StepChain } from "./stepChain.ts";
import { stepDirections, takenChain } from "./touchingSteps.ts";

/** Where to differentiate, by `smoothing`: 0.1 is usual, 0 is the end of the step; or by `kappa` in SI. */
export interface GradientOptions extends GradientPath {
  /** A second place: the result has its Jacobians as `also`, from the same step. Default none. */
  readonly also?: GradientPath | undefined;
  /** Maximal: 12 numbers per body (position, attitude error, velocity, angular velocity). Minimal: joint positions, then velocities. Default maximal. */
  readonly coordinates?: Coordinates;
  /** Names of parameters to differentiate by; parameters.ts says which there are. Default none. */
  readonly parameters?: readonly string[];
  /** Names of contacts whose impulses are differentiated too, with respect to state and input. Default none. */
  readonly contacts?: readonly string[];
  /** Interval over which the state's velocities are means: what the step that led to it has reported. Default the time step. */
  readonly interval?: number | undefined;
  /** What the run that led to the state has left, `interval` among it unless given. Default as for `step`. */
  readonly continuation?: Continuation | undefined;
  /** What an earlier call with the same simulation, coordinates and parameters has returned, to be overwritten. Default a new one. */
  readonly into?: StepGradients;
}

/** An input that is left out is zero, as in `step`. */
export const gradientOptionNames = moreOptionNamesOf<GradientOptions>()(
  gradientPathNames,
  "also coordinates parameters contacts interval continuation into",
);

export function stepGradients(
  simulation: Simulation,
  state: Float64Array,
  input: Float64Array = new Float64Array(simulation.inputSize),
  options: GradientOptions = {},
): StepGradients {
  requireOptionNames("options", options, gradientOptionNames);
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
  const { coordinates = "maximal", parameters = noNames, contacts = noNames } = options;
  const path = gradientPath(options);
  const also = alsoPath(options.also);
  const { continuation } = options;
  const ownInterval = options.interval ?? continuation?.interval;
  const interval = ownInterval ?? stepOptions.interval;
  simulation.requireStep(state, input, ownInterval === undefined ? stepOptions : { ...stepOptions, interval });
  if (continuation) simulation.continuation = continuation;
  const { mechanism, stateSize, inputSize } = simulation;
  const rows = coordinates === "minimal" ? 2 * mechanism.coordinateCount : bodyTangentSize * mechanism.bodies.length;
  const touching = contactIndices(mechanism, contacts);
  const sizes = { stateSize, inputSize, rows, coordinates, parameterNames: parameters, contactNames: contacts };
  options.into?.requireSizes(sizes);
  const out = options.into ?? new StepGradients(sizes);
  const alsoInto = out.prepareAlso(also !== undefined);
  const paths = also ? [path, also] : [path];
  // where shapes touch, contacts are known when the step is taken
  const named =
    simulation.touching && parameters.length > 0 ? undefined : parameterDirections(simulation.system, parameters);
  const steps = stepsOf(simulation, paths, stepOptions);
  const result = steps.take(state, input, interval);
  const { division } = steps;
  const jacobians = jacobiansOf(simulation, coordinates);
  jacobians?.capture(simulation.system);
  const combined = simulation.touching?.combined;
  const directions = named ?? parameterDirections({ ...withSlots(simulation.system), combined }, parameters, true);
  const { timestep } = simulation;
  const from = Math.round(timestep / (interval ?? timestep));
  const to = Math.round(timestep / result.interval);
  steps.found.forEach(({ points, bounces, pieces }, i) => {
    const into = i === 0 ? out : (alsoInto as StepGradients);
    const isCapped = isStepEnd(paths[i]);
    into.record(result, paths[i], result.next);
    if (coordinates === "minimal") minimalOfRunInto(into.minimalNext, simulation, result.next, result.interval);
    into.fill((byState, byInput, byParameter, ofContacts) => {
      if (!hasPoints({ points, pieces })) return false;
      const taken = () => {
        const { f64, dataEnd, touch } = simulation.system;
        const [data, bonds] = [f64.subarray(0, dataEnd), touch?.bonds];
        return { data, bonds, input, points, isCapped, bounces, state, next: into.next, from, to, division, pieces };
      };
      if (touching.length > 0) {
        const step = taken();
        const { impulses, byState: rowsByState, byInput: rowsByInput } = ofContacts;
        impulsesInto(impulses, simulation.system, step, touching);
        writeImpulseJacobians(simulation, step, coordinates, touching, ofContacts);
        if (![impulses, rowsByState, rowsByInput].every(allFinite)) return false;
      }
      if (!jacobians || pieces || points.length > 1 || bounces.length > 0 || from > 1 || to > 1 || division) {
        const columns = columnsOf(simulation, taken(), coordinates, directions, true);
        copyColumns(columns.slice(0, rows), byState);
        copyColumns(columns.slice(rows, rows + inputSize), byInput);
        copyColumns(columns.slice(rows + inputSize), byParameter);
        return [byState, byInput, byParameter].every(allFinite);
      }
      jacobians.takePoint(points[0]);
      if (!jacobians.write(byState, byInput, isCapped)) return false;
      if (directions.length === 0) return true;
      copyColumns(columnsOf(simulation, taken(), coordinates, directions, false), byParameter);
      return allFinite(byParameter);
    });
  });
  return out;
}

/** Made again when something else is asked for than the last time. */
function stepsOf(
  simulation: Simulation,
  paths: readonly PathParameter[],
  options: StepOptions,
): StepsWithPoints<StepResult> {
  const last = simulation.resource<{ steps?: StepsWithPoints<StepResult> }>("stepsWithPoints", () => ({}));
  if (!last.steps?.isFor(paths, options)) last.steps = new StepsWithPoints(simulation, paths, options);
  return last.steps;
}

const noNames: readonly string[] = [];

/** A row-major matrix from its columns. */
function copyColumns(columns: readonly Float64Array[], out: Float64Array): void {
  columns.forEach((column, j) => {
    for (let i = 0; i < column.length; i++) out[i * columns.length + j] = column[i];
  });
}

/** None in minimal coordinates that are projected as whole states, or where contacts are bound at run time. */
function jacobiansOf(simulation: Simulation, coordinates: Coordinates): StepJacobians | undefined {
  const { target } = simulation;
  const { mechanism, pools } = simulation.system;
  return simulation.resource(coordinates === "minimal" ? "jacobians.minimal" : "jacobians.maximal", () =>
    coordinates === "minimal" && (needsClosure(mechanism) || pools.length > 0)
      ? undefined
      : new StepJacobians(mechanism, target, coordinates, pools),
  );
}

/** The linear map of single steps of a simulation; its memory is made once. */
export function chainOf(simulation: Simulation, scope: SensitivityScope = "all"): StepChain {
  const { target } = simulation;
  const { mechanism, pools } = simulation.system;
  return simulation.resource(`stepChain.${scope}`, () => new StepChain(mechanism, target, scope, pools));
}

/** Joint coordinates about the state before a step, or after it. */
function mapsOf(simulation: Simulation, when: "before" | "after"): CoordinateMaps {
  return simulation.resource(
    `coordinates.${when}`,
    () => new CoordinateMaps(simulation.system.mechanism, geometryValues(simulation.system)),
  );
}

/** The columns of all Jacobians, by state, input and parameters, or of those by parameters alone: a tangent per column. */
function columnsOf(
  simulation: Simulation,
  step: SolvedStep,
  coordinates: Coordinates,
  directions: readonly ParameterDirection[],
  all: boolean,
): Float64Array[] {
  const { mechanism, system, inputSize, timestep } = simulation;
  const { state } = step;
  const errors = bodyTangentSize * mechanism.bodies.length;
  const isMinimal = coordinates === "minimal";
  const rows = isMinimal ? 2 * mechanism.coordinateCount : errors;
  const theta = new Float64Array(system.dataEnd);
  const vector = geometryVector(system, theta);
  // states and inputs place no joint
  const firstParameter = all ? rows + inputSize : 0;
  const vectorOf = (column: number) => (column >= firstParameter ? vector : undefined);
  const before = mapsOf(simulation, "before");
  if (isMinimal) before.update(state, timestep, step.from);

  // tangents of the state
  const columns: Column[] = [];
  const start = (x: number | undefined, entries: Column["entries"]): void => {
    const tangent = new Float64Array(errors);
    if (isMinimal) {
      const xDot = new Float64Array(rows);
      if (x !== undefined) xDot[x] = 1;
      withDirection(theta, entries, () => before.pushMaximalInto(tangent, xDot, vectorOf(columns.length)));
    } else if (x !== undefined) tangent[x] = 1;
    columns.push({ state: tangent, entries });
  };
  if (all) {
    for (let x = 0; x < rows; x++) start(x, []);
    for (let u = 0; u < inputSize; u++) start(undefined, [{ index: system.places.input + u, weight: 1 }]);
  }
  for (const { entries } of directions) start(undefined, entries);

  // through the step, and back to joint coordinates; those of joints that close loops move nothing
  const moving = new Set(
    columns.filter(({ state: tangent, entries }) => entries.length > 0 || tangent.some((entry) => entry !== 0)),
  );
  const next = new Float64Array(state.length);
  for (const piece of piecesOf(step)) {
    const { taken } = piece;
    if (!taken) {
      chainOf(simulation).push(piece, [...moving], next);
      continue;
    }
    const names = directions.map(({ name }) => name);
    const own = stepDirections(piece, taken, names);
    const ofPiece = columns.map(({ state: tangent, entries }, j) =>
      j < firstParameter ? { state: tangent, entries } : { state: tangent, entries: own[j - firstParameter].entries },
    );
    takenChain(taken, simulation.target, "all").push(piece, ofPiece, next);
  }
  const after = mapsOf(simulation, "after");
  if (isMinimal) after.updateMinimal(next, timestep, step.to);
  return columns.map(({ state: tangent, entries }, j) => {
    if (!isMinimal) return tangent;
    const out = new Float64Array(rows);
    if (moving.has(columns[j])) withDirection(theta, entries, () => after.pushMinimalInto(out, tangent, vectorOf(j)));
    return out;
  });
}

/** Rows of the impulses of contacts: cotangents, one each. */
function writeImpulseJacobians(
  simulation: Simulation,
  step: SolvedStep,
  coordinates: Coordinates,
  contacts: readonly number[],
  out: ImpulseJacobians,
): void {
  const maps = coordinates === "minimal" ? mapsOf(simulation, "before") : undefined;
  maps?.update(step.state, simulation.timestep, step.from);
  const chainAt = ({ taken }: SolvedStep) =>
    taken ? takenChain(taken, simulation.target, "contacts") : chainOf(simulation, "contacts");
  impulseJacobiansInto(out, chainAt, step, contacts, maps);
}

/** Runs with the direction written into θ̇, and takes it out again. */
function withDirection(theta: Float64Array, entries: Column["entries"], run: () => void): void {
  for (const { index, weight } of entries) theta[index] += weight;
  run();
  for (const { index } of entries) theta[index] = 0;
}
