/**
 * Forces of contacts and joints in the last step, in the world: read off memory, where the part of the step lies that was solved last; or summed,
 * over all parts (division/impulseSums.ts), and over the stages of a bounce (bounce/bounceImpact.ts). Axes turn with the bodies from one part to
 * the next, so that what each has given is turned into the world before it is added; amounts along the axes are added as they are.
 */
import type { NodePlace, System } from "../../kernels/index.ts";
import { orientationAt, type Vector3 } from "../../math/index.ts";
import { type ContactReading, contactReadingInto, readingAt, readingSize } from "./readings.ts";

const forceAt = 3;
const wrenchSize = 6;

export class StepReadings {
  /** Numbers of all impulses in the world: six per joint, three per contact by hand, and after these, at `ownSize`, three per slot. */
  readonly size: number;
  readonly ownSize: number;

  private readonly system: System;
  /** Sums; those of joints are read in place of memory where `isSummed`, those of contacts there and where they are given. */
  private readonly sums: Float64Array;
  private isSummed = false;
  private readonly given = new Set<number>();
  private readonly reading = new Float64Array(readingSize);
  private readonly wrench = new Float64Array(wrenchSize);
  private readonly lever = new Float64Array(3);
  /** Nodes of contacts by hand, and those by which each joint acts: its own, and terms of gears. */
  private readonly contacts: readonly NodePlace[];
  private readonly jointNodes: readonly (readonly NodePlace[])[];

  constructor(system: System) {
    const { nodes, mechanism, touch } = system;
    this.system = system;
    this.contacts = nodes.filter(({ kind }) => kind === "contact");
    this.jointNodes = mechanism.joints.map(({ index }) => [
      nodes[index],
      ...nodes.filter(({ joint }) => joint === index),
    ]);
    this.ownSize = this.placeOf(mechanism.contacts.length);
    this.size = this.ownSize + forceAt * (touch?.nodes.length ?? 0);
    this.sums = new Float64Array(this.size);
  }

  /** A step, or a part of one, is solved anew: it is what memory says. */
  begin(): void {
    this.isSummed = false;
    this.given.clear();
  }

  /** Adds to what a contact has given in the part of the step that memory holds, in place of what memory says. */
  give(contact: number, impulse: Vector3): void {
    const at = this.placeOf(contact);
    if (!this.given.has(contact)) this.sums.fill(0, at, at + forceAt);
    this.given.add(contact);
    for (let k = 0; k < 3; k++) this.sums[at + k] += impulse[k];
  }

  /** The step is the sum of its parts. */
  end(sums: Float64Array): void {
    this.sums.set(sums);
    this.isSummed = true;
  }

  /** Where the impulse of a contact lies among all of them; slots are counted after contacts by hand. */
  placeOf(contact: number): number {
    return wrenchSize * this.jointNodes.length + forceAt * contact;
  }

  /** Adds what all have given in the part of a step that memory holds, or in its own parts. */
  addTo(out: Float64Array): void {
    const { contacts, jointNodes, system, wrench } = this;
    for (let joint = 0; joint < jointNodes.length; joint++) {
      this.jointInto(wrench, joint, 1);
      for (let k = 0; k < wrenchSize; k++) out[wrenchSize * joint + k] += wrench[k];
    }
    for (let i = 0; i < contacts.length; i++) this.addContact(out, contacts[i]);
    const bound = system.touch?.boundNodes ?? [];
    for (let i = 0; i < bound.length; i++) this.addContact(out, bound[i]);
  }

  private addContact(out: Float64Array, node: NodePlace): void {
    const { reading } = this;
    const at = this.placeOf(node.index);
    this.contactInto(reading, 0, node, 1);
    for (let k = 0; k < 3; k++) out[at + k] += reading[forceAt + k];
  }

  /** The reading of a contact by hand; undefined of one that is not simulated. */
  contact(index: number): ContactReading | undefined {
    const node = this.contacts.find((entry) => entry.index === index);
    if (!node) return undefined;
    this.contactInto(this.reading, 0, node);
    return readingAt(this.reading, 0);
  }

  /** Numbers of a contact's reading, as `readingAt` reads them: impulses over a time, the time step as a rule. */
  contactInto(
    out: Float64Array,
    at: number,
    node: NodePlace,
    time = this.system.f64[this.system.places.globals],
  ): void {
    contactReadingInto(out, at, this.system, node, this.modelOf(node), time);
    if (!this.isSummed && !this.given.has(node.index)) return;
    const sum = this.placeOf(node.index);
    for (let k = 0; k < 3; k++) out[at + forceAt + k] = this.sums[sum + k] / time;
  }

  private modelOf({ index }: NodePlace): string {
    const { mechanism, touch } = this.system;
    const slot = index - mechanism.contacts.length;
    if (slot < 0 || !touch) return mechanism.contacts[index].model;
    const pool = touch.pools.find(({ first, count }) => slot >= first && slot < first + count);
    return (pool as { readonly model: string }).model;
  }

  /** Forces of all contacts on their bodies, in the world frame, three numbers each; zero for those that are not simulated. */
  contactForcesInto(out: Float64Array): void {
    out.fill(0);
    const { reading } = this;
    for (const node of this.contacts) {
      this.contactInto(reading, 0, node);
      for (let k = 0; k < 3; k++) out[3 * node.index + k] = reading[forceAt + k];
    }
  }

  /** What the parent of a joint gives its child, times a factor: 1/h makes forces of it. The torque is about the child's anchor. */
  jointImpulse(joint: number, factor: number): { readonly force: Vector3; readonly torque: Vector3 } {
    const { wrench } = this;
    this.jointInto(wrench, joint, factor);
    return { force: [wrench[0], wrench[1], wrench[2]], torque: [wrench[3], wrench[4], wrench[5]] };
  }

  /** Adds in place and without vectors, since divided steps do so in every part, for all joints. */
  private jointInto(out: Float64Array, joint: number, factor: number): void {
    if (this.isSummed) {
      for (let k = 0; k < wrenchSize; k++) out[k] = this.sums[wrenchSize * joint + k] * factor;
      return;
    }
    const { system, lever } = this;
    const { f64, places, mechanism } = system;
    const { child, frames } = mechanism.joints[joint];
    const nodes = this.jointNodes[joint];
    out.fill(0);
    for (let i = 0; i < nodes.length; i++) for (let k = 0; k < wrenchSize; k++) out[k] += f64[nodes[i].wrench + k];
    for (let k = 0; k < wrenchSize; k++) out[k] *= factor;
    const [x, y, z] = frames.childAnchor;
    const orientation = places.state + orientationAt(child);
    turnInto(out, 3, f64, orientation, out[3], out[4], out[5]);
    turnInto(lever, 0, f64, orientation, x, y, z);
    out[3] -= lever[1] * out[2] - lever[2] * out[1];
    out[4] -= lever[2] * out[0] - lever[0] * out[2];
    out[5] -= lever[0] * out[1] - lever[1] * out[0];
  }
}

/** A vector of a body in the world, by the quaternion at `q` in f64: (v + w t) + u × t, with t = 2 u × v. */
function turnInto(out: Float64Array, at: number, f64: Float64Array, q: number, x: number, y: number, z: number): void {
  const [w, ux, uy, uz] = [f64[q], f64[q + 1], f64[q + 2], f64[q + 3]];
  const tx = (uy * z - uz * y) * 2;
  const ty = (uz * x - ux * z) * 2;
  const tz = (ux * y - uy * x) * 2;
  out[at] = x + tx * w + (uy * tz - uz * ty);
  out[at + 1] = y + ty * w + (uz * tx - ux * tz);
  out[at + 2] = z + tz * w + (ux * ty - uy * tx);
}
