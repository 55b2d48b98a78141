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
import type { NodePlace, System } from "../../kernels/index.ts";
import { mayBounce } from "../bounce/stepContacts.ts";
import type { StepUnits } from "./units.ts";

/** In units of V h. Without the second, lists would be rewritten in every second step. */
const entering = 10;
const leaving = 40;
/** In units of h times the change of speed that the balance of the contact's own body asks for. */
const enteringAsked = 1;
const leavingAsked = 1.5;
/** Impulse of a contact that takes no part: its product with any distance is below the next. */
const noImpulse = 1e-60;
/** What pairs with it in a friction cone: any velocity, m/s, will do. */
const anySpeed = 1;
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

  private readonly system: System;
  private readonly choose: (slots: Uint8Array) => void;
  private readonly runLeft: () => void;
  private readonly nodes: readonly NodePlace[];
  private readonly written: Uint8Array;
  private readonly residual: Float64Array;

  /** Undefined where all contacts take part always: where they may bounce, say. */
  static of(system: System): NearContacts | undefined {
    const { choose } = system;
    return choose && !mayBounce(system) ? new NearContacts(system, choose) : undefined;
  }

  private constructor(system: System, choose: (slots: Uint8Array) => void) {
    const { mechanism, nodes, cones } = system;
    this.system = system;
    this.choose = choose;
    this.runLeft = system.runner("near.contacts");
    this.residual = system.f64.subarray(system.places.residual, system.places.residual + system.unknowns);
    this.nodes = mechanism.contacts.map(
      ({ index }) => nodes.find((n) => n.kind === "contact" && n.index === index) as NodePlace,
    );
    this.slots = new Uint8Array(this.nodes.length);
    this.written = new Uint8Array(this.nodes.length).fill(2);
    this.contactOf = Int32Array.from(
      nodes.flatMap(({ kind, index, roles }) => roles.map(() => (kind === "contact" ? index : -1))),
    );
    if (this.contactOf.length !== cones.length) throw new RangeError("a cone without a node");
  }

  /** Chooses by the residual in memory, at which b and c stand; `goesOn`: those that took part in the last step stay for longer. */
  pick(goesOn: boolean, units: StepUnits): void {
    const { slots, nodes } = this;
    for (let i = 0; i < nodes.length; i++) slots[i] = this.isNear(i, this.distance(nodes[i]), goesOn, units) ? 1 : 0;
    this.write();
  }

  /** Takes those that are not chosen out of the solve. */
  leaveOthers(): void {
    const { slots, nodes } = this;
    this.leftCones = 0;
    for (let i = 0; i < nodes.length; i++) {
      if (slots[i] === 1) continue;
      this.leftCones += nodes[i].roles.length;
      this.leave(nodes[i], this.distance(nodes[i]));
    }
  }

  /** Whether `pick` would choose none. */
  isFarAway(goesOn: boolean, units: StepUnits): boolean {
    const { nodes } = this;
    for (let i = 0; i < nodes.length; i++) if (this.isNear(i, this.distance(nodes[i]), goesOn, units)) return false;
    return true;
  }

  private isNear(i: number, distance: number, goesOn: boolean, units: StepUnits): boolean {
    const h = this.system.f64[this.system.places.globals];
    const stays = goesOn && this.slots[i] === 1;
    // also where it is not a number
    if (!(distance > h * units.speed * (stays ? leaving : entering))) return true;
    const asked = units.changeOf(this.nodes[i].bodies[1], this.residual);
    return !(distance > h * asked * (stays ? leavingAsked : enteringAsked));
  }

  /** By the residual in memory: E = s − φ. */
  private distance({ cone, equality }: NodePlace): number {
    const { f64, places, unknowns } = this.system;
    return f64[places.coneC + cone] - f64[places.residual + unknowns + equality];
  }

  /** As a run that is carried on has chosen. */
  restore(slots: Uint8Array | undefined): void {
    this.slots.fill(0);
    if (slots) this.slots.set(slots);
  }

  /** The choice as it is, into the lists. */
  write(): void {
    const { slots, written } = this;
    let isSame = true;
    for (let i = 0; i < slots.length; i++) {
      if (slots[i] !== written[i]) isSame = false;
      written[i] = slots[i];
    }
    if (!isSame) this.choose(slots);
  }

  /** Impulses vanish, slips are not known, and nothing is left to be solved for. */
  private leave({ cone, roles, equality, equalities }: NodePlace, distance: number): void {
    const { f64, places, unknowns } = this.system;
    let at = cone;
    for (const role of roles) {
      const { size, impulse, pairedWith } = role;
      for (let k = at; k < at + size; k++) {
        f64[places.coneB + k] = f64[places.coneC + k] = f64[places.stepB + k] = f64[places.stepC + k] = 0;
      }
      const other = pairedWith === "length" ? distance : anySpeed;
      f64[places.coneB + at] = impulse === "b" ? noImpulse : other;
      f64[places.coneC + at] = impulse === "b" ? other : noImpulse;
      at += size;
    }
    const row = places.residual + unknowns + equality;
    for (let k = row; k < row + equalities; k++) f64[k] = 0;
  }

  /** Distance and slip as the residual has them: then the pairs of a contact that takes no part solve its equations too. */
  private settle({ cone, roles, equality, equalities }: NodePlace, distance: number): void {
    const { f64, places, unknowns } = this.system;
    const c = places.coneC + cone;
    const row = places.residual + unknowns + equality;
    f64[c] = distance;
    const friction = roles.length > 1 ? roles[1] : undefined;
    if (friction?.start === "friction") {
      // η = (more than |slip|, slip)
      let square = 0;
      for (let k = 2; k < 1 + friction.size; k++) {
        f64[c + k] = -f64[row + k];
        square += f64[c + k] * f64[c + k];
      }
      f64[c + 1] = anySpeed + Math.sqrt(square);
    } else if (friction) {
      // η = ψ ± slip, with more than |slip| for ψ
      const sides = roles.length - 2;
      let most = 0;
      for (let k = 1; k <= sides; k++) most = Math.max(most, Math.abs(f64[row + k]));
      for (let k = 1; k <= sides; k++) f64[c + k] = anySpeed + most - f64[row + k];
      f64[places.coneB + cone + 1 + sides] = anySpeed + most;
    }
    for (let k = row; k < row + equalities; k++) f64[k] = 0;
  }

  /** After the solve: the distances of those that took no part; false where one is crossed. They take part the next time. */
  staysClear(): boolean {
    if (this.leftCones === 0) return true;
    const { slots, nodes } = this;
    this.runLeft();
    let isClear = true;
    for (let i = 0; i < nodes.length; i++) {
      if (slots[i] === 1) continue;
      const distance = this.distance(nodes[i]);
      this.settle(nodes[i], distance);
      if (distance > 0) continue;
      isClear = false;
      slots[i] = 1;
    }
    return isClear;
  }
}
