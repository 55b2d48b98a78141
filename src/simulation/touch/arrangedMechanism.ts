/** A mechanism in which slots for features are contacts like all others: what steps and gradients of shapes that touch are taken on. */
import { type Mechanism, withContacts } from "../../mechanism/index.ts";
import { awayValues } from "./awayValues.ts";
import type { SlotGroup } from "./slotGroups.ts";

/** What the names of slots' contacts begin with: no contact of the mechanism's own does. */
export function slotPrefix({ contacts }: Mechanism): string {
  let prefix = "touch";
  while (contacts.some(({ name }) => name.startsWith(prefix))) prefix += "_";
  return prefix;
}

/** The slots stand after the mechanism's own contacts, group by group. `bounces`: whether shapes of two bodies may. */
export function arrangedMechanism(
  mechanism: Mechanism,
  groups: readonly SlotGroup[],
  bounces: (body: number, other: number) => boolean,
): Mechanism {
  const prefix = slotPrefix(mechanism);
  const slots = groups.flatMap((group) => new Array<SlotGroup>(group.count).fill(group));
  return withContacts(
    mechanism,
    slots.map(({ feature, model, torsional, rolling, body, other }, slot) => ({
      ...{ name: `${prefix}${slot}`, body, other, feature, values: awayValues(feature) },
      frictionCoefficient: model === "impact" ? 0 : 1,
      restitution: bounces(body, other) ? 0 : null,
      // any number: what surfaces have is written before every step
      torsionalFriction: torsional ? 1 : null,
      rollingFriction: rolling ? 1 : null,
    })),
  );
}
