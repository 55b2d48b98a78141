/** Models, simulations, their states and parameters. */
import {
  checkState,
  compile,
  environmentSummaries,
  fromJson,
  type JointState,
  jointCoordinates,
  type Mechanism,
  matchingNamesWithDots,
  maximalState,
  minimalState,
  modelSummaries,
  planningTasks,
  projectState,
  Simulation,
  type SimulationOptions,
  StateError,
  startState,
  stateFromMinimal,
  stateInput,
  toJson,
  type Vector3,
} from "../../../index.ts";
import { InputError, suggestion } from "../../inputError.ts";
import type { LoadedModel } from "../../loadModel.ts";
import { changedDescription, type DescriptionFlags, loadDescription } from "../../setUp.ts";
import type { Parameters } from "../parameters.ts";
import type { MethodTable, Session } from "../session.ts";

/** The simulation that a message names. */
export function simulationOf(session: Session, parameters: Parameters): Simulation {
  return session.thing(Simulation, parameters.number("simulation"));
}

export const simulationMethods: MethodTable = {
  list: () => ({
    result: {
      models: modelSummaries,
      environments: environmentSummaries(),
      tasks: Object.entries(planningTasks).map(([name, { summary }]) => ({ name, summary })),
    },
  }),

  open: (session, parameters) => {
    const { name, description, warnings } = loaded(parameters);
    const simulation = new Simulation(compile(description), stepOptions(parameters));
    const { mechanism } = simulation;
    return {
      result: {
        simulation: session.keep(simulation),
        name,
        ...factsOf(mechanism),
        timestep: simulation.timestep,
        parameterNames: simulation.parameterNames,
        description: toJson(description),
        warnings: warnings.map(({ message }) => message),
      },
      arrays: { parameters: simulation.initialParameters },
    };
  },

  /** The named state with the joints that are given instead, as `maximalState` takes them; and the input that goes with it. */
  state: (session, parameters) => {
    const simulation = simulationOf(session, parameters);
    const { currentMechanism: mechanism, timestep } = simulation;
    const name = parameters.maybeText("name");
    const named = mechanism.description.states ?? {};
    const base = name === "zero" ? {} : (named[nameOf(mechanism, name)] ?? {});
    const joints = parameters.record("joints") as Readonly<Record<string, JointState>>;
    const given = maximalState(mechanism, { ...base, ...joints }, timestep);
    const faults = checkState(simulation, given);
    const state = faults.length > 0 ? projectState(simulation, given) : given;
    const input = stateInput(mechanism, name ?? Object.keys(named)[0] ?? "", jointCoordinates(mechanism, state));
    return { result: { projected: faults.map(({ code, path }) => `${code} at ${path}`) }, arrays: { state, input } };
  },

  checkState: (session, parameters) => {
    const faults = checkState(simulationOf(session, parameters), parameters.array("state"));
    return { result: { faults: faults.map(({ code, path, message }) => `${code} at ${path}: ${message}`) } };
  },

  projectState: (session, parameters) => ({
    arrays: { state: projectState(simulationOf(session, parameters), parameters.array("state")) },
  }),

  /** Joint positions, then velocities, of one state or of many. */
  minimal: (session, parameters) => {
    const simulation = simulationOf(session, parameters);
    const { currentMechanism: mechanism, timestep, stateSize } = simulation;
    const states = rowsOf("states", parameters.array("states"), stateSize);
    return { arrays: { minimal: stacked(states.map((state) => minimalState(mechanism, state, timestep))) } };
  },

  maximal: (session, parameters) => {
    const simulation = simulationOf(session, parameters);
    const rows = rowsOf("minimal", parameters.array("minimal"), 2 * simulation.mechanism.coordinateCount);
    return { arrays: { states: stacked(rows.map((x) => stateFromMinimal(simulation, x))) } };
  },

  /** Names may hold "*", which stands for one name. */
  setParameters: (session, parameters) => {
    const simulation = simulationOf(session, parameters);
    const values: Record<string, number> = {};
    for (const [pattern, value] of Object.entries(parameters.record("values"))) {
      const paths = matchingNamesWithDots(pattern, simulation.parameterNames);
      if (typeof value !== "number") throw new InputError(`${pattern}: ${JSON.stringify(value)} is no number`);
      if (paths.length === 0) {
        const meant = suggestion(pattern, simulation.parameterNames);
        throw new InputError(`there is no parameter "${pattern}"${meant || "; parameter_names lists all"}`);
      }
      for (const path of paths) values[path] = value;
    }
    simulation.setParameters(values);
    return { result: { set: values, timestep: simulation.timestep } };
  },

  parameters: (session, parameters) => ({
    arrays: { parameters: simulationOf(session, parameters).save().parameters },
  }),

  setWrench: (session, parameters) => {
    const force = parameters.maybeArray("force");
    const torque = parameters.maybeArray("torque");
    simulationOf(session, parameters).setWrench(parameters.text("body"), {
      ...(force && { force: Array.from(force) as unknown as Vector3 }),
      ...(torque && { torque: Array.from(torque) as unknown as Vector3 }),
    });
    return {};
  },

  energy: (session, parameters) => ({
    result: { ...simulationOf(session, parameters).energy(parameters.array("state")) },
  }),

  momentum: (session, parameters) => {
    const { linear, angular } = simulationOf(session, parameters).momentum(parameters.array("state"));
    return { arrays: { linear: Float64Array.from(linear), angular: Float64Array.from(angular) } };
  },
};

/** Rows of this size, as views. */
export function rowsOf(what: string, data: Float64Array, size: number): Float64Array[] {
  const count = size === 0 ? 0 : data.length / size;
  if (!Number.isInteger(count)) throw new InputError(`${what}: ${data.length} numbers; give rows of ${size}`);
  return Array.from({ length: count }, (_, i) => data.subarray(i * size, (i + 1) * size));
}

/** Rows one after the other. */
export function stacked(rows: readonly Float64Array[]): { data: Float64Array; shape: number[] } {
  const size = rows[0]?.length ?? 0;
  const data = new Float64Array(rows.length * size);
  rows.forEach((row, i) => {
    data.set(row, i * size);
  });
  return { data, shape: [rows.length, size] };
}

/** A model's name or a file, the text of a file, or a description as JSON. */
function loaded(parameters: Parameters): LoadedModel {
  const flags = descriptionFlags(parameters);
  const json = parameters.maybeText("description");
  if (json === undefined) return loadDescription(parameters.text("model"), flags, parameters.maybeText("text"));
  const description = changedDescription(fromJson(json, "description"), flags);
  return { name: description.name ?? "mechanism", description, warnings: [] };
}

/** The options of the command line, which come as text there. */
function descriptionFlags(parameters: Parameters): DescriptionFlags {
  const flags: { -readonly [K in keyof DescriptionFlags]: DescriptionFlags[K] } = {};
  for (const name of ["timestep", "friction"] as const) {
    const value = parameters.maybeNumber(name);
    if (value !== undefined) flags[name] = String(value);
  }
  for (const name of ["floor", "base", "contacts"] as const) {
    const value = parameters.maybeText(name);
    if (value !== undefined) flags[name] = value;
  }
  const gravity = parameters.maybeArray("gravity");
  if (gravity) flags.gravity = gravity.join(",");
  return flags;
}

function stepOptions(parameters: Parameters): SimulationOptions {
  return {
    kappa: parameters.maybeNumber("kappa"),
    relativeKappa: parameters.maybeNumber("relativeKappa"),
    exact: parameters.flag("exact"),
    pathTolerance: parameters.maybeNumber("pathTolerance"),
    tolerance: parameters.maybeNumber("tolerance"),
    maxIterations: parameters.maybeNumber("maxIterations"),
  };
}

function factsOf(mechanism: Mechanism): Record<string, unknown> {
  const { stateSize, inputSize, coordinateCount, bodies, joints, contacts, description } = mechanism;
  return {
    stateSize,
    inputSize,
    coordinateCount,
    bodies: bodies.map(({ name }) => name),
    joints: joints.map(({ name, coordinateOffset, coordinates }) => [name, coordinateOffset, coordinates.length]),
    contacts: contacts.map(({ name }) => name),
    inputNames: mechanism.inputNames,
    coordinateNames: mechanism.coordinateNames,
    stateNames: Object.keys(description.states ?? {}),
  };
}

/** The name itself, or that of the first state; throws where there is none of this name. */
function nameOf(mechanism: Mechanism, name: string | undefined): string {
  if (name !== undefined) startState(mechanism, name);
  return name ?? Object.keys(mechanism.description.states ?? {})[0] ?? "";
}

/** Throws where no rollout may start. */
export function requireStart(simulation: Simulation, state: Float64Array, path: string): void {
  const faults = checkState(simulation, state);
  if (faults.length > 0) throw new StateError(faults, `${path} has faults; simulation.project_state mends them:`);
}
