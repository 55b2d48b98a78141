/** Gradient kernels by species, generated when first asked for: a cache of pure functions, like library.ts. */
import type { CoordinateSpecies, JointType, NodeEquations, RotationSource } from "../equations/index.ts";
import {
  beforeKernel,
  readingKernel,
  readingRowsKernel,
  spinKernel,
  type ToMaximalKernel,
  toMaximalKernel,
} from "./coordinateKernels.ts";
import { typeKey } from "./library.ts";
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

export function readingRowsKernelOf(type: JointType, parentMoves: boolean, valuesOf: readonly number[]): Kernel {
  const name = `readingRows.${typeKey({ type, parentMoves })}.${valuesOf.join("-")}`;
  return cached(name, () => readingRowsKernel(type, parentMoves, valuesOf, name));
}

export function toMaximalKernelOf(species: CoordinateSpecies): ToMaximalKernel {
  const name = `toMaximal.${typeKey({ type: species.type, parentMoves: species.nearMoves })}${species.reversed ? ".reversed" : ""}`;
  return cached(name, () => toMaximalKernel(species, name));
}

export function kernelsOfBodyMotion(): { before: Kernel; spin: Kernel } {
  return cached("bodyMotion", () => ({ before: beforeKernel(), spin: spinKernel() }));
}
