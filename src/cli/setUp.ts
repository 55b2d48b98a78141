/**
 * What the options make of a model: the changed description, its simulation with parameters set, the start, and the inputs.
 * `simulate`, `gradients` and `export` share these options.
 */
import type { Command } from "commander";
import {
  type Controller,
  compile,
  type FormatWarning,
  hasMotors,
  heldContactsNote,
  type JointState,
  type Mechanism,
  type MechanismDescription,
  matchingNamesWithDots,
  matchingParameters,
  namesOf,
  precisions,
  Random,
  Simulation,
  type Start,
  startOf,
  toleranceNote,
  withServos,
} from "../index.ts";
import { coldStart } from "./coldStart.ts";
import { inFile } from "./inFile.ts";
import { InputError, suggestion } from "./inputError.ts";
import { type LoadedModel, loadModel } from "./loadModel.ts";
import { assignments, finite, notNegative, oneOf, positive, vector3 } from "./parse.ts";
import { andMore, figure, warn } from "./terminal.ts";
import { changedSurfaces } from "./touchingShapes.ts";

/** Options that change the description, as they are typed. */
export interface DescriptionFlags {
  readonly timestep?: string;
  readonly gravity?: string;
  readonly friction?: string;
  readonly restitution?: string;
  readonly floor?: string;
  readonly base?: string;
  readonly contacts?: string;
  readonly selfCollisions?: boolean;
  readonly collisions?: string;
  readonly srdf?: string;
  readonly dampratio?: string;
  readonly density?: string;
  readonly repair?: boolean;
  readonly xacroArg?: readonly string[];
}

/** Options of whatever takes steps. */
export interface SimulationFlags extends DescriptionFlags {
  readonly kappa?: string;
  /** `--tolerance` of simulate, `--error-tolerance` of gradients. */
  readonly errorTolerance?: string;
  readonly precision?: string;
  readonly set?: readonly string[];
  readonly state?: string;
  readonly onGround?: boolean;
  readonly position?: string;
  readonly velocity?: string;
  readonly input?: string;
  readonly servo?: boolean;
}

export function addDescriptionOptions(command: Command): Command {
  return command
    .option("--timestep <s>", "time step, seconds (default: the model's own, 0.01 for most)")
    .option("--gravity <x,y,z>", "m/s², such as 0,0,-1.62")
    .option("--friction <mu>", "friction coefficient of every contact; 0 is none")
    .option("--restitution <e>", "coefficient of restitution of every contact, 0 to 1")
    .option(
      "--floor <kind>",
      "none: leave out all contacts with the world; plane: add one at z = 0 to an MJCF file that has none",
    )
    .option("--base <kind>", "URDF files: floating or fixed (default: the importer's guess)")
    .option("--contacts <which>", "robots of the library: feet, or all of the robot (default: all)")
    .option("--self-collisions", "robots of the library: limbs touch each other")
    .option(
      "--collisions <with>",
      "robot files: floor, contact points against it, or shapes, which touch each other (default: floor)",
    )
    .option("--srdf <file>", "URDF files with --collisions shapes: pairs of links that this file disables do not touch")
    .option("--density <kg/m³>", "URDF files: links that give no mass have that of their shapes at this density")
    .option("--repair", "URDF files: mend inertias, limits and links without mass that no mechanism can have")
    .option("--xacro-arg <name=value...>", "xacro files: values of their arguments")
    .option(
      "--dampratio <mass>",
      "MJCF files: mass that a dampratio goes by, coupled as in MuJoCo 3.15 and later, or alone as before (default: coupled)",
    );
}

export function addSimulationOptions(command: Command): Command {
  return addDescriptionOptions(command)
    .option(
      "--set <path=value...>",
      "parameters, such as bodies.trunk.mass=2 or contacts.*.frictionCoefficient=0.5; * stands for one name",
    )
    .option("--state <name>", "a named state of the model, or zero (default: its first, see `dojo list`)")
    .option("--position <name=value,...>", "joint coordinates on top of the state, such as base.z=1")
    .option("--on-ground", "put down what can fall: its lowest point touches what is below")
    .option("--velocity <name=value,...>", "their rates, as means over the time step before the start")
    .option("--servo", "position servos, which hold the start, in place of the motors")
    .option(
      "--input <values>",
      "name=value,... held all the time, random:seed:scale about what is held (uniform in ±scale; seed 0 and scale 1 if left out), or zero (default: the state's own; servos hold the start)",
    );
}

/** The model with the options that change its description. A file whose text is known is not read. */
export function loadDescription(what: string | undefined, flags: DescriptionFlags, text?: string): LoadedModel {
  if (what === undefined) throw new InputError("which model? Give a name (`dojo list` shows all) or a file");
  const base = flags.base === undefined ? undefined : oneOf("--base", flags.base, ["floating", "fixed"]);
  const contacts = flags.contacts === undefined ? undefined : oneOf("--contacts", flags.contacts, ["feet", "all"]);
  const floor = flags.floor === undefined ? undefined : oneOf("--floor", flags.floor, ["none", "plane"]);
  const collisions =
    flags.collisions === undefined ? undefined : oneOf("--collisions", flags.collisions, ["floor", "shapes"]);
  const dampratio =
    flags.dampratio === undefined ? undefined : oneOf("--dampratio", flags.dampratio, ["coupled", "alone"]);
  const { srdf, selfCollisions } = flags;
  const density = flags.density === undefined ? undefined : positive("--density", flags.density);
  const { repair } = flags;
  const xacroArgs = flags.xacroArg && Object.fromEntries(flags.xacroArg.map(xacroArgument));
  const chosen = {
    dampratio,
    density,
    repair,
    xacroArgs,
    base,
    contacts,
    selfCollisions,
    floor: floor === "plane",
    collisions,
    srdf,
  };
  const loaded = loadModel(what, chosen, text);
  const description = changedDescription(loaded.description, flags);
  return { ...loaded, description, warnings: [...loaded.warnings, ...idleOptions(description, flags)] };
}

function xacroArgument(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new InputError(`--xacro-arg: "${text}" has no "="; write name=value`);
}

/** Options of contacts, where there is nothing that could touch. */
function idleOptions(
  { contacts = [], bodies }: MechanismDescription,
  flags: DescriptionFlags,
): LoadedModel["warnings"] {
  const touches = Object.values(bodies).some(({ shapes = [] }) => shapes.some(({ contact }) => contact));
  if (contacts.length > 0 || touches) return [];
  return (["friction", "restitution"] as const)
    .filter((name) => flags[name] !== undefined)
    .map((name) => ({ code: "ignored", message: `--${name} has no effect: nothing touches`, file: "", line: 0 }));
}

/** A description with time step, gravity, friction and floor as the options say. */
export function changedDescription(description: MechanismDescription, flags: DescriptionFlags): MechanismDescription {
  let contacts = description.contacts ?? [];
  if (flags.floor === "none") {
    contacts = contacts.filter(({ halfSpace }) => (halfSpace?.body ?? "world") !== "world");
  }
  if (flags.friction !== undefined) {
    const frictionCoefficient = notNegative("--friction", flags.friction);
    contacts = contacts.map((contact) => ({
      ...contact,
      ...(contact.model === "impact" && frictionCoefficient > 0 && { model: "cone" as const }),
      frictionCoefficient,
    }));
  }
  if (flags.restitution !== undefined) {
    const restitution = notNegative("--restitution", flags.restitution);
    if (restitution > 1)
      throw new InputError(`--restitution: ${restitution} would make energy; give a number from 0 to 1`);
    contacts = contacts.map((contact) => ({ ...contact, restitution }));
  }
  const surface = {
    ...(flags.friction !== undefined && { frictionCoefficient: notNegative("--friction", flags.friction) }),
    ...(flags.restitution !== undefined && { restitution: notNegative("--restitution", flags.restitution) }),
  };
  return {
    ...changedSurfaces(description, surface, flags.floor !== "none"),
    ...(flags.timestep !== undefined && { timestep: positive("--timestep", flags.timestep, "seconds") }),
    ...(flags.gravity !== undefined && { gravity: vector3("--gravity", flags.gravity) }),
    ...(description.contacts && { contacts }),
  };
}

/** Metres and radians. */
function errorToleranceOf({ errorTolerance }: SimulationFlags, flag: string): number | undefined {
  if (errorTolerance === undefined) return undefined;
  return positive(flag, errorTolerance, "metres and radians, such as 0.001");
}

export interface Setup {
  readonly name: string;
  readonly simulation: Simulation;
  /** The mechanism as the parameters that were set leave it. */
  readonly mechanism: Mechanism;
  readonly start: Float64Array;
  readonly controller: Controller;
  /** Seconds from the description to the end of a first step, which does not count. */
  readonly compileSeconds: number;
  /** What the importer and the start have to say. */
  readonly notes: readonly string[];
}

/** `runs`: for a run of many steps, whose kernels are all made ready; `toleranceFlag` is what the command calls the error tolerance. */
export function setUp(
  what: string | undefined,
  flags: SimulationFlags,
  { runs = false, toleranceFlag = "--tolerance" }: { readonly runs?: boolean; readonly toleranceFlag?: string } = {},
): Setup {
  const kappa = flags.kappa === undefined ? undefined : positive("--kappa", flags.kappa);
  const errorTolerance = errorToleranceOf(flags, toleranceFlag);
  const precision = flags.precision === undefined ? undefined : oneOf("--precision", flags.precision, precisions);
  const { name, description: loaded, warnings, file } = loadDescription(what, flags);
  const begin = performance.now();
  const description = flags.servo ? servoed(loaded, flags) : loaded;
  const simulation = coldStart(() => {
    const mechanism = inFile(file, () => compile(description));
    const made = new Simulation(mechanism, { kappa, errorTolerance, precision });
    if (runs) made.warmUp();
    return made;
  });
  let compileSeconds = (performance.now() - begin) / 1000;
  setParameters(simulation, flags.set ?? []);
  const mechanism = simulation.currentMechanism;
  const said = [heldContactsNote(mechanism), toleranceNote(simulation.mechanism, simulation.options)];
  const { wanted, joints } = wantedStart(mechanism, flags);
  const onGround = flags.onGround ?? false;
  const begun = startOf(simulation, { state: wanted, joints, onGround });
  const { state: start, input: held } = begun;
  compileSeconds += firstStep(simulation, start);
  const controller = controllerOf(mechanism, held, flags.input);
  return {
    name,
    simulation,
    mechanism,
    start,
    controller,
    compileSeconds,
    notes: [
      ...said.filter((note) => note !== undefined),
      ...startNotes(begun, onGround),
      ...warningsByWeight(warnings),
    ],
  };
}

function servoed(description: MechanismDescription, { state }: SimulationFlags): MechanismDescription {
  if (hasMotors(description)) return withServos(description, state === "zero" ? undefined : state);
  throw new InputError("--servo: the model has no motor on a hinge or a slide that a servo could replace");
}

/** What changes the motion first, what is looks or softness last. */
function warningsByWeight(warnings: readonly FormatWarning[]): string[] {
  const [minor, major] = [true, false].map((ignored) =>
    warnings.filter(({ code }) => (code === "ignored") === ignored),
  );
  return [...major, ...minor].map(({ message }) => message);
}

/** Seconds of a step whose result is thrown away: engines compile kernels when they are first called. */
function firstStep(simulation: Simulation, start: Float64Array): number {
  const begin = performance.now();
  simulation.step(start);
  return (performance.now() - begin) / 1000;
}

export function printNotes(notes: readonly string[]): void {
  const most = 8;
  for (const note of notes.slice(0, most)) warn(note);
  if (notes.length > most) warn(`${notes.length - most} more like these; --json has all`);
}

function setParameters(simulation: Simulation, settings: readonly string[]): void {
  const values: Record<string, number> = {};
  const given = new Set<string>();
  for (const { name, value } of settings.flatMap((text) => assignments("--set", text))) {
    if (given.has(name)) throw new InputError(`--set: ${name} is given twice; give it one value`);
    given.add(name);
    for (const path of namesLike("--set", "parameter", name, simulation.parameterNames)) values[path] = value;
  }
  simulation.setParameters(values);
}

/** The named state, with positions and velocities on top. */
function wantedStart(
  { description, joints: all, coordinateNames }: Mechanism,
  flags: SimulationFlags,
): { wanted: string; joints: Record<string, JointState> } {
  const states = description.states ?? {};
  const names = namesOf(description, "states");
  const wanted = flags.state ?? names[0] ?? "zero";
  if (wanted !== "zero" && !names.includes(wanted)) throw unknown("--state", "state", wanted, [...names, "zero"]);
  const joints: Record<string, JointState> = {};
  for (const { name, coordinates } of all) {
    const given = states[wanted]?.[name];
    const zeros = coordinates.map(() => 0);
    joints[name] = { position: [...(given?.position ?? zeros)], velocity: [...(given?.velocity ?? zeros)] };
  }
  for (const part of ["position", "velocity"] as const) {
    const text = flags[part];
    if (text === undefined) continue;
    for (const { name, value } of assignments(`--${part}`, text)) {
      const found = namesLike(`--${part}`, "coordinate", name, coordinateNames);
      for (const joint of all) {
        joint.coordinates.forEach((coordinate, i) => {
          if (found.includes(coordinate.name)) (joints[joint.name][part] as number[])[i] = value;
        });
      }
    }
  }
  return { wanted, joints };
}

/** What was wrong with the start, and what became of it. */
function startNotes({ faults, moved }: Start, onGround: boolean): string[] {
  if (faults.length === 0) return onGround ? [`bodies were put down, and moved by up to ${figure(moved)} m`] : [];
  const { code, path } = faults[0];
  const others = andMore(faults.slice(1), "fault", "faults");
  return [`the start had ${code} at ${path}${others}: bodies were moved by up to ${figure(moved)} m`];
}

/** `held` are the inputs of the start, to which the option adds. */
function controllerOf({ inputNames }: Mechanism, held: Float64Array, text: string | undefined): Controller {
  if (text === "zero") {
    return (_, __, input) => {
      input.fill(0);
      return undefined;
    };
  }
  if (text?.startsWith("random")) {
    const [, seed = "0", scale = "1", ...rest] = text.split(":");
    if (rest.length > 0 || !/^random(:|$)/.test(text)) {
      throw new InputError(`--input: "${text}"; write random:seed:scale, such as random:1:20`);
    }
    const random = new Random(finite("--input: seed", seed));
    const most = notNegative("--input: scale", scale);
    return (_, __, input) => {
      for (let i = 0; i < input.length; i++) input[i] = held[i] + random.uniform(-most, most);
      return undefined;
    };
  }
  for (const { name, value } of text === undefined ? [] : assignments("--input", text)) {
    for (const found of namesLike("--input", "input", name, inputNames)) held[inputNames.indexOf(found)] = value;
  }
  return (_, __, input) => {
    input.set(held);
    return undefined;
  };
}

/** Names that one with "*" in it stands for, one at least. */
export function namesLike(option: string, what: string, pattern: string, known: readonly string[]): string[] {
  const matching = what === "parameter" ? matchingParameters : matchingNamesWithDots;
  const found = matching(pattern, known);
  if (found.length === 0) throw unknown(option, what, pattern, known);
  return found;
}

export function unknown(option: string, what: string, name: string, known: readonly string[]): InputError {
  const nearest = suggestion(name, known);
  const few = known.length === 0 ? "; there are none" : known.length <= 12 ? ` (have: ${known.join(", ")})` : "";
  const hint = nearest || few || ` (have ${known.length}, such as ${known.slice(0, 3).join(", ")})`;
  return new InputError(`${option}: there is no ${what} "${name}"${hint}`);
}

/** A variadic --set takes the model that stands behind it along; this gives it back. */
export function withModel<T extends { readonly set?: readonly string[] }>(
  model: string | undefined,
  flags: T,
): { model: string | undefined; flags: T } {
  const last = flags.set?.at(-1);
  if (model !== undefined || last === undefined || last.includes("=")) return { model, flags };
  return { model: last, flags: { ...flags, set: flags.set?.slice(0, -1) } };
}
