/** Which bodies hang together. */
import type { NodePlace } from "../../kernels/index.ts";
import { type Mechanism, worldIndex } from "../../mechanism/index.ts";

/** What each body is held together with by joints, by the number of one of these bodies. */
export function wholesOf({ bodies, joints }: Mechanism): Int32Array {
  const holding = joints.filter(({ parent, shape }) => parent !== worldIndex && shape.translation + shape.rotation > 0);
  return joined(
    bodies.length,
    holding.map(({ parent, child }) => [child, parent]),
  );
}

/** Bodies on which nothing acts but what their shapes touch: their joints leave them free, and they have no contacts by hand. */
export function looseBodies({ bodies, joints, contacts, gears }: Mechanism): boolean[] {
  const loose = bodies.map(() => gears.length === 0);
  for (const { parent, child, shape, coordinates, tiltLimit } of joints) {
    const isFree = parent === worldIndex && shape.translation + shape.rotation === 0 && tiltLimit === null;
    const hasCones = coordinates.some(({ lower, upper, friction, passive, servo, effortLimit }) => {
      return lower !== null || upper !== null || friction !== 0 || passive || servo !== null || effortLimit !== null;
    });
    if (isFree && !hasCones) continue;
    for (const body of [parent, child]) if (body !== worldIndex) loose[body] = false;
  }
  for (const { body, other } of contacts) for (const met of [body, other]) if (met !== worldIndex) loose[met] = false;
  return loose;
}

/** What each body is connected to by joints and contacts, by the number of one of these bodies; slots that are bound included. */
export function componentsOf(mechanism: Mechanism, bound: readonly NodePlace[] = []): Int32Array {
  const { joints, contacts, bodies } = mechanism;
  const pairs: (readonly [number, number])[] = [];
  for (const { parent, child } of joints) pairs.push([child, parent]);
  // what stands on a body loads that body's own contacts
  for (const { body, other } of contacts) pairs.push([body, other]);
  for (const { bodies: tied } of bound) pairs.push([tied[1], tied[0]]);
  return joined(
    bodies.length,
    pairs.filter(([, other]) => other !== worldIndex),
  );
}

/** What hangs together where these pairs do, by the number of one of them. */
function joined(count: number, pairs: readonly (readonly [number, number])[]): Int32Array {
  const root = Int32Array.from({ length: count }, (_, i) => i);
  const find = (i: number): number => {
    let r = i;
    while (root[r] !== r) {
      root[r] = root[root[r]];
      r = root[r];
    }
    return r;
  };
  for (const [one, other] of pairs) root[find(one)] = find(other);
  return root.map((_, i) => find(i));
}
