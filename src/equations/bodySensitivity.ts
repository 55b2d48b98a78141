/**
 * How a body's balance and next state answer to their data, in attitude errors:
 *   next error  e₊ = (x₊, 2 vec(q̄₊⁻¹ q₊), v₊, ω₊)   about the solved q̄₊
 * The step itself gives (v₊, ω₊); x₊ and q₊ follow from them, the state and h [solution_sensitivity].
 */

import { bodyStateSize, bodyTangentSize, poseSize, stateOffsets, tangentOffsets } from "../math/index.ts";
import {
  add,
  directional,
  dot,
  type Expr,
  Graph,
  jacobian,
  matMul,
  mul,
  neg,
  quaternionConjugate,
  quaternionMultiply,
  type Scalar,
  sum,
} from "../symbolic/index.ts";
import { poseOf, velocityOf } from "./bodyState.ts";
import { impactBalance } from "./impact.ts";
import { bodyBalance, bodyData, bodyParameterNames, type Physics } from "./integrator.ts";
import { globalCount, globalList, globalSymbols, leadOffset } from "./node.ts";
import { attitudeJacobian, nextPose } from "./pose.ts";

export interface BodySensitivity {
  readonly physics: Physics;
  readonly graph: Graph;
  readonly globals: readonly Expr[];
  readonly parameters: readonly Expr[];
  readonly state: readonly Expr[];
  readonly wrench: readonly Expr[];
  readonly unknown: readonly Expr[];
  /** q̄₊. */
  readonly solved: readonly Expr[];
}

interface Expressions {
  readonly balance: Scalar[];
  readonly next: Scalar[];
  readonly error: Scalar[];
}

export function bodySensitivitySymbols(physics: Physics = "step"): BodySensitivity {
  const graph = new Graph();
  return {
    physics,
    graph,
    globals: globalList(globalSymbols(graph)),
    parameters: graph.symbols("parameter", bodyParameterNames.length),
    state: graph.symbols("state", bodyStateSize),
    wrench: graph.symbols("wrench", 6),
    unknown: graph.symbols("unknown", 6),
    solved: graph.symbols("solved", 4),
  };
}

function expressions(s: BodySensitivity): Expressions {
  const [h, ...rest] = s.globals;
  const velocity = velocityOf(s.state);
  const nextVelocity = { linear: s.unknown.slice(0, 3), angular: s.unknown.slice(3, 6) };
  const data = bodyData(s.parameters, rest.slice(0, 3), s.wrench);
  const next = nextPose(poseOf(s.state), nextVelocity, h);
  return {
    balance:
      s.physics === "step"
        ? bodyBalance(data, velocity, nextVelocity, h, add(h, s.globals[leadOffset]))
        : impactBalance(data, velocity, nextVelocity),
    next: [...next.position, ...next.orientation],
    error: [...next.position, ...attitudeError(s.solved, next.orientation), ...s.unknown],
  };
}

/** 2 vec(q̄⁻¹ q). */
export function attitudeError(reference: readonly Scalar[], q: readonly Scalar[]): Scalar[] {
  return quaternionMultiply(quaternionConjugate(reference), q)
    .slice(1)
    .map((entry) => mul(2, entry));
}

/** Blocks for the Jacobians of a step: d balance/d(v, ω) (6 × 6), dφ₊/dδ and dφ₊/dω₊ (3 × 3). */
export function bodyBlocks(s: BodySensitivity): {
  byVelocity: Scalar[][];
  errorByAttitude: Scalar[][];
  errorBySpin: Scalar[][];
} {
  const { balance, error } = expressions(s);
  const { orientation } = poseOf(s.state);
  const attitude = attitudeJacobian(orientation);
  return {
    byVelocity: jacobian(balance, s.state.slice(stateOffsets.velocity)),
    errorByAttitude: matMul(jacobian(error.slice(3, 6), orientation), attitude),
    errorBySpin: jacobian(error.slice(3, 6), s.unknown.slice(3)),
  };
}

/** Tangents of a body's data, as symbols. */
export interface BodyTangents {
  readonly state: readonly Expr[];
  readonly parameters: readonly Expr[];
  readonly wrench: readonly Expr[];
  readonly globals: readonly Expr[];
  /** Solved step of (v₊, ω₊). */
  readonly step: readonly Expr[];
}

export function bodyTangentSymbols({ graph }: BodySensitivity): BodyTangents {
  return {
    state: graph.symbols("dot.state", bodyTangentSize),
    parameters: graph.symbols("dot.parameter", bodyParameterNames.length),
    wrench: graph.symbols("dot.wrench", 6),
    globals: graph.symbols("dot.global", globalCount),
    step: graph.symbols("dot.unknown", 6),
  };
}

/** A body's share of a tangent. Before the solve it is the next pose's tangent at fixed (v₊, ω₊) and the right-hand side −D θ̇, after it the tangent of e₊. */
export function bodyTangents(
  s: BodySensitivity,
  tangents: BodyTangents,
): { next: Scalar[]; rhs: Scalar[]; error: Scalar[] } {
  const { balance, next, error } = expressions(s);
  const seeds = new Map<Expr, Scalar>();
  const seed = (symbols: readonly Expr[], values: readonly Scalar[]): void =>
    symbols.forEach((symbol, i) => {
      seeds.set(symbol, values[i]);
    });
  const { position, orientation } = poseOf(s.state);
  const turn = tangents.state.slice(tangentOffsets.attitude, tangentOffsets.velocity);
  seed(position, tangents.state.slice(0, tangentOffsets.attitude));
  seed(
    orientation,
    attitudeJacobian(orientation).map((row) => dot(row, turn)),
  );
  seed(s.state.slice(stateOffsets.velocity), tangents.state.slice(tangentOffsets.velocity));
  seed(s.parameters, tangents.parameters);
  seed(s.wrench, tangents.wrench);
  seed(s.globals, tangents.globals);
  const before = { next: directional(next, seeds), rhs: directional(balance, seeds).map(neg) };
  seed(s.unknown, tangents.step);
  return { ...before, error: directional(error, seeds) };
}

/** Cotangents that reach a body, as symbols. */
export interface BodyCotangents {
  /** The cotangent of e₊, which comes from the cost. */
  readonly error: readonly Expr[];
  /** The cotangent of (x₊, q₊), which comes from the nodes. */
  readonly next: readonly Expr[];
  /** μ of the balance rows. */
  readonly mu: readonly Expr[];
}

export function bodyCotangentSymbols({ graph }: BodySensitivity): BodyCotangents {
  return {
    error: graph.symbols("bar.error", bodyTangentSize),
    next: graph.symbols("bar.next", poseSize),
    mu: graph.symbols("mu", 6),
  };
}

/** A body's share of a cotangent. Before the transposed solve it is the right-hand side −d(cost)/d(v₊, ω₊), after it the cotangents of the data. */
export function bodyCotangents(
  s: BodySensitivity,
  bars: BodyCotangents,
): { rhs: Scalar[]; state: Scalar[]; parameters: Scalar[]; wrench: Scalar[]; globals: Scalar[] } {
  const { balance, next, error } = expressions(s);
  const cost = dot(bars.error, error);
  const total = sum([dot(bars.mu, balance), dot(bars.next, next), cost]);
  const gradient = (symbols: readonly Expr[]): Scalar[] => jacobian([total], symbols, "reverse")[0];
  const { position, orientation } = poseOf(s.state);
  const byOrientation = gradient(orientation);
  const attitude = attitudeJacobian(orientation);
  return {
    rhs: jacobian([cost], s.unknown, "reverse")[0].map(neg),
    state: [
      ...gradient(position),
      ...[0, 1, 2].map((k) => attitude.reduce<Scalar>((total, row, i) => add(total, mul(row[k], byOrientation[i])), 0)),
      ...gradient(s.state.slice(stateOffsets.velocity)),
    ],
    parameters: gradient(s.parameters),
    wrench: gradient(s.wrench),
    globals: gradient(s.globals),
  };
}
