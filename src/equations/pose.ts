/**
 * Poses, and how a velocity carries one to the next [quaternion part of the variational integrator]:
 *   x₊ = x + h v₊,   q₊ = q · (√(1 − ψ₊ᵀψ₊), ψ₊),   ψ₊ = h ω₊ / 2.
 * The same map run backwards gives the configuration that the state came from.
 */
import {
  cross,
  div,
  dot,
  matVec,
  neg,
  quaternionMultiply,
  type Scalar,
  sqrt,
  sub,
  vadd,
  vscale,
} from "../symbolic/index.ts";

export interface Pose {
  readonly position: readonly Scalar[];
  readonly orientation: readonly Scalar[];
}

export interface Velocity {
  /** Of the centre of mass, in the world frame. */
  readonly linear: readonly Scalar[];
  /** In the body frame. */
  readonly angular: readonly Scalar[];
}

/** The world is a body that never moves: expressions with it simplify by themselves. */
export const worldPose: Pose = { position: [0, 0, 0], orientation: [1, 0, 0, 0] };
export const worldVelocity: Velocity = { linear: [0, 0, 0], angular: [0, 0, 0] };

/** (√(1 − ψᵀψ), ψ) with ψ = h ω / 2. */
export function rotationOfStep(angular: readonly Scalar[], h: Scalar): Scalar[] {
  const psi = vscale(angular, div(h, 2));
  return [sqrt(sub(1, dot(psi, psi))), ...psi];
}

export function nextPose(pose: Pose, velocity: Velocity, h: Scalar): Pose {
  return {
    position: vadd(pose.position, vscale(velocity.linear, h)),
    orientation: quaternionMultiply(pose.orientation, rotationOfStep(velocity.angular, h)),
  };
}

export function previousPose(pose: Pose, velocity: Velocity, h: Scalar): Pose {
  return nextPose(pose, { linear: velocity.linear.map(neg), angular: velocity.angular.map(neg) }, h);
}

/** Columns dq/dθ for a small rotation θ in the body frame: q ↦ q · (1, θ/2). */
export function attitudeJacobian(q: readonly Scalar[]): Scalar[][] {
  const columns = [0, 1, 2].map((k) => quaternionMultiply(q, [0, ...[0, 1, 2].map((i) => (i === k ? 0.5 : 0))]));
  return [0, 1, 2, 3].map((row) => columns.map((column) => column[row]));
}

/**
 * Interval momentum of a body in its frame at the end (sign +1) or the start (sign −1) of an interval
 * [rotational_integrator times 2/h]:  Π∓ = √(1−|ψ|²) Jω ∓ ψ × Jω.
 */
export function angularMomentum(
  inertia: readonly (readonly Scalar[])[],
  angular: readonly Scalar[],
  h: Scalar,
  sign: 1 | -1,
): Scalar[] {
  const [root, ...psi] = rotationOfStep(angular, h);
  const spin = matVec(inertia, angular);
  const turn = cross(psi, spin);
  return vadd(vscale(spin, root), sign === 1 ? turn : turn.map(neg));
}

/** Symmetric 3×3 from (xx, yy, zz, xy, xz, yz). */
export function symmetric(entries: readonly Scalar[]): Scalar[][] {
  const [xx, yy, zz, xy, xz, yz] = entries;
  return [
    [xx, xy, xz],
    [xy, yy, yz],
    [xz, yz, zz],
  ];
}
