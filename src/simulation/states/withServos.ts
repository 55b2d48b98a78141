/**
 * The same robot with position servos in place of its motors. Gains are in proportion to what the robot weighs and how far it reaches:
 *   stiffness 20 M g L of a hinge, 20 M g / L of a slide;   damping = stiffness · 0.1 s
 * (M all mass, L the farthest body from the middle, g of the Earth). A leg that carries the whole robot at arm's length so gives way by
 * a twentieth of a radian, and comes back within a few tenths of a second. A1 has 774 N·m/rad, Atlas 30,800, and both stand. The
 * time step has no say: a servo acts on the next position and velocity, so any stiffness is stable.
 */
import { maximalState } from "../../coordinates/index.ts";
import { bodyAt, bodyStateSize } from "../../math/index.ts";
import {
  ArgumentError,
  compile,
  eachAxis,
  isSerial,
  type JointDescription,
  jointFreedom,
  type MechanismDescription,
  namesOf,
  perAxis,
  type Servo,
} from "../../mechanism/index.ts";

const earth = 9.81;
/** Seconds that a servo's motion takes to die away. */
const settling = 0.1;

/**
 * The description with a servo for every motor on a hinge or a slide; `stateInput` then holds a state with them. `state` names the one
 * in which the robot is measured, the first by default. Inputs that states bring along are left out: they were the motors'.
 */
export function withServos(description: MechanismDescription, state?: string): MechanismDescription {
  if (!hasMotors(description)) {
    const message = `${description.name ?? "the mechanism"} has no motor on a hinge or a slide; give joints "actuated: true" or "servo"`;
    throw new ArgumentError("nothing-to-do", "joints", message);
  }
  const { mass, reach } = sizeOf(description, state);
  const hinge = gains(20 * mass * earth * reach);
  const slide = gains((20 * mass * earth) / reach);
  const joints = Object.entries(description.joints ?? {}).map(([name, joint]) => {
    return [name, canServo(joint) ? withJointServos(joint, hinge, slide) : joint] as const;
  });
  const { stateInputs, ...rest } = description;
  return { ...rest, joints: Object.fromEntries(joints) };
}

/** Whether there is a motor that could be a servo. */
export function hasMotors({ joints = {} }: MechanismDescription): boolean {
  return Object.values(joints).some((joint) => canServo(joint) && actuatedAxes(joint).includes(true));
}

/** A base that floats has no servo, nor a ball joint, whose coordinates are no angles. */
function canServo(joint: JointDescription): boolean {
  return isSerial(joint.kind) || jointFreedom(joint).freeAxes.filter(({ motion }) => motion === "rotation").length <= 1;
}

function actuatedAxes(joint: JointDescription): readonly boolean[] {
  return perAxis<boolean>(joint.actuated, jointFreedom(joint).freeAxes.length, false);
}

function withJointServos(joint: JointDescription, hinge: Servo, slide: Servo): JointDescription {
  const { freeAxes } = jointFreedom(joint);
  const present = eachAxis<Servo>(joint.servo, freeAxes.length);
  const servo = actuatedAxes(joint).map((actuated, axis) => {
    if (!actuated) return present[axis];
    return freeAxes[axis].motion === "translation" ? slide : hinge;
  });
  return { ...joint, actuated: false, servo };
}

function gains(stiffness: number): Servo {
  return { stiffness, damping: settling * stiffness };
}

function sizeOf(description: MechanismDescription, state: string | undefined): { mass: number; reach: number } {
  const mechanism = compile(description);
  const { states = {} } = description;
  const pose = maximalState(mechanism, states[state ?? namesOf(description, "states")[0]]);
  return { mass: mechanism.bodies.reduce((sum, body) => sum + body.mass, 0), reach: reachOf(pose) };
}

/** How large a robot is: the farthest body from the middle, and no less than 0.1 m. */
export function reachOf(state: Float64Array): number {
  const count = state.length / bodyStateSize;
  const middle = [0, 1, 2].map((axis) => {
    let sum = 0;
    for (let body = 0; body < count; body++) sum += state[bodyAt(body) + axis] / count;
    return sum;
  });
  let reach = 0.1;
  for (let body = 0; body < count; body++) {
    reach = Math.max(reach, Math.hypot(...middle.map((entry, axis) => state[bodyAt(body) + axis] - entry)));
  }
  return reach;
}
