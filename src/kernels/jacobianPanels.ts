/** What the lists of stepJacobians.ts and minimalJacobians.ts share. */
import type { PanelSizes } from "./cotangentPanels.ts";
import type { Register } from "./elimination.ts";
import { address } from "./memory.ts";
import type { SystemPlan } from "./plan.ts";

/** Panels (panelBuilder.ts) hold a row of the Jacobian each vector. Rows of the panels are given in brackets. */
export interface PanelPlaces {
  readonly panels: number;
  /** μ: what a row of the Jacobian takes from the rows of the step's equations [unknowns]. */
  readonly step: number;
  /** Cotangents of the state: poses, velocities [6 a body each], and of the inputs [inputs]. */
  readonly pose: number;
  readonly velocity: number;
  readonly input: number;
  /** Of poses one step earlier [6 a body], and of joint positions and velocities [2 a coordinate]. Minimal only. */
  readonly before: number;
  readonly out: number;
  /** dφ₊/dδθ and dφ₊/dω₊, 9 (of 10) a body each. */
  readonly errorByAttitude: number;
  readonly errorBySpin: number;
}

/** What the lists are made from. */
export interface JacobianContext {
  readonly plan: SystemPlan;
  readonly register: Register;
  readonly places: PanelPlaces;
  readonly all: readonly [number, number];
}

/** A row of the Jacobian. */
export interface RowPlace {
  /** Of a coordinate's velocity, or of its position where that does not follow from the velocity. */
  readonly kind: "rate" | "value";
  readonly index: number;
  /** Bodies that it depends on. */
  readonly bodies: readonly number[];
}

export function panelSizes({ mechanism, unknowns }: SystemPlan): PanelSizes {
  const { bodies, inputSize: inputs, coordinateCount: coordinates } = mechanism;
  return { unknowns, bodies: bodies.length, inputs, coordinates };
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
