/**
 * Momentum that comes from nowhere: its change over a run less the impulses from outside, which are those of gravity, of contacts
 * with the world and of thrusters. An exact integrator leaves rounding.
 *   P₊ − P = Σ h m g + Σ h f,     L₊ − L = Σ x × h m g + Σ p × h f        (x, p at the start of the step; about the origin)
 * A joint to the world gives impulses of its own unless it leaves its body free, and drag is not counted: then there is no balance,
 * and `note` says why.
 */
import {
  bodyStateSize,
  type HalfSpaceContact,
  type Mechanism,
  type Simulation,
  type StepDivision,
  stateOffsets,
  worldIndex,
} from "../index.ts";

export class MomentumBalance {
  /** Why there is no balance; undefined when there is one. */
  note: string | undefined;
  /** Why there is none of angular momentum. */
  angularNote: string | undefined;
  /** Largest imbalance so far, N·s and N·m·s. */
  linear = 0;
  angular = 0;

  private readonly simulation: Simulation;
  private readonly mechanism: Mechanism;
  private readonly contacts: readonly HalfSpaceContact[];
  private readonly forces: Float64Array;
  /** Inputs that pull at the world. */
  private readonly worldInputs: readonly number[];
  /** Momentum by the impulses so far, and that of the state, linear and then angular. */
  private readonly expected = new Float64Array(6);
  private readonly now = new Float64Array(6);
  private readonly point = new Float64Array(3);
  /** Whether a step has been divided by a tolerance. */
  private isDivided = false;

  constructor(simulation: Simulation, start: Float64Array) {
    this.simulation = simulation;
    this.mechanism = simulation.currentMechanism;
    const { joints, contacts } = this.mechanism;
    const bases = joints.filter(({ parent, child }) => parent === worldIndex || child === worldIndex);
    this.contacts = contacts
      .filter((contact) => contact.feature === "pointPlane")
      .filter(({ other }) => other === worldIndex);
    this.forces = new Float64Array(3 * contacts.length);
    this.worldInputs = bases.flatMap(({ coordinates }) => coordinates.map(({ input }) => input)).filter((i) => i >= 0);
    this.note = reasonAgainst(this.mechanism);
    this.angularNote = this.note ?? bounceNote(this.mechanism);
    if (this.note === undefined) simulation.momentumInto(this.expected, start);
  }

  /** The step just taken, from `state` under `input` to `next`. */
  add(state: Float64Array, input: Float64Array, next: Float64Array, substeps: number): void {
    if (this.note !== undefined) return;
    if (this.worldInputs.some((i) => input[i] !== 0)) {
      this.note = this.angularNote = "an input pulls at the world";
      return;
    }
    const { simulation, expected, now } = this;
    const h = simulation.timestep;
    const { division } = simulation;
    const t = h * durationOf(division);
    this.isDivided ||= division !== undefined;
    // where a tolerance divides steps, nothing says how long forces act in one that shapes have had taken in pieces: it is taken as balanced
    const isTimed = substeps === 1 || division !== undefined || !this.isDivided;
    this.pushGravity(t, state);
    this.pushContacts(h, state);
    for (const { other, point: at, force } of simulation.touches())
      if (other === "world") this.push(h, at[0], at[1], at[2], force[0], force[1], force[2]);
    const { drive, before = 0 } = division ?? {};
    // the first half of the first part is still driven by the step before
    const early = drive ? (h * before) / 2 : 0;
    for (const { name, body, input: index } of this.mechanism.thrusters) {
      if (drive) this.pushThruster(early, name, body, drive[index], state);
      this.pushThruster(t - early, name, body, input[index], state);
    }

    simulation.momentumInto(now, next);
    if (!isTimed) expected.set(now);
    this.linear = Math.max(this.linear, distance(now, expected, 0));
    // the arms of substeps are not recorded: such a step is taken as balanced
    if (substeps === 1) this.angular = Math.max(this.angular, distance(now, expected, 3));
    else expected.set(now.subarray(3), 3);
  }

  // a method per loop: they run between the first steps of a process, and V8 compiles small ones soonest

  private pushGravity(time: number, state: Float64Array): void {
    const { bodies, gravity } = this.mechanism;
    for (let i = 0; i < bodies.length; i++) {
      const weight = bodies[i].gravityScale * bodies[i].mass;
      const at = bodyStateSize * i;
      const [x, y, z] = [state[at], state[at + 1], state[at + 2]];
      this.push(time, x, y, z, gravity[0] * weight, gravity[1] * weight, gravity[2] * weight);
    }
  }

  private pushContacts(time: number, state: Float64Array): void {
    const { forces, point } = this;
    this.simulation.contactForcesInto(forces);
    for (const { index, body, point: own, radius, normal } of this.contacts) {
      const inwards = -radius / Math.hypot(normal[0], normal[1], normal[2]);
      turnedInto(point, state, body, own);
      for (let k = 0; k < 3; k++) point[k] += state[bodyStateSize * body + k] + normal[k] * inwards;
      this.push(time, point[0], point[1], point[2], forces[3 * index], forces[3 * index + 1], forces[3 * index + 2]);
    }
  }

  /** A force for some time at a point. */
  private push(time: number, x: number, y: number, z: number, fx: number, fy: number, fz: number): void {
    const { expected } = this;
    expected[0] += time * fx;
    expected[1] += time * fy;
    expected[2] += time * fz;
    expected[3] += time * (y * fz - z * fy);
    expected[4] += time * (z * fx - x * fz);
    expected[5] += time * (x * fy - y * fx);
  }

  private pushThruster(time: number, name: string, body: number, input: number, state: Float64Array): void {
    const { simulation, expected, point } = this;
    const turned = (part: string): number[] => {
      const own = ["x", "y", "z"].map((axis) => simulation.parameter(`thrusters.${name}.${part}.${axis}`));
      turnedInto(point, state, body, own);
      return [...point];
    };
    const { lower, upper } = this.mechanism.thrusters.find((entry) => entry.name === name) ?? {
      lower: null,
      upper: null,
    };
    const limit = (side: "lower" | "upper"): number => simulation.parameter(`thrusters.${name}.${side}`);
    let level = lower === null ? input : Math.max(limit("lower"), input);
    if (upper !== null) level = Math.min(limit("upper"), level);
    const [x, y, z] = turned("position").map((entry, k) => state[bodyStateSize * body + k] + entry);
    const [fx, fy, fz] = turned("force").map((entry) => level * entry);
    this.push(time, x, y, z, fx, fy, fz);
    turned("torque").forEach((entry, k) => {
      expected[3 + k] += time * level * entry;
    });
  }
}

/** The part of the time step for which forces act: from the middle of the part before it to the middle of its last one. */
function durationOf(division: StepDivision | undefined): number {
  if (!division) return 1;
  const { parts, before } = division;
  return 1 + (before - parts[parts.length - 1]) / 2;
}

function reasonAgainst(mechanism: Mechanism): string | undefined {
  const { joints, gears, fluid, contacts } = mechanism;
  if (fluid !== null) return "the drag of the fluid is not counted";
  for (const { name, index, parent, child, shape, coordinates, tiltLimit } of joints) {
    if (parent !== worldIndex && child !== worldIndex) continue;
    const free = shape.translation === 0 && shape.rotation === 0 && tiltLimit === null;
    const loose = coordinates.every(
      ({ stiffness, damping, armature, friction, servo, lower, upper }) =>
        stiffness === 0 &&
        damping === 0 &&
        armature === 0 &&
        friction === 0 &&
        !servo &&
        lower === null &&
        upper === null,
    );
    const geared = gears.some(({ terms }) => terms.some(({ joint }) => joint === index));
    if (!free || !loose || geared) return `joint "${name}" holds on to the world`;
  }
  const edge = contacts.find(({ feature, other }) => feature !== "pointPlane" && other === worldIndex);
  if (edge) return `where contact "${edge.name}" pushes is not recorded`;
  const turning = contacts.find(({ other, torsionalFriction, rollingFriction }) => {
    return other === worldIndex && (torsionalFriction !== null || rollingFriction !== null);
  });
  if (turning) return `the torque of friction at contact "${turning.name}" is not recorded`;
  const place = resistsTurning(mechanism);
  return place === undefined ? undefined : `the torque of friction at shape "${place}" is not recorded`;
}

/** Contacts that bounce push where they are at the moment of the impact, within a step. */
function bounceNote({ contacts, touch }: Mechanism): string | undefined {
  const bounces = ({ restitution }: { readonly restitution: number | null }): boolean => (restitution ?? 0) > 0;
  if (!contacts.some(bounces) && !touch?.shapes.some(({ surface }) => bounces(surface))) return undefined;
  return "where contacts that bounce push is not recorded";
}

/** A shape whose friction resists turning, or that has such a pair, where anything in the world may be touched: surfaces of both sides count. */
function resistsTurning({ touch, bodies }: Mechanism): string | undefined {
  if (!touch?.shapes.some(({ body }) => body === worldIndex)) return undefined;
  const paired = touch.pairs.filter(({ torsionalFriction, rollingFriction }) => torsionalFriction || rollingFriction);
  const inPairs = new Set(paired.flatMap(({ shapes }) => shapes));
  const found = touch.shapes.find(
    ({ index, surface }) =>
      surface.torsionalFriction !== null || surface.rollingFriction !== null || inPairs.has(index),
  );
  return found && `${found.body === worldIndex ? "world" : bodies[found.body].name}.${found.name}`;
}

/** A vector of the body in the world: v + 2 q × (q × v + w v). */
function turnedInto(out: Float64Array, state: Float64Array, body: number, v: ArrayLike<number>): void {
  const at = bodyStateSize * body + stateOffsets.orientation;
  const w = state[at];
  const x = state[at + 1];
  const y = state[at + 2];
  const z = state[at + 3];
  const tx = y * v[2] - z * v[1] + w * v[0];
  const ty = z * v[0] - x * v[2] + w * v[1];
  const tz = x * v[1] - y * v[0] + w * v[2];
  out[0] = v[0] + 2 * (y * tz - z * ty);
  out[1] = v[1] + 2 * (z * tx - x * tz);
  out[2] = v[2] + 2 * (x * ty - y * tx);
}

function distance(a: Float64Array, b: Float64Array, from: number): number {
  return Math.hypot(a[from] - b[from], a[from + 1] - b[from + 1], a[from + 2] - b[from + 2]);
}
