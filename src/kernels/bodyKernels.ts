/**
 * Kernels of a body: its balance, its next pose (with the rotation matrix) and dθ₊/dω₊ over h for the nodes that touch it.
 */
import { bodyBalance, globalList, globalSymbols, nextPose, turnJacobian } from "../equations/index.ts";
import { type Expr, Graph, jacobian, rotationMatrix, type Scalar } from "../symbolic/index.ts";
import { type Output, type StagedInput, type StagedKernels, stageKernels } from "./staging.ts";

/** Offsets in a body's `next` memory. */
export const nextLayout = { position: 0, orientation: 3, rotation: 7, turn: 16, size: 25 } as const;
export const bodyParameterNames = [
  "mass",
  "inertia.xx",
  "inertia.yy",
  "inertia.zz",
  "inertia.xy",
  "inertia.xz",
  "inertia.yz",
] as const;

/** `shared` when other nodes add to the body's block of the matrix, which must then be written anew every time. */
export function bodyKernels(shared: boolean): StagedKernels {
  const graph = new Graph();
  const globals = globalSymbols(graph);
  const inputs = new Map<Expr, StagedInput>();
  const place = (
    symbols: readonly Expr[],
    operand: string,
    stage: "prepare" | "evaluate",
    start = 0,
  ): readonly Expr[] => {
    symbols.forEach((symbol, i) => {
      inputs.set(symbol, { operand, index: start + i, stage });
    });
    return symbols;
  };
  place(globalList(globals), "globals", "prepare");
  const [mass, ...inertia] = place(
    bodyParameterNames.map((name) => graph.symbol(name)),
    "parameters",
    "prepare",
  );
  const state = place(graph.symbols("state", 13), "state", "prepare");
  const wrench = place(graph.symbols("wrench", 6), "wrench", "prepare");
  const unknown = place(graph.symbols("next", 6), "unknown", "evaluate");
  const h = globals.timestep;
  const pose = { position: state.slice(0, 3), orientation: state.slice(3, 7) };
  const velocity = { linear: state.slice(7, 10), angular: state.slice(10, 13) };
  const nextVelocity = { linear: unknown.slice(0, 3), angular: unknown.slice(3, 6) };
  const data = { mass, inertia, gravity: globals.gravity, force: wrench.slice(0, 3), torque: wrench.slice(3, 6) };

  const balance = bodyBalance(data, velocity, nextVelocity, h);
  const next = nextPose(pose, nextVelocity, h);
  const turn = turnJacobian(graph, nextVelocity.angular, h);
  const matrix = jacobian(balance, unknown);
  const outputs: Output[] = [
    ...outputsTo("next", [
      ...next.position,
      ...next.orientation,
      ...rotationMatrix(next.orientation).flat(),
      ...turn.flat(),
    ]),
    ...outputsTo("residual", balance),
    ...outputsTo("diagonal", matrix.flat(), shared ? "evaluate" : "earliest"),
  ];
  return stageKernels(shared ? "body.shared" : "body", inputs, outputs);
}

function outputsTo(operand: string, values: readonly Scalar[], stage: Output["stage"] = "evaluate"): Output[] {
  return values.map((value, index) => ({ operand, index, value, stage, accumulate: false }));
}
