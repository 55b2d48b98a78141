/**
 * A node of the mechanism's graph as equations. Bodies, joints, gears and contacts are all of this one form:
 *   body rows    what the node adds to the balance of each body it touches (impulses, with a minus sign)
 *   rows         its own equations, one for each of its multipliers
 *   eliminations the equations of its cone variables, in the order in which they are condensed away
 * From it come, by differentiation alone, the solver's matrix, its right-hand sides and the gradients' data Jacobians.
 */

import { bodyTangentSize } from "../math/index.ts";
import {
  add,
  div,
  type Expr,
  type Graph,
  type JacobianMode,
  jacobian,
  matMul,
  mul,
  neg,
  rotationMatrix,
  type Scalar,
  sub,
} from "../symbolic/index.ts";
import { type BodySymbols, substituteMatrix, untiltedMatrix } from "./bodySymbols.ts";
import type { ConeRole } from "./coneRoles.ts";
import { wrenchOf } from "./twist.ts";

/** The equation of an eliminated cone variable: an equality, or one entry of b ∘ c = κe. */
export type Elimination =
  | { readonly kind: "equality"; readonly value: Scalar; readonly solves: Expr }
  | { readonly kind: "complementarity"; readonly cone: number; readonly entry: number; readonly solves: Expr };

export interface ConeSymbols {
  readonly role: ConeRole;
  readonly b: readonly Expr[];
  readonly c: readonly Expr[];
}

export interface NodeEquations {
  readonly graph: Graph;
  readonly bodies: readonly BodySymbols[];
  readonly globals: GlobalSymbols;
  /** Parameters, in groups that lie together in memory. */
  readonly parameterGroups: readonly (readonly Expr[])[];
  readonly inputs: readonly Expr[];
  readonly multipliers: readonly Expr[];
  readonly cones: readonly ConeSymbols[];
  /** Six rows per body. */
  readonly bodyRows: readonly (readonly Scalar[])[];
  readonly rows: readonly Scalar[];
  readonly eliminations: readonly Elimination[];
  /** Added to the diagonal of the matrix, not to the residual: keeps redundant constraints solvable. */
  readonly regularization: readonly Scalar[];
  /** What else is worth knowing at z and z₊: coordinates, distances. */
  readonly observations: readonly Scalar[];
  /** Impulse on the last body, for whoever measures it: linear in the world, angular about the centre of mass in the body. */
  readonly wrench?: readonly Scalar[];
  /** True when several nodes add up to one row (the terms of a gear). */
  readonly sharesRows: boolean;
  /** What the node's impulses act along, where its law can be told apart from its geometry (law.ts). */
  readonly ports?: Ports;
}

/**
 * Where a node meets its bodies: functions of their poses, as they stand in the node's equations, and by how much a value changes
 * for a rate of one. An impulse on a port acts along the gradient of its displacement, h·rate. A joint's ports are its constraints, then
 * its free coordinates; a contact's its gap, then its slip.
 */
export interface Ports {
  readonly kind: "joint" | "contact";
  readonly values: readonly Scalar[];
  readonly scales: readonly Scalar[];
  /** Impulses, one per port, as expressions of multipliers, inputs and cone variables. */
  readonly amounts: readonly Scalar[];
  /** Impulses that act on the ports besides and are no unknowns. Default none. */
  readonly given?: readonly Scalar[];
  /** A joint's ports of constraints, and what each multiplier acts along, mostly the value of a port. */
  readonly constraints: number;
  readonly along: readonly Scalar[];
}

/** The port that each of a joint's multipliers pushes, −1 for those that act along none. */
export function pushedPorts({ along, values }: Ports): number[] {
  return along.map((value) => values.indexOf(value));
}

/** Quantities that all nodes share. */
export interface GlobalSymbols {
  readonly timestep: Expr;
  readonly gravity: readonly Expr[];
  /** ρ of the spring weights. */
  readonly springConservation: Expr;
  /** ρ of the weights of dampers and servos. */
  readonly damperCentering: Expr;
  /** How much longer forces act than the step lasts, and for how long they do. */
  readonly lead: Expr;
  readonly duration: Scalar;
  /** Length of the interval before the step. */
  readonly before: Scalar;
}

/**
 * The numbers that all nodes share; after them comes the *lead* of a step that follows one of another size, which is no parameter. Momenta
 * belong to the middles of the intervals, so between an interval h₋ and one of h forces act for (h₋ + h)/2 = h + lead: with it a sequence
 * of steps of any sizes is of second order. Forces that go by the motion before and after weigh each of the two intervals by its own length. The
 * lead is zero where the size stays.
 */
export const globalNames = [
  ...["timestep", "gravity.x", "gravity.y", "gravity.z"],
  ...["springConservation", "damperCentering"],
] as const;

export function globalSymbols(graph: Graph): GlobalSymbols {
  const [timestep, x, y, z, springConservation, damperCentering] = globalNames.map((name) => graph.symbol(name));
  const lead = graph.symbol("lead");
  const duration = add(timestep, lead);
  const before = add(timestep, mul(2, lead));
  return { timestep, gravity: [x, y, z], springConservation, damperCentering, lead, duration, before };
}

export function globalList(globals: GlobalSymbols): Expr[] {
  const { timestep, gravity, springConservation, damperCentering, lead } = globals;
  return [timestep, ...gravity, springConservation, damperCentering, lead];
}

/** Where the lead lies among the globals, and how many there are with it. */
export const leadOffset = globalNames.length;
export const globalCount = globalNames.length + 1;

const expressions = (list: readonly Scalar[]): Expr[] =>
  list.filter((entry): entry is Expr => typeof entry !== "number");

/** d(rows)/d(v₊, ω₊) of each body (none for the world), by way of its next pose: it moves by h dv₊ and turns by h·turn·dω₊. */
export function stepJacobians(
  rows: readonly Scalar[],
  bodies: readonly BodySymbols[],
  h: Scalar,
  mode?: JacobianMode,
): Scalar[][][] {
  const overStep = (matrix: Scalar[][]): Scalar[][] => matrix.map((row) => row.map((entry) => timesStep(entry, h)));
  return nextJacobians(rows, bodies, mode).map(({ byPosition, byTilt, byLinear, byAngular }, b) => {
    if (!bodies[b].moves) return [];
    const moved = overStep(byPosition);
    const turned = matMul(overStep(byTilt), bodies[b].turn);
    return rows.map((_, i) => [
      ...moved[i].map((entry, k) => add(entry, byLinear[i][k])),
      ...turned[i].map((entry, k) => add(entry, byAngular[i][k])),
    ]);
  });
}

/** d(rows)/d(twist) of each body (none for the world): what `stepJacobians` are with respect to (v₊, ω₊). */
export function twistJacobians(
  rows: readonly Scalar[],
  bodies: readonly BodySymbols[],
  h: Scalar,
  mode?: JacobianMode,
): Scalar[][][] {
  return nextJacobians(rows, bodies, mode).map(({ byPosition, byTilt, byLinear, byAngular }, b) => {
    const { moves, basis } = bodies[b];
    if (!moves) return [];
    const turned = matMul(byTilt, basis.tilt);
    const spun = matMul(byAngular, basis.spin);
    return rows.map((_, i) => [
      ...byPosition[i].map((entry, k) => add(timesStep(entry, h), byLinear[i][k])),
      ...turned[i].map((entry, k) => add(timesStep(entry, h), spun[i][k])),
    ]);
  });
}

/** h·entry, where rates bring a factor 1/h that cancels. */
function timesStep(entry: Scalar, h: Scalar): Scalar {
  if (typeof entry === "number") return mul(h, entry);
  if (entry.op === "neg") return neg(timesStep(entry.args[0], h));
  const inverse = div(1, h);
  if (entry === inverse) return 1;
  if (entry.op === "mul" && entry.args[0] === inverse) return entry.args[1];
  if (entry.op === "mul" && entry.args[1] === inverse) return entry.args[0];
  return mul(h, entry);
}

/** d(rates of the ports)/d(twist) of each body at z₊. */
export function portGradients({ ports, bodies, globals }: NodeEquations): Scalar[][][] {
  const { values, scales } = ports as Ports;
  const rates = values.map((value, i) => div(value, scales[i]));
  return twistJacobians(rates, bodies, globals.timestep, ofPorts);
}

/** Directions of the ports' impulses as wrenches on each body. */
export function portWrenches(node: NodeEquations): Scalar[][][] {
  return portDirections(node).map((lines, k) => lines.map((line) => wrenchOf(line, node.bodies[k].basis)));
}

/** Directions of the ports' impulses on each body at z, as rows of its balance. */
export function portDirections({ ports, bodies, globals }: NodeEquations): Scalar[][][] {
  const { values, scales } = ports as Ports;
  const h = globals.timestep;
  const displacements = values.map((value, i) => (scales[i] === h ? value : mul(h, div(value, scales[i]))));
  return impulseDirections(displacements, bodies, h);
}

/** Ports have few rows of 12 or 24 columns, so the graph by rows is the smaller one whatever the node: the other need not be built. */
const ofPorts: JacobianMode = "reverse";

/** Jacobians with respect to the next pose (position, small rotation) and the next velocity of each body, at tilt zero. */
function nextJacobians(
  rows: readonly Scalar[],
  bodies: readonly BodySymbols[],
  mode?: JacobianMode,
): Record<"byPosition" | "byTilt" | "byLinear" | "byAngular", Scalar[][]>[] {
  const symbols = bodies.flatMap(({ moves, nextSymbols, tilt, nextVelocity }) =>
    moves ? expressions([...nextSymbols.position, ...tilt, ...nextVelocity.linear, ...nextVelocity.angular]) : [],
  );
  const matrix = untiltedMatrix(jacobian(rows, symbols, mode), bodies);
  return bodies.map((_, b) => {
    const start = bodyTangentSize * bodies.slice(0, b).filter((body) => body.moves).length;
    const columns = (from: number): Scalar[][] => matrix.map((row) => row.slice(start + from, start + from + 3));
    return { byPosition: columns(0), byTilt: columns(3), byLinear: columns(6), byAngular: columns(9) };
  });
}

/**
 * Directions in which impulses act: the gradient of the rows with respect to a small displacement (δx, δθ) of each body (none for
 * the world), taken at the current configuration [K of max_2body]. A rate δθ/h enters rows that use ω₊ directly.
 */
export function impulseDirections(rows: readonly Scalar[], bodies: readonly BodySymbols[], h: Scalar): Scalar[][][] {
  const unknown = rows.filter((row): row is Expr => typeof row !== "number" && !knownDirections.has(row));
  const found = newDirections(unknown, bodies, h);
  unknown.forEach((row, i) => {
    knownDirections.set(
      row,
      found.map((lines) => lines[i] ?? []),
    );
  });
  return bodies.map(({ moves }, b) => {
    if (!moves) return [];
    return rows.map((row) => (typeof row === "number" ? six.map(() => 0) : (knownDirections.get(row)?.[b] ?? [])));
  });
}

const six = [0, 1, 2, 3, 4, 5] as const;
/** The directions of each row, by body. Rows belong to one node: its equations ask for their directions, and so do those who want its ports. */
const knownDirections = new WeakMap<Expr, Scalar[][]>();

function newDirections(rows: readonly Scalar[], bodies: readonly BodySymbols[], h: Scalar): Scalar[][][] {
  if (rows.length === 0) return [];
  const overStep = (rate: Scalar): Scalar => (rate === 0 ? 0 : div(rate, h));
  const here = currentForNext(bodies);
  return nextJacobians(rows, bodies, ofPorts).map(({ byPosition, byTilt, byLinear, byAngular }, b) => {
    if (!bodies[b].moves) return [];
    const atNext = rows.map((_, i) => [
      ...[0, 1, 2].map((k) => add(byPosition[i][k], overStep(byLinear[i][k]))),
      ...[0, 1, 2].map((k) => add(byTilt[i][k], overStep(byAngular[i][k]))),
    ]);
    return substituteMatrix(atNext, here);
  });
}

/** Replaces every body's next pose by its current one, to which no velocity leads. */
function currentForNext(bodies: readonly BodySymbols[]): Map<Expr, Scalar> {
  const map = new Map<Expr, Scalar>();
  const replace = (symbols: readonly Scalar[], values: readonly Scalar[]): void => {
    symbols.forEach((symbol, k) => {
      map.set(symbol as Expr, values[k]);
    });
  };
  for (const { pose, nextSymbols, nextVelocity, moves } of bodies) {
    if (!moves) continue;
    replace([...nextVelocity.linear, ...nextVelocity.angular], [0, 0, 0, 0, 0, 0]);
    replace(nextSymbols.position, pose.position);
    replace(nextSymbols.orientation, pose.orientation);
    const rotation = nextSymbols.rotation?.flat() ?? [];
    if (rotation.every((entry) => typeof entry !== "number" && entry.op === "symbol"))
      replace(rotation, (pose.rotation ?? rotationMatrix(pose.orientation)).flat());
  }
  return map;
}

/**
 * What impulses add to the balance of each body (nothing for the world): −Σ amount·direction. Where the poses are varied, as the
 * gradient of Σ amount·row: that has far fewer operations to differentiate again.
 */
export function impulseRows(
  rows: readonly Scalar[],
  amounts: readonly Scalar[],
  bodies: readonly BodySymbols[],
  h: Scalar,
): Scalar[][] {
  if (bodies.some(({ variation }) => variation.length > 0)) {
    const total = rows.reduce<Scalar>((sum, row, i) => add(sum, mul(amounts[i], row)), 0);
    return impulseDirections([total], bodies, h).map(([direction]) => direction?.map(neg) ?? []);
  }
  const directions = impulseDirections(rows, bodies, h);
  return bodies.map(({ moves }, k) => (moves ? minusImpulses(directions[k], amounts) : []));
}

function minusImpulses(directions: readonly (readonly Scalar[])[], amounts: readonly Scalar[]): Scalar[] {
  return [0, 1, 2, 3, 4, 5].map((k) =>
    directions.reduce<Scalar>((total, direction, i) => sub(total, mul(direction[k], amounts[i])), 0),
  );
}
