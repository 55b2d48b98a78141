/** States of joints by their names ⇄ states of all bodies. */
import {
  ArgumentError,
  type Mechanism,
  type MechanismJoint,
  named,
  type OptionNames,
  requireOptionNames,
} from "../mechanism/index.ts";
import type { AnglesNear } from "./angles.ts";
import { maximalFromMinimal, minimalState, requireInterval, requireMinimal } from "./minimalState.ts";

/** Coordinates of one joint and their rates; what is left out is zero. */
export interface JointState {
  readonly position?: readonly number[];
  readonly velocity?: readonly number[];
}

const jointStateNames: OptionNames<JointState> = { position: true, velocity: true };

/**
 * State of the mechanism from the states of its joints, by name. Joints that close loops are not looked at: where the
 * others do not fit them, they are left open, and `projectState` closes them. Velocities are those of the last interval;
 * `stateAt` takes those of this instant.
 */
export function maximalState(
  mechanism: Mechanism,
  joints: Readonly<Record<string, JointState>> = {},
  timestep = mechanism.timestep,
): Float64Array {
  const x = new Float64Array(2 * mechanism.coordinateCount);
  const positions = x.subarray(0, mechanism.coordinateCount);
  const velocities = x.subarray(mechanism.coordinateCount);
  requireInterval(timestep);
  for (const [name, state] of Object.entries(joints)) {
    const joint = named(mechanism.joints, name, "joint");
    requireOptionNames(`joints.${name}`, state, jointStateNames);
    fillInto(positions, joint, state.position, "position");
    fillInto(velocities, joint, state.velocity, "velocity");
    requireSlow(joint, state.velocity ?? [], timestep);
  }
  return maximalFromMinimal(mechanism, x, timestep);
}

function fillInto(out: Float64Array, joint: MechanismJoint, values: readonly number[] | undefined, what: string): void {
  if (values === undefined) return;
  if (!Array.isArray(values) && !ArrayBuffer.isView(values)) {
    const message = `${String(values)}: give a list of numbers, such as [0.1]`;
    throw new ArgumentError("wrong-type", `joints.${joint.name}.${what}`, message);
  }
  const count = joint.coordinates.length;
  if (values.length !== count) {
    const names = joint.coordinates.map((coordinate) => coordinate.name).join(", ");
    throw new ArgumentError(
      "wrong-length",
      `joints.${joint.name}.${what}`,
      `has ${values.length} numbers; give ${count}: ${names || "the joint has no free axis"}`,
    );
  }
  values.forEach((value, i) => {
    if (!Number.isFinite(value)) {
      throw new ArgumentError("not-finite", `joints.${joint.name}.${what}[${i}]`, `${value}; give a finite number`);
    }
    out[joint.coordinateOffset + i] = value;
  });
}

/** A quarter turn a step is the most that a step can express, and half a turn would alias to another velocity. */
function requireSlow(joint: MechanismJoint, velocities: readonly number[], h: number): void {
  velocities.forEach((velocity, i) => {
    if (joint.coordinates[i].motion !== "rotation" || h * Math.abs(velocity) < Math.PI / 2) return;
    const enough = (Math.PI / 2 / Math.abs(velocity)).toPrecision(3);
    throw new ArgumentError(
      "too-fast",
      `joints.${joint.name}.velocity[${i}]`,
      `${velocity} rad/s is more than a quarter turn in a step of ${h} s; take a timestep below ${enough} s`,
    );
  });
}

/** Positions and velocities by the joints' names: what `maximalState` takes. */
export function jointStates(
  mechanism: Mechanism,
  state: Float64Array,
  timestep = mechanism.timestep,
  known?: AnglesNear,
): Record<string, Required<JointState>> {
  return namedJointStates(mechanism, minimalState(mechanism, state, timestep, known));
}

/** A minimal state by the joints' names. */
export function namedJointStates(mechanism: Mechanism, x: Float64Array): Record<string, Required<JointState>> {
  requireMinimal(mechanism, x);
  const c = mechanism.coordinateCount;
  return Object.fromEntries(
    mechanism.joints.map(({ name, coordinateOffset: at, coordinates: { length } }) => [
      name,
      { position: numbersOf(x, at, length), velocity: numbersOf(x, c + at, length) },
    ]),
  );
}

/** A loop: `Array.from` of a part takes several times as long. */
function numbersOf(x: Float64Array, at: number, length: number): number[] {
  const numbers: number[] = [];
  for (let i = 0; i < length; i++) numbers.push(x[at + i]);
  return numbers;
}
