/**
 * Sensors, read off a step that has just been taken.
 *   accelerometer   specific force R_sᵀ (a − g), with a = (p₊ − 2p + p₋)/h² of the point where it is mounted
 *   gyroscope       R_sᵀ-turned mean angular velocity of the step
 *   force/torque    what the parent of a joint exerts on its child, at the child's anchor: constraints, springs, motors, gears and all
 *   touch           sum of the normal forces on a body
 * Encoders are `jointStates`, `jointCoordinates` and `jointRates`.
 */
import {
  angularVelocityAt,
  bodyAt,
  orientationAt,
  type Quaternion,
  quaternion,
  type Vector3,
  vector,
  velocityAt,
} from "../../math/index.ts";
import { ArgumentError, named } from "../../mechanism/index.ts";
import type { Simulation } from "../simulation.ts";

/** Where a sensor sits in its body. */
export interface Mount {
  readonly body: string;
  /** Place from the centre of mass, in the body's frame. Default there. */
  readonly position?: Vector3;
  /** Sensor to body. Default the body's own axes. */
  readonly orientation?: Quaternion;
}

export interface ImuReading {
  /** m/s², in the sensor's axes. At rest it shows the support against gravity: +9.81 upwards. */
  readonly acceleration: Vector3;
  /** rad/s, in the sensor's axes. */
  readonly angularVelocity: Vector3;
}

export interface WrenchReading {
  /** N, in the world frame, on the child. */
  readonly force: Vector3;
  /** N·m about the child's anchor, in the world frame. */
  readonly torque: Vector3;
}

/** Inertial measurement of the step from `state` to `next`. */
export function imu(simulation: Simulation, mount: Mount, state: Float64Array, next: Float64Array): ImuReading {
  const { index } = named(simulation.mechanism.bodies, mount.body, "body");
  requireMount(mount);
  const h = simulation.timestep;
  const point = mount.position ?? vector.zero;
  const placed = (pose: Pose): Vector3 => vector.add(pose.position, quaternion.rotate(pose.orientation, point));
  const now = poseAt(state, index);
  const after = poseAt(next, index);
  const before = earlier(state, index, now, h);
  const second = vector.add(vector.sub(placed(after), vector.scale(placed(now), 2)), placed(before));
  const gravity = ["x", "y", "z"].map((axis) => simulation.parameter(`gravity.${axis}`)) as unknown as Vector3;
  const specific = vector.sub(vector.scale(second, 1 / (h * h)), gravity);
  const toSensor = (v: Vector3): Vector3 => (mount.orientation ? quaternion.rotateInverse(mount.orientation, v) : v);
  return {
    acceleration: toSensor(quaternion.rotateInverse(now.orientation, specific)),
    angularVelocity: toSensor(triple(next, angularVelocityAt(index))),
  };
}

/** How far a mount's quaternion may be off length 1: rounding in single precision. */
const unitTolerance = 1e-6;

function requireMount({ position = vector.zero, orientation = quaternion.identity }: Mount): void {
  if (!position.every(Number.isFinite)) {
    throw new ArgumentError("not-finite", "position", `[${position.join(", ")}]; give three finite numbers`);
  }
  const length = vector.norm(orientation);
  if (Math.abs(length - 1) <= unitTolerance) return;
  const message = `[${orientation.join(", ")}] has length ${length}, not 1; divide it by its length`;
  throw new ArgumentError("not-unit", "orientation", message);
}

/** What a joint carries in the last step, the shares of gears on its coordinates among it. */
export function jointWrench(simulation: Simulation, joint: string): WrenchReading {
  const { index } = named(simulation.mechanism.joints, joint, "joint");
  return simulation.stepper.readings.jointImpulse(index, 1 / simulation.timestep);
}

/** Sum of the normal forces of a body's contacts in the last step, N, those of its shapes among them. */
export function touch(simulation: Simulation, body: string): number {
  const { index } = named(simulation.mechanism.bodies, body, "body");
  const own = simulation.mechanism.contacts
    .filter((contact) => contact.body === index || contact.other === index)
    .reduce((sum, { name }) => sum + simulation.contact(name).normal, 0);
  const touching = simulation.touches().filter((touch) => touch.body === body || touch.other === body);
  return touching.reduce((sum, { normalForce }) => sum + normalForce, own);
}

interface Pose {
  readonly position: Vector3;
  readonly orientation: Quaternion;
}

function triple(values: Float64Array, at: number): Vector3 {
  return [values[at], values[at + 1], values[at + 2]];
}

function poseAt(state: Float64Array, body: number): Pose {
  const at = orientationAt(body);
  return {
    position: triple(state, bodyAt(body)),
    orientation: [state[at], state[at + 1], state[at + 2], state[at + 3]],
  };
}

/** One step ago: x − h v, q · (√(1−|ψ|²), −ψ). */
function earlier(state: Float64Array, body: number, { position, orientation }: Pose, h: number): Pose {
  const psi = vector.scale(triple(state, angularVelocityAt(body)), h / 2);
  const turn: Quaternion = [Math.sqrt(1 - vector.dot(psi, psi)), -psi[0], -psi[1], -psi[2]];
  return {
    position: vector.sub(position, vector.scale(triple(state, velocityAt(body)), h)),
    orientation: quaternion.multiply(orientation, turn),
  };
}
