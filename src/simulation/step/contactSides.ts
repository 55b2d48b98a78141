/**
 * The two sides of a contact or joint between moving bodies: the bodies that either carries along by other joints and contacts. A contact
 * passes on no more than what its lighter side weighs; but a side that the world holds, by a joint or a contact, weighs as much as
 * is put on it.
 */
import { type Mechanism, type MechanismContact, worldIndex } from "../../mechanism/index.ts";

/** Bodies of the sides of `body` and `other`, null where the world holds one; undefined for a contact with the world. */
export function contactSides(
  mechanism: Mechanism,
  { body, other }: Pick<MechanismContact, "body" | "other">,
): (readonly number[] | null)[] | undefined {
  if (other === worldIndex || body === worldIndex) return undefined;
  const isThisPair = (a: number, b: number): boolean => (a === body && b === other) || (a === other && b === body);
  const edges: [number, number][] = [
    ...mechanism.joints
      // a joint that constrains nothing ties nothing
      .filter(({ shape, parent, child }) => shape.translation + shape.rotation > 0 && !isThisPair(parent, child))
      .map(({ parent, child }): [number, number] => [parent, child]),
    ...mechanism.contacts
      .filter((contact) => !isThisPair(contact.body, contact.other))
      .map((contact): [number, number] => [contact.body, contact.other]),
  ];
  return [body, other].map((start) => side(start, edges));
}

function side(start: number, edges: readonly (readonly [number, number])[]): readonly number[] | null {
  const reached = new Set([start]);
  for (let grows = true; grows; ) {
    grows = false;
    for (const [a, b] of edges) {
      if (reached.has(a) === reached.has(b)) continue;
      reached.add(a).add(b);
      grows = true;
    }
  }
  return reached.has(worldIndex) ? null : [...reached];
}
