/**
 * Contacts that joints keep where they touch, of a cart on rails whose wheels just reach the floor, are left out: they can neither open nor
 * press, so that no step is solved with them, and without them the motion is the same.
 */
import {
  checkState,
  compile,
  type JointState,
  type Mechanism,
  type MechanismDescription,
  maximalState,
} from "../index.ts";

export interface WithoutHeld {
  readonly description: MechanismDescription;
  readonly notes: readonly string[];
}

const prefix = "contacts.";

/** `jointsOf`: where the run starts. */
export function withoutHeldContacts(
  description: MechanismDescription,
  jointsOf: (mechanism: Mechanism) => Readonly<Record<string, JointState>>,
): WithoutHeld {
  const { contacts = [], joints = {} } = description;
  // what floats is kept nowhere, and need not be compiled for that
  const isTied = Object.values(joints).some(
    ({ parent, child, kind }) => kind !== "floating" && (parent === "world" || child === "world"),
  );
  if (!isTied || contacts.length === 0) return { description, notes: [] };
  const mechanism = compile(description);
  const held = new Set(
    checkState(mechanism, maximalState(mechanism, jointsOf(mechanism))).flatMap(({ code, path }) =>
      code === "held-contact" && path.startsWith(prefix) ? [path.slice(prefix.length)] : [],
    ),
  );
  if (held.size === 0) return { description, notes: [] };
  const left = contacts.filter((_, i) => !held.has(mechanism.contacts[i].name));
  const [first] = held;
  const note =
    held.size === 1
      ? `left out ${prefix}${first}: joints keep it where it touches, so that it can neither open nor press`
      : `left out ${prefix}${first} and ${held.size - 1} more: joints keep them where they touch, so that they can neither open nor press`;
  return { description: { ...description, contacts: left }, notes: [note] };
}
