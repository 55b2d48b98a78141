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
  type Vector3,
  worldIndex,
} from "../index.ts";

export class MomentumBalance {
  /** Why there is no balance; undefined when there is one. */
  note: string | undefined;
  /** Largest imbalance so far, N·s and N·m·s. */
  linear = 0;
  angular = 0;

  private readonly simulation: Simulation;
  private readonly mechanism: Mechanism;
  private readonly contacts: readonly HalfSpaceContact[];
  /** Inputs that pull at the world. */
  private readonly worldInputs: readonly number[];
  private expected: readonly number[];

  constructor(simulation: Simulation, start: Float64Array) {
    this.simulation = simulation;
    this.mechanism = simulation.currentMechanism;
    const { joints } = this.mechanism;
    const bases = joints.filter(({ parent, child }) => parent === worldIndex || child === worldIndex);
    this.contacts = this.mechanism.contacts
      .filter((contact) => contact.feature === "pointPlane")
      .filter(({ other }) => other === worldIndex);
    this.worldInputs = bases.flatMap(({ coordinates }) => coordinates.map(({ input }) => input)).filter((i) => i >= 0);
    this.note = reasonAgainst(this.mechanism);
    this.expected = this.note === undefined ? this.momentum(start) : [];
  }

  /** The step just taken, from `state` under `input` to `next`. */
  add(state: Float64Array, input: Float64Array, next: Float64Array, substeps: number): void {
    if (this.note !== undefined) return;
    if (this.worldInputs.some((i) => input[i] !== 0)) {
      this.note = "an input pulls at the world";
      return;
    }
    const { simulation, mechanism } = this;
    const h = simulation.timestep;
    const t = h * durationOf(simulation.division);
    const total = [...this.expected];
    const pushFor = (time: number, at: Vector3, force: Vector3, torque: Vector3 = [0, 0, 0]): void => {
      const moment = cross(at, force);
      for (const k of [0, 1, 2]) {
        total[k] += time * force[k];
        total[3 + k] += time * (moment[k] + torque[k]);
      }
    };
    const push = (at: Vector3, force: Vector3, torque?: Vector3): void => pushFor(t, at, force, torque);
    for (const { index, mass, gravityScale } of mechanism.bodies) {
      push(position(state, index), scaled(mechanism.gravity, gravityScale * mass));
    }
    for (const { name, body, point, radius, normal } of this.contacts) {
      const length = Math.hypot(...normal);
      const center = sum(position(state, body), turned(state, body, point));
      pushFor(h, sum(center, scaled(normal, -radius / length)), simulation.contact(name).force);
    }
    for (const { other, point, force } of simulation.touches()) if (other === "world") pushFor(h, point, force);
    for (const { name, body, input: index } of mechanism.thrusters)
      this.pushThruster(name, body, input[index], state, push);

    const now = this.momentum(next);
    this.linear = Math.max(this.linear, distance(now, total, 0));
    // the arms of substeps are not recorded: such a step is taken as balanced
    if (substeps === 1) this.angular = Math.max(this.angular, distance(now, total, 3));
    this.expected = substeps === 1 ? total : [...total.slice(0, 3), ...now.slice(3)];
  }

  private pushThruster(
    name: string,
    body: number,
    input: number,
    state: Float64Array,
    push: (at: Vector3, force: Vector3, torque: Vector3) => void,
  ): void {
    const read = (part: string): Vector3 => {
      const [x, y, z] = ["x", "y", "z"].map((axis) => this.simulation.parameter(`thrusters.${name}.${part}.${axis}`));
      return [x, y, z];
    };
    const { lower, upper } = this.mechanism.thrusters.find((entry) => entry.name === name) ?? {
      lower: null,
      upper: null,
    };
    const limit = (side: "lower" | "upper"): number => this.simulation.parameter(`thrusters.${name}.${side}`);
    let level = lower === null ? input : Math.max(limit("lower"), input);
    if (upper !== null) level = Math.min(limit("upper"), level);
    const arm = sum(position(state, body), turned(state, body, read("position")));
    push(arm, scaled(turned(state, body, read("force")), level), scaled(turned(state, body, read("torque")), level));
  }

  private momentum(state: Float64Array): number[] {
    const { linear, angular } = this.simulation.momentum(state);
    return [...linear, ...angular];
  }
}

/** For how much of the time step forces act: from the middle of the part before it to the middle of its last one. */
function durationOf(division: StepDivision | undefined): number {
  if (!division) return 1;
  const { parts, before } = division;
  return 1 + (before - parts[parts.length - 1]) / 2;
}

function reasonAgainst({ joints, gears, fluid, contacts }: Mechanism): string | undefined {
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
  return undefined;
}

function position(state: Float64Array, body: number): Vector3 {
  const at = bodyStateSize * body;
  return [state[at], state[at + 1], state[at + 2]];
}

/** A vector of the body in the world: v + 2 q × (q × v + w v). */
function turned(state: Float64Array, body: number, v: Vector3): Vector3 {
  const at = bodyStateSize * body + stateOffsets.orientation;
  const w = state[at];
  const q: Vector3 = [state[at + 1], state[at + 2], state[at + 3]];
  return sum(v, scaled(cross(q, sum(cross(q, v), scaled(v, w))), 2));
}

function cross([a, b, c]: Vector3, [x, y, z]: Vector3): Vector3 {
  return [b * z - c * y, c * x - a * z, a * y - b * x];
}

function sum(a: Vector3, b: Vector3): Vector3 {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

function scaled(a: Vector3, factor: number): Vector3 {
  return [factor * a[0], factor * a[1], factor * a[2]];
}

function distance(a: readonly number[], b: readonly number[], from: number): number {
  return Math.hypot(a[from] - b[from], a[from + 1] - b[from + 1], a[from + 2] - b[from + 2]);
}
