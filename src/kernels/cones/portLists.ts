/** Call lists of predicted starts besides those of which some are picked: portResponses.ts names them. */
import { type Body, callOnRun, callOnSlots, runsOf } from "../memory/lanes.ts";
import { CallList, type Register } from "../memory/memory.ts";
import type { DataPlan, NodePlace } from "../memory/plan.ts";
import { vectorLoop } from "../memory/vectorKernels.ts";
import type { ConePlace, ContactResponse, LimitResponse } from "./portPlaces.ts";
import {
  gatherContact,
  gatherLimit,
  landGear,
  landLimit,
  neutral,
  placeContact,
  placeFarGear,
  placeFarLimit,
  slackOfContact,
} from "./portStarts.ts";

interface Ports {
  readonly limits: readonly LimitResponse[];
  /** Responses by number of the contact. */
  readonly contacts: readonly ContactResponse[];
  readonly w: number;
  readonly size: number;
  /** θ (portVisits.ts). */
  readonly leap: number;
}

export function startingLists(
  data: DataPlan,
  { limits, contacts, w, size, leap }: Ports,
  register: Register,
): { readonly lists: ReadonlyMap<string, CallList>; readonly gatherContacts: CallList } {
  const { places, solver, unknowns } = data;
  const { numbers: given } = solver.units;
  const residual = (row: number): number => places.residual + row;
  const [free, gather, landing, far] = [new CallList(), new CallList(), new CallList(), new CallList()];
  const pairPlaces = (cone: number): number[] =>
    [solver.weight, places.coneB, places.coneC, solver.beta, solver.gamma].map((start) => start + cone);
  /** Calls on places in ascending order, those at equal distances in one call. */
  const on = (list: CallList, name: string, body: Body, at: number[][]): void => {
    for (const run of runsOf(at)) callOnRun(list, register, name, body, run, solver.totals, given);
  };
  const gears = gearSides(data);
  const cones = [places.coneB, places.coneC, places.coneRhs];
  const sides = [...limits, ...gears].sort((a, b) => a.cone - b.cone);
  const neutralPlaces = sides.map(({ cone }) => cones.map((start) => start + cone));
  on(free, "cones.neutral", neutral, neutralPlaces);
  /** Calls for limits of coordinates, or of so many that mix. */
  const onLimits = (of: readonly LimitResponse[], name: string, free?: number): void => {
    const rates = ({ mixed }: LimitResponse): number[] => (mixed ? [mixed.rates] : []);
    const gathered = of.map((limit) => {
      const { numbers, motion, row, cone } = limit;
      return [numbers, motion, residual(row), solver.weight + cone, solver.last.b + cone, ...rates(limit)];
    });
    on(gather, `${name}.gather`, gatherLimit(free), gathered);
    const landed = of.map((limit) => {
      const { numbers, motion, row, cone } = limit;
      return [numbers, ...pairPlaces(cone), motion, residual(row), ...rates(limit)];
    });
    on(landing, `${name}.land`, landLimit(free), landed);
  };
  onLimits(
    limits.filter(({ mixed }) => !mixed),
    "limits",
  );
  for (const free of [1, 2, 3, 4, 5, 6])
    onLimits(
      limits.filter(({ mixed }) => mixed?.free === free),
      `limits.${free}`,
      free,
    );
  const placed = limits.map(({ numbers, cone }) => [numbers, ...pairPlaces(cone)]);
  on(far, "limits.far", placeFarLimit, placed);
  for (const sign of [1, -1] as const) {
    const alike = gears.filter((side) => side.sign === sign);
    const at = alike.map(({ step, row, cone }) => [...pairPlaces(cone), step, residual(row)]);
    on(landing, `gears.land.${sign}`, landGear(sign), at);
  }
  const ofGears = gears.map(({ cone }) => pairPlaces(cone));
  on(far, "gears.far", placeFarGear, ofGears);

  const [gatherContacts, slacksOfContacts, placeContacts] = [new CallList(), new CallList(), new CallList()];
  const chosen = (index: number): number => solver.near.chosen + index;
  for (const ports of [1, 3] as const) {
    const alike = contacts.flatMap((contact, index) => (contact.ports === ports ? [{ ...contact, slot: index }] : []));
    const onAlike = (
      list: CallList,
      name: string,
      body: Body,
      placesOf: (contact: (typeof alike)[0]) => number[],
    ): void => {
      const entries = alike.map((contact) => ({ slot: contact.slot, places: placesOf(contact) }));
      callOnSlots(list, register, `${name}.${ports}`, body, entries, solver.totals, given, false);
    };
    onAlike(gatherContacts, "contacts.gather", gatherContact(ports), (contact) => [
      ...[contact.numbers, residual(contact.row), solver.weight + contact.cone, solver.last.b + contact.cone],
      ...[contact.coefficient, contact.gradient, contact.twist],
    ]);
    onAlike(slacksOfContacts, "contacts.slack", slackOfContact(ports), (contact) => [
      ...[chosen(contact.slot), residual(contact.row), places.coneC + contact.cone, contact.gradient, contact.twist],
    ]);
    onAlike(placeContacts, "contacts.place", placeContact(ports), (contact) => [
      ...[contact.numbers, ...pairPlaces(contact.cone), chosen(contact.slot), contact.coefficient],
    ]);
  }
  const clear = new CallList();
  vectorLoop(clear, register, "clear", [w], 2 * size);
  const leaps = new CallList();
  vectorLoop(leaps, register, "leap", [w, w + size, w, leap], size);
  const land = new CallList();
  vectorLoop(land, register, "addScaled", [places.unknown, places.unknown, places.step, solver.alpha], unknowns);
  const lists = new Map([
    ["ports.free", free],
    ["ports.limits", gather],
    ["ports.clear", clear],
    ["ports.leap", leaps],
    ["ports.land", land],
    ["ports.landing", landing],
    ["ports.far", far],
    ["slacks", slacksOfContacts],
    ["place", placeContacts],
  ]);
  return { lists, gatherContacts };
}

/** Sides of the ranges of gears: cone, row, and where the step of the length is. */
function gearSides({ nodes, mechanism, unknowns, places }: DataPlan): GearSide[] {
  return nodes.flatMap((node: NodePlace): GearSide[] => {
    const gear = node.kind === "gear" ? mechanism.gears[node.index] : undefined;
    if (gear?.kind !== "range") return [];
    const signs = [...(gear.lower === null ? [] : [1 as const]), ...(gear.upper === null ? [] : [-1 as const])];
    return signs.map((sign, side) => ({
      sign,
      cone: node.cone + side,
      row: unknowns + node.equality + side,
      step: places.step + node.multiplier,
    }));
  });
}

interface GearSide extends ConePlace {
  readonly sign: 1 | -1;
  readonly step: number;
}
