/**
 * Joint coordinates → pose of the child in the parent: the inverse of the coordinates in jointGeometry.ts.
 *   q_b = q_a Qₐ r Q_b⁻¹,      x_b = x_a + R_a (p_a + Qₐ d) − R_b p_b
 * and the same one step earlier, from the rates:
 *   displacements, the angle of a hinge and serial angles     θ₋ = θ − h θ̇
 *   rotation vectors                                          r₋ = r · (√(1−|ψ|²), ψ)⁻¹,  ψ = h θ̇ / 2
 * with ψ_z such that r₋ keeps its constraint where only two rotations are free. Rates read off a state by the increments
 * of jointGeometry.ts are exactly these.
 */
import {
  add,
  cos,
  div,
  dot,
  mul,
  neg,
  quaternionConjugate,
  quaternionMultiply,
  rotate,
  type Scalar,
  sin,
  sqrt,
  sub,
  vadd,
  vsub,
} from "../symbolic/index.ts";
import { hasAxisOffset, type JointFrames, type JointType, type RelativePose } from "./jointGeometry.ts";
import type { Pose } from "./pose.ts";
import { fromRotationVector } from "./rotationVector.ts";

const freeAxes = [[0, 1, 2], [0, 1], [2], []] as const;
const identity: readonly Scalar[] = [1, 0, 0, 0];

/** Displacement and rotation across the joint. */
export function jointTransform(type: JointType, frames: JointFrames, coordinates: readonly Scalar[]): RelativePose {
  const translations = freeAxes[type.translation];
  return {
    // the common perpendicular of two hinges turns with the first
    displacement: hasAxisOffset(type)
      ? [0, neg(mul(frames.axisOffset, sin(coordinates[0]))), mul(frames.axisOffset, cos(coordinates[0]))]
      : spread(translations, coordinates),
    rotation: rotationOf(type, frames, coordinates.slice(translations.length)),
  };
}

/** The same one step earlier. */
export function earlierTransform(
  type: JointType,
  frames: JointFrames,
  coordinates: readonly Scalar[],
  rates: readonly Scalar[],
  h: Scalar,
): RelativePose {
  const earlier = coordinates.map((value, i) => sub(value, mul(h, rates[i])));
  const transform = jointTransform(type, frames, earlier);
  if (type.serial || type.rotation > 1) return transform;
  const first = freeAxes[type.translation].length;
  const now = rotationOf(type, frames, coordinates.slice(first));
  const psi = rates.slice(first).map((rate) => mul(div(h, 2), rate));
  if (type.rotation === 1) psi.push(div(sub(mul(now[2], psi[0]), mul(now[1], psi[1])), now[0]));
  const turn = [sqrt(sub(1, dot(psi, psi))), ...psi];
  return { displacement: transform.displacement, rotation: quaternionMultiply(now, quaternionConjugate(turn)) };
}

export function childPose(frames: JointFrames, { displacement, rotation }: RelativePose, parent: Pose): Pose {
  const jointFrame = quaternionMultiply(parent.orientation, frames.parentFrame);
  const orientation = quaternionMultiply(
    quaternionMultiply(jointFrame, rotation),
    quaternionConjugate(frames.childFrame),
  );
  return {
    orientation,
    position: vsub(anchorPoint(frames, displacement, parent), rotate(orientation, frames.childAnchor)),
  };
}

/** The other way: the parent from the child. */
export function parentPose(frames: JointFrames, { displacement, rotation }: RelativePose, child: Pose): Pose {
  const jointFrame = quaternionMultiply(
    quaternionMultiply(child.orientation, frames.childFrame),
    quaternionConjugate(rotation),
  );
  const orientation = quaternionMultiply(jointFrame, quaternionConjugate(frames.parentFrame));
  const point = vadd(child.position, rotate(child.orientation, frames.childAnchor));
  const reach = rotate(orientation, vadd(frames.parentAnchor, rotate(frames.parentFrame, displacement)));
  return { orientation, position: vsub(point, reach) };
}

function anchorPoint(frames: JointFrames, displacement: readonly Scalar[], parent: Pose): Scalar[] {
  return vadd(
    parent.position,
    rotate(parent.orientation, vadd(frames.parentAnchor, rotate(frames.parentFrame, displacement))),
  );
}

function spread(axes: readonly number[], values: readonly Scalar[]): Scalar[] {
  const vector: Scalar[] = [0, 0, 0];
  axes.forEach((axis, i) => {
    vector[axis] = values[i];
  });
  return vector;
}

function rotationOf(type: JointType, frames: JointFrames, angles: readonly Scalar[]): readonly Scalar[] {
  if (type.serial) {
    const first = about(0, angles[0]);
    const second = about(1, angles[1]);
    // two angles: C turns y to the second axis, sin(turn) = −skew
    if (type.rotation === 1) return quaternionMultiply(quaternionMultiply(first, skewTurn(frames.skew)), second);
    return quaternionMultiply(quaternionMultiply(first, second), about(2, type.mirrored ? neg(angles[2]) : angles[2]));
  }
  if (type.rotation === 3) return identity;
  if (type.rotation === 2) return about(2, angles[0]);
  return fromRotationVector(type.rotation === 1 ? [angles[0], angles[1], 0] : angles);
}

/** Turn about z with sine −skew, from the half-angle formulas. */
function skewTurn(skew: Scalar): Scalar[] {
  const cosine = sqrt(sub(1, mul(skew, skew)));
  const w = sqrt(div(add(1, cosine), 2));
  return [w, 0, 0, neg(div(skew, mul(2, w)))];
}

function about(axis: 0 | 1 | 2, angle: Scalar): Scalar[] {
  const half = div(angle, 2);
  const q: Scalar[] = [cos(half), 0, 0, 0];
  q[1 + axis] = sin(half);
  return q;
}
