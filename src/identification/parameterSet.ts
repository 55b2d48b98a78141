/**
 * What is to be found: named parameters θ with starts and bounds, and formulas of them for the numbers of a mechanism and for how it was
 * measured. One parameter may move many numbers (a half-width the points of eight corners), one number may depend on many parameters (a
 * point of a body on its size and its centre of mass).
 *   parameters   { friction: { start: 0.2, lower: 0.01, upper: 1 }, comZ: { start: 0 } }
 *   values       { "contacts.*.frictionCoefficient": "friction", "contacts.corner0.point.z": "-0.05 - comZ" }
 *   measured     { cube: { point: ["0", "0", "-comZ"], scale: "1" } }
 * Plain data: it is kept in files and sent to workers. Derivatives of the formulas are generated.
 */
import { type NumericFunction, numericFunction } from "../coordinates/index.ts";
import type { ParameterDirection } from "../gradients/index.ts";
import { ArgumentError, type Mechanism, matchingNames, nearestName } from "../mechanism/index.ts";
import type { Simulation } from "../simulation/index.ts";
import { type Expr, Graph, jacobian, type Scalar } from "../symbolic/index.ts";
import { parseFormula } from "./formula.ts";

export interface ParameterRange {
  /** Where the search begins. */
  readonly start: number;
  /** Least value. Default none. */
  readonly lower?: number;
  /** Largest value. Default none. */
  readonly upper?: number;
}

/** How the recorded pose of a body belongs to it. */
export interface MeasuredBody {
  /** The recorded point in the body's frame, from its centre of mass; formulas. Default the centre of mass itself. */
  readonly point?: readonly [string, string, string];
  /** Recorded length over true length; a formula. Default 1. */
  readonly scale?: string;
}

export interface ParameterSet {
  readonly parameters: Readonly<Record<string, ParameterRange>>;
  /** Numbers that formulas may name as well, which are not to be found. Default none. */
  readonly constants?: Readonly<Record<string, number>>;
  /** Formulas by the name of what they set: parameters of the simulation, * for one name or part of it. */
  readonly values: Readonly<Record<string, string>>;
  /** What was measured of each body. */
  readonly measured?: Readonly<Record<string, MeasuredBody>>;
}

/** Numbers of a measured body: the point's three, and the scale. */
export const measuredSize = 4;

/** Refuses starts outside their bounds and bounds in the wrong order. */
export function requireParameters({ parameters }: ParameterSet): void {
  for (const [name, { start, lower = -Infinity, upper = Infinity }] of Object.entries(parameters)) {
    const path = `parameters.${name}`;
    if (!Number.isFinite(start)) throw new ArgumentError("not-finite", path, `start ${start}; give a finite number`);
    if (!(lower < upper)) {
      throw new ArgumentError("out-of-range", path, `lower ${lower} must be below upper ${upper}`);
    }
    if (start < lower || start > upper) {
      throw new ArgumentError("out-of-range", path, `start ${start} must be from ${lower} to ${upper}`);
    }
  }
}

/** The set with its parameters at other starts, and with all but some of them held there as constants. */
export function startedFrom(
  set: ParameterSet,
  values: Readonly<Record<string, number>>,
  free: readonly string[] = Object.keys(set.parameters),
): ParameterSet {
  const names = Object.keys(set.parameters);
  const stranger = [...Object.keys(values), ...free].find((name) => !names.includes(name));
  if (stranger !== undefined) {
    const nearest = nearestName(stranger, names);
    const hint = nearest === undefined ? `have: ${names.join(", ")}` : `did you mean "${nearest}"?`;
    throw new ArgumentError("unknown-parameter", stranger, `no such parameter; ${hint}`);
  }
  const parameters: Record<string, ParameterRange> = {};
  const constants: Record<string, number> = { ...set.constants };
  for (const [name, range] of Object.entries(set.parameters)) {
    const start = values[name] ?? range.start;
    if (free.includes(name)) parameters[name] = { ...range, start };
    else constants[name] = start;
  }
  return { ...set, parameters, constants };
}

/** θ in a simulation: sets what the formulas say, and knows how that answers to θ. */
export class ParameterMap {
  readonly names: readonly string[];
  readonly start: Float64Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** Numbers of the bodies asked for, `measuredSize` each, then gravity: rewritten by `apply`. */
  readonly outside: Float64Array;
  /** Row-major, a row per number of `outside`, a column per parameter: rewritten by `apply`. */
  readonly dOutside_dTheta: Float64Array;

  private readonly simulation: Simulation;
  private readonly paths: readonly string[];
  private readonly indices: readonly number[];
  private readonly made: NumericFunction;
  private readonly pattern: readonly { readonly path: number; readonly parameter: number; readonly at: number }[];

  /** `bodies` are those whose pose was recorded. */
  constructor(simulation: Simulation, set: ParameterSet, bodies: readonly string[]) {
    requireParameters(set);
    this.simulation = simulation;
    this.names = Object.keys(set.parameters);
    const ranges = Object.values(set.parameters);
    this.start = Float64Array.from(ranges, ({ start }) => start);
    this.lower = Float64Array.from(ranges, ({ lower = -Infinity }) => lower);
    this.upper = Float64Array.from(ranges, ({ upper = Infinity }) => upper);

    const graph = new Graph();
    const symbols = new Map(this.names.map((name): [string, Expr] => [name, graph.symbol(name)]));
    const { constants = {} } = set;
    const known = [...this.names, ...Object.keys(constants)];
    const valueNamed = (name: string): Scalar | undefined =>
      symbols.get(name) ?? (Object.hasOwn(constants, name) ? constants[name] : undefined);
    const read = (text: string, path: string): Scalar => parseFormula(text, known, valueNamed, path);
    const values = new Map<string, Scalar>();
    for (const [pattern, text] of Object.entries(set.values)) {
      const value = read(text, pattern);
      for (const path of pathsOf(simulation, pattern)) values.set(path, value);
    }
    this.paths = [...values.keys()];
    this.indices = this.paths.map((path) => simulation.system.parameters.get(path) as number);
    for (const body of Object.keys(set.measured ?? {})) {
      if (simulation.mechanism.bodies.some(({ name }) => name === body)) continue;
      throw new ArgumentError("unknown-body", `measured.${body}`, "no such body");
    }
    const outside: Scalar[] = [
      ...bodies.flatMap((body) => {
        const { point = ["0", "0", "0"], scale = "1" } = set.measured?.[body] ?? {};
        return [...point, scale].map((text, i) => read(text, `measured.${body}.${i < 3 ? `point.${i}` : "scale"}`));
      }),
      ...gravityPaths.map((path) => values.get(path) ?? simulation.parameter(path)),
    ];

    // values, then what is not zero of their derivatives
    const all = [...values.values(), ...outside];
    const theta = [...symbols.values()];
    const byTheta = jacobian(all, theta);
    const entries = byTheta.flatMap((row, path) =>
      row.flatMap((value, parameter) => (value === 0 ? [] : [{ path, parameter, value }])),
    );
    this.pattern = entries.map(({ path, parameter }, i) => ({ path, parameter, at: all.length + i }));
    this.made = numericFunction("parameters", theta, [...all, ...entries.map(({ value }) => value)]);
    this.outside = new Float64Array(outside.length);
    this.dOutside_dTheta = new Float64Array(outside.length * theta.length);
  }

  /** Sets the simulation's parameters to what they are at θ. Throws where that leaves the physics. */
  apply(theta: ArrayLike<number>): void {
    const { made, paths, simulation, outside, dOutside_dTheta, names } = this;
    this.evaluate(theta);
    const values: Record<string, number> = {};
    paths.forEach((path, i) => {
      values[path] = made.output[i];
    });
    simulation.setParameters(values);
    outside.set(made.output.subarray(paths.length, paths.length + outside.length));
    for (const { path, parameter, at } of this.pattern) {
      if (path >= paths.length) dOutside_dTheta[(path - paths.length) * names.length + parameter] = made.output[at];
    }
  }

  /** What each parameter moves in the simulation's memory, where `apply` came last. */
  entries(): ParameterDirection["entries"][] {
    const { made, indices, names } = this;
    const entries: { index: number; weight: number }[][] = names.map(() => []);
    for (const { path, parameter, at } of this.pattern) {
      if (path < indices.length) entries[parameter].push({ index: indices[path], weight: made.output[at] });
    }
    return entries;
  }

  /** Names of parameters that no formula has. */
  get unused(): string[] {
    const used = new Set(this.pattern.map(({ parameter }) => parameter));
    return this.names.filter((_, i) => !used.has(i));
  }

  /** Bodies that can turn, and whose mass is found while their inertia is held; with the names of the parameters that the mass is of. */
  get massesAlone(): { readonly body: string; readonly parameter: string }[] {
    const { paths, names, pattern, simulation } = this;
    const turning = turningBodies(simulation.mechanism);
    return paths.flatMap((path, at) => {
      const body = /^bodies\.(.+)\.mass$/.exec(path)?.[1];
      if (body === undefined || !turning.has(body)) return [];
      if (paths.some((each) => each.startsWith(`bodies.${body}.inertia.`))) return [];
      const own = pattern.filter(({ path: moved }) => moved === at);
      return own.map(({ parameter }) => ({ body, parameter: names[parameter] }));
    });
  }

  private evaluate(theta: ArrayLike<number>): void {
    const { input } = this.made;
    for (let i = 0; i < input.length; i++) input[i] = theta[i];
    this.made.run();
  }
}

/** Bodies with a joint that turns between them and the world. */
function turningBodies({ bodies, joints, tree }: Mechanism): Set<string> {
  const turning = new Set<number>();
  for (const { joint, reversed } of tree) {
    const { parent, child, coordinates } = joints[joint];
    const [near, far] = reversed ? [child, parent] : [parent, child];
    if (turning.has(near) || coordinates.some(({ motion }) => motion === "rotation")) turning.add(far);
  }
  return new Set(bodies.filter((_, i) => turning.has(i)).map(({ name }) => name));
}

const gravityPaths = ["gravity.x", "gravity.y", "gravity.z"];

/** The parameters of a simulation that a pattern means. */
function pathsOf(simulation: Simulation, pattern: string): string[] {
  const known = simulation.parameterNames;
  if (known.includes(pattern)) return [pattern];
  const matches = pattern.includes("*") ? matchingNames(pattern, known) : [];
  if (matches.length > 0) return matches;
  const nearest = nearestName(pattern, known);
  const hint =
    nearest === undefined ? "parameterNames lists all, and so does dojo inspect --names" : `did you mean "${nearest}"?`;
  throw new ArgumentError("unknown-parameter", pattern, `no such parameter of the mechanism; ${hint}`);
}
