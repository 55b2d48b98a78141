/**
 * Jacobians between joint coordinates and the states of the bodies, one joint at a time, in attitude errors.
 *
 * To maximal: the far body of a joint follows from the near one and the coordinates, now and one step earlier,
 *   (δx, δθ)_far = A (δx, δθ)_near + B dθ,      earlier: A₋, and B₋ with respect to θ and to θ̇;
 * and a body's velocities follow from its two poses,   v = (x − x₋)/h,   ω = 2 vec(q₋⁻¹ q)/h.
 * To minimal: values and rates of a joint's coordinates, with respect to the states of its two bodies.
 */

import { bodyStateSize, poseSize } from "../math/index.ts";
import {
  div,
  type Expr,
  Graph,
  jacobian,
  matMul,
  mul,
  quaternionConjugate,
  quaternionMultiply,
  rotate,
  rotateInverse,
  type Scalar,
  substitute,
  vadd,
  vsub,
} from "../symbolic/index.ts";
import { attitudeError } from "./bodySensitivity.ts";
import { poseBefore, poseOf } from "./bodyState.ts";
import { coordinates, type JointType, relativePose } from "./jointGeometry.ts";
import { frameParameters, framesFrom } from "./jointSpecies.ts";
import { childPose, earlierTransform, jointTransform, parentPose } from "./jointTransform.ts";
import { attitudeJacobian, type Pose, worldPose } from "./pose.ts";

export interface CoordinateSpecies {
  readonly type: JointType;
  /** Whether the near body (the parent, or the child of a reversed edge) moves; in the conversion to minimal, whether the parent does. */
  readonly nearMoves: boolean;
  readonly reversed: boolean;
}

export interface ToMaximalSymbols {
  readonly graph: Graph;
  readonly h: Expr;
  readonly frame: readonly Expr[];
  readonly values: readonly Expr[];
  readonly rates: readonly Expr[];
  /** Near body now and one step earlier: position 3, orientation 4. */
  readonly near: readonly Expr[];
  readonly nearBefore: readonly Expr[];
  /** Far body now and one step earlier, as solved. */
  readonly far: readonly Expr[];
  readonly farBefore: readonly Expr[];
}

export interface ToMaximalBlocks {
  /** 6 × 6, absent where the near body is the world. */
  readonly near: Scalar[][];
  readonly nearBefore: Scalar[][];
  /** 6 × coordinates. */
  readonly values: Scalar[][];
  readonly beforeByValues: Scalar[][];
  readonly beforeByRates: Scalar[][];
}

export function toMaximalSymbols(species: CoordinateSpecies): ToMaximalSymbols {
  const graph = new Graph();
  const count = coordinates(species.type).length;
  return {
    graph,
    h: graph.symbol("timestep"),
    frame: frameParameters.map((name) => graph.symbol(name)),
    values: graph.symbols("value", count),
    rates: graph.symbols("rate", count),
    near: graph.symbols("near", poseSize),
    nearBefore: graph.symbols("nearBefore", poseSize),
    far: graph.symbols("far", poseSize),
    farBefore: graph.symbols("farBefore", poseSize),
  };
}

/** (x, 2 vec(p)/w), p = q̄⁻¹ q, of a pose about a solved one. Where q comes from an angle that has wrapped, w is −1. */
function poseError(pose: Pose, solved: readonly Scalar[]): Scalar[] {
  const [w, ...p] = quaternionMultiply(quaternionConjugate(solved.slice(3)), pose.orientation);
  return [...pose.position, ...p.map((entry) => div(mul(2, entry), w))];
}

/** d(rows)/d(δx, δθ) of a pose made of symbols: its quaternion q is turned to q (1, t/2), and t is the variable. */
function byPose(graph: Graph, rows: readonly Scalar[], pose: readonly Expr[]): Scalar[][] {
  const t = graph.symbols("variation", 3);
  const q = quaternionMultiply(pose.slice(3), [1, ...t.map((entry) => mul(0.5, entry))]);
  const varied = substitute(rows, new Map(q.map((entry, i): [Expr, Scalar] => [pose[3 + i], entry])));
  const matrix = jacobian(varied, [...pose.slice(0, 3), ...t]);
  const still = new Map(t.map((symbol): [Expr, Scalar] => [symbol, 0]));
  return matrix.map((row) => substitute(row, still));
}

/** (x, attitude error) of the far body, now and one step earlier. */
function farErrors(species: CoordinateSpecies, s: ToMaximalSymbols): { now: Scalar[]; before: Scalar[] } {
  const frames = framesFrom(s.frame);
  const place = species.reversed ? parentPose : childPose;
  const near = species.nearMoves ? poseOf(s.near) : worldPose;
  const nearBefore = species.nearMoves ? poseOf(s.nearBefore) : worldPose;
  const earlier = earlierTransform(species.type, frames, s.values, s.rates, s.h);
  return {
    now: poseError(place(frames, jointTransform(species.type, frames, s.values), near), s.far),
    before: poseError(place(frames, earlier, nearBefore), s.farBefore),
  };
}

/** At fixed coordinates the far body moves with the near one as if they were one: where it is seen from there does not change. */
function carried(graph: Graph, near: readonly Expr[], far: readonly Expr[]): Scalar[][] {
  const [{ position: x, orientation: q }, { position: xFar, orientation: qFar }] = [poseOf(near), poseOf(far)];
  const place = graph.symbols("place", 3);
  const turn = graph.symbols("turn", 4);
  const pose = { position: vadd(x, rotate(q, place)), orientation: quaternionMultiply(q, turn) };
  const matrix = byPose(graph, poseError(pose, far), near);
  const asSeen = [...rotateInverse(q, vsub(xFar, x)), ...quaternionMultiply(quaternionConjugate(q), qFar)];
  const seen = new Map([...place, ...turn].map((symbol, i): [Expr, Scalar] => [symbol, asSeen[i]]));
  return matrix.map((row) => substitute(row, seen));
}

export function toMaximalBlocks(species: CoordinateSpecies, s: ToMaximalSymbols): ToMaximalBlocks {
  const { now, before } = farErrors(species, s);
  return {
    near: species.nearMoves ? carried(s.graph, s.near, s.far) : [],
    nearBefore: species.nearMoves ? carried(s.graph, s.nearBefore, s.farBefore) : [],
    values: jacobian(now, s.values),
    beforeByValues: jacobian(before, s.values),
    beforeByRates: jacobian(before, s.rates),
  };
}

/** What the joint's frames (15 numbers) and the time step do to the far body at fixed coordinates, 6 × 15 and 6 × 1. */
export function toMaximalByParameters(
  species: CoordinateSpecies,
  s: ToMaximalSymbols,
): { byFrame: Scalar[][]; beforeByFrame: Scalar[][]; beforeByTimestep: Scalar[][] } {
  const { now, before } = farErrors(species, s);
  return {
    byFrame: jacobian(now, s.frame),
    beforeByFrame: jacobian(before, s.frame),
    beforeByTimestep: jacobian(before, [s.h]),
  };
}

export interface VelocitySymbols {
  readonly graph: Graph;
  readonly h: Expr;
  readonly now: readonly Expr[];
  readonly before: readonly Expr[];
}

export function velocitySymbols(): VelocitySymbols {
  const graph = new Graph();
  return { graph, h: graph.symbol("timestep"), now: graph.symbols("now", 4), before: graph.symbols("before", 4) };
}

/** dω/dδθ and dω/dδθ₋, 3 × 3 each. */
export function spinBlocks({ h, now, before }: VelocitySymbols): { byNow: Scalar[][]; byBefore: Scalar[][] } {
  const spin = attitudeError(before, now).map((entry) => div(entry, h));
  return {
    byNow: matMul(jacobian(spin, now), attitudeJacobian(now)),
    byBefore: matMul(jacobian(spin, before), attitudeJacobian(before)),
  };
}

export interface ToMinimalInputs<T extends Scalar> {
  readonly h: T;
  readonly frame: readonly T[];
  /** States of parent and child, 13 numbers each. */
  readonly parent: readonly T[];
  readonly child: readonly T[];
}

export interface ToMinimalSymbols extends ToMinimalInputs<Expr> {
  readonly graph: Graph;
}

export function toMinimalSymbols(): ToMinimalSymbols {
  const graph = new Graph();
  return {
    graph,
    h: graph.symbol("timestep"),
    frame: frameParameters.map((name) => graph.symbol(name)),
    parent: graph.symbols("parent", bodyStateSize),
    child: graph.symbols("child", bodyStateSize),
  };
}

/** Values and rates of a joint's coordinates. */
export function toMinimal(
  type: JointType,
  parentMoves: boolean,
  s: ToMinimalInputs<Scalar>,
): { values: Scalar[]; rates: Scalar[] } {
  const frames = framesFrom(s.frame);
  const before = (state: readonly Scalar[]): Pose => poseBefore(state, s.h);
  const relative = relativePose(frames, parentMoves ? poseOf(s.parent) : worldPose, poseOf(s.child));
  const earlier = relativePose(frames, parentMoves ? before(s.parent) : worldPose, before(s.child));
  const list = coordinates(type);
  return {
    values: list.map((coordinate) => coordinate.value(relative)),
    rates: list.map((coordinate) => div(coordinate.increment(earlier, relative), s.h)),
  };
}

/** Derivatives of values, then rates, with respect to (δx, δθ, v, ω) of parent (empty for the world) and child. */
export function toMinimalBlocks(
  type: JointType,
  parentMoves: boolean,
  s: ToMinimalSymbols,
): { byParent: Scalar[][]; byChild: Scalar[][] } {
  const { values, rates } = toMinimal(type, parentMoves, s);
  const byState = (state: readonly Expr[]): Scalar[][] => {
    const rows = [...values, ...rates];
    const byVelocity = jacobian(rows, state.slice(poseSize));
    return byPose(s.graph, rows, state.slice(0, poseSize)).map((row, i) => [...row, ...byVelocity[i]]);
  };
  return { byParent: parentMoves ? byState(s.parent) : [], byChild: byState(s.child) };
}
