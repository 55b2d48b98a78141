/**
 * Joint coordinates and their rates → state of all bodies, along the spanning tree. Velocities are those of the interval that
 * led here, and the configuration at its start satisfies the joints too: x₋, q₋ is the same walk at the coordinates one
 * step earlier, and v = (x − x₋)/h, ω = 2 vec(q₋⁻¹ q)/h.
 */
import {
  attitudeError,
  childPose,
  earlierTransform,
  jointTransform,
  type Pose,
  parentPose,
  type RelativePose,
  worldPose,
} from "../equations/index.ts";
import { angularVelocityAt, bodyAt, orientationAt, velocityAt } from "../math/index.ts";
import { ArgumentError, type Mechanism, type MechanismJoint, named, worldIndex } from "../mechanism/index.ts";

/** Coordinates of one joint and their rates; what is left out is zero. */
export interface JointState {
  readonly position?: readonly number[];
  readonly velocity?: readonly number[];
}

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
  const positions = new Float64Array(mechanism.coordinateCount);
  const velocities = new Float64Array(mechanism.coordinateCount);
  for (const [name, state] of Object.entries(joints)) {
    const joint = named(mechanism.joints, name, "joint");
    fillInto(positions, joint, state.position, "position");
    fillInto(velocities, joint, state.velocity, "velocity");
    requireSlow(joint, state.velocity ?? [], timestep);
  }
  return stateFromCoordinates(mechanism, positions, velocities, timestep);
}

function fillInto(out: Float64Array, joint: MechanismJoint, values: readonly number[] | undefined, what: string): void {
  if (values === undefined) return;
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

export function stateFromCoordinates(
  mechanism: Mechanism,
  positions: Float64Array,
  velocities: Float64Array,
  h: number,
): Float64Array {
  const own = (values: Float64Array, joint: MechanismJoint): number[] =>
    Array.from(values.subarray(joint.coordinateOffset, joint.coordinateOffset + joint.coordinates.length));
  const now = placeBodies(mechanism, (joint) => jointTransform(joint.shape, joint.frames, own(positions, joint)));
  const before = placeBodies(mechanism, (joint) =>
    earlierTransform(joint.shape, joint.frames, own(positions, joint), own(velocities, joint), h),
  );
  const state = new Float64Array(mechanism.stateSize);
  mechanism.bodies.forEach(({ name }, i) => {
    const { position, orientation } = now[i];
    const earlier = before[i];
    if (!earlier.orientation.every((entry) => Number.isFinite(entry as number))) {
      throw new ArgumentError(
        "too-fast",
        `bodies.${name}.angularVelocity`,
        `more than half a turn in a step of ${h} s; take a smaller timestep or a lower velocity`,
      );
    }
    state.set(position as number[], bodyAt(i));
    state.set(orientation as number[], orientationAt(i));
    state.set(
      position.map((entry, k) => ((entry as number) - (earlier.position[k] as number)) / h),
      velocityAt(i),
    );
    state.set(
      (attitudeError(earlier.orientation, orientation) as number[]).map((entry) => entry / h),
      angularVelocityAt(i),
    );
  });
  return state;
}

function placeBodies(mechanism: Mechanism, transformOf: (joint: MechanismJoint) => RelativePose): Pose[] {
  const poses: Pose[] = new Array(mechanism.bodies.length);
  const poseOf = (body: number): Pose => (body === worldIndex ? worldPose : poses[body]);
  for (const { joint: index, reversed } of mechanism.tree) {
    const joint = mechanism.joints[index];
    const transform = transformOf(joint);
    if (reversed) poses[joint.parent] = parentPose(joint.frames, transform, poseOf(joint.child));
    else poses[joint.child] = childPose(joint.frames, transform, poseOf(joint.parent));
  }
  return poses;
}
