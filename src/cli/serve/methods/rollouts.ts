/**
 * Rollouts. One goes on where the last step ended, as in the library, and its record stays open. Many start cold, each by itself, so that
 * what comes of one does not depend on its neighbours, nor on how they were shared out among engines.
 */
import {
  ArgumentError,
  type GradientPath,
  minimalFromState,
  type Simulation,
  stateFromMinimal,
  type Trajectory,
} from "../../../index.ts";
import { replayPage } from "../../../node/index.ts";
import type { Parameters } from "../parameters.ts";
import type { MethodTable, Session } from "../session.ts";
import { contactArrays, touchAnswer } from "./sensors.ts";
import {
  parametersLike,
  requireMinimal,
  requireStart,
  requireState,
  rowsOf,
  simulationOf,
  stacked,
  stateOf,
} from "./simulations.ts";

export const coordinateKinds = ["maximal", "minimal"] as const;

/** Rollouts of one message, with what gradients need. */
class Tape {
  readonly trajectories: readonly Trajectory[];

  constructor(trajectories: readonly Trajectory[]) {
    this.trajectories = trajectories;
  }
}

export function tapeOf(session: Session, parameters: Parameters): Tape {
  return session.thing(Tape, parameters.number("tape"));
}

export const rolloutMethods: MethodTable = {
  rollout: (session, parameters) => {
    const simulation = simulationOf(session, parameters);
    const steps = parameters.count("steps");
    const inputs = parameters.maybeArray("inputs");
    const trajectory = simulation.rollout(stateOf(simulation, parameters, "start"), {
      steps,
      ...(inputs && { inputs: inputRows(simulation, inputs, steps) }),
      gradients: parameters.flag("gradients") ? pathOf(parameters) : false,
      check: !parameters.flag("unchecked"),
    });
    const last = trajectory.reports.at(-1);
    return {
      result: {
        tape: session.keep(new Tape([trajectory])),
        solved: trajectory.solved,
        status: last?.status ?? "solved",
        ...(last?.lockedJoint !== undefined && { lockedJoint: last.lockedJoint }),
      },
      arrays: {
        states: stacked(trajectory.states),
        iterations: Int32Array.from(trajectory.reports, ({ iterations }) => iterations),
        intervals: Float64Array.from(trajectory.states, (_, k) => trajectory.interval(k)),
      },
    };
  },

  /** Arrays: starts, one or one per rollout; inputs, of one or of each; values of named parameters, of one or of each. */
  rollouts: (session, parameters) => {
    const simulation = simulationOf(session, parameters);
    const steps = parameters.count("steps");
    const isMinimal = parameters.choice("coordinates", coordinateKinds) === "minimal";
    const keepsAll = parameters.choice("keep", ["all", "final"]) === "all";
    const gradients = parameters.flag("gradients") ? pathOf(parameters) : false;
    const isChecked = !isMinimal && !parameters.flag("unchecked");
    const size = isMinimal ? 2 * simulation.mechanism.coordinateCount : simulation.stateSize;
    const batch = batchOf(simulation, parameters, steps, size);
    const rows = keepsAll ? steps + 1 : 1;
    const states = new Float64Array(batch.count * rows * size).fill(Number.NaN);
    const solvedSteps = new Int32Array(batch.count);
    const iterations = new Int32Array(batch.count);
    const reasons: [number, string][] = [];
    const before = simulation.save();
    const trajectories: Trajectory[] = [];
    try {
      for (let i = 0; i < batch.count; i++) {
        simulation.restore(before);
        simulation.setParameters(batch.parameters(i));
        // cold, whatever went before
        simulation.continuation = undefined;
        const given = batch.start(i);
        const start = isMinimal
          ? stateFromMinimal(simulation, requireMinimal(simulation, given, `starts[${i}]`))
          : requireState(simulation, given, `starts[${i}]`);
        if (isChecked) requireStart(simulation, start, `starts[${i}]`);
        const trajectory = simulation.rollout(start, { steps, inputs: batch.inputs(i), gradients, check: false });
        const write = (row: number, k: number): void => {
          const values = isMinimal ? minimalAt(simulation, trajectory, k) : trajectory.states[k];
          states.set(values, (i * rows + row) * size);
        };
        const reached = trajectory.states.length;
        if (keepsAll) for (let k = 0; k < reached; k++) write(k, k);
        else write(0, reached - 1);
        solvedSteps[i] = trajectory.reports.filter(({ status }) => status === "solved").length;
        iterations[i] = trajectory.reports.reduce((sum, report) => sum + report.iterations, 0);
        const { status } = trajectory.reports.at(-1) ?? { status: "solved" };
        if (!trajectory.solved) reasons.push([i, `ended at step ${reached - 1}: ${status}`]);
        if (gradients) trajectories.push(trajectory);
      }
    } finally {
      simulation.restore(before);
      simulation.continuation = undefined;
    }
    return {
      result: { reasons, ...(gradients && { tape: session.keep(new Tape(trajectories)) }) },
      arrays: {
        states: { data: states, shape: keepsAll ? [batch.count, rows, size] : [batch.count, size] },
        solvedSteps,
        iterations,
      },
    };
  },

  /** Joint positions and velocities at every state of a rollout, angles over any number of turns. */
  coordinates: (session, parameters) => {
    const simulation = simulationOf(session, parameters);
    const { trajectory } = single(session, parameters);
    return { arrays: { minimal: stacked(trajectory.states.map((_, k) => minimalAt(simulation, trajectory, k))) } };
  },

  /** Forces of all contacts in every step of a rollout. */
  contactHistory: (session, parameters) => {
    const { trajectory } = single(session, parameters);
    const series = trajectory.mechanism.contacts.map(({ name }) => trajectory.contact(name));
    const steps = Array.from({ length: trajectory.steps }, (_, k) => series.map((one) => one[k]));
    return { arrays: contactArrays(series.length, steps) };
  },

  /** Where shapes touched in every step of a rollout. */
  touchHistory: (session, parameters) => touchAnswer(single(session, parameters).trajectory.touches),

  /** The replay of a rollout, a page by itself. */
  html: (session, parameters) => {
    const { trajectory } = single(session, parameters);
    return { arrays: { html: replayBytes(trajectory, parameters.maybeText("title")) } };
  },
};

/** The page of a replay, UTF-8. */
export function replayBytes(trajectory: Trajectory, title = trajectory.mechanism.name): Uint8Array {
  return new TextEncoder().encode(replayPage(trajectory, { title }));
}

function single(session: Session, parameters: Parameters): { trajectory: Trajectory } {
  const [trajectory] = tapeOf(session, parameters).trajectories;
  return { trajectory };
}

/** Where gradients are taken; nothing for the library's own default. */
export function pathOf(parameters: Parameters): GradientPath {
  const numbers = ["smoothing", "kappa", "relativeKappa"].map((name) => [name, parameters.maybeNumber(name)] as const);
  return Object.fromEntries(numbers.filter(([, value]) => value !== undefined));
}

function minimalAt(simulation: Simulation, trajectory: Trajectory, k: number): Float64Array {
  const { currentMechanism } = simulation;
  const { state, interval } = trajectory.readable(k);
  return minimalFromState(simulation, state, interval, currentMechanism, trajectory.anglesAt(k));
}

function inputRows(simulation: Simulation, inputs: Float64Array, steps: number): Float64Array[] {
  if (simulation.inputSize === 0) return Array.from({ length: steps }, () => inputs);
  const rows = rowsOf("inputs", inputs, simulation.inputSize);
  if (rows.length === steps) return rows;
  throw new ArgumentError("wrong-length", "inputs", `has ${rows.length} rows for ${steps} steps; give one per step`);
}

interface Batch {
  readonly count: number;
  start(i: number): Float64Array;
  inputs(i: number): Float64Array[];
  parameters(i: number): Record<string, number>;
}

/** Starts, inputs and parameters, each of one for all or of one for each. */
function batchOf(simulation: Simulation, given: Parameters, steps: number, size: number): Batch {
  const { inputSize } = simulation;
  const patterns = given.texts("parameters").map((pattern) => parametersLike(simulation, pattern));
  const count = given.count("count");
  const parts = (what: string, data: Float64Array | undefined, each: number): Float64Array[] => {
    if (each === 0 || data === undefined) return [new Float64Array(each)];
    const rows = rowsOf(what, data, each);
    if (rows.length === 1 || rows.length === count) return rows;
    throw new ArgumentError("wrong-size", what, `is for ${rows.length} rollouts of ${count}; give one for all, or all`);
  };
  const starts = parts("starts", given.array("starts"), size);
  const inputs = parts("inputs", given.maybeArray("inputs"), steps * inputSize);
  const values = parts("values", given.maybeArray("values"), patterns.length);
  const at = (rows: readonly Float64Array[], i: number): Float64Array => rows[rows.length === 1 ? 0 : i];
  return {
    count,
    start: (i) => at(starts, i),
    inputs: (i) => inputRows(simulation, at(inputs, i), steps),
    parameters: (i) =>
      Object.fromEntries(patterns.flatMap((paths, j) => paths.map((path) => [path, at(values, i)[j]]))),
  };
}
