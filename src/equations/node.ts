/**
 * A node of the mechanism's graph as equations. Bodies, joints, gears and contacts are all of this one form:
 *   body rows    what the node adds to the balance of each body it touches (impulses, with a minus sign)
 *   rows         its own equations, one for each of its multipliers
 *   eliminations the equations of its cone variables, in the order in which they are condensed away
 * From it come, by differentiation alone, the solver's matrix, its right-hand sides and the gradients' data Jacobians.
 */
import {
  add,
  div,
  type Expr,
  type Graph,
  jacobian,
  matMul,
  mul,
  type Scalar,
  sub,
  substitute,
} from "../symbolic/index.ts";
import { attitudeJacobian, type Pose, type Velocity, worldPose, worldVelocity } from "./pose.ts";

/** One body as a node sees it. */
export interface BodySymbols {
  readonly pose: Pose;
  readonly velocity: Velocity;
  readonly next: Pose;
  readonly nextVelocity: Velocity;
  /** dq₊/dω₊, 4 × 3, computed once by the body and shared by all its nodes. */
  readonly turn: readonly (readonly Scalar[])[];
  /** False for the world, whose entries are constants. */
  readonly moves: boolean;
}

export const world: BodySymbols = {
  pose: worldPose,
  velocity: worldVelocity,
  next: worldPose,
  nextVelocity: worldVelocity,
  turn: [],
  moves: false,
};

export function bodySymbols(graph: Graph, name: string): BodySymbols {
  const pose = (prefix: string): Pose => ({
    position: graph.symbols(`${name}.${prefix}x`, 3),
    orientation: graph.symbols(`${name}.${prefix}q`, 4),
  });
  const velocity = (prefix: string): Velocity => ({
    linear: graph.symbols(`${name}.${prefix}v`, 3),
    angular: graph.symbols(`${name}.${prefix}w`, 3),
  });
  const turn = graph.symbols(`${name}.turn`, 12);
  return {
    pose: pose(""),
    velocity: velocity(""),
    next: pose("next."),
    nextVelocity: velocity("next."),
    turn: [0, 1, 2, 3].map((row) => turn.slice(3 * row, 3 * row + 3)),
    moves: true,
  };
}

/** The equation of an eliminated cone variable: an equality, or one entry of b ∘ c = κe. */
export type Elimination =
  | { readonly kind: "equality"; readonly value: Scalar; readonly solves: Expr }
  | { readonly kind: "complementarity"; readonly cone: number; readonly entry: number; readonly solves: Expr };

export interface ConeSymbols {
  readonly kind: "orthant" | "secondOrder";
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
  /** Six rows a body. */
  readonly bodyRows: readonly (readonly Scalar[])[];
  readonly rows: readonly Scalar[];
  readonly eliminations: readonly Elimination[];
  /** Added to the diagonal of the matrix, not to the residual: keeps redundant constraints solvable. */
  readonly regularization: readonly Scalar[];
  /** What else is worth knowing at z and z₊: coordinates, distances. */
  readonly observations: readonly Scalar[];
  /** True when several nodes add up to one row (the terms of a gear). */
  readonly sharesRows: boolean;
}

/** Quantities that all nodes share. */
export interface GlobalSymbols {
  readonly timestep: Expr;
  readonly gravity: readonly Expr[];
  /** ρ of the spring weights. */
  readonly springConservation: Expr;
}

export const globalNames = ["timestep", "gravity.x", "gravity.y", "gravity.z", "springConservation"] as const;

export function globalSymbols(graph: Graph): GlobalSymbols {
  const [timestep, x, y, z, springConservation] = globalNames.map((name) => graph.symbol(name));
  return { timestep, gravity: [x, y, z], springConservation };
}

export function globalList(globals: GlobalSymbols): Expr[] {
  return [globals.timestep, ...globals.gravity, globals.springConservation];
}

const expressions = (list: readonly Scalar[]): Expr[] =>
  list.filter((entry): entry is Expr => typeof entry !== "number");

/** d(rows)/d(v₊, ω₊) of one body, by way of its next pose: x₊ moves by h dv₊ and q₊ by turn·dω₊. */
export function stepJacobian(rows: readonly Scalar[], body: BodySymbols, h: Scalar): Scalar[][] {
  const byPosition = jacobian(rows, expressions(body.next.position));
  const byOrientation = jacobian(rows, expressions(body.next.orientation));
  const byLinear = jacobian(rows, expressions(body.nextVelocity.linear));
  const byAngular = jacobian(rows, expressions(body.nextVelocity.angular));
  const turned = matMul(byOrientation, body.turn);
  return rows.map((_, i) => [
    ...[0, 1, 2].map((k) => add(mul(h, byPosition[i][k]), byLinear[i][k])),
    ...[0, 1, 2].map((k) => add(turned[i][k], byAngular[i][k])),
  ]);
}

/**
 * Directions in which impulses act: the gradient of the rows with respect to a small displacement (δx, δθ) of one body,
 * taken at the current configuration [K of max_2body]. A rate δθ/h enters rows that use ω₊ directly.
 */
export function impulseDirections(
  rows: readonly Scalar[],
  bodies: readonly BodySymbols[],
  body: BodySymbols,
  h: Scalar,
): Scalar[][] {
  const byPosition = jacobian(rows, expressions(body.next.position));
  const byAttitude = matMul(
    jacobian(rows, expressions(body.next.orientation)),
    attitudeJacobian(body.next.orientation),
  );
  const byLinear = jacobian(rows, expressions(body.nextVelocity.linear));
  const byAngular = jacobian(rows, expressions(body.nextVelocity.angular));
  const overStep = (rate: Scalar): Scalar => (rate === 0 ? 0 : div(rate, h));
  const atNext = rows.flatMap((_, i) => [
    ...[0, 1, 2].map((k) => add(byPosition[i][k], overStep(byLinear[i][k]))),
    ...[0, 1, 2].map((k) => add(byAttitude[i][k], overStep(byAngular[i][k]))),
  ]);
  const here = substitute(atNext, currentForNext(bodies));
  return rows.map((_, i) => here.slice(6 * i, 6 * i + 6));
}

/** Replaces every body's next pose by its current one. */
export function currentForNext(bodies: readonly BodySymbols[]): Map<Expr, Scalar> {
  const map = new Map<Expr, Scalar>();
  for (const { pose, next, moves } of bodies) {
    if (!moves) continue;
    next.position.forEach((entry, k) => {
      map.set(entry as Expr, pose.position[k]);
    });
    next.orientation.forEach((entry, k) => {
      map.set(entry as Expr, pose.orientation[k]);
    });
  }
  return map;
}

/** Body rows of impulses `amounts` along `directions`: −Σ amount·direction. */
export function minusImpulses(directions: readonly (readonly Scalar[])[], amounts: readonly Scalar[]): Scalar[] {
  return [0, 1, 2, 3, 4, 5].map((k) =>
    directions.reduce<Scalar>((total, direction, i) => sub(total, mul(direction[k], amounts[i])), 0),
  );
}
