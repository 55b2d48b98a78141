/** Contacts as features of two bodies, whatever their kind: their numbers in a row, and mechanisms with more of them. */
import { type ContactFeature, featureAt } from "../geometry/index.ts";
import type { Vector3 } from "../math/index.ts";
import type { Mechanism, MechanismContact } from "./mechanism.ts";

/** Numbers of a contact's feature, in the order of `featureFields`. */
export function featureValues(contact: MechanismContact): readonly number[] {
  if (contact.feature !== "pointPlane") return contact.values;
  return [...contact.point, contact.radius, ...contact.normal, contact.offset, ...contact.tangent];
}

/** The same contact with other numbers. */
export function withFeatureValues(contact: MechanismContact, values: readonly number[]): MechanismContact {
  const triple = (start: number): Vector3 => [values[start], values[start + 1], values[start + 2]];
  // a point, or a centre, comes first
  const place = { point: triple(0), radius: values[featureAt[contact.feature].radius] };
  if (contact.feature !== "pointPlane") return { ...contact, ...place, values };
  const at = featureAt.pointPlane;
  return {
    ...contact,
    ...place,
    normal: triple(at.normal),
    offset: values[at.offset],
    tangent: triple(at.tangent),
  };
}

/** A contact of two bodies by their numbers, `worldIndex` for the world. */
export interface FeatureContactOptions {
  readonly name: string;
  /** Carries the first half of the feature. */
  readonly body: number;
  readonly other: number;
  readonly feature: ContactFeature;
  readonly values: readonly number[];
  readonly frictionCoefficient: number;
  readonly restitution?: number | null;
  /** Null or 0: none. */
  readonly torsionalFriction?: number | null;
  readonly rollingFriction?: number | null;
}

/** The mechanism with further contacts after its own. Its description does not know of them. */
export function withContacts(mechanism: Mechanism, more: readonly FeatureContactOptions[]): Mechanism {
  const first = mechanism.contacts.length;
  return { ...mechanism, contacts: [...mechanism.contacts, ...more.map((one, i) => featureContact(one, first + i))] };
}

function featureContact(options: FeatureContactOptions, index: number): MechanismContact {
  const { name, body, other, feature, values, frictionCoefficient, restitution = null } = options;
  const isRough = frictionCoefficient > 0;
  const base = {
    ...{ name, index, body, other, frictionCoefficient, restitution },
    torsionalFriction: (isRough && options.torsionalFriction) || null,
    rollingFriction: (isRough && options.rollingFriction) || null,
    // the friction cone of a zero coefficient has no interior
    model: isRough ? ("cone" as const) : ("impact" as const),
    ...{ point: [0, 0, 0] as const, radius: 0 },
  };
  const blank: MechanismContact =
    feature === "pointPlane"
      ? { ...base, feature, normal: [0, 0, 1], offset: 0, tangent: [1, 0, 0] }
      : { ...base, feature, values };
  return withFeatureValues(blank, values);
}
