/** Contacts that joints keep where they touch: the command line leaves them out. */
import { expect, test } from "vitest";
import { compile, importMjcf, maximalState, models, Simulation } from "../index.ts";
import { withoutHeldContacts } from "./heldContacts.ts";

/** A cart on a rail whose box just reaches the floor, and a pole on it that may fall onto the floor. */
const cart = (height: number): string => `<mujoco><worldbody>
  <geom type="plane" size="5 5 .1"/>
  <body name="cart" pos="0 0 ${height}"><joint name="rail" type="slide" axis="1 0 0"/><geom type="box" size=".2 .1 .1" mass="1"/>
    <body name="pole" pos="0 0 .1"><joint name="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 .5" size=".03" mass="1"/></body>
  </body></worldbody></mujoco>`;

test("the cart rolls without the corners that its rail keeps on the floor; the pole keeps its contacts", () => {
  const { description } = importMjcf(cart(0.1));
  const start = { rail: { velocity: [1] }, hinge: { position: [0.1] } };
  const wanted = compile(description);
  const { description: left, notes } = withoutHeldContacts(description, () => start);
  expect(notes).toEqual([expect.stringMatching(/^left out contacts\.cart\S+ and 3 more: joints keep them/)]);
  expect(left.contacts).toHaveLength(wanted.contacts.length - 4);
  const mechanism = compile(left);
  expect(mechanism.contacts.filter(({ body }) => mechanism.bodies[body].name === "pole").length).toBeGreaterThan(0);
  const { solved } = new Simulation(mechanism).rollout(maximalState(mechanism, start), { steps: 100 });
  expect(solved).toBe(true);
  expect(() => new Simulation(wanted).rollout(maximalState(wanted, start), { steps: 1 })).toThrow("held-contact");
});

test("contacts that are kept off the floor, and those of what floats, stay", () => {
  for (const description of [importMjcf(cart(0.15)).description, models.a1()]) {
    const kept = withoutHeldContacts(description, ({ description: { states } }) => states?.rest ?? {});
    expect(kept).toEqual({ description, notes: [] });
  }
});
