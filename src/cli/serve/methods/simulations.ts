/** Models, simulations, their states and parameters. */
import {
  ArgumentError,
  bodyStateSize,
  checkState,
  compile,
  environmentSummaries,
  featureRows,
  fromJson,
  heldContactsNote,
  inspect,
  type JointState,
  type Mechanism,
  matchingParameters,
  minimalState,
  modelSummaries,
  namesOf,
  type Precision,
  planningTasks,
  projectState,
  quantityNames,
  Simulation,
  type SimulationOptions,
  StateError,
  startOf,
  startState,
  stateAt,
  stateFromMinimal,
  timestepRows,
  toJson,
  toleranceNote,
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
    const said = [heldContactsNote(mechanism), toleranceNote(mechanism, simulation.options)];
    return {
      result: {
        simulation: session.keep(simulation),
        name,
        ...factsOf(mechanism),
        timestep: simulation.timestep,
        parameterNames: simulation.parameterNames,
        description: toJson(description),
        warnings: [...said.filter((note) => note !== undefined), ...warnings.map(({ message }) => message)],
      },
      arrays: { parameters: simulation.initialParameters },
    };
  },

  /** The named state with the joints that are given instead, as a run can start from it; and the input that goes with it. */
  state: (session, parameters) => {
    const simulation = simulationOf(session, parameters);
    const name = parameters.maybeText("name");
    const joints = parameters.record("joints") as Readonly<Record<string, JointState>>;
    const { state, input, faults } = startOf(simulation, {
      ...(name !== undefined && { state: name }),
      joints,
      onGround: parameters.flag("onGround"),
    });
    return { result: { projected: faults.map(({ code, path }) => `${code} at ${path}`) }, arrays: { state, input } };
  },

  /** What a simulation is; with `measure` also time steps and costs of features. */
  inspect: (session, parameters) => {
    const simulation = simulationOf(session, parameters);
    const { description } = simulation.currentMechanism;
    const measured = parameters.flag("measure")
      ? { timesteps: timestepRows(description), features: featureRows(description) }
      : undefined;
    return { result: { ...inspect(simulation), ...measured } };
  },

  /** The paths of all quantities. */
  quantities: (session, parameters) => ({
    result: { names: quantityNames(simulationOf(session, parameters).mechanism) },
  }),

  /** The same with velocities of the instant, as `stateAt` has them. */
  stateAt: (session, parameters) => {
    const simulation = simulationOf(session, parameters);
    const { joints } = jointsOf(simulation, parameters);
    const input = parameters.maybeArray("input");
    return { arrays: { state: stateAt(simulation, joints, input ? { input } : {}) } };
  },

  checkState: (session, parameters) => {
    const faults = checkState(simulationOf(session, parameters), parameters.array("state"));
    return { result: { faults: faults.map(({ code, path, message }) => `${code} at ${path}: ${message}`) } };
  },

  projectState: (session, parameters) => ({
    arrays: {
      state: projectState(simulationOf(session, parameters), parameters.array("state"), {
        onGround: parameters.flag("onGround"),
      }),
    },
  }),

  /** Joint positions, then velocities, of one state or of many. */
  minimal: (session, parameters) => {
    const simulation = simulationOf(session, parameters);
    const { currentMechanism: mechanism, timestep, stateSize } = simulation;
    const states = rowsOf("states", parameters.array("states"), stateSize);
    states.forEach((state, i) => {
      requireState(simulation, state, `states[${i}]`);
    });
    return { arrays: { minimal: stacked(states.map((state) => minimalState(mechanism, state, timestep))) } };
  },

  maximal: (session, parameters) => {
    const simulation = simulationOf(session, parameters);
    const rows = rowsOf("minimal", parameters.array("minimal"), 2 * simulation.mechanism.coordinateCount);
    for (const row of rows) requireMinimal(simulation, row, "minimal");
    return { arrays: { states: stacked(rows.map((x) => stateFromMinimal(simulation, x))) } };
  },

  /** Names may hold "*", which stands for one name. */
  setParameters: (session, parameters) => {
    const simulation = simulationOf(session, parameters);
    const values: Record<string, number> = {};
    for (const [pattern, value] of Object.entries(parameters.record("values"))) {
      if (typeof value !== "number") throw new InputError(`${pattern}: ${JSON.stringify(value)} is no number`);
      for (const path of parametersLike(simulation, pattern)) values[path] = value;
    }
    simulation.setParameters(values);
    return { result: { set: values, timestep: simulation.timestep } };
  },

  /** The description with the parameters as they are now. */
  describe: (session, parameters) => ({
    result: { description: toJson(simulationOf(session, parameters).currentMechanism.description) },
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

  energy: (session, parameters) => {
    const simulation = simulationOf(session, parameters);
    return { result: { ...simulation.energy(stateOf(simulation, parameters)) } };
  },

  momentum: (session, parameters) => {
    const simulation = simulationOf(session, parameters);
    const { linear, angular } = simulation.momentum(stateOf(simulation, parameters));
    return { arrays: { linear: Float64Array.from(linear), angular: Float64Array.from(angular) } };
  },
};

/** Names of parameters that a name with "*" in it stands for, one at least. */
export function parametersLike({ parameterNames }: Simulation, pattern: string): string[] {
  const paths = matchingParameters(pattern, parameterNames);
  if (paths.length > 0) return paths;
  throw new InputError(
    `there is no parameter "${pattern}"${suggestion(pattern, parameterNames) || "; list(simulation.parameters) has all"}`,
  );
}

/** The joints of a named state, with those that are given in their places; and which state that is. */
function jointsOf(
  { currentMechanism: mechanism }: Simulation,
  parameters: Parameters,
): { readonly name: string; readonly joints: Readonly<Record<string, JointState>> } {
  const name = parameters.maybeText("name");
  const named = mechanism.description.states ?? {};
  const base = name === "zero" ? {} : (named[nameOf(mechanism, name)] ?? {});
  const given = parameters.record("joints") as Readonly<Record<string, JointState>>;
  return { name: name ?? namesOf(mechanism.description, "states")[0] ?? "", joints: { ...base, ...given } };
}

/**
 * A state that a message brings: of the right size, its numbers finite, its quaternions of length 1. Joints and contacts may be violated.
 * The library's steps take a quaternion of another length as it is; who sends one from Python has made a slip.
 */
export function stateOf(simulation: Simulation, parameters: Parameters, name = "state"): Float64Array {
  return requireState(simulation, parameters.array(name), name);
}

export function requireState(simulation: Simulation, state: Float64Array, name: string): Float64Array {
  if (isState(simulation.stateSize, state)) return state;
  const faults = checkState(simulation, state).filter(({ code }) => stateSlips.has(code));
  // numbers so large that their sum is infinite are finite all the same
  if (faults.length === 0) return state;
  throw new StateError(faults, `${name} cannot be used:`);
}

/** Joint positions and velocities: all of them finite. */
export function requireMinimal({ mechanism }: Simulation, minimal: Float64Array, name: string): Float64Array {
  const bad = minimal.findIndex((entry) => !Number.isFinite(entry));
  if (bad < 0) return minimal;
  const coordinate = mechanism.coordinateNames[bad % mechanism.coordinateCount];
  const what = bad < mechanism.coordinateCount ? coordinate : `the velocity of ${coordinate}`;
  throw new ArgumentError("not-finite", `${name}[${bad}]`, `${what} is ${minimal[bad]}; give a finite number`);
}

const stateSlips: ReadonlySet<string> = new Set(["wrong-size", "not-finite", "not-unit"]);
/** Tolerance of the square of a quaternion's length, as the library's own checks of states have it. */
const unitTolerance = 2e-6;

function isState(size: number, state: Float64Array): boolean {
  if (state.length !== size) return false;
  for (let at = 0; at < size; at += bodyStateSize) {
    let sum = 0;
    for (let k = 0; k < bodyStateSize; k++) sum += state[at + k];
    // NaN if one of them is, or if there are infinities of both signs
    if (!Number.isFinite(sum)) return false;
    const square = state[at + 3] ** 2 + state[at + 4] ** 2 + state[at + 5] ** 2 + state[at + 6] ** 2;
    if (Math.abs(square - 1) > unitTolerance) return false;
  }
  return true;
}

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
  for (const name of ["timestep", "friction", "restitution", "density"] as const) {
    const value = parameters.maybeNumber(name);
    if (value !== undefined) flags[name] = String(value);
  }
  for (const name of ["floor", "base", "contacts", "collisions", "srdf", "dampratio"] as const) {
    const value = parameters.maybeText(name);
    if (value !== undefined) flags[name] = value;
  }
  const xacroArg = parameters.texts("xacroArgs");
  if (xacroArg.length > 0) flags.xacroArg = xacroArg;
  for (const name of ["selfCollisions", "repair"] as const) if (parameters.flag(name)) flags[name] = true;
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
    errorTolerance: parameters.maybeNumber("errorTolerance"),
    maxIterations: parameters.maybeNumber("maxIterations"),
    // what it is none of is refused by the step's own rules
    precision: parameters.maybeText("precision") as Precision | undefined,
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
    stateNames: namesOf(description, "states"),
  };
}

/** The name itself, or that of the first state; throws where there is none of this name. */
function nameOf(mechanism: Mechanism, name: string | undefined): string {
  if (name !== undefined) startState(mechanism, name);
  return name ?? namesOf(mechanism.description, "states")[0] ?? "";
}

/** Throws where no rollout may start. */
export function requireStart(simulation: Simulation, state: Float64Array, path: string): void {
  const faults = checkState(simulation, state);
  if (faults.length > 0) throw new StateError(faults, `${path} has faults; simulation.project_state mends them:`);
}
