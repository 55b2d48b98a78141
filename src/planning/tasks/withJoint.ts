import type { JointDescription, MechanismDescription } from "../../mechanism/index.ts";

/** A description with some options of one of its joints replaced. */
export function withJoint(
  description: MechanismDescription,
  name: string,
  options: Partial<JointDescription>,
): MechanismDescription {
  const joint = description.joints?.[name];
  if (!joint) throw new RangeError(`${description.name} has no joint "${name}"`);
  return { ...description, joints: { ...description.joints, [name]: { ...joint, ...options } } };
}
