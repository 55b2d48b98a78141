/** What the lists of maximalJacobians.ts and minimalJacobians.ts share. */

import type { LimbPlan } from "../elimination/treePlan.ts";
import { address, type Register } from "../memory/memory.ts";

/** What the lists are made from. */
export interface JacobianContext {
  readonly plan: LimbPlan;
  readonly register: Register;
  /** Panels (panelBuilder.ts) hold a row of the Jacobian each vector. */
  readonly panels: number;
  readonly all: readonly [number, number];
  /** Place of the panels of μ: what a row of the Jacobian takes from the rows of the step's equations, a row for each unknown. */
  readonly step: number;
}

/** A row of the Jacobian. */
export interface RowPlace {
  /** Entry of (v₊, ω₊) of all bodies, or a joint coordinate whose velocity it is. */
  readonly index: number;
  /** Bodies that it depends on. */
  readonly bodies: readonly number[];
}

/** Address of a row in the first panel. */
export function panelAt(start: number, row: number): number {
  return address(start + 2 * row);
}

/** Addresses by name, from indices, on top of others. */
export function withPlaces(
  places: Readonly<Record<string, number>>,
  others: Iterable<[string, number]> = [],
): Map<string, number> {
  return new Map([
    ...others,
    ...Object.entries(places).map(([name, index]): [string, number] => [name, address(index)]),
  ]);
}
