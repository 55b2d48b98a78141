/** Names of the inputs of a valid description, in their order: joints' coordinates that are actuated, then thrusters. */
import type { JointDescription, MechanismDescription, Servo } from "./description.ts";
import { jointFreedom } from "./freedom.ts";
import { entriesOf, namesOf } from "./order.ts";
import { eachAxis, perAxis } from "./perAxis.ts";

export function inputNamesOf(description: MechanismDescription): string[] {
  const ofJoints = entriesOf(description, "joints").flatMap(([name, joint]) =>
    actuatedAxes(joint).flatMap((actuated, i) => (actuated ? [`${name}.${jointFreedom(joint).freeAxes[i].name}`] : [])),
  );
  return [...ofJoints, ...namesOf(description, "thrusters")];
}

/** Which free axes have an input: a force or torque, or a servo's target. */
export function actuatedAxes(joint: JointDescription): boolean[] {
  const count = jointFreedom(joint).freeAxes.length;
  const actuated = perAxis<boolean>(joint.actuated, count, false);
  const servos = eachAxis<Servo>(joint.servo, count);
  return actuated.map((motor, i) => motor || servos[i] !== null);
}
