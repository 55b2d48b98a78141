/** Parameters of a description that no field says (`parameters`), and that files have no place for. */
import { quaternion, vector } from "../math/index.ts";
import { compile, type Mechanism, type MechanismDescription, type MechanismJoint } from "../mechanism/index.ts";

/** Differences below this one are rounding. */
const rounding = 1e-9;

/** Their paths, without those whose fields say the same but for rounding. */
export function lostParameters(description: MechanismDescription): string[] {
  const { parameters } = description;
  if (!parameters) return [];
  const mechanism = compile(description);
  return Object.keys(parameters).filter((path) => !isWritten(mechanism, parameters, path));
}

function isWritten(mechanism: Mechanism, parameters: Readonly<Record<string, number>>, path: string): boolean {
  // only the matrix of the solver sees it
  if (path.includes(".regularization")) return true;
  const read = (name: string, written: number): number => parameters[name] ?? written;
  const joint = mechanism.joints.find(({ name }) => path.startsWith(`joints.${name}.`));
  if (joint) return isJointWritten(joint, path.slice(`joints.${joint.name}.`.length), read);
  const contact = mechanism.contacts.find(({ name }) => path.startsWith(`contacts.${name}.`));
  if (contact?.feature !== "pointPlane") return false;
  const own = `contacts.${contact.name}.`;
  // the cone is round
  if (path.startsWith(`${own}tangent.`)) return contact.model !== "linear";
  return path.startsWith(`${own}normal.`) && isSameVector(contact.normal, `${own}normal`, read);
}

type Read = (path: string, written: number) => number;

function isJointWritten({ name, frames, shape, tiltLimit }: MechanismJoint, rest: string, read: Read): boolean {
  const own = `joints.${name}`;
  const [what] = rest.split(".");
  if (what === "tiltCosine") {
    const written = Math.cos((tiltLimit ?? 0) / 2);
    return Math.abs(read(`${own}.tiltCosine`, written) - written) < rounding;
  }
  if (what === "skew") return Math.abs(read(`${own}.skew`, frames.skew) - frames.skew) < rounding;
  if (what !== "parentFrame" && what !== "childFrame") return false;
  const [parent, child] = (["parentFrame", "childFrame"] as const).map((frame) => {
    const [w, x, y, z] = frames[frame];
    const entries = Object.entries({ w, x, y, z }).map(([entry, value]) => read(`${own}.${frame}.${entry}`, value));
    const [a, b, c, d] = entries;
    return quaternion.multiply(quaternion.conjugate(frames[frame]), quaternion.normalize([a, b, c, d]));
  });
  // both may be turned alike about the axis of a joint
  const isTurn = !shape.serial && shape.rotation === 2 && Math.hypot(parent[1], parent[2]) < rounding;
  const isStill = vector.norm([parent[1], parent[2], parent[3]]) < rounding;
  return (isTurn || isStill) && vector.norm(difference(parent, child)) < rounding;
}

/** Of two turns, as a vector that is zero where they are the same. */
function difference(a: quaternion.Quaternion, b: quaternion.Quaternion): vector.Vector3 {
  const [, x, y, z] = quaternion.multiply(quaternion.conjugate(a), b);
  return [x, y, z];
}

function isSameVector(written: vector.Vector3, path: string, read: Read): boolean {
  const [x, y, z] = ["x", "y", "z"].map((entry, i) => read(`${path}.${entry}`, written[i]));
  return vector.norm(vector.sub(vector.normalize([x, y, z]), written)) < rounding;
}
