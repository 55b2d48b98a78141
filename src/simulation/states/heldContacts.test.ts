import { expect, test } from "vitest";
import { maximalState } from "../../coordinates/index.ts";
import {
  box,
  boxCorners,
  floating,
  frictionContact,
  type JointDescription,
  type Mechanism,
  type MechanismDescription,
  planar,
  prismatic,
  revolute,
} from "../../mechanism/index.ts";
import { Simulation } from "../simulation.ts";
import { checkState } from "./checkState.ts";
import { compile } from "./compileMechanism.ts";
import { heldContactsNote } from "./heldContacts.ts";

const size = [0.2, 0.2, 0.2] as const;

/** A crate on joints, the last one its own, which touches a floor with its lower corners or with its shape. */
function crateDescription(
  joints: Readonly<Record<string, JointDescription>>,
  touches: boolean,
  more: Partial<MechanismDescription> = {},
): MechanismDescription {
  const crate = box({ size, mass: 1, ...(touches && { contact: true }) });
  const corners = boxCorners(crate).filter(([, , z]) => z < 0);
  return {
    timestep: 0.01,
    ...more,
    bodies: { crate, ...more.bodies },
    joints,
    ...(touches
      ? { shapes: [{ kind: "halfSpace", name: "floor", contact: true }] }
      : { contacts: corners.map((point) => frictionContact({ body: "crate", point, frictionCoefficient: 0.5 })) }),
  };
}

const crateOn = (base: JointDescription, touches: boolean): Mechanism => compile(crateDescription({ base }, touches));

const ends = { parent: "world", child: "crate" } as const;
const rail = (height: number) => prismatic({ ...ends, axis: [1, 0, 0], parentAnchor: [0, 0, height], damping: 0 });

/** What is held: contacts, or pairs of shapes. */
const heldCount = ({ heldContacts, touch }: Mechanism): number => heldContacts.length + (touch?.held.length ?? 0);

test.each([
  { touches: false, note: "left out contacts.contact0 and 3 more: joints keep them where they touch, or inside" },
  {
    touches: true,
    note: "left out bodies.crate.shapes.shape0 on shapes.floor: joints keep it where it touches, or inside",
  },
])("a crate that a rail keeps on the floor slides as if it were not there: no step was solved before", (kind) => {
  // the last is 3 cm in the floor, as the shoulders of arms are whose base stands in it
  for (const height of [0.1, 0.1 - 1e-9, 0.1 + 1e-9, 0.07]) {
    const mechanism = crateOn(rail(height), kind.touches);
    expect(heldContactsNote(mechanism)).toContain(kind.note);
    const start = maximalState(mechanism, { base: { velocity: [1] } });
    expect(checkState(mechanism, start)).toEqual([]);
    const { final, solved } = new Simulation(mechanism).rollout(start, { steps: 20 });
    expect(solved).toBe(true);
    expect(final[0]).toBeCloseTo(0.2, 9);
  }
});

test.each([false, true])("what a rail keeps off the floor, and what joints leave free, is not held", (touches) => {
  const anchors = { parentAnchor: [0, 0, 0.1] } as const;
  const free: readonly (readonly [JointDescription, readonly number[]])[] = [
    [rail(0.1 + 1e-5), [0]],
    [prismatic({ ...ends, axis: [0.6, 0, 0.8], ...anchors }), [0]],
    [revolute({ ...ends, axis: [0, 1, 0], parentAnchor: [-1, 0, 0.1], childAnchor: [-1, 0, 0] }), [0]],
    [planar({ ...ends, axis: [0, 1, 0], ...anchors }), [0, 0]],
    [floating(ends), [0, 0, 0.1, 0, 0, 0]],
  ];
  for (const [base, position] of free) {
    const mechanism = crateOn(base, touches);
    expect(heldCount(mechanism)).toBe(0);
    expect(heldContactsNote(mechanism)).toBeUndefined();
    const start = maximalState(mechanism, { base: { position } });
    expect(checkState(mechanism, start)).toEqual([]);
    expect(new Simulation(mechanism).rollout(start, { steps: 3 }).solved).toBe(true);
  }
});

test.each([false, true])("loops and gears hold what their tree leaves free", (touches) => {
  const cart = box({ size, mass: 1 });
  const lift = prismatic({ parent: "world", child: "cart", axis: [0, 0, 1], parentAnchor: [1, 0, 0.5] });
  const down = prismatic({ parent: "cart", child: "crate", axis: [0, 0, 1], parentAnchor: [-1, 0, -0.4] });
  // a crate on a planar joint, which a second one, across, keeps at its height; and one that sinks as far as its cart rises
  const planes = {
    first: planar({ ...ends, axis: [0, 1, 0], parentAnchor: [0, 0, 0.1] }),
    second: planar({ ...ends, axis: [0, 0, 1], parentAnchor: [0, 0, 0.1] }),
  };
  const terms = [
    { joint: "lift", ratio: 1 },
    { joint: "down", ratio: 1 },
  ];
  const looped = compile(crateDescription(planes, touches));
  const geared = compile(
    crateDescription({ lift, down }, touches, { bodies: { cart }, gears: { pulley: { terms } } } as never),
  );
  const open = compile(crateDescription({ lift, down }, touches, { bodies: { cart } } as never));
  const count = touches ? 1 : 4;
  expect([looped, geared, open].map(heldCount)).toEqual([count, count, 0]);
  for (const mechanism of [looped, geared]) {
    expect(new Simulation(mechanism).rollout(maximalState(mechanism), { steps: 5 }).solved).toBe(true);
  }
});

test("parameters of a contact that is held are refused, and those that would free it", () => {
  const simulation = new Simulation(crateOn(rail(0.1), false));
  const wanted = /contacts\.contact2\.frictionCoefficient: has no effect: joints keep contact "contact2"/;
  expect(() => simulation.setParameter("contacts.contact2.frictionCoefficient", 0.3)).toThrow(wanted);
  expect(() => simulation.setParameter("joints.base.parentAnchor.z", 0.2)).toThrow(/moves what joints kept/);
  expect(simulation.parameter("joints.base.parentAnchor.z")).toBe(0.1);
  simulation.setParameters({ "joints.base.parentAnchor.x": 0.2, "contacts.*.frictionCoefficient": 0.3 });
});

test("a parameter that brings a contact where joints keep it is told of by the check of the start", () => {
  const mechanism = crateOn(rail(0.2), false);
  const simulation = new Simulation(mechanism);
  simulation.setParameter("joints.base.parentAnchor.z", 0.1);
  const message = expect.stringContaining("joints keep it there");
  const start = maximalState(simulation.currentMechanism);
  expect(checkState(simulation, start)).toContainEqual({ code: "held-contact", path: "contacts.contact0", message });
});

test("a cart on a rail slides over the edge of a table that its shape lies on, and still meets a wall: no step was solved", () => {
  const flat = { kind: "box", contact: true } as const;
  const table = { ...flat, name: "table", size: [1, 1, 0.2], position: [0, 0, 0.4] } as const;
  const wall = { ...flat, name: "wall", size: [0.1, 1, 1], position: [1, 0, 0.6] } as const;
  const base = prismatic({ ...ends, axis: [1, 0, 0], parentAnchor: [0, 0, 0.6] });
  const mechanism = compile({
    ...crateDescription({ base }, true),
    shapes: [table, wall],
  });
  expect(heldContactsNote(mechanism)).toContain("left out bodies.crate.shapes.shape0 on shapes.table: ");
  const simulation = new Simulation(mechanism);
  const { final, solved } = simulation.rollout(maximalState(mechanism, { base: { velocity: [1] } }), { steps: 120 });
  expect(solved).toBe(true);
  expect(final[0]).toBeGreaterThan(0.8);
  expect(final[0]).toBeLessThan(0.85 + 1e-6);
  expect(() => simulation.setParameter("joints.base.parentAnchor.z", 0.55)).toThrow(/moves what joints kept/);
});
