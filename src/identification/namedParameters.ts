/**
 * Parameters of any mechanism by name, as a parameter set with starts, bounds and formulas:
 *   joints.hinge.damping.0, contacts.*.frictionCoefficient, gravity.z     any of `simulation.parameterNames`, * for one name or part of it
 *   bodies.rod.centerOfMass, or one of its coordinates (….z)              moves all that is fixed to the body, and the measured point with it
 *   bodies.rod.inertia                                                    six numbers of a Cholesky factor: every value is a rigid body
 *   bodies.rod.massAndInertia                                             the mass, J = (m/m₀) J₀: another density, the same shape
 *   lengthScale                                                           recorded lengths over true ones
 * An inertia is that of some distribution of mass if Σ = ½ tr(J) 1 − J, its second moment, is positive definite. With Σ = L Lᵀ and the
 * diagonal of L above 0 it always is, J = tr(Σ) 1 − Σ, and the search has only bounds to mind.
 */
import { cholesky } from "../math/index.ts";
import { ArgumentError, matchingNames, nearestName } from "../mechanism/index.ts";
import type { Simulation } from "../simulation/index.ts";
import { formulaName } from "./formula.ts";
import { pivotTolerance } from "./levenbergMarquardt.ts";
import type { ParameterRange, ParameterSet } from "./parameterSet.ts";

const axes = ["x", "y", "z"] as const;
const momentNames = ["xx", "yy", "zz", "xy", "xz", "yz"] as const;

export function namedParameters(simulation: Simulation, names: readonly string[]): ParameterSet {
  const made: Made = { parameters: {}, values: {}, points: new Map(), scale: undefined };
  // centres of mass go last, on top of what else moves the same points
  const isCenter = (name: string): boolean => /^bodies\..+\.centerOfMass(\.[xyz])?$/.test(name);
  for (const name of names.filter((each) => !isCenter(each))) {
    const inertia = /^bodies\.(.+)\.inertia$/.exec(name);
    const density = /^bodies\.(.+)\.massAndInertia$/.exec(name);
    if (name === "lengthScale") {
      requireFree(made.parameters, name, name);
      made.parameters[name] = { start: 1, lower: 0.1, upper: 10 };
      made.scale = name;
    } else if (inertia) addInertia(made, simulation, inertia[1]);
    else if (density) addMassAndInertia(made, simulation, density[1]);
    else addPlain(made, simulation, name);
  }
  for (const name of names.filter(isCenter)) addCenter(made, simulation, name);
  const bodies = simulation.mechanism.bodies.filter(({ name }) => made.points.has(name) || made.scale !== undefined);
  const measured = Object.fromEntries(
    bodies.map(({ name }) => {
      const point = made.points.get(name);
      return [name, { ...(point && { point }), ...(made.scale !== undefined && { scale: made.scale }) }];
    }),
  );
  return { parameters: made.parameters, values: made.values, ...(bodies.length > 0 && { measured }) };
}

interface Made {
  readonly parameters: Record<string, ParameterRange>;
  readonly values: Record<string, string>;
  /** Measured points of bodies. */
  readonly points: Map<string, [string, string, string]>;
  scale: string | undefined;
}

function addPlain({ parameters, values }: Made, simulation: Simulation, name: string): void {
  const known = simulation.parameterNames;
  const matches = known.includes(name) ? [name] : name.includes("*") ? matchingNames(name, known) : [];
  if (matches.length === 0) {
    const nearest = nearestName(name, [...known, ...compositeNames(simulation)]);
    const hint =
      nearest === undefined
        ? "parameterNames lists all, and so does dojo inspect --names"
        : `did you mean "${nearest}"?`;
    throw new ArgumentError("unknown-parameter", name, `no such parameter; ${hint}`);
  }
  const starts = matches.map((path) => simulation.parameter(path));
  const different = starts.findIndex((value) => value !== starts[0]);
  if (different > 0) {
    const message = `${matches[0]} is ${starts[0]} and ${matches[different]} is ${starts[different]}; name them one by one, or tie them by formulas`;
    throw new ArgumentError("different-starts", name, message);
  }
  for (const path of matches) requireFree(values, path, name);
  parameters[name] = { start: starts[0], ...boundsOf(name, starts[0]) };
  for (const path of matches) values[path] = formulaName(name);
}

/** Two parameters for one number: the second would take the place of the first, or be added to it. */
function requireFree(taken: Readonly<Record<string, unknown>>, path: string, name: string): void {
  if (!Object.hasOwn(taken, path)) return;
  throw new ArgumentError(
    "both-given",
    name,
    `${path} is found by another parameter already; leave one of the two out`,
  );
}

/** What is above 0 by nature stays there. */
function boundsOf(name: string, start: number): Omit<ParameterRange, "start"> {
  if (/\.(mass|massAndInertia|frictionCoefficient)$/.test(name)) return { lower: Math.min(1e-4, start / 100) };
  if (/\.restitution$/.test(name)) return { lower: 0, upper: 1 };
  if (/\.(radius|stiffness\.\d+|damping\.\d+|armature\.\d+|servoStiffness\.\d+|servoDamping\.\d+)$/.test(name)) {
    return { lower: 0 };
  }
  if (/\.friction\.\d+$/.test(name)) return { lower: Math.min(1e-6, start / 100) };
  return {};
}

function compositeNames({ mechanism }: Simulation): string[] {
  return [
    "lengthScale",
    ...mechanism.bodies.flatMap(({ name }) =>
      ["inertia", "massAndInertia", "centerOfMass"].map((what) => `bodies.${name}.${what}`),
    ),
  ];
}

/** The body of another density: its inertia is in proportion to its mass. */
function addMassAndInertia({ parameters, values }: Made, simulation: Simulation, body: string): void {
  requireBody(simulation, body);
  const own = `bodies.${body}.massAndInertia`;
  const mass = `bodies.${body}.mass`;
  const moments = momentNames.map((name) => `bodies.${body}.inertia.${name}`);
  for (const path of [mass, ...moments]) requireFree(values, path, own);
  const start = simulation.parameter(mass);
  parameters[own] = { start, ...boundsOf(own, start) };
  values[mass] = formulaName(own);
  for (const path of moments) values[path] = `${simulation.parameter(path) / start} * ${formulaName(own)}`;
}

function addInertia({ parameters, values }: Made, simulation: Simulation, body: string): void {
  requireBody(simulation, body);
  const own = `bodies.${body}.inertia`;
  for (const name of momentNames) requireFree(values, `${own}.${name}`, own);
  const [xx, yy, zz, xy, xz, yz] = momentNames.map((name) => simulation.parameter(`${own}.${name}`));
  const half = (xx + yy + zz) / 2;
  const moment = Float64Array.of(half - xx, -xy, -xz, -xy, half - yy, -yz, -xz, -yz, half - zz);
  // flat bodies have a second moment of 0 in one direction: they start with a thousandth of their size
  for (const i of [0, 4, 8]) moment[i] = Math.max(moment[i], 1e-6 * half);
  if (cholesky(moment, 3, pivotTolerance) >= 0) {
    throw new ArgumentError(
      "inertia-triangle",
      own,
      "is not the inertia of any distribution of mass; correct the model",
    );
  }
  const size = Math.sqrt(half);
  const entry = (row: number, column: number): string => {
    const name = `${own}.l${row + 1}${column + 1}`;
    const bounds = row === column ? { lower: 1e-4 * size } : {};
    parameters[name] = { start: moment[3 * row + column], ...bounds };
    return formulaName(name);
  };
  const l = [0, 1, 2].map((row) => Array.from({ length: row + 1 }, (_, column) => entry(row, column)));
  const product = (i: number, j: number): string =>
    `(${Array.from({ length: Math.min(i, j) + 1 }, (_, k) => `${l[i][k]} * ${l[j][k]}`).join(" + ")})`;
  values[`${own}.xx`] = `${product(1, 1)} + ${product(2, 2)}`;
  values[`${own}.yy`] = `${product(0, 0)} + ${product(2, 2)}`;
  values[`${own}.zz`] = `${product(0, 0)} + ${product(1, 1)}`;
  values[`${own}.xy`] = `-${product(0, 1)}`;
  values[`${own}.xz`] = `-${product(0, 2)}`;
  values[`${own}.yz`] = `-${product(1, 2)}`;
}

/** All that is fixed to the body moves by −c as seen from its centre of mass; so does the measured point. */
function addCenter({ parameters, values, points }: Made, simulation: Simulation, name: string): void {
  const [, body, only] = /^bodies\.(.+?)\.centerOfMass(?:\.([xyz]))?$/.exec(name) as RegExpExecArray;
  const index = requireBody(simulation, body);
  const { joints, contacts, thrusters } = simulation.mechanism;
  const attached = [
    ...joints.filter(({ parent }) => parent === index).map((joint) => `joints.${joint.name}.parentAnchor`),
    ...joints.filter(({ child }) => child === index).map((joint) => `joints.${joint.name}.childAnchor`),
    ...contacts.filter((contact) => contact.body === index).map((contact) => `contacts.${contact.name}.point`),
    ...thrusters.filter((thruster) => thruster.body === index).map((thruster) => `thrusters.${thruster.name}.position`),
  ];
  if (contacts.some(({ other }) => other === index)) {
    throw new ArgumentError("not-supported", name, "a half-space rides on this body; name its offset instead");
  }
  // a floating base stands at the centre of mass by definition of its coordinates; poses say where it is
  for (const axis of only === undefined ? axes : [only as (typeof axes)[number]]) {
    const parameter = `bodies.${body}.centerOfMass.${axis}`;
    requireFree(parameters, parameter, name);
    parameters[parameter] = { start: 0 };
    const moved = formulaName(parameter);
    for (const path of attached.map((each) => `${each}.${axis}`)) {
      values[path] = `(${values[path] ?? simulation.parameter(path)}) - ${moved}`;
    }
    const point = points.get(body) ?? (["0", "0", "0"] as [string, string, string]);
    point[axes.indexOf(axis)] = `-${moved}`;
    points.set(body, point);
  }
}

function requireBody({ mechanism }: Simulation, body: string): number {
  const index = mechanism.bodies.findIndex(({ name }) => name === body);
  if (index >= 0) return index;
  const names = mechanism.bodies.map(({ name }) => name);
  throw new ArgumentError("unknown-body", `bodies.${body}`, `no such body (have: ${names.join(", ")})`);
}
