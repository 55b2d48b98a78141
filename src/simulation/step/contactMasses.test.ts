import { expect, it } from "vitest";
import type { NodePlace } from "../../kernels/index.ts";
import { Random } from "../../math/index.ts";
import type { Mechanism, MechanismContact, MechanismJoint } from "../../mechanism/index.ts";
import { ContactMasses } from "./contactMasses.ts";
import { contactSides } from "./contactSides.ts";

it("the lighter side of every contact is that which contacts by hand have", () => {
  const random = new Random(2);
  for (let trial = 0; trial < 100; trial++) {
    const count = 2 + random.integer(8);
    const mass = Float64Array.from({ length: count }, () => random.uniform(0.1, 10));
    const pairs = (most: number): { one: number; two: number }[] =>
      Array.from({ length: random.integer(most) }, () => ({
        one: random.integer(count + 1) - 1,
        two: random.integer(count),
      })).filter(({ one, two }) => one !== two);
    const joints = pairs(count).map(({ one, two }) => ({
      ...{ parent: one, child: two },
      shape: { translation: random.integer(2) === 0 ? 0 : 3, rotation: 0 },
    })) as unknown as MechanismJoint[];
    const contacts = pairs(2 * count).map(({ one, two }) => ({ other: one, body: two })) as MechanismContact[];
    const mechanism = { bodies: Array.from(mass), joints, contacts } as unknown as Mechanism;
    const nodes = contacts.map(
      ({ other, body }) => ({ kind: "contact", bodies: [other, body] }) as unknown as NodePlace,
    );
    const masses = new ContactMasses(mechanism);
    masses.update(nodes, mass);
    contacts.forEach((contact, i) => {
      const sides = contactSides(mechanism, contact);
      if (!sides) return;
      const weights = sides.map((side) => (side ? side.reduce((sum, body) => sum + mass[body], 0) : Infinity));
      const expected = Math.min(...weights);
      const found = masses.lighter(nodes[i]);
      if (Number.isFinite(expected)) expect(found).toBeCloseTo(expected, 10);
      else expect(found).toBe(expected);
    });
  }
});
