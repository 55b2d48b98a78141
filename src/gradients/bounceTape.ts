/**
 * What lies between the stages of a step with a bounce (simulation/bounce/bounce.ts), made linear on a tape: smooth functions, by their own
 * derivatives (equations/bounce.ts), in the order
 *   free → when, how fast and where bodies meet → compression → what contacts are told → restitution → wrench of the impulses → position →
 *   velocities carried on → next state
 */
import { leadOffset } from "../equations/index.ts";
import { impulseSize, type System } from "../kernels/index.ts";
import {
  angularVelocityAt,
  attitudeAt,
  LinearTape,
  orientationAt,
  tangentAngularVelocityAt,
  tangentAt,
  tangentVelocityAt,
  type Vector3,
  velocityAt,
} from "../math/index.ts";
import { BounceMaps, type BounceRecord, MomentumLoss } from "../simulation/index.ts";
import { BounceLayout, given } from "./bounceLayout.ts";
import { IntervalChange } from "./intervalChange.ts";

/** A part of the tape: from where to where. */
export type Passage = readonly [start: number, end: number];
type Passages = Readonly<Record<"meeting" | "telling" | "pushing" | "carrying", Passage>>;

/** A step, or part of one, that bounced: its state, its free velocities, six per body, and its length. */
interface Flight {
  readonly state: Float64Array;
  readonly free: Float64Array;
  readonly h: number;
}

export class BounceTape {
  readonly tape = new LinearTape();
  readonly layout: BounceLayout;
  readonly maps: BounceMaps;
  /** What lies before compression, before restitution, before the last stage, and after it. */
  passages: Passages = { meeting: [0, 0], telling: [0, 0], pushing: [0, 0], carrying: [0, 0] };

  private readonly system: System;
  private readonly losses: MomentumLoss;
  private readonly change = new IntervalChange();
  /** Where a body's numbers lie under the names that functions have for them; made once. */
  private readonly motions: readonly Record<string, number | undefined>[];
  private readonly lossPlaces: readonly Record<string, number>[];

  /** `system` has the parameters of the step in its memory. */
  constructor(system: System) {
    this.system = system;
    this.maps = new BounceMaps(system, true);
    this.losses = new MomentumLoss(this.maps);
    const { dataEnd, mechanism } = system;
    this.layout = new BounceLayout(dataEnd, mechanism.bodies.length, this.maps.contacts.capacity);
    this.motions = mechanism.bodies.map((_, body) => this.motionPlaces(body));
    this.lossPlaces = mechanism.bodies.map((_, body) => this.placesOfLoss(body));
  }

  /** Writes the tape anew. `compressed`: the impulse with which compression leaves a contact, normal first. */
  record(record: BounceRecord, compressed: (contact: number) => readonly number[]): void {
    const { tape, system } = this;
    const { stateSize, bodies } = system.mechanism;
    const flight = {
      state: record.free.subarray(0, stateSize),
      free: record.free.subarray(stateSize, stateSize + 6 * bodies.length),
      h: system.f64[system.places.globals],
    };
    tape.clear();
    const passage = (write: () => void): Passage => {
      const start = tape.length;
      write();
      return [start, tape.length];
    };
    this.passages = {
      meeting: passage(() => this.recordMeeting(record, flight)),
      telling: passage(() => this.recordTelling(record, compressed)),
      pushing: passage(() => this.recordPushing(record, flight)),
      carrying: passage(() => this.recordCarrying(record, flight)),
    };
  }

  /** When and how fast contacts meet, and where bodies are then. */
  private recordMeeting(record: BounceRecord, { state, free, h }: Flight): void {
    const { tape, layout, maps } = this;
    const { globals } = this.system.places;
    // the slowest speed of the gate is a length over the time step
    tape.add(layout.gate + 1, globals, -record.slowest / h);
    for (const { contact, role, threshold } of record.touches) {
      if (role === "none") continue;
      const map = maps.touch(contact, state, free, h, record);
      const inputs: Record<string, number> = { ...this.times(), gravity: globals + 1, gate: layout.gate };
      maps.eachSide(contact, (side, body) => {
        Object.assign(inputs, this.bodyPlaces(side, body));
        inputs[`${side}.gravityScale`] = maps.gravityScaleIndex(body);
      });
      inputs.parameters = maps.nodes[contact].parameters;
      if (role === "supports") {
        // −φ(z ⊕ h v_f)/h
        const at = layout.givenTo(contact) + given.threshold;
        tape.add(at, globals, -threshold / h);
        map.record(tape, { ahead: at }, inputs, -1 / h);
      } else {
        // that of others may be no number, and nothing goes by it
        if (record.leaders.includes(contact)) map.record(tape, { time: layout.time + contact }, inputs);
        map.record(tape, { gain: layout.gain + contact }, inputs, record.share);
      }
    }
    record.leaders.forEach((leader, body) => {
      const at = layout.impact + tangentAt(body);
      maps
        .placing(body, state, free, h, leader < 0 ? 0 : record.touches[leader].time)
        .record(
          tape,
          { position: at, orientation: at + 3, velocity: at + 6, spin: at + 9 },
          this.motionUntil(body, leader),
        );
    });
  }

  /** What contacts are told before restitution: (1 + e G) γ_c, friction as it was, e G γ_c as the bound. */
  private recordTelling({ touches }: BounceRecord, compressedOf: (contact: number) => readonly number[]): void {
    const { tape, layout } = this;
    for (const { contact, gain } of touches) {
      const told = layout.givenTo(contact);
      const compressed = layout.compressed + impulseSize * contact;
      const [normal] = compressedOf(contact);
      tape.add(told + given.normal, compressed, 1 + gain);
      tape.add(told + given.normal, layout.gain + contact, normal);
      tape.add(told + given.bound, compressed, gain);
      tape.add(told + given.bound, layout.gain + contact, normal);
      tape.copy(told + given.friction, compressed + 1, 2);
    }
  }

  /** Whole impulses, and the wrench that stands for them in the last stage. */
  private recordPushing({ touches, leaders, restitution, impulses }: BounceRecord, { state, h }: Flight): void {
    const { tape, layout, maps } = this;
    for (const { contact, role } of touches) {
      const impulse = layout.impulse + impulseSize * contact;
      tape.copy(impulse, layout.givenTo(contact) + given.normal, impulseSize);
      tape.copy(impulse, layout.released + impulseSize * contact, impulseSize);
      if (role !== "bounces") continue;
      const leader = leaders[maps.nodes[contact].bodies[1]];
      const there = { values: restitution, at: 0 };
      const own = impulses.subarray(impulseSize * contact, impulseSize * (contact + 1));
      const map = maps.wrench(contact, state, there, own, h, touches[leader].time);
      const outputs: Record<string, number> = {};
      const inputs: Record<string, number> = {};
      maps.eachSide(contact, (side, body) => {
        outputs[side] = layout.wrench + 6 * body;
        inputs[`${side}.impact.position`] = layout.impact + tangentAt(body);
        inputs[`${side}.impact.orientation`] = layout.impact + attitudeAt(body);
        inputs[`${side}.start`] = layout.state + attitudeAt(body);
      });
      const { parameters } = maps.nodes[contact];
      map.record(tape, outputs, { ...inputs, ...this.times(), parameters, impulse, time: layout.time + leader });
    }
  }

  /**
   * The next state: poses of the last stage, and velocities of struck bodies. Π(ω₊, h) = J ω', and v₊, ω' carried on from the impact, with what
   * the last stage would have lost.
   */
  private recordCarrying(record: BounceRecord, { state, free, h }: Flight): void {
    const { tape, layout, maps } = this;
    const { leaders, touches, restitution, next, groups } = record;
    const { f64, places, mechanism } = this.system;
    const carried = new Float64Array(6 * leaders.length);
    const isStruck = (body: number): boolean => leaders[body] >= 0;
    leaders.forEach((leader, body) => {
      tape.copy(layout.next + tangentAt(body), layout.position + tangentAt(body), isStruck(body) ? 6 : 12);
      if (!isStruck(body)) return;
      const afterAt = mechanism.stateSize + 6 * body;
      const after = {
        impact: restitution.subarray(orientationAt(body), velocityAt(body)),
        next: next.subarray(orientationAt(body), velocityAt(body)),
        velocity: restitution.subarray(afterAt, afterAt + 6),
      };
      const map = maps.carrying(body, state, free, after, h, touches[leader].time);
      carried.set(map.output("velocity"), 6 * body);
      carried.set(map.output("spin"), 6 * body + 3);
      const own = layout.carried + 6 * body;
      map.record(tape, { velocity: own, spin: own + 3 }, this.motionUntil(body, leader));
    });
    const pushes = { state, free, next, h, groups };
    this.losses.record(tape, pushes, carried, (body) => this.lossPlaces[body], layout.groups);
    this.losses.giveBack(pushes, carried);
    const triple = (values: Float64Array, at: number): Vector3 => [values[at], values[at + 1], values[at + 2]];
    for (let body = 0; body < leaders.length; body++) {
      if (!isStruck(body)) continue;
      const inertia = maps.inertiaIndex(body);
      const blocks = this.change.blocks(
        { spin: triple(carried, 6 * body + 3), interval: 0 },
        { spin: triple(next, angularVelocityAt(body)), interval: h },
        f64.subarray(inertia, inertia + 6),
      );
      const kept = layout.kept + 6 * body;
      tape.copy(layout.next + tangentVelocityAt(body), kept, 3);
      for (let row = 0; row < 3; row++) {
        const to = layout.next + tangentAngularVelocityAt(body) + row;
        for (let k = 0; k < 3; k++) tape.add(to, kept + 3 + k, blocks.bySpin[row][k]);
        for (let k = 0; k < 6; k++) tape.add(to, inertia + k, blocks.byInertia[row][k]);
        tape.add(to, places.globals, blocks.byTo[row]);
      }
    }
  }

  private times(): { readonly timestep: number; readonly lead: number } {
    const { globals } = this.system.places;
    return { timestep: globals, lead: globals + leadOffset };
  }

  /** What the motion of a body until its impact depends on. */
  private motionUntil(body: number, leader: number): Record<string, number | undefined> {
    const places = this.motions[body];
    places.time = leader < 0 ? undefined : this.layout.time + leader;
    return places;
  }

  private motionPlaces(body: number): Record<string, number | undefined> {
    const { layout, maps } = this;
    return {
      ...this.times(),
      ...this.bodyPlaces("body", body),
      inertia: maps.inertiaIndex(body),
      time: undefined,
      // of velocities that are carried on
      start: layout.state + attitudeAt(body),
      impact: layout.impact + attitudeAt(body),
      next: layout.position + attitudeAt(body),
      "after.velocity": layout.after + tangentVelocityAt(body),
    };
  }

  private bodyPlaces(name: string, body: number): Record<string, number> {
    const { state, free } = this.layout;
    return {
      [`${name}.position`]: state + tangentAt(body),
      [`${name}.orientation`]: state + attitudeAt(body),
      [`${name}.velocity`]: state + tangentVelocityAt(body),
      [`${name}.free.velocity`]: free + tangentVelocityAt(body),
    };
  }

  private placesOfLoss(body: number): Record<string, number> {
    const { layout, maps } = this;
    return {
      ...this.bodyPlaces("body", body),
      "next.position": layout.position + tangentAt(body),
      "next.orientation": layout.position + attitudeAt(body),
      "after.velocity": layout.carried + 6 * body,
      velocity: layout.kept + 6 * body,
      mass: maps.massIndex(body),
      inertia: maps.inertiaIndex(body),
      timestep: this.times().timestep,
    };
  }
}
