/** Gradient kernels by species, generated when first asked for: a cache of pure functions, like library.ts. */
import type { CoordinateSpecies, JointType, NodeEquations, RotationSource } from "../equations/index.ts";
import {
  beforeKernel,
  readingKernel,
  type ToMaximalKernel,
  toMaximalKernel,
  turningKernel,
} from "./coordinateKernels.ts";
import {
  type HeldBodyKernel,
  type HeldForceKernel,
  type HeldJointKernel,
  heldBodyKernel,
  heldForceKernel,
  heldJointKernel,
} from "./heldKernels.ts";
import { typeKey } from "./library.ts";
import type { NodeKernels } from "./nodeKernels.ts";
import {
  type BodySensitivityKernels,
  bodySensitivityKernels,
  cotangentKernel,
  type DataKernel,
  dataKernel,
  tangentKernel,
} from "./sensitivityKernels.ts";
import type { Kernel } from "./staging.ts";

const cache = new Map<string, unknown>();

function cached<T>(key: string, make: () => T): T {
  if (!cache.has(key)) cache.set(key, make());
  return cache.get(key) as T;
}

export function dataKernelOf(name: string, equations: (source: RotationSource) => NodeEquations): DataKernel {
  return cached(`${name}.data`, () => dataKernel(name, equations("varied")));
}

export function tangentKernelOf(name: string, equations: (source: RotationSource) => NodeEquations): Kernel {
  return cached(`${name}.tangent`, () => tangentKernel(name, equations("own")));
}

export function cotangentKernelOf(name: string, equations: (source: RotationSource) => NodeEquations): Kernel {
  return cached(`${name}.cotangent`, () => cotangentKernel(name, equations("own")));
}

export function kernelsOfBodySensitivity(): BodySensitivityKernels {
  return cached("body", bodySensitivityKernels);
}

export function readingKernelOf(type: JointType, parentMoves: boolean): Kernel {
  const name = `reading.${typeKey({ type, parentMoves })}`;
  return cached(name, () => readingKernel(type, parentMoves, name));
}

export function turningKernelOf(type: JointType, parentMoves: boolean): Kernel {
  const name = `turning.${typeKey({ type, parentMoves })}`;
  return cached(name, () => turningKernel(type, parentMoves, name));
}

export function toMaximalKernelOf(species: CoordinateSpecies): ToMaximalKernel {
  const name = `toMaximal.${typeKey({ type: species.type, parentMoves: species.nearMoves })}${species.reversed ? ".reversed" : ""}`;
  return cached(name, () => toMaximalKernel(species, name));
}

export function bodyBeforeKernel(): Kernel {
  return cached("body.before", beforeKernel);
}

export function heldBodyKernelOf(shared: boolean): HeldBodyKernel {
  return cached(`body.held.${shared}`, () => heldBodyKernel(shared));
}

export function heldForceKernelOf({ name, equations }: NodeKernels): HeldForceKernel {
  return cached(`${name}.held`, () => heldForceKernel(name, equations("varied")));
}

/** Of a joint or of a gear's term on one. */
export function heldJointKernelOf(
  { name, equations }: NodeKernels,
  species: CoordinateSpecies,
  isJoint: boolean,
): HeldJointKernel {
  const { type, reversed } = species;
  const key = `${name}.held${reversed ? ".reversed" : ""}`;
  return cached(key, () =>
    heldJointKernel({ name: key, equations: equations("varied"), type, reversed, isJoint }, toMaximalKernelOf(species)),
  );
}
