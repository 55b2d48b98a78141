/**
 * Joint coordinates and their rates → state of all bodies, along the spanning tree. Velocities are those of the interval that
 * led here, and the configuration at its start satisfies the joints too: x₋, q₋ is the same walk at the coordinates one
 * step earlier, and v = (x − x₋)/h, ω = 2 vec(q₋⁻¹ q)/h.
 */
import { type Quaternion, quaternion, type Vector3, vector } from "../math/index.ts";
import { type Mechanism, type MechanismJoint, named, worldIndex } from "../mechanism/index.ts";
import { fromRotationVector, type JointTransform, jointTransform } from "./jointTransform.ts";

/** Coordinates of one joint and their rates; what is left out is zero. */
export interface JointState {
  readonly position?: readonly number[];
  readonly velocity?: readonly number[];
}

interface BodyPose {
  readonly position: Vector3;
  readonly orientation: Quaternion;
}

/** State of the mechanism from the states of its joints, by name. Joints that close loops follow from the others. */
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
  }
  return stateFromCoordinates(mechanism, positions, velocities, timestep);
}

function fillInto(out: Float64Array, joint: MechanismJoint, values: readonly number[] | undefined, what: string): void {
  if (values === undefined) return;
  const count = joint.coordinates.length;
  if (values.length !== count) {
    const names = joint.coordinates.map((coordinate) => coordinate.name).join(", ");
    throw new RangeError(
      `${what} of joint "${joint.name}" needs ${count} numbers (${names || "it has no free axis"}), got ${values.length}`,
    );
  }
  values.forEach((value, i) => {
    if (!Number.isFinite(value)) throw new RangeError(`${what}[${i}] of joint "${joint.name}" is ${value}`);
    out[joint.coordinateOffset + i] = value;
  });
}

export function stateFromCoordinates(
  mechanism: Mechanism,
  positions: Float64Array,
  velocities: Float64Array,
  h: number,
): Float64Array {
  const now = placeBodies(mechanism, (joint) =>
    jointTransform(joint.shape, joint.frames, positions, joint.coordinateOffset),
  );
  const before = placeBodies(mechanism, (joint) => earlierTransform(joint, positions, velocities, h));
  const state = new Float64Array(mechanism.stateSize);
  now.forEach(({ position, orientation }, i) => {
    const turn = quaternion.multiply(quaternion.conjugate(before[i].orientation), orientation);
    const sign = turn[0] < 0 ? -1 : 1;
    state.set(position, 13 * i);
    state.set(orientation, 13 * i + 3);
    state.set(vector.scale(vector.sub(position, before[i].position), 1 / h), 13 * i + 7);
    state.set(
      [turn[1], turn[2], turn[3]].map((entry) => (2 * sign * entry) / h),
      13 * i + 10,
    );
  });
  return state;
}

/** The joint one step ago. Where all rotations are free, their rate is the relative angular velocity in the child's joint frame. */
function earlierTransform(
  joint: MechanismJoint,
  positions: Float64Array,
  velocities: Float64Array,
  h: number,
): JointTransform {
  const { shape, frames, coordinateOffset: at, coordinates } = joint;
  const earlier = coordinates.map((_, i) => positions[at + i] - h * velocities[at + i]);
  const transform = jointTransform(shape, frames, earlier);
  if (shape.rotation !== 0 || shape.serial) return transform;
  const first = at + coordinates.length - 3;
  const now = fromRotationVector([positions[first], positions[first + 1], positions[first + 2]]);
  const psi = [0, 1, 2].map((k) => (h / 2) * velocities[first + k]);
  const rest = 1 - psi[0] * psi[0] - psi[1] * psi[1] - psi[2] * psi[2];
  if (!(rest > 0))
    throw new RangeError(
      `angular velocity of joint "${joint.name}" turns it by more than half a turn in a step of ${h} s: take a smaller timestep`,
    );
  return {
    displacement: transform.displacement,
    rotation: quaternion.multiply(now, [Math.sqrt(rest), -psi[0], -psi[1], -psi[2]]),
  };
}

const worldPose: BodyPose = { position: [0, 0, 0], orientation: [1, 0, 0, 0] };

function placeBodies(mechanism: Mechanism, transformOf: (joint: MechanismJoint) => JointTransform): BodyPose[] {
  const poses: BodyPose[] = new Array(mechanism.bodies.length);
  const poseOf = (body: number): BodyPose => (body === worldIndex ? worldPose : poses[body]);
  for (const { joint: index, reversed } of mechanism.tree) {
    const joint = mechanism.joints[index];
    const transform = transformOf(joint);
    if (reversed) poses[joint.parent] = parentPose(joint, transform, poseOf(joint.child));
    else poses[joint.child] = childPose(joint, transform, poseOf(joint.parent));
  }
  return poses;
}

/** q_b = q_a Qₐ r Q_b⁻¹,   x_b = x_a + R_a (p_a + Qₐ d) − R_b p_b. */
function childPose({ frames }: MechanismJoint, { displacement, rotation }: JointTransform, parent: BodyPose): BodyPose {
  const { multiply, conjugate, rotate } = quaternion;
  const orientation = multiply(
    multiply(multiply(parent.orientation, frames.parentFrame), rotation),
    conjugate(frames.childFrame),
  );
  const anchor = vector.add(frames.parentAnchor, rotate(frames.parentFrame, displacement));
  const point = vector.add(parent.position, rotate(parent.orientation, anchor));
  return { orientation, position: vector.sub(point, rotate(orientation, frames.childAnchor)) };
}

function parentPose({ frames }: MechanismJoint, { displacement, rotation }: JointTransform, child: BodyPose): BodyPose {
  const { multiply, conjugate, rotate } = quaternion;
  const orientation = multiply(
    multiply(multiply(child.orientation, frames.childFrame), conjugate(rotation)),
    conjugate(frames.parentFrame),
  );
  const anchor = vector.add(frames.parentAnchor, rotate(frames.parentFrame, displacement));
  const point = vector.add(child.position, rotate(child.orientation, frames.childAnchor));
  return { orientation, position: vector.sub(point, rotate(orientation, anchor)) };
}
