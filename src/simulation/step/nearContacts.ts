/**
 * Which contacts take part in a step. One that is farther away than a step can bring it costs nothing: its kernels are not called
 * (kernels/memory/slots.ts), it has no impulse, and its slack is its distance. With φ its distance at the end of the step if velocities stayed what
 * they are, and V the speed that is typical of the step (units.ts), a contact takes part
 *   from φ < h max(10 V, w) on,   until φ > h max(40 V, 1.5 w)        (of a robot at 100 Hz, 10 V is 1 m/s)
 * where the step goes on from the last one, and within the first of the two where it does not; w is the change of velocity that the balance
 * of its own body asks for, by weight, motors and momentum, if nothing held it. The distances of the others are looked at in the end: where one is crossed, the step is solved again with all of them. So a solved step means the same as ever: all distances
 * positive, all complementarities at most κ.
 *
 * At the κ of gradients contacts act at a distance, κ'm V² h/φ. There all of them take part; some are left out on the way from there to the end.
 */
import { type NodePlace, type System, totals } from "../../kernels/index.ts";
import { mayBounce } from "../bounce/stepContacts.ts";

/** Products of contacts that take no part are below this. */
const vanishing = 1e-40;

/** Whether the cone that begins at this place belongs to a contact that takes no part. */
export function isLeftOut(b: Float64Array, c: Float64Array, at: number): boolean {
  return b[at] * c[at] < vanishing;
}

export class NearContacts {
  /** One per contact: whether it takes part, 1 or 0. */
  readonly slots: Uint8Array;
  /** How many cones contacts that take no part have. */
  leftCones = 0;
  /** Contact of every cone, −1 for those of joints. */
  readonly contactOf: Int32Array;

  private readonly choose: (slots: Uint8Array) => void;
  private readonly runNear: () => void;
  private readonly runLeave: () => void;
  private readonly runLeft: () => void;
  /** Cones of every contact, and where its slack lies. */
  private readonly coneCounts: Int32Array;
  private readonly slacks: Int32Array;
  private readonly f64: Float64Array;
  private readonly written: Uint8Array;
  /** What the lists have found, and the slots as they know them. */
  private readonly found: Float64Array;
  private readonly chosen: Float64Array;
  private readonly totals: Float64Array;

  /** Undefined where all contacts take part always: where they may bounce, say. */
  static of(system: System): NearContacts | undefined {
    const { choose } = system;
    return choose && !mayBounce(system) ? new NearContacts(system, choose) : undefined;
  }

  private constructor(system: System, choose: (slots: Uint8Array) => void) {
    const { mechanism, nodes, cones, f64, solver, places } = system;
    const { length } = mechanism.contacts;
    const view = (start: number, count: number): Float64Array => f64.subarray(start, start + count);
    this.choose = choose;
    this.runNear = system.runner("near");
    this.runLeave = system.runner("leave");
    this.runLeft = system.runner("near.contacts");
    this.found = view(solver.near.found, length);
    this.chosen = view(solver.near.chosen, length);
    this.totals = view(solver.totals, 2 * Object.keys(totals).length);
    this.slots = new Uint8Array(length);
    this.written = new Uint8Array(length).fill(2);
    const contacts = mechanism.contacts.map(
      ({ index }) => nodes.find((node) => node.kind === "contact" && node.index === index) as NodePlace,
    );
    this.coneCounts = Int32Array.from(contacts, ({ roles }) => roles.length);
    this.slacks = Int32Array.from(contacts, ({ cone }) => places.coneC + cone);
    this.f64 = f64;
    this.contactOf = Int32Array.from(
      nodes.flatMap(({ kind, index, roles }) => roles.map(() => (kind === "contact" ? index : -1))),
    );
    if (this.contactOf.length !== cones.length) throw new RangeError("a cone without a node");
  }

  /** Finds those near by at the residual in memory, at which b and c stand. */
  find(): void {
    this.runNear();
  }

  /** Chooses those that were found. */
  pick(): void {
    const { slots, chosen, found } = this;
    for (let i = 0; i < slots.length; i++) slots[i] = chosen[i] = found[i];
    this.write();
  }

  /** Takes those that are not chosen out of the solve. */
  leaveOthers(): void {
    this.runLeave();
  }

  /** Whether `pick` would choose none, after a survey. */
  get isFarAway(): boolean {
    return this.totals[2 * totals.near] + this.totals[2 * totals.near + 1] === 0;
  }

  /** Restores what a run that is carried on has chosen. */
  restore(slots: Uint8Array | undefined): void {
    this.slots.fill(0);
    if (slots) this.slots.set(slots);
    this.chosen.set(this.slots);
  }

  /** The choice as it is, into the lists. */
  write(): void {
    const { slots, written, coneCounts } = this;
    let isSame = true;
    for (let i = 0; i < slots.length; i++) if (slots[i] !== written[i]) isSame = false;
    if (isSame) return;
    written.set(slots);
    this.leftCones = coneCounts.reduce((sum, count, i) => (slots[i] === 1 ? sum : sum + count), 0);
    this.choose(slots);
  }

  /** Looks, after the solve, at the distances of those that took no part; false where one is crossed. They take part the next time. */
  staysClear(): boolean {
    if (this.leftCones === 0) return true;
    this.runLeft();
    const { distance } = totals;
    if (this.totals[2 * distance] > 0 && this.totals[2 * distance + 1] > 0) return true;
    const { slots, chosen, slacks, f64 } = this;
    for (let i = 0; i < slots.length; i++) if (slots[i] === 0 && !(f64[slacks[i]] > 0)) slots[i] = chosen[i] = 1;
    return false;
  }
}
