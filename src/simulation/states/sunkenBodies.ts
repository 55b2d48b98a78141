import { bodyStateSize, quaternion, vector } from "../../math/index.ts";
import { halfSpaceContacts, type Mechanism, type Vector3, worldIndex } from "../../mechanism/index.ts";
import { type MechanismSubject, mechanismOf } from "./currentMechanism.ts";

export interface SunkenBody {
  readonly body: string;
  /** Depth of the centre of mass below the highest floor that is above it, m. */
  readonly depth: number;
}

/** Metres below a floor that do not count: a flat body may lie on its contacts with its centre at the floor's height. */
const shallow = 1e-3;

/** Bodies whose centre of mass is below every floor of a simulation, or of a mechanism as compiled, the deepest first. */
export function sunkenBodies(subject: MechanismSubject, state: Float64Array): SunkenBody[] {
  const mechanism = mechanismOf(subject);
  const { bodies, gravity } = mechanism;
  const isFloor = (normal: Vector3): boolean => vector.norm(gravity) === 0 || vector.dot(normal, gravity) < 0;
  const floors = planesOf(mechanism).filter(({ normal }) => isFloor(normal));
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

/** Half-spaces of the world that anything may touch: those of contacts by hand, and shapes. */
function planesOf(mechanism: Mechanism): { readonly normal: Vector3; readonly offset: number }[] {
  const byHand = halfSpaceContacts(mechanism).filter(({ other }) => other === worldIndex);
  const shapes = (mechanism.touch?.shapes ?? []).filter(
    ({ body, form }) => body === worldIndex && form.kind === "halfSpace",
  );
  return [
    ...byHand,
    ...shapes.map(({ position, orientation }) => {
      const normal = quaternion.rotate(orientation, vector.unitZ);
      return { normal, offset: vector.dot(normal, position) };
    }),
  ];
}
