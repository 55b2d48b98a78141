/** What tests measure on a run: solved steps, momentum, and how far joints are apart, independently of the engine's equations. */
import { expect } from "vitest";
import {
  type JointDescription,
  type Mechanism,
  type MechanismJoint,
  type Quaternion,
  type Simulation,
  type StepResult,
  type Vector3,
  worldIndex,
} from "../../src/index.ts";
import { quaternion, vector } from "../../src/math/index.ts";

export interface RunReport {
  readonly final: Float64Array;
  readonly iterations: number;
  /** Steps that were solved in parts. */
  readonly substepped: number;
}

/** Takes steps, each of which must be solved; `visit` sees the state after each (a view). */
export function run(
  simulation: Simulation,
  start: Float64Array,
  steps: number,
  visit?: (state: Float64Array, step: number, result: StepResult) => void,
  input?: (step: number, state: Float64Array) => Float64Array,
): RunReport {
  const state = Float64Array.from(start);
  let iterations = 0;
  let substepped = 0;
  for (let k = 0; k < steps; k++) {
    const result = input ? simulation.step(state, input(k, state)) : simulation.step(state);
    if (result.status !== "solved") expect.fail(`step ${k}: ${result.status}, violation ${result.residualViolation}`);
    state.set(result.next);
    iterations += result.iterations;
    if (result.substeps > 1) substepped++;
    visit?.(state, k, result);
  }
  return { final: state, iterations, substepped };
}

export interface BodyState {
  readonly position: Vector3;
  readonly orientation: Quaternion;
  readonly velocity: Vector3;
  /** In the body frame. */
  readonly spin: Vector3;
}

export function bodyState(state: Float64Array, body: number): BodyState {
  if (body === worldIndex)
    return { position: vector.zero, orientation: quaternion.identity, velocity: vector.zero, spin: vector.zero };
  const at = 13 * body;
  const three = (k: number): Vector3 => [state[at + k], state[at + k + 1], state[at + k + 2]];
  return {
    position: three(0),
    orientation: [state[at + 3], state[at + 4], state[at + 5], state[at + 6]],
    velocity: three(7),
    spin: three(10),
  };
}

export const distance = (a: Vector3, b: Vector3): number => vector.norm(vector.sub(a, b));

/** Largest error of any joint, metres or radians, from the description alone. */
export function constraintError(mechanism: Mechanism, state: Float64Array): number {
  return Math.max(0, ...mechanism.joints.map((joint) => jointError(mechanism, joint, state)));
}

function jointError(mechanism: Mechanism, { name, parent, child, shape }: MechanismJoint, state: Float64Array): number {
  const joint = mechanism.description.joints![name];
  const a = bodyState(state, parent);
  const b = bodyState(state, child);
  const axis = joint.axis ?? joint.axes?.[0] ?? vector.unitZ;

  // rotation of the child against its orientation at zero coordinates, seen in the parent
  const turn = quaternion.multiply(
    quaternion.multiply(quaternion.conjugate(a.orientation), b.orientation),
    quaternion.conjugate(joint.orientation ?? quaternion.identity),
  );

  // where the child's anchor is seen from the parent's, less the distance at which two hinges pass each other
  const anchor = vector.add(b.position, quaternion.rotate(b.orientation, joint.childAnchor ?? vector.zero));
  const seen = vector.sub(
    quaternion.rotateInverse(a.orientation, vector.sub(anchor, a.position)),
    joint.parentAnchor ?? vector.zero,
  );
  const offset = vector.sub(seen, passing(joint, turn));
  const along = vector.dot(offset, axis);
  const across = vector.norm(vector.sub(offset, vector.scale(axis, along)));
  const apart = [0, Math.abs(along), across, vector.norm(offset)][shape.translation];
  return Math.max(apart, rotationError(shape.rotation, turn, axis, joint.axes));
}

function passing({ axes, axisOffset = 0 }: JointDescription, turn: Quaternion): Vector3 {
  if (!axes || axisOffset === 0) return vector.zero;
  const perpendicular = vector.cross(axes[0], quaternion.rotate(turn, axes[1]));
  return vector.scale(vector.normalize(perpendicular), axisOffset);
}

function rotationError(
  constrained: number,
  turn: Quaternion,
  axis: Vector3,
  axes: readonly Vector3[] | undefined,
): number {
  const vectorPart: Vector3 = [turn[1], turn[2], turn[3]];
  switch (constrained) {
    case 0:
      return 0;
    case 1:
      // two hinges keep the angle between their axes; a rotation vector across the axis has no part along it
      if (axes) return Math.abs(vector.dot(axes[0], quaternion.rotate(turn, axes[1])) - vector.dot(axes[0], axes[1]));
      return Math.abs(2 * vector.dot(vectorPart, axis));
    case 2:
      return distance(quaternion.rotate(turn, axis), axis);
    default:
      return 2 * vector.norm(vectorPart);
  }
}
