/**
 * Joint coordinates and their rates → state of all bodies, along the spanning tree, by the very equations of the joints at plain numbers.
 * Velocities are those of the interval that led here, and the configuration at its start satisfies the joints too: x₋, q₋ is the same
 * walk at the coordinates one step earlier, and v = (x − x₋)/h, ω = 2 vec(q₋⁻¹ q)/h. Kernels do the same, to the bit
 * (coordinateKernels.ts), once they pay.
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
import { ArgumentError, type Mechanism, type MechanismJoint, worldIndex } from "../mechanism/index.ts";

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
