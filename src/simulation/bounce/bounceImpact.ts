/**
 * The way from the free step of a bounce to its end (bounce.ts): compression and restitution as impacts, the wrench that stands for their impulses, the
 * step with it, and the velocities carried on to where it ends.
 */
import type { Target } from "../../codegen/index.ts";
import { bodyParameterNames } from "../../equations/index.ts";
import { nextLayout, type System } from "../../kernels/index.ts";
import {
  bodyAt,
  orientationAt,
  poseSize,
  type Quaternion,
  quaternion,
  stateOffsets,
  type Vector3,
  vector,
  velocityAt,
} from "../../math/index.ts";
import { worldIndex } from "../../mechanism/index.ts";
import { copyInto } from "../copyInto.ts";
import { contactImpulse, writeContactImpulse } from "../runs/readings.ts";
import { changedSpin } from "../states/timestepChange.ts";
import type { Attempt } from "../step/attempts.ts";
import type { StepOptions } from "../step/stepReport.ts";
import type { BounceContacts, Touching } from "./bounceContacts.ts";
import type { BounceRecord, ImpulseShare, StageTaker } from "./bounceRecord.ts";
import { Impacts } from "./impacts.ts";
import { MomentumLoss } from "./momentumLoss.ts";
import { returnMomenta } from "./returnedMomentum.ts";

const nothing = [0, 0, 0];

/** Normal and two tangents. */
function axesAt(values: Float64Array, at: number): Vector3[] {
  return [0, 3, 6].map((k) => [values[at + k], values[at + k + 1], values[at + k + 2]]);
}

function orientationIn({ f64, places }: System, body: number): Quaternion {
  const at = places.state + orientationAt(body);
  return [f64[at], f64[at + 1], f64[at + 2], f64[at + 3]];
}

export class BounceImpact {
  /** Iterations of impacts since it was last set to 0. */
  iterations = 0;
  /** The record of the bounce last taken, if the point of its free step was given. */
  record: BounceRecord | undefined;

  private readonly taker: StageTaker;
  private readonly contacts: BounceContacts;
  private readonly target: Target;
  private readonly wrench: Float64Array;
  private readonly savedWrench: Float64Array;
  private readonly velocities: Float64Array;
  private readonly losses: MomentumLoss;
  private readonly next: Float64Array;
  /** Bodies that the last stage has pushed apart, and what each body has got back of its momentum. */
  groups: Int32Array;
  private returned: readonly Vector3[] = [];
  /** Impulses of all contacts in the free step. */
  private readonly freeImpulses: Float64Array;
  /** Wrenches of all joints and terms of gears in the free step, six numbers for every node. */
  private readonly freeWrenches: Float64Array;
  private lazyImpacts: Impacts | undefined;

  constructor(taker: StageTaker, contacts: BounceContacts, target: Target) {
    const size = 6 * taker.system.mechanism.bodies.length;
    this.taker = taker;
    this.contacts = contacts;
    this.target = target;
    this.wrench = new Float64Array(size);
    this.savedWrench = new Float64Array(size);
    this.velocities = new Float64Array(size);
    this.losses = new MomentumLoss(contacts.maps);
    this.next = new Float64Array(taker.system.mechanism.stateSize);
    this.groups = new Int32Array(0);
    this.freeImpulses = new Float64Array(3 * contacts.maps.contacts.capacity);
    this.freeWrenches = new Float64Array(6 * taker.system.nodes.length);
  }

  /** Keeps what contacts, joints and gears have given in the free step, which has just been taken. */
  keepFreeImpulses(): void {
    const { f64, nodes } = this.taker.system;
    nodes.forEach(({ kind, joint, wrench }, i) => {
      if (kind === "joint" || joint !== undefined) copyInto(this.freeWrenches, 6 * i, f64, wrench, 6);
    });
    for (let contact = 0; contact < this.contacts.nodes.length; contact++)
      this.freeImpulses.set(this.impulseInStep(contact), 3 * contact);
  }

  private impulseInStep(contact: number): [number, number, number] {
    const { f64, places } = this.taker.system;
    const { nodes, kinds } = this.contacts.maps.contacts;
    return contactImpulse(kinds[contact].species.model, f64, places.coneB + nodes[contact].cone);
  }

  /** What each contact has given in all: velocities of struck bodies come from the free step and the impact, those of others from the last stage. */
  private readImpulses({ touches, leaders }: Touching): Pick<BounceRecord, "readings" | "shares"> {
    const { contacts, freeImpulses, impacts } = this;
    const readings = new Float64Array(3 * touches.length);
    const shares = touches.map(({ contact, role }): ImpulseShare => {
      const isStruck = contacts.nodes[contact].bodies.some((body) => body !== worldIndex && leaders[body] >= 0);
      const own = readings.subarray(3 * contact, 3 * contact + 3);
      if (!isStruck) {
        own.set(this.impulseInStep(contact));
        return "position";
      }
      if (role !== "none") own.set(impacts.impulseOf(contact));
      if (contacts.isOut(contact)) return "impact";
      for (let k = 0; k < 3; k++) own[k] += freeImpulses[3 * contact + k];
      return "free and impact";
    });
    return { readings, shares };
  }

  /**
   * Compression, restitution and position, from the free velocities, with so much of the restitution. Keeps a record where the point of the free
   * step is given. `given`: bodies that are pushed apart, which it finds itself if left out.
   */
  take(
    state: Float64Array,
    free: Float64Array,
    share: number,
    given: Int32Array | undefined,
    options: StepOptions,
    attempts: readonly Attempt[],
    freePoint?: Float64Array,
  ): boolean {
    const { taker, contacts, wrench, savedWrench, impacts } = this;
    const { f64, places } = taker.system;
    const { solver } = impacts;
    const touching = contacts.touching(state, free, share);
    const { touches, leaders } = touching;
    this.placeBodies(state, free, touching);
    solver.iterations = 0;
    impacts.giveThresholds(touches);
    const units = (natural: Float64Array) => contacts.hold.value(contacts.nameInPart("units"), () => natural.slice());
    if (!solver.solve(options, units)) return false;
    const compression = freePoint && solver.point();
    impacts.giveImpulses(touches);
    if (!solver.solve(options, units)) return false;
    const restitution = freePoint && solver.point();
    this.iterations += solver.iterations;

    this.makeWrench(state, touching);
    copyInto(savedWrench, 0, f64, places.wrench, wrench.length);
    for (let k = 0; k < wrench.length; k++) f64[places.wrench + k] += wrench[k];
    let position: Float64Array | undefined;
    const placed = contacts.attemptWithoutBounced(state, options, attempts, () => {
      if (freePoint) position = taker.point();
    });
    copyInto(f64, places.wrench, savedWrench, 0, wrench.length);
    if (!placed) return false;
    this.groups = given ?? contacts.pushedTogether(leaders);
    if (!this.carryVelocities(state, free, touching)) return false;
    const { readings, shares } = this.readImpulses(touching);
    if (freePoint && compression && restitution && position) {
      const impulses = Float64Array.from(
        touches.flatMap(({ contact, role }) => (role === "bounces" ? impacts.impulseOf(contact) : nothing)),
      );
      this.record = {
        ...{ free: freePoint, compression, restitution, position, touches, share, impulses, leaders },
        ...{ wrench: wrench.slice(), next: this.next.slice(), groups: this.groups, readings, shares },
        ...contacts.gate,
      };
    }
    // where readers look: velocities, and impulses
    for (let body = 0; body < leaders.length; body++)
      if (leaders[body] >= 0) copyInto(f64, places.unknown + 6 * body, this.velocities, 6 * body, 6);
    this.writeWrenches(leaders);
    const ties = contacts.tiesWithin(this.groups);
    this.writeImpulses(touching, { readings, shares });
    returnMomenta(ties, this.returned);
    return true;
  }

  /** What struck contacts have given, where readers look: amounts along the axes of each stage, and all of it in the world. */
  private writeImpulses({ touches }: Touching, { readings, shares }: Pick<BounceRecord, "readings" | "shares">): void {
    const { impacts, taker, contacts, freeImpulses } = this;
    const { system } = taker;
    const { nodes, kinds } = contacts.maps.contacts;
    nodes.forEach(({ cone, index, observations, bodies }, contact) => {
      const share = shares[contact];
      if (share === "position") return;
      const give = (own: System, axes: number, amounts: ArrayLike<number>): void => {
        const local = axesAt(own.f64, axes).reduce(
          (sum, axis, k) => vector.add(sum, vector.scale(axis, amounts[k])),
          vector.zero,
        );
        const turn = bodies[0] === worldIndex ? quaternion.identity : orientationIn(own, bodies[0]);
        taker.readings.give(index, quaternion.rotate(turn, local));
      };
      const free = share === "impact" ? nothing : freeImpulses.subarray(3 * contact, 3 * contact + 3);
      give(system, observations, free);
      if (touches[contact].role !== "none")
        give(impacts.solver.system, impacts.axesOf(contact), impacts.impulseOf(contact));
      const own = readings.subarray(3 * contact, 3 * contact + 3);
      writeContactImpulse(kinds[contact].species.model, system.f64, system.places.coneB + cone, own);
    });
  }

  /** What joints of struck bodies have given in all, where readers look: in the free step and in the impact, torques in the frame where the step began. */
  private writeWrenches(leaders: Int32Array): void {
    const { impacts, taker, freeWrenches } = this;
    const { f64, nodes } = taker.system;
    const { f64: values, nodes: others } = impacts.solver.system;
    nodes.forEach(({ kind, joint, index, wrench, bodies }, i) => {
      if ((kind !== "joint" && joint === undefined) || leaders[bodies[1]] < 0) return;
      copyInto(f64, wrench, freeWrenches, 6 * i, 6);
      if (kind !== "joint") return;
      const own = others[index].wrench;
      const turned = quaternion.rotateInverse(
        orientationIn(taker.system, bodies[1]),
        quaternion.rotate(orientationIn(impacts.solver.system, bodies[1]), axesAt(values, own)[1]),
      );
      for (let k = 0; k < 3; k++) {
        f64[wrench + k] += values[own + k];
        f64[wrench + 3 + k] += turned[k];
      }
    });
  }

  /** Puts the bodies into the memory of impacts as they are when the first impact reaches them. */
  private placeBodies(state: Float64Array, free: Float64Array, { touches, leaders }: Touching): void {
    const { impacts, contacts } = this;
    const { h, maps } = contacts;
    const { f64, places } = impacts.solver.system;
    impacts.takeParameters();
    for (let body = 0; body < leaders.length; body++) {
      const time = leaders[body] < 0 ? 0 : touches[leaders[body]].time;
      const placed = maps.placing(body, state, free, h, time);
      const at = places.state + bodyAt(body);
      f64.set(placed.output("position"), at);
      f64.set(placed.output("orientation"), at + 3);
      f64.set(placed.output("velocity"), at + stateOffsets.velocity);
      f64.set(placed.output("spin"), at + stateOffsets.angularVelocity);
    }
  }

  /** Sums what stands for the contacts' impulses in the last stage. */
  private makeWrench(state: Float64Array, { touches, leaders }: Touching): void {
    const { wrench, impacts, contacts } = this;
    const { h, maps } = contacts;
    const { f64: values, places } = impacts.solver.system;
    wrench.fill(0);
    for (const { contact, role } of touches) {
      if (role !== "bounces") continue;
      const { time } = touches[leaders[contacts.nodes[contact].bodies[1]]];
      const impulse = impacts.impulseOf(contact);
      const push = maps.wrench(contact, state, { values, at: places.state }, impulse, h, time);
      maps.eachSide(contact, (side, body) => {
        const part = push.output(side);
        for (let i = 0; i < 6; i++) wrench[6 * body + i] += part[i];
      });
    }
  }

  /** The next state: velocities after the impact, of bodies that have moved on to their next poses; momenta stay. False where h is too long for one. */
  private carryVelocities(state: Float64Array, free: Float64Array, { touches, leaders }: Touching): boolean {
    const { impacts, velocities, taker, contacts, next, groups } = this;
    const { h, maps } = contacts;
    const { f64, places } = taker.system;
    const { f64: values, places: there } = impacts.solver.system;
    for (let body = 0; body < leaders.length; body++) {
      copyInto(next, bodyAt(body), f64, places.next + nextLayout.size * body, poseSize);
      copyInto(velocities, 6 * body, f64, places.unknown + 6 * body, 6);
      if (leaders[body] < 0) continue;
      const impactAt = there.state + orientationAt(body);
      const afterAt = there.unknown + 6 * body;
      const after = {
        impact: values.subarray(impactAt, impactAt + 4),
        next: next.subarray(orientationAt(body), orientationAt(body) + 4),
        velocity: values.subarray(afterAt, afterAt + 6),
      };
      const carried = maps.carrying(body, state, free, after, h, touches[leaders[body]].time);
      velocities.set(carried.output("velocity"), 6 * body);
      velocities.set(carried.output("spin"), 6 * body + 3);
    }
    const before = velocities.slice();
    this.losses.giveBack({ state, free, next, h, groups }, velocities);
    this.returned = taker.system.mechanism.bodies.map((_, body): Vector3 => {
      const mass = f64[places.bodyParameters + bodyParameterNames.length * body];
      const gained = (k: number): number => mass * (velocities[6 * body + k] - before[6 * body + k]);
      return [gained(0), gained(1), gained(2)];
    });
    let fits = true;
    for (let body = 0; body < leaders.length; body++) {
      if (leaders[body] >= 0) {
        const [x, y, z] = velocities.subarray(6 * body + 3);
        const changed = changedSpin([x, y, z], taker.writer.inertia(body), 0, h);
        if (!changed.fits) fits = false;
        velocities.set(changed.spin, 6 * body + 3);
      }
      copyInto(next, velocityAt(body), velocities, 6 * body, 6);
    }
    return fits;
  }

  /** Made when something bounces for the first time. */
  private get impacts(): Impacts {
    this.lazyImpacts ??= new Impacts(this.taker.system, this.target);
    return this.lazyImpacts;
  }
}
