/**
 * Which contacts bounce in a step (bounce.ts), or in a part of one: chosen where it begins, kept out of its equations while they are free, and
 * told apart once the free step is known.
 */
import { bodyParameterNames } from "../../equations/index.ts";
import type { NodePlace } from "../../kernels/index.ts";
import { bodyAt, type Vector3, velocityAt } from "../../math/index.ts";
import { type Mechanism, worldIndex } from "../../mechanism/index.ts";
import { copyInto } from "../copyInto.ts";
import type { Attempt } from "../step/attempts.ts";
import { componentsOf } from "../step/components.ts";
import type { StepOptions } from "../step/stepReport.ts";
import { BounceHold } from "./bounceHold.ts";
import { BounceMaps, type GateScale } from "./bounceMaps.ts";
import type { StageTaker } from "./bounceRecord.ts";
import type { Touch } from "./impacts.ts";
import type { Tie } from "./returnedMomentum.ts";

/**
 * While the step is free of a contact, what is met lies so far behind: in lengths V h of a step, with V = g h or a part of the speeds of its
 * bodies, and in their distances from the origin. At a gradient's κ' of 0.1 it then pushes with 1e-7 m V.
 */
const awaySteps = 1e6;
const slowFraction = 0.01;
const awayHeights = 10;
/** A contact may bounce in a step if its gap is less than so many times what its approach and gravity make of it in one. */
const reach = 10;
/** Where there is no gravity, approaches slower than this part of a body's size per step do not bounce. */
const crawl = 1e-6;
/** What touches where the step begins may be in each other by rounding, or by what differences move it: it has met as long before, in steps. */
const earliest = -0.1;
/** Threshold, in units of V, of contacts that have no part in an impact. */
const farThreshold = -1e6;

/** What touches in a step, and for each body the contact whose time of impact is its own; −1 where no impact reaches it. */
export interface Touching {
  readonly touches: readonly Touch[];
  readonly leaders: Int32Array;
}

export class BounceContacts {
  readonly maps: BounceMaps;
  /** What each contact does in the impact of the part that is being taken. */
  roles: readonly Touch["role"][] = [];
  /** What differences hold. */
  readonly hold = new BounceHold();

  private readonly taker: StageTaker;
  /** What each body is connected to. */
  private components: Int32Array;
  private version = 0;
  private readonly slowest: number;
  /** h of the whole step, what may bounce in it, and what is out of the equations of the part that is being taken. */
  private wholeStep = 0;
  private readonly mayBounce: Uint8Array;
  private readonly isAway: Uint8Array;
  /** What moves the gap of each, while they are away. */
  private readonly offsets: Float64Array;
  private readonly velocities: Float64Array;
  private readonly moved: Float64Array;

  constructor(taker: StageTaker) {
    const { system } = taker;
    const { mechanism } = system;
    this.taker = taker;
    this.maps = new BounceMaps(system, false);
    const { capacity } = this.maps.contacts;
    this.components = componentsOf(mechanism);
    this.slowest = crawl * Math.max(...mechanism.bodies.map(({ gyration }) => gyration));
    this.mayBounce = new Uint8Array(capacity);
    this.isAway = new Uint8Array(capacity);
    this.offsets = new Float64Array(capacity);
    this.velocities = new Float64Array(6 * mechanism.bodies.length);
    this.moved = new Float64Array(6 * mechanism.bodies.length);
  }

  /** Contacts by number. */
  get nodes(): readonly NodePlace[] {
    return this.maps.nodes;
  }

  /** A step of h begins: chooses, from its state, which contacts may bounce in it. */
  begin(state: Float64Array, h: number): void {
    const { nodes, velocities, mayBounce, hold } = this;
    this.wholeStep = h;
    this.readVelocities(state);
    for (let i = 0; i < nodes.length; i++) {
      const isFast = this.isElastic(i) && this.isFast(i, state, velocities);
      mayBounce[i] = (hold.isOn ? hold.value(`fast ${i}`, () => isFast) : isFast) ? 1 : 0;
    }
  }

  private isElastic(contact: number): boolean {
    const { nodes, kinds } = this.maps.contacts;
    const { restitution } = kinds[contact];
    return restitution >= 0 && this.taker.system.f64[nodes[contact].parameters + restitution] > 0;
  }

  /** The name of what is held of the part that is being taken, be it a whole step or one of several. */
  nameInPart(what: string): string {
    return `${what} of ${this.taker.part()} in ${(this.wholeStep / this.h).toFixed(3)}`;
  }

  /** Whether a contact approaches fast enough to bounce, or leaves as fast, and is near enough to be met in a step that is some times as fast. */
  private isFast(contact: number, state: Float64Array, velocities: Float64Array): boolean {
    const touch = this.maps.touch(contact, state, velocities, this.h, this.gate);
    const g = this.maps.gravityAt(contact);
    const approach = touch.number("approach");
    const slow = g * this.wholeStep + this.slowest / this.wholeStep;
    if (!(touch.number("gate") > 0) && !(-approach > slow)) return false;
    const way = this.wholeStep * (Math.abs(approach) + g * this.wholeStep);
    return touch.number("gap") < reach * way;
  }

  /** Whether a contact may bounce in the step, or does in the part that is being taken. */
  isBouncing(contact: number): boolean {
    return this.mayBounce[contact] === 1 || this.isAway[contact] === 1;
  }

  /**
   * Whether a contact is fast enough to bounce in the step, or part of one, from this state. A part of a step is looked at anew: what was struck in
   * the part before may strike something that nothing approached where the step began.
   */
  concerns(state: Float64Array): boolean {
    const { nodes, isAway, mayBounce, velocities, hold, h, wholeStep } = this;
    let any = false;
    if (h !== wholeStep) this.readVelocities(state);
    for (let i = 0; i < nodes.length; i++) {
      // a whole step has just been looked at
      if (h === wholeStep) isAway[i] = mayBounce[i];
      else {
        const isFast = this.isElastic(i) && this.isFast(i, state, velocities);
        isAway[i] = (hold.isOn ? hold.value(this.nameInPart(`fast ${i}`), () => isFast) : isFast) ? 1 : 0;
      }
      if (isAway[i]) any = true;
    }
    return any;
  }

  /** Whether a contact is out of the equations of the part that is being taken, until it touches. */
  isOut(contact: number): boolean {
    return this.isAway[contact] === 1;
  }

  get h(): number {
    const { f64, places } = this.taker.system;
    return f64[places.globals];
  }

  get gate(): GateScale {
    return { parts: this.wholeStep / this.h, slowest: this.slowest / this.wholeStep };
  }

  /** Whether a contact's impulse is more to its body than its gap. */
  private isClosed(contact: number): boolean {
    const { f64, places } = this.taker.system;
    const { cone, bodies } = this.nodes[contact];
    const mass = f64[places.bodyParameters + bodyParameterNames.length * bodies[1]];
    return this.h * f64[places.coneB + cone] > mass * f64[places.coneC + cone];
  }

  /** An attempt in which what is met at contacts that are away lies far behind. */
  attemptWithout(state: Float64Array, options: StepOptions, attempts: readonly Attempt[]): boolean {
    // as far in a part as in the whole step: at a gradient's κ what is nearer pushes more
    const { isAway, offsets, taker, wholeStep: h } = this;
    const { nodes, kinds } = this.maps.contacts;
    const { f64 } = taker.system;
    for (let i = 0; i < nodes.length; i++) {
      if (!isAway[i]) continue;
      const g = this.maps.gravityAt(i);
      let [speed, height] = [0, 0];
      for (const body of nodes[i].bodies) {
        if (body === worldIndex) continue;
        const [x, v] = [bodyAt(body), velocityAt(body)];
        speed += Math.hypot(state[v], state[v + 1], state[v + 2]);
        height += Math.hypot(state[x], state[x + 1], state[x + 2]);
      }
      const place = nodes[i].parameters + kinds[i].gap;
      offsets[i] = f64[place];
      const away = awaySteps * h * (g * h + slowFraction * speed) + awayHeights * height;
      f64[place] -= this.hold.isOn ? this.hold.value(this.nameInPart(`away ${i}`), () => away) : away;
    }
    const solved = taker.attempt(state, options, attempts);
    for (let i = 0; i < nodes.length; i++) if (isAway[i]) f64[nodes[i].parameters + kinds[i].gap] = offsets[i];
    return solved;
  }

  /** What bounces after the free step, and what stands in the way. */
  rolesOf(state: Float64Array, free: Float64Array): Touch["role"][] {
    const { isAway, h } = this;
    const { nodes, kinds } = this.maps.contacts;
    return nodes.map((_, i) => {
      // what has restitution and is not touched yet will be met in a step of its own
      if (!isAway[i]) return kinds[i].restitution < 0 || this.isClosed(i) ? "supports" : "none";
      const touch = this.maps.touch(i, state, free, h, this.gate);
      const time = touch.number("time");
      // where the path touches and comes back within the step, no impact is needed
      return touch.number("ahead") <= 0 && time >= earliest && time <= 1 ? "bounces" : "none";
    });
  }

  /** The gaps of the contacts that were away, where readers look: nothing has touched. */
  readGaps(state: Float64Array, velocities: Float64Array): void {
    const { nodes, isAway, h } = this;
    const { f64, places, unknowns } = this.taker.system;
    for (let i = 0; i < nodes.length; i++) {
      if (!isAway[i]) continue;
      f64[places.coneC + nodes[i].cone] = this.maps.touch(i, state, velocities, h, this.gate).number("ahead");
      f64[places.residual + unknowns + nodes[i].equality] = 0;
    }
  }

  /**
   * The last stage, without the contacts that have bounced unless it leads into them again. `keep` sees its point: afterwards readers have true
   * gaps there in place of those to what lies far behind, and what pushes from there would be as stiff as if it were near.
   */
  attemptWithoutBounced(
    state: Float64Array,
    options: StepOptions,
    attempts: readonly Attempt[],
    keep: () => void,
  ): boolean {
    const { nodes, isAway, roles, taker, moved, h } = this;
    const { f64, places } = taker.system;
    const flying = isAway.slice();
    let touches = false;
    for (let i = 0; i < nodes.length; i++) isAway[i] = roles[i] === "bounces" ? 1 : 0;
    let placed = this.attemptWithout(state, options, attempts);
    copyInto(moved, 0, f64, places.unknown, moved.length);
    for (let i = 0; i < nodes.length && placed; i++) {
      if (isAway[i] && !(this.maps.touch(i, state, moved, h, this.gate).number("ahead") > 0)) touches = true;
    }
    if (touches) placed = taker.attempt(state, options, attempts);
    if (placed) keep();
    if (placed && !touches) this.readGaps(state, moved);
    isAway.set(flying);
    return placed;
  }

  /** When and how fast contacts touch, with the roles as they are and so much of the restitution. */
  touching(state: Float64Array, free: Float64Array, share: number): Touching {
    const { roles, h } = this;
    const touches = roles.map((role, contact): Touch => {
      if (role === "none") {
        const threshold = farThreshold * this.hold.value(this.nameInPart("speed"), () => this.taker.speed());
        return { contact, role, threshold, gain: 0, time: 0 };
      }
      const touch = this.maps.touch(contact, state, free, h, this.gate);
      if (role === "supports") return { contact, role, threshold: -touch.number("ahead") / h, gain: 0, time: 0 };
      return { contact, role, threshold: 0, gain: share * touch.number("gain"), time: touch.number("time") };
    });
    // who comes first among several that meet at once is held as well
    return { touches, leaders: this.hold.value(this.nameInPart("leaders"), () => this.leadersOf(touches)) };
  }

  /** For each body what comes first of all that is struck together with it; where nothing is, of all that it is connected to. */
  private leadersOf(touches: readonly Touch[]): Int32Array {
    const { nodes, roles } = this;
    const { mechanism } = this.taker.system;
    const leaders = new Int32Array(mechanism.bodies.length).fill(-1);
    const struck = componentsOf(
      { ...mechanism, contacts: [] },
      nodes.filter((_, i) => roles[i] !== "none"),
    );
    for (const components of [struck, this.connected()]) {
      const first = new Map<number, Touch>();
      for (const touch of touches) {
        const component = components[nodes[touch.contact].bodies[1]];
        if (touch.role === "bounces" && !(touch.time >= (first.get(component)?.time ?? Infinity)))
          first.set(component, touch);
      }
      for (let body = 0; body < leaders.length; body++)
        if (leaders[body] < 0) leaders[body] = first.get(components[body])?.contact ?? -1;
    }
    return leaders;
  }

  /**
   * After the last stage, bodies that it moves by impulses of which momenta know nothing, those of joints and of contacts that are met on the
   * way, with all that is struck together with them; for each body the number of one of them. −1 where there is none, or the world takes part.
   */
  pushedTogether(leaders: Int32Array): Int32Array {
    const { nodes, roles } = this;
    const { mechanism } = this.taker.system;
    const isPushing = nodes.map((_, i) => roles[i] === "supports" || this.isClosed(i));
    const acting = nodes.filter((_, i) => isPushing[i] || roles[i] === "bounces");
    const groups = componentsOf({ ...mechanism, contacts: [] }, acting);
    const joined = holding(mechanism).map(({ parent, child }) => [parent, child]);
    const pushing = nodes.filter((_, i) => isPushing[i]).map(({ bodies }) => bodies);
    const pushed = new Set([...joined, ...pushing].map(([, body]) => groups[body]));
    for (const [other, body] of [...joined, ...acting.map(({ bodies }) => bodies)])
      if (other === worldIndex) pushed.delete(groups[body]);
    return groups.map((group, body) => (leaders[body] >= 0 && pushed.has(group) ? group : -1));
  }

  /** What is, after the last stage, between bodies of the same group, for readers of what they have got back from each other. */
  tiesWithin(groups: Int32Array): Tie[] {
    const { roles, taker } = this;
    const { f64, mechanism, nodes } = taker.system;
    const contacts = this.nodes
      .filter((_, i) => roles[i] !== "none" || this.isClosed(i))
      .map(({ bodies, index }): Tie => ({ bodies, push: (impulse) => taker.readings.give(index, impulse) }));
    const joints = holding(mechanism).map(({ parent, child, index }): Tie => {
      const { wrench } = nodes[index];
      const push = (impulse: Vector3): void => {
        for (let k = 0; k < 3; k++) f64[wrench + k] += impulse[k];
      };
      return { bodies: [parent, child], push };
    });
    return [...contacts, ...joints].filter(({ bodies: [one, two] }) => groups[two] >= 0 && groups[one] === groups[two]);
  }

  /** What each body is connected to, by slots that are bound as well. */
  private connected(): Int32Array {
    const { mechanism, touch } = this.taker.system;
    if (touch && touch.version !== this.version) this.components = componentsOf(mechanism, touch.boundNodes);
    this.version = touch?.version ?? 0;
    return this.components;
  }

  private readVelocities(state: Float64Array): void {
    for (let body = 0; body < this.components.length; body++)
      copyInto(this.velocities, 6 * body, state, velocityAt(body), 6);
  }
}

/** Joints that tie their bodies. */
function holding({ joints }: Mechanism): Mechanism["joints"] {
  return joints.filter(({ shape }) => shape.translation + shape.rotation > 0);
}
