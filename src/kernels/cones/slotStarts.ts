/**
 * What a predicted start does to contacts that are bound at run time, before and after the sweeps: the kernels of portStarts.ts, in calls that
 * are written when others are bound.
 *   gather   rates after the free step and last impulses; whether it can be in the sweeps
 *   push     impulses of the sweeps, on both bodies
 *   place    its pairs on the central path
 */
import type { BoundSlots, SlotPorts } from "../elimination/boundSlots.ts";
import { type Body, singleProgram } from "../memory/lanes.ts";
import { address, type Register } from "../memory/memory.ts";
import type { DataPlan } from "../memory/plan.ts";
import type { Segment } from "../memory/segments.ts";
import { registerShared } from "../memory/sharedPrograms.ts";
import { gatherContact, placeContact, pushContact, slackOfContact } from "./portStarts.ts";
import { portNumbers, visitProgram } from "./portVisits.ts";

/** Programs by 1 or 3 ports, then by 1 or 2 bodies that move. */
type ByBodies = readonly (readonly number[])[];

/** Where a contact's ports have their numbers, and their rows one after another: memory indices. */
export interface LanePlaces {
  readonly numbers: number;
  readonly rates: number;
  readonly answers: number;
}

export class SlotStarts {
  private readonly plan: DataPlan;
  private readonly bound: BoundSlots;
  private readonly twists: number;
  private readonly force: Int32Array;
  private readonly gathers: ByBodies;
  private readonly slacks: ByBodies;
  private readonly joins: readonly number[];
  private readonly pushes: readonly number[];
  private readonly places: readonly number[];
  private words: Int32Array = new Int32Array(0);

  /** `size`: of a row; `twists`: memory index of the first body's; `force`: by body, where impulses on it are added. */
  constructor(plan: DataPlan, bound: BoundSlots, size: number, twists: number, force: Int32Array, register: Register) {
    this.plan = plan;
    this.bound = bound;
    this.twists = twists;
    this.force = force;
    const kinds = [1, 3] as const;
    const single = (name: string, operands: number, body: Body): number =>
      registerShared(register, `${name}.single`, () => singleProgram(`${name}.single`, operands, body));
    const byBodies = (name: string, operands: number, bodyOf: (ports: 1 | 3, bodies: 1 | 2) => Body): ByBodies =>
      kinds.map((ports) =>
        ([1, 2] as const).map((bodies) =>
          single(`slots.${name}.${ports}.${bodies}`, operands + 2 * bodies, bodyOf(ports, bodies)),
        ),
      );
    this.gathers = byBodies("gather", 5, gatherContact);
    this.slacks = byBodies("slack", 3, slackOfContact);
    this.places = kinds.map((ports) => single(`contacts.place.${ports}`, 8, placeContact(ports)));
    this.pushes = kinds.map((ports) => register(`ports.push.${ports}`, () => pushContact(ports)));
    this.joins = kinds.map((ports) => register(`ports.join.${ports}.${size}`, () => visitProgram("join", ports, size)));
  }

  /** Once memory is there. */
  load(words: Int32Array): void {
    this.words = words;
  }

  gather(segment: Segment, slot: number, contact: SlotPorts, { numbers, rates, answers }: LanePlaces): void {
    const { plan, bound, words } = this;
    const { solver, places, unknowns } = plan;
    const { cone, equality } = bound.nodes[slot];
    const kind = kindOf(contact);
    const bodies = this.moving(slot);
    let at = segment.call(this.gathers[kind][bodies - 1], 7 + 2 * bodies);
    words[at++] = address(numbers);
    words[at++] = address(places.residual + unknowns + equality);
    words[at++] = address(solver.weight + cone);
    words[at++] = address(solver.last.b + cone);
    words[at++] = address(bound.coefficients[slot]);
    this.writeShared(this.writeBodies(at, slot, contact));
    at = segment.call(this.joins[kind], 5);
    words[at++] = address(numbers);
    words[at++] = address(rates);
    words[at++] = address(answers);
    // it has no use for what other visits share
    words[at++] = words[at++] = address(numbers);
  }

  push(segment: Segment, slot: number, contact: SlotPorts, { numbers }: LanePlaces): void {
    const { bound, words, force } = this;
    const { bodies } = bound.nodes[slot];
    for (let side = 0; side < 2; side++) {
      if (bodies[side] < 0) continue;
      const at = segment.call(this.pushes[kindOf(contact)], 3);
      words[at] = address(numbers);
      words[at + 1] = address(contact.direction[side]);
      words[at + 2] = address(force[bodies[side]]);
    }
  }

  place(segment: Segment, slot: number, contact: SlotPorts, { numbers }: LanePlaces): void {
    const { plan, bound, words } = this;
    const { solver, places, unknowns } = plan;
    const { cone, equality } = bound.nodes[slot];
    const kind = kindOf(contact);
    const bodies = this.moving(slot);
    let at = segment.call(this.slacks[kind][bodies - 1], 5 + 2 * bodies);
    words[at++] = address(numbers + portNumbers.near);
    words[at++] = address(places.residual + unknowns + equality);
    words[at++] = address(places.coneC + cone);
    this.writeShared(this.writeBodies(at, slot, contact));
    at = segment.call(this.places[kind], 10);
    words[at++] = address(numbers);
    words[at++] = address(solver.weight + cone);
    words[at++] = address(places.coneB + cone);
    words[at++] = address(places.coneC + cone);
    words[at++] = address(solver.beta + cone);
    words[at++] = address(solver.gamma + cone);
    words[at++] = address(numbers + portNumbers.near);
    words[at++] = address(bound.coefficients[slot]);
    this.writeShared(at);
  }

  /** How many of its bodies move. */
  private moving(slot: number): 1 | 2 {
    return this.bound.nodes[slot].bodies[0] < 0 ? 1 : 2;
  }

  /** Gradient and step of each body that moves. */
  private writeBodies(from: number, slot: number, { gradient }: SlotPorts): number {
    const { words, twists } = this;
    const { bodies } = this.bound.nodes[slot];
    let at = from;
    for (let side = 0; side < 2; side++) {
      if (bodies[side] < 0) continue;
      words[at++] = address(gradient[side]);
      words[at++] = address(twists + 6 * bodies[side]);
    }
    return at;
  }

  private writeShared(at: number): void {
    const { solver } = this.plan;
    this.words[at] = address(solver.totals);
    this.words[at + 1] = address(solver.units.numbers);
  }
}

/** Words of one contact's calls, at most: the longest of the three. */
export const wordsPerContact = 2 * 3 + 9 + 10;

function kindOf({ ports }: SlotPorts): 0 | 1 {
  return ports === 1 ? 0 : 1;
}
