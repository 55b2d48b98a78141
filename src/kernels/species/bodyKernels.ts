/**
 * A body as expressions: its balance, its next pose (with the rotation matrix) and dθ₊/dω₊ over h for the nodes that touch it.
 */
import {
  bodyBalance,
  bodyData,
  bodyParameterNames,
  globalList,
  globalSymbols,
  impactBalance,
  nextPose,
  type Physics,
  poseOf,
  turnJacobian,
  velocityOf,
} from "../../equations/index.ts";
import { bodyStateSize } from "../../math/index.ts";
import { type Expr, Graph, jacobian, rotationMatrix, type Scalar } from "../../symbolic/index.ts";
import { type Inputs, placer } from "../memory/placement.ts";
import type { Stage } from "./staging.ts";

export interface BodyExpressions {
  readonly inputs: Inputs;
  /** In the order of `nextLayout`. */
  readonly next: readonly Scalar[];
  readonly balance: readonly Scalar[];
  /** d(balance)/d(v₊, ω₊), by rows. */
  readonly matrix: readonly Scalar[];
}

/** `iterate`: the stage that reads the next velocity. */
export function bodyExpressions(iterate: Stage, physics: Physics = "step"): BodyExpressions {
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
  return {
    inputs,
    next: [...next.position, ...next.orientation, ...rotationMatrix(next.orientation).flat(), ...turn.flat()],
    balance,
    matrix: jacobian(balance, unknown as Expr[], "forward").flat(),
  };
}

/** Name of a body's kernels. */
export function bodyKey(physics: Physics): string {
  return physics === "step" ? "body" : "impact.body";
}
