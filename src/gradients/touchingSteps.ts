/**
 * Gradients through steps whose contacts change from one to the next, where shapes touch: each step is differentiated in the memory of what
 * it was taken with. Parameters have other places there, and directions such as a moved centre of mass, which shifts the points of features,
 * are those of the step's own features. A step that was taken as several pieces goes through them in turn.
 */

import type { Target } from "../codegen/index.ts";
import type { SensitivityScope, System } from "../kernels/index.ts";
import { cached } from "../math/index.ts";
import type { SlotSystem } from "../simulation/index.ts";
import { isOfSurface, type ParameterDirection, parameterDirections } from "./parameters.ts";
import { piecesOf, type SolvedStep } from "./point.ts";
import { withSlots } from "./slotContacts.ts";
import { StepChain } from "./stepChain.ts";

/** The linear map of steps that were taken with it; its memory is made once. */
export function takenChain({ system, resources }: SlotSystem, target: Target, scope: SensitivityScope): StepChain {
  const make = (): unknown => new StepChain(system.mechanism, target, scope, system.pools);
  return cached(resources, `stepChain.${scope}`, make) as StepChain;
}

/** Directions of the named parameters in a step, or a piece of one: in the memory of what it was taken with, at its own values. */
export function stepDirections(
  { data, bonds, combined, size = 1 }: Pick<SolvedStep, "data" | "bonds" | "combined" | "size">,
  { system }: SlotSystem,
  names: readonly string[],
): ParameterDirection[] {
  if (names.length === 0) return [];
  const directions = parameterDirections({ ...withSlots(system, bonds), f64: data, combined }, names, true);
  if (size === 1) return directions;
  return directions.map(({ name, entries }) => ({ name, entries: sharedEntries(entries, system, size) }));
}

/** What a piece has of a change: all of it, but of the time step its share. */
function sharedEntries(
  entries: ParameterDirection["entries"],
  { places }: System,
  size: number,
): ParameterDirection["entries"] {
  return entries.map(({ index, weight }) => ({ index, weight: index === places.globals ? weight * size : weight }));
}

/** Takes a cotangent back through a step, from its last piece to its first. `onPiece` has the others in the mirror of the chain. */
export function pullThrough(
  step: SolvedStep,
  cotangent: Float64Array,
  chainOf: (piece: SolvedStep) => StepChain,
  impulses: Float64Array | undefined,
  onPiece: (piece: SolvedStep, chain: StepChain) => void,
): void {
  const pullPiece = (piece: SolvedStep): void => {
    const chain = chainOf(piece);
    // what steps share one memory for adds up there
    if (piece.taken) chain.clear();
    chain.pull(piece, cotangent, impulses);
    onPiece(piece, chain);
  };
  if (step.pieces) [...piecesOf(step)].reverse().forEach(pullPiece);
  else pullPiece(step);
}

/** Entries of the plain system's memory as entries of that of a step. */
export function takenEntries(
  entries: ParameterDirection["entries"],
  plain: System,
  step: SolvedStep,
  taken: SlotSystem,
): ParameterDirection["entries"] {
  if (entries.length === 0) return entries;
  const paths = new Map([...plain.parameters].map(([path, index]) => [index, path]));
  return entries.flatMap(({ index, weight }) => {
    const path = paths.get(index);
    // what is no parameter, an input say, lies in the same place
    if (path === undefined) return [{ index, weight }];
    if (!isOfSurface(path))
      return sharedEntries([{ index: taken.parameters.get(path) as number, weight }], taken.system, step.size ?? 1);
    return stepDirections(step, taken, [path])[0].entries.map((own) => ({ ...own, weight: weight * own.weight }));
  });
}
