/**
 * Motors or servos: the same robot with either. Servos are made of the description's motors, with gains in proportion to what the
 * robot weighs and how far it reaches:
 *   stiffness 4 M g L of a hinge, 4 M g / L of a slide;   damping = stiffness · 0.1 s
 * (M all mass, L the farthest body from the middle, g of the Earth). A1 so has 155 N·m/rad, Atlas 6,200, and both stand.
 */
import {
  compile,
  eachAxis,
  isSerial,
  type JointDescription,
  jointFreedom,
  type MechanismDescription,
  maximalState,
  perAxis,
  type Servo,
} from "dojo-sim";
import type { Drive } from "../protocol.ts";
import { reachOf } from "./reach.ts";

const earth = 9.81;

export function withDrive(description: MechanismDescription, drive: Drive, start: string): MechanismDescription {
  if (drive === "motor" || !hasMotors(description)) return description;
  const { mass, reach } = sizeOf(description, start);
  const hinge = gains(4 * mass * earth * reach);
  const slide = gains((4 * mass * earth) / reach);
  const joints = Object.entries(description.joints ?? {}).map(([name, joint]) => {
    return [name, canServo(joint) ? withServos(joint, hinge, slide) : joint] as const;
  });
  // inputs of states are the motors', and no targets
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

function withServos(joint: JointDescription, hinge: Servo, slide: Servo): JointDescription {
  const { freeAxes } = jointFreedom(joint);
  const present = eachAxis<Servo>(joint.servo, freeAxes.length);
  const servo = actuatedAxes(joint).map((actuated, axis) => {
    if (!actuated) return present[axis];
    return freeAxes[axis].motion === "translation" ? slide : hinge;
  });
  return { ...joint, actuated: false, servo };
}

function gains(stiffness: number): Servo {
  return { stiffness, damping: 0.1 * stiffness };
}

function sizeOf(description: MechanismDescription, start: string): { mass: number; reach: number } {
  const mechanism = compile(description);
  const state = maximalState(mechanism, description.states?.[start]);
  return { mass: mechanism.bodies.reduce((sum, body) => sum + body.mass, 0), reach: reachOf(state) };
}
