/**
 * A body as expressions: its balance, its next pose (with the rotation matrix) and dθ₊/dω₊ over h for the nodes that touch it, and the
 * basis of twists in which it is eliminated.
 */
import {
  bodyBalance,
  bodyData,
  bodyParameterNames,
  globalList,
  globalSymbols,
  impactBalance,
  nextPose,
  overTwists,
  ownBasis,
  type Physics,
  poseOf,
  spinOfTwist,
  type TwistBasis,
  turnJacobian,
  velocityOf,
  wrenchOf,
} from "../../equations/index.ts";
import { bodyStateSize } from "../../math/index.ts";
import { type Expr, Graph, jacobian, rotationMatrix, type Scalar, transpose } from "../../symbolic/index.ts";
import { type Inputs, placer } from "../memory/placement.ts";
import type { Stage } from "./staging.ts";

export interface BodyExpressions {
  readonly inputs: Inputs;
  /** Expressions in the order of `nextLayout`, but for the last. */
  readonly next: readonly Scalar[];
  readonly turn: readonly Scalar[];
  /** The balance as a wrench. */
  readonly balance: readonly Scalar[];
  readonly basis: TwistBasis;
  /** d(balance)/d(v₊, ω₊) as wrenches by twists, by rows. */
  readonly matrix: readonly Scalar[];
}

/** `iterate`: the stage that reads the next velocity. `isLoose`: the body is on its own (treeLimbs.ts). */
export function bodyExpressions(iterate: Stage, physics: Physics, isLoose: boolean): BodyExpressions {
  const graph = new Graph();
  const globals = globalSymbols(graph);
  const inputs: Inputs = new Map();
  const place = placer(inputs);
  place(globalList(globals), "globals", "prepare");
  const parameters = place(
    bodyParameterNames.map((name) => graph.symbol(name)),
    "parameters",
    "prepare",
  );
  const state = place(graph.symbols("state", bodyStateSize), "state", "prepare");
  const wrench = place(graph.symbols("wrench", 6), "wrench", "prepare");
  const unknown = place(graph.symbols("next", 6), "unknown", iterate);
  const h = globals.timestep;
  const velocity = velocityOf(state);
  const nextVelocity = { linear: unknown.slice(0, 3), angular: unknown.slice(3, 6) };
  const data = bodyData(parameters, globals.gravity, wrench);
  const balance =
    physics === "step"
      ? bodyBalance(data, velocity, nextVelocity, h, globals.duration)
      : impactBalance(data, velocity, nextVelocity);
  const next = nextPose(poseOf(state), nextVelocity, h);
  const turn = turnJacobian(graph, nextVelocity.angular, h);
  const [rotation, nextRotation] = [poseOf(state), next].map(({ orientation }) => rotationMatrix(orientation));
  const spin = physics === "step" ? spinOfTwist(rotation, nextVelocity.angular, h) : transpose(rotation);
  const basis = isLoose ? ownBasis(turn) : { rotation, tilt: transpose(nextRotation), spin };
  return {
    inputs,
    next: [...next.position, ...next.orientation, ...nextRotation.flat()],
    turn: turn.flat(),
    balance: wrenchOf(balance, basis),
    basis,
    matrix: overWrenches(jacobian(balance, unknown as Expr[], "forward"), basis).flat(),
  };
}

/** Rows of a balance by (v₊, ω₊) as wrenches by twists. */
function overWrenches(matrix: readonly (readonly Scalar[])[], basis: TwistBasis): Scalar[][] {
  const byTwist = matrix.map((row) => overTwists(row, basis));
  return transpose(transpose(byTwist).map((column) => wrenchOf(column, basis)));
}

/** Name of a body's kernels. */
export function bodyKey(physics: Physics, isLoose: boolean): string {
  return `${physics === "step" ? "" : "impact."}body${isLoose ? ".loose" : ""}`;
}
