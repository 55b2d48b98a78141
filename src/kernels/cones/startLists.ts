/**
 * Call lists of what comes before and after the solve of a step:
 *   units         V of the step, and what else its units go by (unitKernels.ts)
 *   tolerances    of rows, once V is known
 *   natural       natural units of cones, which become their weights
 *   weights       after weights have changed
 *   start         velocities of the last step
 *   survey        the same without impulses, a look there, v*, and which contacts are near (startKernels.ts)
 *   near          which contacts are near at the residual in memory
 *   leave         takes those that are not chosen out of the solve
 *   remember      cone variables of the last step ← those in memory, slacks of the one before ← those of the last
 *   next          the state at the end of the step
 *   contacts      evaluates contacts, of which those are chosen that took no part, and settles them
 */
import { bodyParameterNames } from "../../equations/index.ts";
import { bodyStateSize, stateOffsets } from "../../math/index.ts";
import { type CallList, joined } from "../memory/memory.ts";
import { nextLayout } from "../memory/placement.ts";
import type { NodePlace } from "../memory/plan.ts";
import {
  asked,
  askedOfBody,
  askedOfDistance,
  leave,
  lengthen,
  nameOfRoles,
  nearness,
  nextState,
  settleLeft,
  velocities,
} from "./startKernels.ts";
import { change, naturalUnits, pace, speeds, tolerances, weights } from "./unitKernels.ts";
import type { VectorList, Vectors } from "./vectorList.ts";

/** `look`: the list of this name; `evaluation`: that of contacts. */
export function startLists(
  vectors: Vectors,
  newList: () => VectorList,
  look: CallList,
  evaluation: CallList,
): [string, CallList][] {
  const { places, solver, unknowns, mechanism } = vectors;
  const { units } = solver;
  const bodyCount = mechanism.bodies.length;
  const joints = 6 * bodyCount;

  const weigh = newList();
  weigh.onCones("cones.weights", weights, [solver.unit, solver.scale, solver.weight, solver.identity]);
  const tolerance = newList();
  const ofRows = [solver.perTolerance, units.perSpeed, units.perRounding, units.fixed];
  tolerance.onRows("rows.tolerances", tolerances, ofRows, 0, units.numbers);
  const natural = newList();
  natural.onCones("cones.natural", naturalUnits, [units.natural, units.perSquare], units.numbers);
  natural.coneLoop("copy", [solver.weight, units.natural]);
  natural.append(weigh);
  const find = newList();
  find.startTotals();
  find.onBodies("bodies.pace", pace, [places.state, units.gyration, units.share], [bodyStateSize, 1, 1]);
  const parameters = bodyParameterNames.length * bodyCount;
  find.onRange("bodies.change", change, [places.bodyParameters, units.built], parameters);
  find.onRange("units.speeds", speeds, [places.globals, solver.totals, units.numbers], 1);

  const near = newList();
  near.onBodies("bodies.asked", askedOfBody, [units.asked, places.residual, units.perResidual], [1, 6, 6]);
  const contacts = comingContacts(vectors);
  const slackAndRow = ({ cone, equality }: NodePlace): number[] => [
    places.coneC + cone,
    places.residual + unknowns + equality,
  ];
  near.onPairs(
    "contacts.near",
    nearness,
    contacts.map((node) => [
      ...[solver.near.found, solver.near.chosen].map((place) => place + node.index),
      ...[units.asked + node.bodies[1], ...slackAndRow(node)],
    ]),
    units.numbers,
  );
  const start = newList();
  start.onBodies(
    "bodies.velocities",
    velocities,
    [places.unknown, places.state + stateOffsets.velocity],
    [6, bodyStateSize],
  );
  start.loop("clear", [places.unknown + joints], unknowns - joints);
  for (const entry of lengthsOf(vectors)) start.onRange("gears.lengthen", lengthen, entry, 1);
  const clear = newList();
  for (const cones of [places.coneB, places.coneC]) clear.coneLoop("clear", [cones]);
  const askChange = newList();
  const changes = [places.residual, units.perResidual];
  askChange.onRange(
    "rows.asked",
    asked,
    changes.map((place) => place + joints),
    unknowns - joints,
  );
  askChange.onRows("distances.asked", askedOfDistance, changes, unknowns);

  const leaveOthers = newList();
  const settle = newList();
  settle.append(evaluation);
  settle.startTotals();
  for (const [name, alike] of groupedByRoles(contacts)) {
    const { roles } = alike[0];
    const own = (node: NodePlace): number[] => {
      const [slack, row] = slackAndRow(node);
      return [places.coneB + node.cone, slack, places.stepB + node.cone, places.stepC + node.cone, row];
    };
    const entries = alike.map((node) => [...own(node), solver.near.chosen + node.index]);
    leaveOthers.onPairs(`contacts.leave.${name}`, leave(roles), entries);
    const members = alike.map((node) => ({ slot: node.index, places: own(node) }));
    settle.onSlots(`contacts.left.${name}`, settleLeft(roles), members, false);
  }
  const remember = newList();
  remember.coneLoop("copy", [solver.last.before, solver.last.c]);
  remember.coneLoop("copy", [solver.last.b, places.coneB]);
  remember.coneLoop("copy", [solver.last.c, places.coneC]);
  const next = newList();
  next.onBodies(
    "bodies.next",
    nextState,
    [solver.nextState, places.next, places.unknown],
    [bodyStateSize, nextLayout.size, 6],
  );
  return [
    ["next", next],
    ["remember", remember],
    ["units", find],
    ["tolerances", tolerance],
    ["natural", natural],
    ["weights", weigh],
    ["start", start],
    ["survey", joined(start, clear, look, askChange, near)],
    ["near", near],
    ["leave", leaveOthers],
    ["contacts", settle],
  ];
}

/** Contacts that may be left out. */
function comingContacts({ nodes, slots }: Vectors): NodePlace[] {
  return slots.size > 0 ? nodes.filter(({ kind }) => kind === "contact") : [];
}

/** Where the length of each gear with a range is, and that of each of its terms. */
function lengthsOf({ nodes, mechanism, places }: Vectors): number[][] {
  const ranges = nodes.filter(({ kind, index }) => kind === "gear" && mechanism.gears[index].kind === "range");
  return ranges.flatMap(({ index, multiplier }) =>
    nodes
      .filter((node) => node.kind === "gearTerm" && node.index === index)
      .map(({ observations }) => [places.unknown + multiplier, observations]),
  );
}

function groupedByRoles(nodes: readonly NodePlace[]): Map<string, NodePlace[]> {
  const groups = new Map<string, NodePlace[]>();
  for (const node of nodes) {
    const name = nameOfRoles(node.roles);
    groups.set(name, [...(groups.get(name) ?? []), node]);
  }
  return groups;
}
