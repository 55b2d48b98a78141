/** What the lists of stepJacobians.ts and minimalJacobians.ts share: where their panels lie, and products of panels. */
import type { Register } from "./elimination.ts";
import { address, type CallList } from "./memory.ts";
import { type PanelProduct, panelProductProgram } from "./panelKernels.ts";
import type { SystemPlan } from "./plan.ts";

/** A block of D̃ in memory: rows among the unknowns, columns a body's state or inputs. */
export interface PlacedBlock {
  readonly index: number;
  readonly row: number;
  readonly rowCount: number;
  readonly columns: "state" | "input";
  /** Body, or offset in the input. */
  readonly column: number;
  readonly columnCount: number;
}

/** B blocks of a tree joint: what its own coordinates do to the far body. */
export interface PlacedJoint {
  readonly far: number;
  readonly coordinate: number;
  readonly count: number;
  readonly values: number;
  readonly beforeByValues: number;
  readonly beforeByRates: number;
}

export interface PanelPlaces {
  readonly columns: number;
  readonly panels: number;
  /** Panels of `unknowns` rows. */
  readonly step: number;
  /** Panels of 12 rows a body: dz/dx, then the next state's error. Minimal only. */
  readonly state: number;
  readonly error: number;
  /** Panels of 6 rows a body: the earlier pose; and of 2 rows a coordinate: the result. Minimal only. */
  readonly before: number;
  readonly out: number;
  /** d balance/d(v, ω), 6 × 6 a body; dφ₊/dδθ and dφ₊/dω₊, 9 (of 10) a body each. */
  readonly byVelocity: number;
  readonly errorByAttitude: number;
  readonly errorBySpin: number;
}

/** What the lists are made from. */
export interface JacobianContext {
  readonly plan: SystemPlan;
  readonly register: Register;
  readonly places: PanelPlaces;
  /** Panels that hold columns of the state, and of joint positions. */
  readonly statePanels: number;
  readonly positionPanels: number;
}

/** Address of a row in the first panel. */
export function panelAt(start: number, row: number): number {
  return address(start + 2 * row);
}

/** Adds a panel product to a list. */
export function callProduct(
  list: CallList,
  { register }: Pick<JacobianContext, "register">,
  product: PanelProduct,
  addresses: readonly number[],
  trips: number,
): void {
  const key = `panelProduct.${Object.values(product).join(".")}`;
  list.call(
    register(key, () => panelProductProgram(product)),
    addresses,
    trips,
  );
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
