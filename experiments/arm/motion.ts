/** Commands in joint space: the tool points down and its tip goes from one place to another, in the plane y = 0. */
import { gains } from "./scene.ts";

/** The joints that bend in the plane y = 0; all others stay at zero. */
export const bendingJoints = ["joint2", "joint3", "joint5"] as const;
/** Their angles. */
export type Bend = readonly [number, number, number];

/** Metres, of the manufacturer's description: shoulder height, offsets of elbow, wrist and flange, and down to the centre of the tip. */
const shoulder = 0.267;
const upperArm = { length: Math.hypot(0.0535, 0.2845), angle: Math.atan2(0.0535, 0.2845) };
const forearm = { length: Math.hypot(0.0775, 0.3425), angle: Math.atan2(0.0775, -0.3425) };
const flange = { forward: 0.076, down: 0.097 };
const tool = 0.16;

/**
 * Angles that put the centre of the tip at distance x and height z. Shoulder, elbow and wrist are a triangle with two known sides
 * (angles are measured from the vertical); the last joint undoes the turns of the others, so that the tool points down.
 */
export function bendAt(x: number, z: number): Bend {
  const [along, up] = [x - flange.forward, z + flange.down + tool - shoulder];
  const reach = Math.hypot(along, up);
  const { length: a } = upperArm;
  const { length: b } = forearm;
  const cosine = (a * a + reach * reach - b * b) / (2 * a * reach);
  if (Math.abs(cosine) > 1) throw new Error(`the arm does not reach ${x} m at a height of ${z} m`);
  const first = Math.atan2(along, up) - Math.acos(cosine);
  const second = Math.atan2(along - a * Math.sin(first), up - a * Math.cos(first));
  const turn = second - forearm.angle;
  return [first - upperArm.angle, turn - (first - upperArm.angle), -turn];
}

/** Where the elbow and the wrist are in such a bend: distance and height. */
export function outline([q2, q3]: Bend): readonly (readonly [number, number])[] {
  const first = q2 + upperArm.angle;
  const second = q2 + q3 + forearm.angle;
  const elbow = [upperArm.length * Math.sin(first), shoulder + upperArm.length * Math.cos(first)] as const;
  const wrist = [elbow[0] + forearm.length * Math.sin(second), elbow[1] + forearm.length * Math.cos(second)] as const;
  const hand = [wrist[0] + flange.forward, wrist[1]] as const;
  return [[0, 0], [0, shoulder], elbow, wrist, hand, [hand[0], hand[1] - flange.down - tool]];
}

/**
 * Targets of the position control after `time` seconds of a move that takes `duration`: joints speed up and slow down like a cosine. The
 * targets lead by rate · damping / stiffness, so that the control, which brakes every rate, does not lag behind.
 */
export function targetAt(from: Bend, to: Bend, time: number, duration: number): Bend {
  const phase = (Math.PI * Math.min(time, duration)) / duration;
  const lead = ((gains.damping / gains.stiffness) * Math.PI * Math.sin(phase)) / (2 * duration);
  const part = (1 - Math.cos(phase)) / 2 + lead;
  const along = (i: number): number => from[i] + (to[i] - from[i]) * part;
  return [along(0), along(1), along(2)];
}
