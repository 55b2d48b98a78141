/**
 * Where three hinges in a row lock: the middle one is at ±90° and lines up the other two. Hinges swing through
 * (equations/jointGeometry.ts); what fails is a step that starts on the very lock, and limits on angles that jump there.
 */
import { canLock } from "../../equations/index.ts";
import { angularVelocityAt, bodyAt, vector } from "../../math/index.ts";
import { type Mechanism, type MechanismJoint, worldIndex } from "../../mechanism/index.ts";
import { type Configuration, configurationNow, coordinatesOf } from "./configuration.ts";

/** A failed step is blamed on a lock within this, rad, and what the joint turns by in two steps. */
const blamed = 0.05;

export const lockWayOut =
  "limit the middle angle to less than 90°, choose axes that make it smaller, or take a spherical joint";

/** The joint whose lock a step from this state may have failed at. */
export function lockedJoint(mechanism: Mechanism, state: Float64Array, h: number): string | undefined {
  const now = configurationNow(state);
  const spin = (body: number): number =>
    body === worldIndex ? 0 : vector.norm(Array.from(state.subarray(angularVelocityAt(body), bodyAt(body + 1))));
  return mechanism.joints.find(
    (joint) => lockDistance(joint, now) < blamed + 2 * h * (spin(joint.parent) + spin(joint.child)),
  )?.name;
}

/** Radians from the lock, or Infinity where there is none or nothing acts on the joint. */
export function lockDistance(joint: MechanismJoint, now: Configuration): number {
  if (!canLock(joint.shape) || joint.coordinates.every(isIdle)) return Number.POSITIVE_INFINITY;
  const middle = coordinatesOf(joint.shape)[joint.coordinates.length - 2].value(now.relative(joint)) as number;
  return Math.PI / 2 - Math.abs(middle);
}

function isIdle({ passive, lower, upper, friction, input }: MechanismJoint["coordinates"][number]): boolean {
  return !passive && lower === null && upper === null && friction === 0 && input < 0;
}
