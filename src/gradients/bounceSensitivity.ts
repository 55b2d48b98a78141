/**
 * A step with a bounce made linear: its stages (simulation/bounce/bounce.ts) are steps, impacts and smooth functions, and a cotangent goes back
 * through them in turn:
 *   next state ← carried spins, position ← wrench of the impulses ← restitution ← compression ← where and when bodies meet ← free
 * Steps and impacts are differentiated at their points (sensitivity.ts), functions by their own derivatives.
 */
import type { Target } from "../codegen/index.ts";
import { leadOffset } from "../equations/index.ts";
import { impulseSize } from "../kernels/index.ts";
import type { Vector3 } from "../math/index.ts";
import {
  angularVelocityAt,
  attitudeAt,
  bodyAt,
  bodyTangentSize,
  orientationAt,
  tangentAngularVelocityAt,
  tangentAt,
  tangentVelocityAt,
  velocityAt,
} from "../math/index.ts";
import type { Mechanism, TouchPool } from "../mechanism/index.ts";
import {
  BounceMaps,
  type BounceRecord,
  contactImpulse,
  ImpactParameters,
  type ImpulseShare,
  impactMechanism,
  impactParameters,
  MomentumLoss,
} from "../simulation/index.ts";
import { IntervalChange } from "./intervalChange.ts";
import { partOf, type SolvedStep } from "./point.ts";
import { StepSensitivity } from "./sensitivity.ts";

/** Where the numbers of an impact's contact lie, from its first one on (equations/impact.ts). */
const given = { threshold: 1, normal: 2, friction: 3, bound: 5 } as const;

export class BounceSensitivity {
  private readonly mechanism: Mechanism;
  private readonly stages: Readonly<Record<"free" | "compression" | "restitution" | "position", StepSensitivity>>;
  private readonly change = new IntervalChange();
  /** Parameters of the step that is loaded, where a system has them. */
  private readonly data: Float64Array;
  private readonly maps: BounceMaps;
  /** Parameters of a step and of an impact. */
  private readonly parameters: ImpactParameters;
  private readonly losses: MomentumLoss;
  private record: BounceRecord | undefined;

  constructor(mechanism: Mechanism, target: Target, pools: readonly TouchPool[]) {
    this.mechanism = mechanism;
    const impacts = impactMechanism(mechanism);
    const ofStep = (): StepSensitivity => new StepSensitivity(mechanism, target, "contacts", "step", pools);
    const ofImpact = (): StepSensitivity => new StepSensitivity(impacts, target, "contacts", "impact", pools);
    this.stages = { free: ofStep(), compression: ofImpact(), restitution: ofImpact(), position: ofStep() };
    const { system } = this.stages.free;
    this.data = new Float64Array(system.dataEnd);
    this.maps = new BounceMaps({ ...system, f64: this.data }, true);
    this.losses = new MomentumLoss(this.maps);
    this.parameters = new ImpactParameters(system, this.stages.restitution.system);
  }

  /** Linearises about a part of a step that bounced. */
  load(step: SolvedStep, substep: number, record: BounceRecord): void {
    const { data, stages, parameters } = this;
    const { places } = stages.free.system;
    const { bonds } = step;
    const { size, lead } = partOf(step, substep);
    this.record = record;
    data.set(step.data);
    data[places.globals] *= size;
    data[places.globals + leadOffset] = step.data[places.globals] * lead;
    const at = (memory: Float64Array, point: Float64Array): SolvedStep => ({
      ...step,
      data: memory,
      points: [point],
      division: undefined,
    });

    // half-spaces that were away have derivatives all the same, and slacks so large that they do not count
    stages.free.linearise(at(data.slice(), record.free));
    const pushed = data.slice();
    for (let k = 0; k < record.wrench.length; k++) pushed[places.wrench + k] += record.wrench[k];
    stages.position.linearise(at(pushed, record.position));

    if (bonds) stages.restitution.system.touch?.rebind(bonds);
    const impact = stages.compression.system.f64.slice(0, stages.compression.system.dataEnd);
    parameters.copyInto(impact, data);
    const none = new Float64Array(0);
    const impactAt = (point: Float64Array, impulses: boolean): SolvedStep => {
      const memory = impact.slice();
      for (const touch of record.touches) {
        const before = impulses ? this.impulse(record.compression, touch.contact) : undefined;
        memory.set(impactParameters(touch, before), parameters.given(touch.contact));
      }
      return { data: memory, bonds, points: [point], input: none, state: none, next: none };
    };
    stages.compression.linearise(impactAt(record.compression, false));
    stages.restitution.linearise(impactAt(record.restitution, true));
  }

  /** The next state that the loaded part leads to, 13 numbers per body, out of the one that its last stage leads to. */
  turnInto(next: Float64Array): void {
    const { leaders, next: turned } = this.loaded;
    leaders.forEach((_, body) => {
      next.set(turned.subarray(velocityAt(body), bodyAt(body + 1)), velocityAt(body));
    });
  }

  /**
   * Takes a cotangent of the next state, 12 per body, back to that of the state, in place; adds those of all else to `mirror`. `impulses` are
   * cotangents of the contacts' impulses.
   */
  pull(cotangent: Float64Array, mirror: Float64Array, impulses?: Float64Array): void {
    const { stages, maps, data } = this;
    const { places } = stages.free.system;
    const record = this.loaded;
    const h = data[places.globals];
    const state = record.free.subarray(0, this.mechanism.stateSize);
    const free = record.free.subarray(state.length, state.length + cotangent.length / 2);
    const bars = new Bars(this.mechanism, record.touches.length);
    const addTo = (at: number, values: Float64Array): void => {
      for (let i = 0; i < values.length; i++) mirror[at + i] += values[i];
    };

    // velocities of the next state: those after the impact, carried on
    const position = cotangent.slice();
    this.pullVelocities(position, bars, mirror, { state, free, h });

    // position, and the wrench that stands for the impulses there
    const ofPosition = this.pullStage(stages.position, position, impulses && this.impulsesOf(impulses, "position"));
    addTo(0, ofPosition.mirror);
    bars.add(bars.state, ofPosition.state);
    const wrench = ofPosition.mirror.subarray(places.wrench, places.wrench + free.length);
    for (const { contact, role } of record.touches) {
      if (role !== "bounces") continue;
      const leader = record.leaders[maps.nodes[contact].bodies[1]];
      const { time } = record.touches[leader];
      const there = { values: record.restitution, at: 0 };
      const impulse = record.impulses.subarray(impulseSize * contact, impulseSize * (contact + 1));
      const map = maps.wrench(contact, state, there, impulse, h, time);
      const outputs: Record<string, Float64Array> = {};
      maps.eachSide(contact, (side, body) => {
        outputs[side] = wrench.subarray(6 * body, 6 * body + 6);
      });
      const pulled = map.pull(outputs);
      maps.eachSide(contact, (side, body) => {
        bars.addPart(bars.impact, tangentAt(body), pulled[`${side}.impact.position`]);
        bars.addPart(bars.impact, attitudeAt(body), pulled[`${side}.impact.orientation`]);
        bars.addPart(bars.state, attitudeAt(body), pulled[`${side}.start`]);
      });
      addTo(maps.nodes[contact].parameters, pulled.parameters);
      addTo(places.globals, pulled.timestep);
      addTo(places.globals + leadOffset, pulled.lead);
      bars.time[leader] += pulled.time[0];
      bars.addPart(bars.impulse, impulseSize * contact, pulled.impulse);
    }
    if (impulses) {
      const struck = this.impulsesOf(impulses, "impact", "free and impact");
      for (const { contact, role } of record.touches)
        if (role !== "none")
          bars.addPart(bars.impulse, impulseSize * contact, struck.subarray(3 * contact, 3 * contact + 3));
    }

    // restitution, then compression
    const ofRestitution = this.pullStage(stages.restitution, bars.after, bars.impulse);
    this.takeImpact(ofRestitution, bars, mirror);
    const compressed = new Float64Array(bars.impulse.length);
    for (const { contact, gain } of record.touches) {
      const at = this.parameters.given(contact);
      const [normal] = this.impulse(record.compression, contact);
      const bar = (k: number, own: number): number =>
        ofRestitution.mirror[at + k] + bars.impulse[impulseSize * contact + own];
      const bound = ofRestitution.mirror[at + given.bound];
      compressed[impulseSize * contact] = (1 + gain) * bar(given.normal, 0) + gain * bound;
      compressed[impulseSize * contact + 1] = bar(given.friction, 1);
      compressed[impulseSize * contact + 2] = bar(given.friction + 1, 2);
      bars.gain[contact] += normal * (bar(given.normal, 0) + bound);
    }
    this.takeImpact(this.pullStage(stages.compression, undefined, compressed), bars, mirror);

    // where the bodies were at the impact
    record.leaders.forEach((leader, body) => {
      const time = leader < 0 ? 0 : record.touches[leader].time;
      const own = bars.impact.subarray(tangentAt(body), tangentAt(body + 1));
      const pulled = maps
        .placing(body, state, free, h, time)
        .pull({ position: own, orientation: own.subarray(3), velocity: own.subarray(6), spin: own.subarray(9) });
      bars.addPart(bars.state, tangentAt(body), pulled["body.position"]);
      bars.addPart(bars.state, attitudeAt(body), pulled["body.orientation"]);
      bars.addPart(bars.free, tangentVelocityAt(body), pulled["body.free.velocity"]);
      bars.addPart(bars.state, tangentVelocityAt(body), pulled["body.velocity"]);
      addTo(maps.inertiaIndex(body), pulled.inertia);
      addTo(places.globals, pulled.timestep);
      addTo(places.globals + leadOffset, pulled.lead);
      if (leader >= 0) bars.time[leader] += pulled.time[0];
    });

    // when and how fast contacts met
    for (const { contact, role, threshold } of record.touches) {
      if (role === "none") continue;
      const bar = bars.threshold[contact];
      if (role === "supports") mirror[places.globals] -= (bar * threshold) / h;
      const map = maps.touch(contact, state, free, h, record);
      const pulled =
        role === "supports"
          ? map.pull({ ahead: [-bar / h] })
          : map.pull({ time: [bars.time[contact]], gain: [record.share * bars.gain[contact]] });
      maps.eachSide(contact, (side, body) => {
        bars.addPart(bars.state, tangentAt(body), pulled[`${side}.position`]);
        bars.addPart(bars.state, attitudeAt(body), pulled[`${side}.orientation`]);
        bars.addPart(bars.state, tangentVelocityAt(body), pulled[`${side}.velocity`]);
        bars.addPart(bars.free, tangentVelocityAt(body), pulled[`${side}.free.velocity`]);
      });
      // one without restitution has a number less, of which nothing depends
      const { restitution } = maps.contacts.kinds[contact];
      addTo(maps.nodes[contact].parameters, pulled.parameters.subarray(0, restitution < 0 ? -1 : undefined));
      addTo(places.globals + 1, pulled.gravity);
      addTo(places.globals, pulled.timestep);
      // the slowest speed of the gate is a length over the time step
      mirror[places.globals] -= (pulled.gate[1] * record.slowest) / h;
      addTo(places.globals + leadOffset, pulled.lead);
    }

    const ofFree = this.pullStage(stages.free, bars.free, impulses && this.impulsesOf(impulses, "free and impact"));
    addTo(0, ofFree.mirror);
    bars.add(bars.state, ofFree.state);
    cotangent.set(bars.state);
  }

  private get loaded(): BounceRecord {
    return this.record as BounceRecord;
  }

  /** Cotangents of contacts whose readings come from these stages; zero of the others, and of slots, which have no names. */
  private impulsesOf(impulses: Float64Array, ...shares: readonly ImpulseShare[]): Float64Array {
    const kept = new Float64Array(impulseSize * this.loaded.touches.length);
    kept.set(impulses);
    this.loaded.shares.forEach((share, contact) => {
      if (!shares.includes(share)) kept.fill(0, impulseSize * contact, impulseSize * (contact + 1));
    });
    return kept;
  }

  private impulse(point: Float64Array, contact: number): [number, number, number] {
    const { nodes, kinds } = this.parameters.contacts;
    const { mechanism, unknowns } = this.stages.restitution.system;
    return contactImpulse(kinds[contact].species.model, point, mechanism.stateSize + unknowns + nodes[contact].cone);
  }

  /**
   * Velocities of struck bodies in the next state, whose cotangents are taken out of `position`: Π(ω₊, h) = J ω', and v₊, ω' carried on from
   * the impact, with what the last stage would have lost.
   */
  private pullVelocities(
    position: Float64Array,
    bars: Bars,
    mirror: Float64Array,
    { state, free, h }: { state: Float64Array; free: Float64Array; h: number },
  ): void {
    const { maps, data } = this;
    const { restitution, next, leaders, groups, touches } = this.loaded;
    const { stateSize } = this.mechanism;
    const { places } = this.stages.free.system;
    const carrying = (body: number) => {
      const after = {
        impact: restitution.subarray(orientationAt(body), velocityAt(body)),
        next: next.subarray(orientationAt(body), velocityAt(body)),
        velocity: restitution.subarray(stateSize + 6 * body, stateSize + 6 * body + 6),
      };
      return maps.carrying(body, state, free, after, h, touches[leaders[body]].time);
    };
    const struck = [...leaders.keys()].filter((body) => leaders[body] >= 0);
    const carried = new Float64Array(6 * leaders.length);
    for (const body of struck) {
      const map = carrying(body);
      carried.set(map.output("velocity"), 6 * body);
      carried.set(map.output("spin"), 6 * body + 3);
    }
    const pushes = { state, free, next, h, groups };
    const kept = carried.slice();
    this.losses.giveBack(pushes, kept);

    const triple = (values: Float64Array, at: number): Vector3 => [values[at], values[at + 1], values[at + 2]];
    const own = new Float64Array(carried.length);
    for (const body of struck) {
      const inertia = maps.inertiaIndex(body);
      const blocks = this.change.blocks(
        { spin: triple(kept, 6 * body + 3), interval: 0 },
        { spin: triple(next, angularVelocityAt(body)), interval: h },
        data.subarray(inertia, inertia + 6),
      );
      const [velocity, spin] = [tangentVelocityAt(body), tangentAngularVelocityAt(body)];
      own.set(position.subarray(velocity, spin), 6 * body);
      for (let row = 0; row < 3; row++) {
        const bar = position[spin + row];
        for (let k = 0; k < 3; k++) own[6 * body + 3 + k] += blocks.bySpin[row][k] * bar;
        for (let k = 0; k < 6; k++) mirror[inertia + k] += blocks.byInertia[row][k] * bar;
        mirror[places.globals] += blocks.byTo[row] * bar;
      }
      position.fill(0, velocity, tangentAt(body + 1));
    }
    this.losses.pull(pushes, carried, own, {
      "body.position": (body, values) => bars.addPart(bars.state, tangentAt(body), values),
      "body.orientation": (body, values) => bars.addPart(bars.state, attitudeAt(body), values),
      "body.free.velocity": (body, values) => bars.addPart(bars.free, tangentVelocityAt(body), values),
      "next.position": (body, values) => bars.addPart(position, tangentAt(body), values),
      "next.orientation": (body, values) => bars.addPart(position, attitudeAt(body), values),
      mass: (body, values) => bars.addPart(mirror, maps.massIndex(body), values),
      inertia: (body, values) => bars.addPart(mirror, maps.inertiaIndex(body), values),
      timestep: (_, values) => bars.addPart(mirror, places.globals, values),
    });
    for (const body of struck) {
      const [velocity, spin] = [own.subarray(6 * body, 6 * body + 3), own.subarray(6 * body + 3, 6 * body + 6)];
      const pulled = carrying(body).pull({ velocity, spin });
      bars.addPart(bars.impact, attitudeAt(body), pulled.impact);
      bars.addPart(position, attitudeAt(body), pulled.next);
      bars.addPart(bars.state, attitudeAt(body), pulled.start);
      bars.addPart(bars.state, tangentVelocityAt(body), pulled["body.velocity"]);
      bars.addPart(bars.free, tangentVelocityAt(body), pulled["body.free.velocity"]);
      bars.addPart(bars.after, tangentVelocityAt(body), pulled["after.velocity"]);
      bars.addPart(mirror, maps.inertiaIndex(body), pulled.inertia);
      bars.addPart(mirror, places.globals, pulled.timestep);
      bars.addPart(mirror, places.globals + leadOffset, pulled.lead);
      bars.time[leaders[body]] += pulled.time[0];
    }
  }

  /** Back through a stage that is a step or an impact; the results are views until its next call. */
  private pullStage(
    stage: StepSensitivity,
    error?: Float64Array,
    impulses?: Float64Array,
  ): { readonly state: Float64Array; readonly mirror: Float64Array } {
    stage.clear();
    if (error) stage.error.set(error);
    stage.impulse.fill(0);
    if (impulses) {
      this.maps.nodes.forEach(({ index }, contact) => {
        const own = impulses.subarray(impulseSize * contact, impulseSize * (contact + 1));
        stage.impulse.set(own, impulseSize * index);
      });
    }
    stage.pull();
    return stage;
  }

  /** What an impact passes on: to where bodies were, to its thresholds, to the parameters that steps have too. */
  private takeImpact(
    { state, mirror: own }: { readonly state: Float64Array; readonly mirror: Float64Array },
    bars: Bars,
    mirror: Float64Array,
  ): void {
    bars.add(bars.impact, state);
    this.parameters.addInto(mirror, own);
    bars.threshold.forEach((_, contact) => {
      bars.threshold[contact] += own[this.parameters.given(contact) + given.threshold];
    });
  }
}

/** Cotangents on their way: of states, 12 per body (that of v⁻ and ω⁻ among `impact`), and of what contacts are told. */
class Bars {
  readonly state: Float64Array;
  readonly impact: Float64Array;
  readonly after: Float64Array;
  readonly free: Float64Array;
  readonly impulse: Float64Array;
  readonly time: Float64Array;
  readonly threshold: Float64Array;
  readonly gain: Float64Array;

  constructor({ bodies }: Mechanism, contacts: number) {
    const ofBodies = (): Float64Array => new Float64Array(bodyTangentSize * bodies.length);
    const ofContacts = (): Float64Array => new Float64Array(contacts);
    [this.state, this.impact, this.after, this.free] = [ofBodies(), ofBodies(), ofBodies(), ofBodies()];
    [this.time, this.threshold, this.gain] = [ofContacts(), ofContacts(), ofContacts()];
    this.impulse = new Float64Array(impulseSize * contacts);
  }

  add(out: Float64Array, values: Float64Array): void {
    this.addPart(out, 0, values);
  }

  addPart(out: Float64Array, at: number, values: Float64Array): void {
    for (let i = 0; i < values.length; i++) out[at + i] += values[i];
  }
}
