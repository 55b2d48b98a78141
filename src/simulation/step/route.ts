/**
 * The way of a solve down the central path: where it stops, how exactly, and in which units of the cones κ counts:
 *   natural   those of the step (units.ts), in which every start is central
 *   si        1
 *   shaped    the natural ones over their smallest: an SI κ is 1/h times as much to a contact's gap as to its slip, so on the way to one
 *             the cones keep the proportions of the start, and change them where they are near
 * A stop at κ' lies on the natural path. One at an SI κ has a waypoint before it; a solve that ends in natural units goes on from
 * that waypoint, since the point in SI is not central there. A second stop that is kept lies further down the path of the first.
 */
export type ConeUnits = "natural" | "shaped" | "si";

export interface Stop {
  readonly units: ConeUnits;
  /** Whose κ: that of a point kept for gradients, that of the end, or that at which a retry settles. */
  readonly kappa: HoldName | "end" | "settling";
  /** How near the path, as a fraction of κ. */
  readonly tolerance: number;
  /** The name under which the point is kept for gradients, if it is. */
  readonly keeps?: HoldName;
}

/** The points that a step can keep for gradients, as its options name them: one, and a sharper one besides. */
export type HoldName = "hold" | "alsoHold";

export const holdNames: readonly HoldName[] = ["hold", "alsoHold"];

export interface Route {
  readonly stops: readonly Stop[];
  /** Units of the end. */
  readonly end: ConeUnits;
  /** Whether the end is reached from the first stop, not from the last. */
  readonly returns: boolean;
}

const waypoint = 0.5;
const exact = 1e-9;
const settled = 0.1;

const route = (stops: readonly Stop[], end: ConeUnits, returns = false): Route => ({ stops, end, returns });
const heldNatural: Stop = { units: "natural", kappa: "hold", tolerance: exact, keeps: "hold" };
const alsoNatural: Stop = { units: "natural", kappa: "alsoHold", tolerance: exact, keeps: "alsoHold" };
const nearHold: Stop = { units: "shaped", kappa: "hold", tolerance: waypoint };
const heldSi: Stop = { units: "si", kappa: "hold", tolerance: exact, keeps: "hold" };
const alsoSi: Stop = { units: "si", kappa: "alsoHold", tolerance: exact, keeps: "alsoHold" };
const nearEnd: Stop = { units: "shaped", kappa: "end", tolerance: waypoint };

/** Routes by the units of the end, and by those of what is kept on the way: one point, or two. */
export const routes = {
  natural: {
    none: route([], "natural"),
    one: { natural: route([heldNatural], "natural"), si: route([nearHold, heldSi], "natural", true) },
    two: {
      natural: route([heldNatural, alsoNatural], "natural"),
      si: route([nearHold, heldSi, alsoSi], "natural", true),
    },
  },
  si: {
    none: route([nearEnd], "si"),
    one: { natural: route([heldNatural, nearEnd], "si"), si: route([nearHold, heldSi], "si") },
    two: {
      natural: route([heldNatural, alsoNatural, nearEnd], "si"),
      si: route([nearHold, heldSi, alsoSi], "si"),
    },
  },
} as const;

/** A retry's: it settles on the path, which sorts out how redundant contacts share their load. */
export const settlingRoute = route([{ units: "natural", kappa: "settling", tolerance: settled }], "natural");
