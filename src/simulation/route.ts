/**
 * The way of a solve down the central path: where it stops, how exactly, and in which units of the cones κ counts:
 *   natural   those of the step (units.ts), in which every start is central
 *   si        1
 *   shaped    the natural ones over their smallest: an SI κ is 1/h times as much to a contact's gap as to its slip, so on the way to one
 *             the cones keep the proportions of the start, and change them where they are near
 * A stop at κ' lies on the natural path. One at an SI κ has a waypoint before it; a solve that ends in natural units goes on from
 * that waypoint, since the point in SI is not central there.
 */
export type ConeUnits = "natural" | "shaped" | "si";

export interface Stop {
  readonly units: ConeUnits;
  /** Whose κ: that of the point kept for gradients, that of the end, or that at which a retry settles. */
  readonly kappa: "hold" | "end" | "settling";
  /** How near the path, as a fraction of κ. */
  readonly tolerance: number;
}

export interface Route {
  readonly stops: readonly Stop[];
  /** Units of the end. */
  readonly end: ConeUnits;
  /** Which stop is kept for gradients, −1 for none. */
  readonly kept: number;
  /** Whether the end is reached from the first stop, not from the last. */
  readonly returns: boolean;
}

const waypoint = 0.5;
const exact = 1e-9;
const settled = 0.1;

const route = (stops: readonly Stop[], end: ConeUnits, kept = -1, returns = false): Route => ({
  stops,
  end,
  kept,
  returns,
});
const heldSi: readonly Stop[] = [
  { units: "shaped", kappa: "hold", tolerance: waypoint },
  { units: "si", kappa: "hold", tolerance: exact },
];
const heldNatural: Stop = { units: "natural", kappa: "hold", tolerance: exact };
const nearEnd: Stop = { units: "shaped", kappa: "end", tolerance: waypoint };

/** By the units of the end, and those of what is kept on the way. */
export const routes = {
  natural: {
    none: route([], "natural"),
    natural: route([heldNatural], "natural", 0),
    si: route(heldSi, "natural", 1, true),
  },
  si: {
    none: route([nearEnd], "si"),
    natural: route([heldNatural, nearEnd], "si", 0),
    si: route(heldSi, "si", 1),
  },
} as const;

/** A retry's: it settles on the path, which sorts out how redundant contacts share their load. */
export const settlingRoute = route([{ units: "natural", kappa: "settling", tolerance: settled }], "natural");
