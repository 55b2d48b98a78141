/** Where the quantities of a step with a bounce have their tangents or cotangents: one vector, parameters by their own memory index first. */
import { impulseSize } from "../kernels/index.ts";
import { bodyTangentSize } from "../math/index.ts";
import { groupSize } from "../simulation/index.ts";

/** Numbers that a contact is told in an impact, in this order (equations/impact.ts). */
export const given = { threshold: 1, normal: 2, friction: 3, bound: 5, size: 6 } as const;

export class BounceLayout {
  /** States before the step, and after its stages; of an impact's velocities those after it. 12 per body. */
  readonly state: number;
  readonly free: number;
  readonly impact: number;
  readonly after: number;
  readonly position: number;
  readonly next: number;
  /** Velocities of an instant at the next poses, and these with what the last stage would have lost. 6 per body. */
  readonly carried: number;
  readonly kept: number;
  /** Force and torque that stand for the impulses in the last stage, 6 per body. */
  readonly wrench: number;
  /** What bodies that push each other apart have in common, `groupSize` per body. */
  readonly groups: number;
  /** What the gate of a bounce goes by besides the state: `GateScale`. */
  readonly gate: number;
  /** θ and e G of each contact, and all that it is told. */
  readonly time: number;
  readonly gain: number;
  readonly given: number;
  /** Impulses of contacts in each stage, and over compression and restitution, 3 each. */
  readonly freeImpulse: number;
  readonly compressed: number;
  readonly released: number;
  readonly impulse: number;
  readonly positionImpulse: number;
  readonly size: number;

  constructor(parameters: number, bodies: number, contacts: number) {
    let size = parameters;
    const reserve = (count: number): number => {
      size += count;
      return size - count;
    };
    const ofBodies = (count: number): number => reserve(count * bodies);
    const ofContacts = (count: number): number => reserve(count * contacts);
    this.state = ofBodies(bodyTangentSize);
    this.free = ofBodies(bodyTangentSize);
    this.impact = ofBodies(bodyTangentSize);
    this.after = ofBodies(bodyTangentSize);
    this.position = ofBodies(bodyTangentSize);
    this.next = ofBodies(bodyTangentSize);
    this.carried = ofBodies(6);
    this.kept = ofBodies(6);
    this.wrench = ofBodies(6);
    this.groups = ofBodies(groupSize);
    this.gate = reserve(2);
    this.time = ofContacts(1);
    this.gain = ofContacts(1);
    this.given = ofContacts(given.size);
    this.freeImpulse = ofContacts(impulseSize);
    this.compressed = ofContacts(impulseSize);
    this.released = ofContacts(impulseSize);
    this.impulse = ofContacts(impulseSize);
    this.positionImpulse = ofContacts(impulseSize);
    this.size = size;
  }

  givenTo(contact: number): number {
    return this.given + given.size * contact;
  }
}
