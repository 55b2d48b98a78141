import type { JointState } from "../../coordinates/index.ts";
import type { MechanismDescription } from "../../mechanism/index.ts";

/** The rest state of a model, its base moved up by some metres along coordinate `axis`: so that noise puts no foot into the floor. */
export function raised(
  { name, states }: MechanismDescription,
  base: string,
  axis: number,
  height: number,
): Readonly<Record<string, JointState>> {
  const rest = states?.rest as Readonly<Record<string, JointState>> | undefined;
  const position = rest?.[base]?.position;
  if (!rest || !position) throw new RangeError(`${name} has no rest state of its base`);
  return { ...rest, [base]: { position: position.map((value, i) => (i === axis ? value + height : value)) } };
}
