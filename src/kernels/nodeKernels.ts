/**
 * Kernels of a joint, gear or contact, generated from its equations: its share of the residual, of the condensed matrix,
 * of the right-hand side, and the steps of its cone variables.
 *
 * Operand names: `state.k`, `next.k`, `unknown.k`, `residual.k`, `step.k`, `block.k.l` for body k (and l) of the node;
 * `own` stands for the node's multipliers: `unknown.own`, `residual.own`, `step.own`, `block.own.k`, `block.k.own`.
 */
import {
  type CondensedNode,
  condense,
  type LinearRow,
  type NodeEquations,
  type RotationSource,
  untilted,
} from "../equations/index.ts";
import { add, type Expr, type Scalar } from "../symbolic/index.ts";
import { type Inputs, nodeInputs, outputsTo, placer } from "./placement.ts";
import { type Kernel, kernel, type Output, type StagedKernels, stageKernels } from "./staging.ts";

export interface NodeKernels extends StagedKernels {
  /** Species, and its equations for whoever derives more from them. */
  readonly name: string;
  readonly node: NodeEquations;
  readonly equations: (source: RotationSource) => NodeEquations;
  /** Number of multipliers, cone variables (of b) and eliminated equalities. */
  readonly multipliers: number;
  readonly coneSize: number;
  readonly equalities: number;
  readonly observations: number;
  readonly inputs: number;
}

/** Blocks have rows of even length, so that two columns always go together. */
export function stride(columns: number): number {
  return columns + (columns & 1);
}

/** The kernels themselves are made when someone asks for them: a solver of trees has others (treeNodes.ts). */
export function nodeKernels(name: string, equations: NodeKernels["equations"]): NodeKernels {
  const node = equations("shared");
  let made: StagedKernels | undefined;
  const staged = (): StagedKernels => {
    made ??= stagedKernels(name, node);
    return made;
  };
  return {
    get kernels() {
      return staged().kernels;
    },
    get scratchSize() {
      return staged().scratchSize;
    },
    name,
    node,
    equations,
    multipliers: node.multipliers.length,
    coneSize: node.cones.reduce((size, { b }) => size + b.length, 0),
    equalities: node.eliminations.filter(({ kind }) => kind === "equality").length,
    observations: node.observations.length,
    inputs: node.inputs.length,
  };
}

function stagedKernels(name: string, node: NodeEquations): StagedKernels {
  const condensed = condense(node);
  const inputs = placeInputs(node, condensed);
  const outputs = [
    ...residualOutputs(node, condensed),
    ...matrixOutputs(node, condensed),
    ...stepOutputs(node, condensed),
  ];
  return stageKernels(name, inputs, outputs);
}

/** The matrix alone, all at once: for gradients, which evaluate a point only once. */
export function matrixKernel(name: string, node: NodeEquations): Kernel {
  const condensed = condense(node);
  return kernel(`${name}.matrix`, placeInputs(node, condensed), matrixOutputs(node, condensed));
}

function placeInputs(node: NodeEquations, { steps }: CondensedNode): Inputs {
  const inputs = nodeInputs(node, "evaluate");
  const place = placer(inputs);
  steps.bodies.forEach((step, k) => {
    place(step, `step.${k}`, "recover");
  });
  place(steps.multipliers, "step.own", "recover");
  place(steps.coneRhs, "coneRhs", "rhs");
  return inputs;
}

function residualOutputs(node: NodeEquations, condensed: CondensedNode): Output[] {
  return [
    ...outputsTo("observations", "prepare", node.observations, false),
    ...node.bodyRows.flatMap((rows, k) => outputsTo(`residual.${k}`, "evaluate", rows, true)),
    ...outputsTo("residual.own", "evaluate", untilted(node.rows, node.bodies), node.sharesRows),
    ...outputsTo("coneResidual", "evaluate", condensed.equalities, false),
    ...outputsTo("wrench", "evaluate", node.wrench ?? [], false),
  ];
}

function matrixOutputs(node: NodeEquations, { steps, bodyRows, rows }: CondensedNode): Output[] {
  const own = node.multipliers.length;
  const outputs: Output[] = [];
  const block = (
    operand: string,
    lines: readonly LinearRow[],
    columns: readonly Expr[],
    accumulate: boolean,
    diagonal?: readonly Scalar[],
  ): void => {
    lines.forEach((line, i) => {
      columns.forEach((column, j) => {
        const value = add(line.coefficients.get(column) ?? 0, diagonal && i === j ? diagonal[i] : 0);
        if (!(accumulate && value === 0))
          outputs.push({
            operand,
            index: i * stride(columns.length) + j,
            value,
            // what only this node writes, and nothing overwrites, stays for the step
            stage: accumulate ? "evaluate" : "earliest",
            accumulate,
          });
      });
    });
  };
  node.bodies.forEach((body, k) => {
    if (!body.moves) return;
    node.bodies.forEach((other, l) => {
      if (other.moves) block(k === l ? `diagonal.${k}` : `block.${k}.${l}`, bodyRows[k], steps.bodies[l], true);
    });
    if (own > 0) {
      block(`block.${k}.own`, bodyRows[k], steps.multipliers, node.sharesRows);
      block(`block.own.${k}`, rows, steps.bodies[k], node.sharesRows);
    }
  });
  if (own > 0) block("diagonal.own", rows, steps.multipliers, node.sharesRows, node.regularization);
  return outputs;
}

function stepOutputs(node: NodeEquations, { bodyRows, rows, recovered }: CondensedNode): Output[] {
  const steps = (variables: readonly Expr[]): Scalar[] => variables.map((variable) => recovered.get(variable) ?? 0);
  return [
    ...bodyRows.flatMap((lines, k) =>
      outputsTo(
        `step.${k}`,
        "rhs",
        lines.map((line) => line.rhs),
        true,
      ),
    ),
    ...outputsTo(
      "step.own",
      "rhs",
      rows.map((line) => line.rhs),
      true,
    ),
    ...outputsTo("stepB", "recover", steps(node.cones.flatMap((cone) => cone.b)), false),
    ...outputsTo("stepC", "recover", steps(node.cones.flatMap((cone) => cone.c)), false),
  ];
}
