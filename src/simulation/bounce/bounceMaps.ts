/**
 * The smooth functions of bounces (equations/bounce.ts), made ready to run for the contacts and bodies of a mechanism. Steps want their values,
 * gradients their derivatives too.
 */
import {
  bodyParameterNames,
  carriedVelocityFunction,
  commonTurnFunction,
  contactSideNames,
  impactStateFunction,
  impactWrenchFunction,
  leadOffset,
  momentumLossFunction,
  type SmoothFunction,
  touchFunction,
  turnedVelocityFunction,
} from "../../equations/index.ts";
import { contactKey, type NodePlace, type System } from "../../kernels/index.ts";
import { bodyAt, cached, orientationAt, velocityAt } from "../../math/index.ts";
import { worldIndex } from "../../mechanism/index.ts";
import { SmoothMap } from "./smoothMap.ts";
import { StepContacts } from "./stepContacts.ts";

/** What the gate of a bounce goes by besides the state: how many such steps make the whole one, and a floor for the slowest speed. */
export interface GateScale {
  readonly parts: number;
  readonly slowest: number;
}

export class BounceMaps {
  readonly contacts: StepContacts;
  private readonly system: System;
  private readonly withDerivatives: boolean;
  private readonly maps = new Map<string, SmoothMap>();

  constructor(system: System, withDerivatives: boolean) {
    this.system = system;
    this.withDerivatives = withDerivatives;
    this.contacts = new StepContacts(system);
  }

  /** Nodes of contacts by number. */
  get nodes(): readonly NodePlace[] {
    return this.contacts.nodes;
  }

  /** Runs `touchFunction` of a contact in a step of h from the state, with free velocities, six per body. */
  touch(contact: number, state: Float64Array, free: Float64Array, h: number, { parts, slowest }: GateScale): SmoothMap {
    const { f64, places } = this.system;
    const node = this.nodes[contact];
    const { species } = this.contacts.kinds[contact];
    const map = this.map(`touch.${contactKey({ ...species, model: "impact" })}`, () => touchFunction(species));
    this.eachSide(contact, (side, body) => {
      map.set(`${side}.position`, state, bodyAt(body));
      map.set(`${side}.orientation`, state, orientationAt(body));
      map.set(`${side}.velocity`, state, velocityAt(body));
      map.set(`${side}.free.velocity`, free, 6 * body);
      map.setNumber(`${side}.gravityScale`, f64[this.gravityScaleIndex(body)]);
    });
    // one without restitution has a number less, and what lies there is not used
    map.set("parameters", f64, node.parameters);
    map.set("gravity", f64, places.globals + 1);
    this.setTimes(map, h);
    map.set("gate", [parts, slowest]);
    map.run();
    return map;
  }

  /** Runs `impactStateFunction` of a body, `time` being the part of the step until the impact. */
  placing(body: number, state: Float64Array, free: Float64Array, h: number, time: number): SmoothMap {
    const map = this.map("placing", impactStateFunction);
    map.set("body.position", state, bodyAt(body));
    map.set("body.orientation", state, orientationAt(body));
    this.setMotion(map, body, state, free, h, time);
    map.run();
    return map;
  }

  private setMotion(
    map: SmoothMap,
    body: number,
    state: Float64Array,
    free: Float64Array,
    h: number,
    time: number,
  ): void {
    map.set("body.velocity", state, velocityAt(body));
    map.set("body.free.velocity", free, 6 * body);
    map.set("inertia", this.system.f64, this.inertiaIndex(body));
    this.setTimes(map, h);
    map.setNumber("time", time);
  }

  /** Runs `impactWrenchFunction` of a contact; `impact` has the bodies' states at the impact, from `at` on. */
  wrench(
    contact: number,
    state: Float64Array,
    impact: { readonly values: Float64Array; readonly at: number },
    impulse: ArrayLike<number>,
    h: number,
    time: number,
  ): SmoothMap {
    const { f64 } = this.system;
    const { species } = this.contacts.kinds[contact];
    const map = this.map(`wrench.${contactKey(species)}`, () => impactWrenchFunction(species));
    this.eachSide(contact, (side, body) => {
      map.set(`${side}.impact.position`, impact.values, impact.at + bodyAt(body));
      map.set(`${side}.impact.orientation`, impact.values, impact.at + orientationAt(body));
      map.set(`${side}.start`, state, orientationAt(body));
    });
    map.set("parameters", f64, this.nodes[contact].parameters);
    map.set("impulse", impulse);
    this.setTimes(map, h);
    map.setNumber("time", time);
    map.run();
    return map;
  }

  /**
   * Runs `carriedVelocityFunction` of a body: its orientations at the impact and after the step, four numbers each, and its velocities after
   * the impact, six.
   */
  carrying(
    body: number,
    state: Float64Array,
    free: Float64Array,
    after: { readonly impact: Float64Array; readonly next: Float64Array; readonly velocity: Float64Array },
    h: number,
    time: number,
  ): SmoothMap {
    const map = this.map("carrying", carriedVelocityFunction);
    map.set("start", state, orientationAt(body));
    map.set("impact", after.impact);
    map.set("next", after.next);
    map.set("after.velocity", after.velocity);
    this.setMotion(map, body, state, free, h, time);
    map.run();
    return map;
  }

  /** Runs `momentumLossFunction` of a body: `next` has its pose after the step, `after` its velocities after the impact, six per body. */
  loss(
    body: number,
    state: Float64Array,
    free: Float64Array,
    next: Float64Array,
    after: Float64Array,
    h: number,
  ): SmoothMap {
    const map = this.map("loss", momentumLossFunction);
    map.set("body.position", state, bodyAt(body));
    map.set("body.orientation", state, orientationAt(body));
    map.set("body.free.velocity", free, 6 * body);
    this.setEnd(map, body, next, after);
    map.set("inertia", this.system.f64, this.inertiaIndex(body));
    map.setNumber("mass", this.system.f64[this.massIndex(body)]);
    map.setNumber("timestep", h);
    map.run();
    return map;
  }

  private setEnd(map: SmoothMap, body: number, next: Float64Array, after: Float64Array): void {
    map.set("next.position", next, bodyAt(body));
    map.set("next.orientation", next, orientationAt(body));
    map.set("after.velocity", after, 6 * body);
  }

  /** Runs `commonTurnFunction`. */
  commonTurn(sums: { readonly loss: Float64Array; readonly moments: Float64Array }): SmoothMap {
    const map = this.map("common turn", commonTurnFunction);
    map.set("loss", sums.loss);
    map.set("moments", sums.moments);
    map.run();
    return map;
  }

  /** Runs `turnedVelocityFunction` of a body, with the numbers of `loss`. */
  turning(body: number, next: Float64Array, after: Float64Array, turn: Float64Array): SmoothMap {
    const map = this.map("turning", turnedVelocityFunction);
    this.setEnd(map, body, next, after);
    map.set("turn", turn);
    map.run();
    return map;
  }

  /** Sets the times of the step that stands in memory. */
  private setTimes(map: SmoothMap, h: number): void {
    const { f64, places } = this.system;
    map.setNumber("timestep", h);
    map.setNumber("lead", f64[places.globals + leadOffset]);
  }

  eachSide(contact: number, visit: (side: (typeof contactSideNames)[number], body: number) => void): void {
    const { bodies } = this.nodes[contact];
    for (let k = 0; k < bodies.length; k++) if (bodies[k] !== worldIndex) visit(contactSideNames[k], bodies[k]);
  }

  /** Memory index of a body's mass. */
  massIndex(body: number): number {
    return this.system.places.bodyParameters + bodyParameterNames.length * body;
  }

  /** Memory index of the six numbers of a body's inertia. */
  inertiaIndex(body: number): number {
    return this.massIndex(body) + 1;
  }

  /** Memory index of a body's share of gravity. */
  gravityScaleIndex(body: number): number {
    return this.massIndex(body) + bodyParameterNames.length - 1;
  }

  /** The gravity that the bodies of a contact feel, the larger of the two. */
  gravityAt(contact: number): number {
    const { f64, places } = this.system;
    let share = 0;
    this.eachSide(contact, (_, body) => {
      share = Math.max(share, Math.abs(f64[this.gravityScaleIndex(body)]));
    });
    const g = places.globals + 1;
    return share * Math.hypot(f64[g], f64[g + 1], f64[g + 2]);
  }

  /** Made when first asked for. */
  private map(key: string, make: () => SmoothFunction): SmoothMap {
    return cached(this.maps, key, () => new SmoothMap(key, make(), this.withDerivatives));
  }
}
