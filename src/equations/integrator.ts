/**
 * The balance of one body over a step, in impulse units [linear_integrator, rotational_integrator × 2/h]:
 *   m (v₊ − v) − t m γ g − t f = impulses
 *   √(1−|ψ₊|²) Jω₊ + ψ₊×Jω₊ − √(1−|ψ|²) Jω + ψ×Jω − t τ = angular impulses
 * t is the duration for which forces act (node.ts), h unless the size of steps changes.
 * f acts at the centre of mass in the world frame, τ in the body frame; γ is the share of gravity that the body feels, 1 for most.
 * Joints and contacts add their impulses.
 */
import { mul, type Scalar, sub, vadd, vscale, vsub } from "../symbolic/index.ts";
import { angularMomentum, symmetric, type Velocity } from "./pose.ts";

/** What the equations of a system are: those of a step, or of an impact, in which nothing but velocities changes (impact.ts). */
export type Physics = "step" | "impact";

export interface BodyData {
  readonly mass: Scalar;
  /** xx, yy, zz, xy, xz, yz. */
  readonly inertia: readonly Scalar[];
  readonly gravity: readonly Scalar[];
  readonly gravityScale: Scalar;
  readonly force: readonly Scalar[];
  readonly torque: readonly Scalar[];
}

export const bodyParameterNames = [
  "mass",
  "inertia.xx",
  "inertia.yy",
  "inertia.zz",
  "inertia.xy",
  "inertia.xz",
  "inertia.yz",
  "gravityScale",
] as const;

/** A body's data, made of its parameters in the order of their names and of its wrench: force 3, torque 3. */
export function bodyData(
  [mass, ...others]: readonly Scalar[],
  gravity: readonly Scalar[],
  wrench: readonly Scalar[],
): BodyData {
  const [inertia, [gravityScale]] = [others.slice(0, 6), others.slice(6)];
  return { mass, inertia, gravity, gravityScale, force: wrench.slice(0, 3), torque: wrench.slice(3, 6) };
}

/** Six rows: linear in the world frame, angular in the body frame at z. */
export function bodyBalance(data: BodyData, velocity: Velocity, next: Velocity, h: Scalar, t: Scalar): Scalar[] {
  const inertia = symmetric(data.inertia);
  const pull = vadd(vscale(data.gravity, mul(mul(t, data.mass), data.gravityScale)), vscale(data.force, t));
  const linear = vsub(vscale(next.linear, data.mass), vadd(vscale(velocity.linear, data.mass), pull));
  const before = vadd(angularMomentum(inertia, velocity.angular, h, -1), vscale(data.torque, t));
  const after = angularMomentum(inertia, next.angular, h, 1);
  return [...linear, ...after.map((entry, i) => sub(entry, before[i]))];
}
