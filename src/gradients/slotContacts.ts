/**
 * Contacts that are bound at run time as parameters by name know them: contacts like all others, of the step that they were bound in. Their
 * names, "contacts.touch3.frictionCoefficient", are no one's to keep: patterns mean all of them.
 */
import { contactNames } from "../equations/index.ts";
import type { System } from "../kernels/index.ts";
import type { Mechanism, MechanismContact } from "../mechanism/index.ts";

/** What parameters by name are looked up in. */
export interface NamedSystem extends Pick<System, "f64" | "parameters"> {
  /** What surfaces have given the features of a step (TouchSteps.combined). */
  readonly combined?: Int32Array | undefined;
  readonly mechanism: Omit<Mechanism, "contacts"> & {
    readonly contacts: readonly Pick<MechanismContact, "name" | "feature" | "model" | "body" | "other">[];
  };
}

/** The system with the slots that `bonds` says; those that are bound now where they are left out. */
export function withSlots(system: System, bonds = system.touch?.bonds): NamedSystem {
  const { touch, mechanism } = system;
  if (!touch || !bonds || bonds.length === 0) return system;
  const prefix = slotPrefix(mechanism);
  const parameters = new Map(system.parameters);
  const contacts: NamedSystem["mechanism"]["contacts"][number][] = [...mechanism.contacts];
  for (let k = 0; k < bonds.length; k += 3) {
    const [slot, other, body] = bonds.subarray(k, k + 3);
    const { pool, parameters: start } = touch.slot(slot);
    const name = `${prefix}${slot}`;
    contactNames(pool).forEach((entry, i) => {
      parameters.set(`contacts.${name}.${entry}`, start + i);
    });
    const sides = pool.coreOnWorld ? { body: other, other: body } : { body, other };
    contacts.push({ name, feature: pool.feature, model: pool.model, ...sides });
  }
  return { f64: system.f64, parameters, mechanism: { ...mechanism, contacts } };
}

/** What the names of slots' contacts begin with: no contact of the mechanism's own does. */
function slotPrefix({ contacts }: Mechanism): string {
  let prefix = "touch";
  while (contacts.some(({ name }) => name.startsWith(prefix))) prefix += "_";
  return prefix;
}
