/**
 * How bodies lie in flat arrays, body after body. Everything that reads or writes a state by place does so with these names.
 *   state     13 numbers: position, orientation (a quaternion, scalar first), velocity, angular velocity
 *   pose      the first 7 of them
 *   tangent   12 numbers: a small change of a state, with a rotation vector in the body frame for the orientation
 */

/** Numbers a body takes in a state: position 3, orientation 4, velocity 3, angular velocity 3. */
export const bodyStateSize = 13;
/** Where in them each part begins. */
export const stateOffsets = { position: 0, orientation: 3, velocity: 7, angularVelocity: 10 } as const;
/** Numbers a body takes in a pose: the first ones of its state. */
export const poseSize = 7;
/** Numbers a body takes in a change of a state: position 3, attitude 3, velocity 3, angular velocity 3. */
export const bodyTangentSize = 12;
/** Where in them each part begins. */
export const tangentOffsets = { position: 0, attitude: 3, velocity: 6, angularVelocity: 9 } as const;

/** Where a body begins in a state; its position comes first. */
export function bodyAt(body: number): number {
  return 13 * body;
}

export function orientationAt(body: number): number {
  return 13 * body + 3;
}

/** Where the six numbers of a body's velocity and angular velocity begin. */
export function velocityAt(body: number): number {
  return 13 * body + 7;
}

export function angularVelocityAt(body: number): number {
  return 13 * body + 10;
}

/** Where a body begins in a tangent. */
export function tangentAt(body: number): number {
  return 12 * body;
}

export function attitudeAt(body: number): number {
  return 12 * body + 3;
}

export function tangentVelocityAt(body: number): number {
  return 12 * body + 6;
}

export function tangentAngularVelocityAt(body: number): number {
  return 12 * body + 9;
}
