/**
 * A kind of joint, gear, contact or force, which all of its kind share: its name, its equations and their sizes. Kernels are generated from
 * it in treeNodes.ts for steps and in sensitivityLibrary.ts for gradients.
 *
 * Operand names of its kernels: `state.k`, `next.k`, `unknown.k`, `residual.k`, `step.k`, `block.k.l` for body k (and l) of the node;
 * `own` stands for the node's multipliers: `unknown.own`, `residual.own`, `step.own`, `block.own.k`, `block.k.own`.
 */
import type { ConeRole, NodeEquations, RotationSource } from "../../equations/index.ts";

export interface NodeSpecies {
  readonly name: string;
  /** Name of the kernels of its ports, where it shares them with other kinds. */
  readonly geometry: string | undefined;
  readonly node: NodeEquations;
  /** The equations, for whoever derives more from them. */
  readonly equations: (source: RotationSource) => NodeEquations;
  /** Number of multipliers, cone variables (of b) and eliminated equalities. */
  readonly multipliers: number;
  readonly coneSize: number;
  readonly roles: readonly ConeRole[];
  readonly equalities: number;
  readonly observations: number;
  readonly inputs: number;
}

export function nodeSpecies(name: string, equations: NodeSpecies["equations"], geometry?: string): NodeSpecies {
  const node = equations("shared");
  return {
    name,
    geometry,
    node,
    equations,
    multipliers: node.multipliers.length,
    coneSize: node.cones.reduce((size, { b }) => size + b.length, 0),
    roles: node.cones.map(({ role }) => role),
    equalities: node.eliminations.filter(({ kind }) => kind === "equality").length,
    observations: node.observations.length,
    inputs: node.inputs.length,
  };
}
