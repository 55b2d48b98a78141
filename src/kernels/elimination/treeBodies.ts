/** Kernels of a body for the elimination by limbs. */
import { basisLayout, basisSymbols, ownBasis, type Physics, stepOfTwist } from "../../equations/index.ts";
import { Graph } from "../../symbolic/index.ts";
import { type Inputs, nextLayout, outputsTo, placeBasis, placer } from "../memory/placement.ts";
import { bodyExpressions, bodyKey } from "../species/bodyKernels.ts";
import { type StagedKernels, stageKernels } from "../species/staging.ts";

export type BodyKernels = Record<"residual" | "geometry" | "basis", StagedKernels>;

/**
 * Kernels of a body: its balance and next pose, with what is known of its basis at z; the balance's own gradient with the rest of the basis
 * when it is asked for, for gradients dθ₊/dω₊ besides; the step of a twist (recover) by the basis as it lies in memory. That of a body on its
 * own is in part always the same (treePlaces.ts).
 */
export function treeBodyKernels(physics: Physics, isLoose: boolean, isStep: boolean): BodyKernels {
  const name = bodyKey(physics, isLoose);
  const residual = bodyExpressions("evaluate", physics, isLoose);
  const geometry = bodyExpressions("linearise", physics, isLoose);
  const { rotation } = residual.basis;
  const { tilt, spin } = geometry.basis;
  const now = isLoose ? [] : outputsTo("basis", "prepare", rotation.flat());
  const next = outputsTo(
    "basis",
    "linearise",
    [...tilt.flat(), ...(isLoose ? [] : spin.flat())],
    false,
    basisLayout.tilt,
  );
  const turn = isStep ? [] : outputsTo("next", "linearise", geometry.turn, false, nextLayout.turn);
  return {
    residual: stageKernels(`${name}.residual`, residual.inputs, [
      ...now,
      ...outputsTo("next", "evaluate", residual.next),
      ...outputsTo("residual", "evaluate", residual.balance),
    ]),
    geometry: stageKernels(`${name}.geometry${isStep ? "" : ".turn"}`, geometry.inputs, [
      ...outputsTo("diagonal", "linearise", geometry.matrix),
      ...next,
      ...turn,
    ]),
    basis: basisKernels(`${name}.basis`, isLoose),
  };
}

function basisKernels(name: string, isLoose: boolean): StagedKernels {
  const graph = new Graph();
  const inputs: Inputs = new Map();
  const place = placer(inputs);
  const basis = isLoose ? ownBasis([]) : basisSymbols(graph, "body");
  if (!isLoose) placeBasis(basis, "basis", place, "rhs");
  const twist = place(graph.symbols("twist", 6), "twist", "recover");
  return stageKernels(name, inputs, outputsTo("step", "recover", stepOfTwist(twist, basis)));
}
