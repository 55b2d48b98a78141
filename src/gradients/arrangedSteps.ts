/**
 * Gradients through steps whose contacts change from one to the next, where shapes touch: each step is differentiated in the memory of the
 * arrangement that it was taken with. Parameters have other places there, and directions such as a moved centre of mass, which shifts the
 * points of features, are those of the step's own features.
 */
import type { Target } from "../codegen/index.ts";
import type { SensitivityScope, System } from "../kernels/index.ts";
import type { Arrangement } from "../simulation/index.ts";
import { type ParameterDirection, parameterDirections } from "./parameters.ts";
import type { SolvedStep } from "./point.ts";
import { StepChain } from "./stepChain.ts";

/** The linear map of steps of an arrangement; its memory is made once. */
export function arrangementChain(
  { mechanism, resources }: Arrangement,
  target: Target,
  scope: SensitivityScope,
): StepChain {
  const key = `stepChain.${scope}`;
  if (!resources.has(key)) resources.set(key, new StepChain(mechanism, target, scope));
  return resources.get(key) as StepChain;
}

/** Directions of the named parameters in a step: in the memory of its arrangement, at its own values. */
export function stepDirections(
  { data }: SolvedStep,
  { system }: Arrangement,
  names: readonly string[],
): ParameterDirection[] {
  return parameterDirections({ ...system, f64: data }, names, true);
}

/** Entries of the plain system's memory as entries of an arrangement's. */
export function arrangedEntries(
  entries: ParameterDirection["entries"],
  plain: System,
  { parameters }: Arrangement,
): ParameterDirection["entries"] {
  if (entries.length === 0) return entries;
  const paths = new Map([...plain.parameters].map(([path, index]) => [index, path]));
  return entries.map(({ index, weight }) => {
    const path = paths.get(index);
    // what is no parameter, an input say, lies in the same place
    return { index: path === undefined ? index : (parameters.get(path) as number), weight };
  });
}
