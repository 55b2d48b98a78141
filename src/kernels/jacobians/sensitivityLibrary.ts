/** Gradient kernels by species, generated when first asked for: a cache of pure functions, like library.ts. */

import {
  drivenRows,
  type JointSpecies,
  type JointType,
  type NodeEquations,
  type Physics,
  type RotationSource,
} from "../../equations/index.ts";
import { cached } from "../../math/index.ts";
import type { NodeSpecies } from "../species/nodeSpecies.ts";
import type { Kernel } from "../species/staging.ts";
import {
  gearTermKernel,
  type HeldBodyKernel,
  type HeldForceKernel,
  type HeldJointKernel,
  heldBodyKernel,
  heldForceKernel,
  type TreeJointKernel,
  treeJointKernel,
} from "./heldKernels.ts";
import {
  type BodySensitivityKernels,
  bodySensitivityKernels,
  cotangentKernel,
  type DataKernel,
  dataKernel,
  impulseKernels,
  impulseTangentKernel,
  motionCotangentKernel,
  tangentKernel,
} from "./sensitivityKernels.ts";

const cache = new Map<string, unknown>();
const once = <T>(key: string, make: () => T): T => cached(cache, key, make) as T;

export function dataKernelOf(name: string, equations: (source: RotationSource) => NodeEquations): DataKernel {
  return once(`${name}.data`, () => dataKernel(name, equations("varied")));
}

export function tangentKernelOf(name: string, equations: (source: RotationSource) => NodeEquations): Kernel {
  return once(`${name}.tangent`, () => tangentKernel(name, equations("own")));
}

export function cotangentKernelOf(name: string, equations: (source: RotationSource) => NodeEquations): Kernel {
  return once(`${name}.cotangent`, () => cotangentKernel(name, equations("own")));
}

export function motionCotangentKernelOf(name: string, equations: (source: RotationSource) => NodeEquations): Kernel {
  return once(`${name}.motionCotangent`, () => motionCotangentKernel(name, equations("varied")));
}

export function impulseKernelsOf(
  name: string,
  equations: (source: RotationSource) => NodeEquations,
): ReturnType<typeof impulseKernels> {
  return once(`${name}.impulse`, () => impulseKernels(name, equations("own")));
}

export function impulseTangentKernelOf(name: string, equations: (source: RotationSource) => NodeEquations): Kernel {
  return once(`${name}.impulseTangent`, () => impulseTangentKernel(name, equations("own")));
}

export function kernelsOfBodySensitivity(physics: Physics): BodySensitivityKernels {
  return once(physics === "step" ? "body" : `${physics}.body`, () => bodySensitivityKernels(physics));
}

export function heldBodyKernelOf(shared: boolean, isLoose: boolean): HeldBodyKernel {
  return once(`body.held.${shared}.${isLoose}`, () => heldBodyKernel(shared, isLoose));
}

/** `isLoose`: of a force on a body on its own. */
export function heldForceKernelOf({ name, equations }: NodeSpecies, isLoose: boolean): HeldForceKernel {
  const key = `${name}.force${isLoose ? ".loose" : ""}`;
  return once(`${key}.held`, () => heldForceKernel(key, equations("varied"), isLoose));
}

export function treeJointKernelOf(
  { name, equations }: NodeSpecies,
  species: JointSpecies,
  reversed: boolean,
  isLoose: boolean,
): TreeJointKernel {
  const key = `${name}.held${reversed ? ".reversed" : ""}${isLoose ? ".loose" : ""}`;
  const { type } = species;
  return once(key, () =>
    treeJointKernel({ name: key, equations: equations("varied"), type, reversed, isLoose }, drivenRows(species)),
  );
}

export function gearTermKernelOf(
  { name, equations }: NodeSpecies,
  type: JointType,
  reversed: boolean,
): HeldJointKernel {
  const key = `${name}.held${reversed ? ".reversed" : ""}`;
  return once(key, () => gearTermKernel({ name: key, equations: equations("varied"), type, reversed, isLoose: false }));
}
