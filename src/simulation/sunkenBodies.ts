/**
 * Bodies that have gone through the floor. A contact keeps one sphere or point out of one half-space, and nothing else is kept out of
 * it: where only the feet of a robot have contacts, the rest of it falls through the floor, and every step is solved. A floor is a
 * half-space that is fixed in the world, that some contact has, and that holds something up: its normal points against gravity.
 */
import type { System } from "../kernels/index.ts";
import { vector } from "../math/index.ts";
import { bodyStateSize, type Mechanism, type Vector3, worldIndex } from "../mechanism/index.ts";
import { currentMechanism } from "./currentMechanism.ts";

export interface SunkenBody {
  readonly body: string;
  /** Of the centre of mass below the highest floor that is above it, m. */
  readonly depth: number;
}

/** Metres below a floor that do not count: a flat body may lie on its contacts with its centre at the floor's height. */
const shallow = 1e-3;

/** Bodies whose centre of mass is below every floor of a simulation, or of a mechanism as compiled, the deepest first. */
export function sunkenBodies(subject: { readonly system: System } | Mechanism, state: Float64Array): SunkenBody[] {
  const mechanism = "system" in subject ? currentMechanism(subject.system) : subject;
  const { bodies, contacts, gravity } = mechanism;
  const isFloor = (normal: Vector3): boolean => vector.norm(gravity) === 0 || vector.dot(normal, gravity) < 0;
  const floors = contacts.filter(({ other, normal }) => other === worldIndex && isFloor(normal));
  if (floors.length === 0) return [];
  const sunken = bodies.map(({ name, index }) => {
    const at = bodyStateSize * index;
    const center: Vector3 = [state[at], state[at + 1], state[at + 2]];
    // above one floor is enough: floors of stairs lie in steps
    const height = Math.max(...floors.map(({ normal, offset }) => vector.dot(normal, center) - offset));
    return { body: name, depth: -height };
  });
  return sunken.filter(({ depth }) => depth > shallow).sort((a, b) => b.depth - a.depth);
}
