/** Contacts that joints keep where they touch take no part in steps, gradients and runs; whoever reads them sees that they bear nothing. */
import { expect, test } from "vitest";
import { Scene } from "../../apps/playground/engine/scene.ts";
import {
  compile,
  fromJson,
  importMjcf,
  type MechanismDescription,
  maximalState,
  models,
  pullback,
  Quantities,
  Simulation,
  stepGradients,
  toJson,
  touch,
} from "../../src/index.ts";

/** A cart on a rail whose box just reaches the floor, and a pole on it that may fall onto the floor. */
const cart = (height: number): MechanismDescription =>
  importMjcf(`<mujoco><worldbody>
  <geom type="plane" size="5 5 .1"/>
  <body name="cart" pos="0 0 ${height}"><joint name="rail" type="slide" axis="1 0 0"/><geom type="box" size=".2 .1 .1" mass="1"/>
    <body name="pole" pos="0 0 .1"><joint name="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 .5" size=".03" mass="1"/></body>
  </body></worldbody>
  <actuator><motor joint="rail"/></actuator></mujoco>`).description;

const joints = { rail: { velocity: [1] }, hinge: { position: [0.1] } };

/** The same without the four corners, by hand. */
function withoutCorners(description: MechanismDescription): MechanismDescription {
  const isLow = (body: string, z: number): boolean => body === "cart" && z < 0;
  return { ...description, contacts: description.contacts?.filter(({ body, point: [, , z] }) => !isLow(body, z)) };
}

test("the cart rolls as it does without the corners that its rail keeps on the floor; the pole keeps its contacts", () => {
  const mechanism = compile(cart(0.1));
  const other = compile(withoutCorners(cart(0.1)));
  expect(mechanism.heldContacts).toHaveLength(4);
  expect(mechanism.contacts.map(({ name }) => name)).toEqual(other.contacts.map(({ name }) => name));
  const run = (one: typeof mechanism) => new Simulation(one).rollout(maximalState(one, joints), { steps: 100 });
  expect(run(mechanism).solved).toBe(true);
  expect(run(mechanism).final).toEqual(run(other).final);
});

test("held contacts are read by name: no force, and the distance at which they are held", () => {
  const simulation = new Simulation(compile(cart(0.1)));
  const { mechanism } = simulation;
  const { name } = mechanism.heldContacts[0];
  const trajectory = simulation.rollout(maximalState(mechanism, joints), { steps: 3, gradients: true });
  const nothing = { normal: 0, friction: [0, 0], force: [0, 0, 0], distance: expect.closeTo(0, 12) };
  expect(simulation.contact(name)).toEqual(nothing);
  expect(trajectory.contact(name)).toEqual([nothing, nothing, nothing]);
  // its upper corners are a long way off
  expect(touch(simulation, "cart")).toBeLessThan(1e-50);
  const q = new Quantities(mechanism);
  expect([q.contact(name).normalImpulse, ...q.contact(name).frictionImpulse]).toEqual([0, 0, 0]);
  const { inputs, state } = pullback(trajectory, [], { impulses: () => ({ [name]: [1, 1, 1] }) });
  expect([...state, ...inputs.flatMap((entry) => [...entry])].every((entry) => entry === 0)).toBe(true);
});

test("gradients are those without them, and those of their impulses are zero", () => {
  const held = new Simulation(compile(cart(0.1)));
  const free = new Simulation(compile(withoutCorners(cart(0.1))));
  const state = maximalState(held.mechanism, joints);
  const input = Float64Array.of(2);
  const contacts = [held.mechanism.heldContacts[1].name, held.mechanism.contacts[0].name];
  const own = stepGradients(held, state, input, { contacts });
  const other = stepGradients(free, state, input, { contacts: contacts.slice(1) });
  expect(own.dNext_dState).toEqual(other.dNext_dState);
  expect(own.dNext_dInput).toEqual(other.dNext_dInput);
  const size = own.dImpulse_dState.length / 2;
  expect(own.dImpulse_dState.slice(0, size).every((entry) => entry === 0)).toBe(true);
  expect(own.dImpulse_dState.slice(size)).toEqual(other.dImpulse_dState);
});

test("a run that is saved goes on to the bit, from the description as JSON", () => {
  const mechanism = compile(cart(0.1));
  const start = maximalState(mechanism, joints);
  const whole = new Simulation(mechanism).rollout(start, { steps: 60 });
  const first = new Simulation(mechanism).rollout(start, { steps: 30 });
  const again = compile(fromJson(toJson(mechanism.description)));
  const continuation = JSON.parse(JSON.stringify(first.continuation));
  expect(new Simulation(again).rollout(first.final, { steps: 30, continuation }).final).toEqual(whole.final);
});

test("the playground runs the cart and says what was left out; the floor stays to be seen", () => {
  const scene = new Scene({ source: { kind: "description", name: "cart", description: cart(0.1) } });
  expect(scene.info.notes).toContainEqual(expect.stringMatching(/^left out contacts\.cart\S+ and 3 more: joints keep/));
  expect(scene.info.contacts).toHaveLength(scene.simulation.mechanism.contacts.length + 4);
});

test("contacts that are kept off the floor, and those of what floats, stay", () => {
  for (const description of [cart(0.15), models.a1()]) {
    const mechanism = compile(description);
    expect(mechanism.heldContacts).toEqual([]);
    expect(mechanism.contacts).toHaveLength(description.contacts?.length ?? 0);
  }
});
