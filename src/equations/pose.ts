/**
 * Poses, and how a velocity carries one to the next [quaternion part of the variational integrator]:
 *   x₊ = x + h v₊,   q₊ = q · (√(1 − ψ₊ᵀψ₊), ψ₊),   ψ₊ = h ω₊ / 2.
 * The same map run backwards gives the configuration that the state came from.
 */
import {
  cross,
  div,
  dot,
  type Expr,
  type Graph,
  jacobian,
  matVec,
  mul,
  neg,
  quaternionConjugate,
  quaternionMultiply,
  rotationMatrix,
  type Scalar,
  sqrt,
  sub,
  substitute,
  transpose,
  vadd,
  vscale,
  vsub,
} from "../symbolic/index.ts";

export interface Pose {
  readonly position: readonly Scalar[];
  readonly orientation: readonly Scalar[];
  /** Rotation matrix of the orientation, where it is at hand. */
  readonly rotation?: readonly (readonly Scalar[])[];
  /**
   * A small further rotation θ in the pose's own frame, to first order: R (1 + [θ]×), q · (1, θ/2). Differentiating with respect to
   * θ at zero is how equations are differentiated with respect to an orientation.
   */
  readonly tilt?: readonly Scalar[];
}

/** R v: from the body's frame to the world's. */
export function turned(pose: Pose, v: readonly Scalar[]): Scalar[] {
  return matVec(pose.rotation ?? rotationMatrix(pose.orientation), pose.tilt ? vadd(v, cross(pose.tilt, v)) : v);
}

/** Rᵀ v: from the world's frame to the body's. */
export function turnedBack(pose: Pose, v: readonly Scalar[]): Scalar[] {
  const inBody = matVec(transpose(pose.rotation ?? rotationMatrix(pose.orientation)), v);
  return pose.tilt ? vsub(inBody, cross(pose.tilt, inBody)) : inBody;
}

export interface Velocity {
  /** The velocity of the centre of mass, in the world frame. */
  readonly linear: readonly Scalar[];
  /** The angular velocity, in the body frame. */
  readonly angular: readonly Scalar[];
}

/** The world is a body that never moves: expressions with it simplify by themselves. */
export const worldPose: Pose = {
  position: [0, 0, 0],
  orientation: [1, 0, 0, 0],
  rotation: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
};
export const worldVelocity: Velocity = { linear: [0, 0, 0], angular: [0, 0, 0] };

/** (√(1 − ψᵀψ), ψ) with ψ = h ω / 2. */
function rotationOfStep(angular: readonly Scalar[], h: Scalar): Scalar[] {
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

/** dθ₊/dω₊ over h, of the body-frame rotation θ₊ of q₊, 3 × 3: 2 vec(Δ⁻¹ dΔ)/h for the step's rotation Δ. */
export function turnJacobian(graph: Graph, angular: readonly Scalar[], h: Scalar): Scalar[][] {
  // Δ(ψ) and its derivative with respect to ψ; dψ = (h/2) dω cancels the factor 2/h
  const psi = graph.symbols("psi", 3);
  const step = [sqrt(sub(1, dot(psi, psi))), ...psi];
  const columns = psi.map((symbol) => {
    const rate = jacobian(step, [symbol], "forward").map((row) => row[0]);
    return quaternionMultiply(quaternionConjugate(step), rate).slice(1);
  });
  const values = new Map(psi.map((symbol, k): [Expr, Scalar] => [symbol, mul(div(h, 2), angular[k])]));
  return [0, 1, 2].map((row) =>
    substitute(
      columns.map((column) => column[row]),
      values,
    ),
  );
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
