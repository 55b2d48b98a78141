/** Sums of impulses where another system takes over within a step. */
import { expect, test } from "vitest";
import { chooseTarget } from "../../codegen/index.ts";
import { compile, floating, type MechanismTouch, sphere } from "../../mechanism/index.ts";
import { SlotSystem } from "../touch/slotSystem.ts";
import { PairSurfaces } from "../touch/surfaces.ts";

test("what joints and contacts by hand have given so far goes on in a system with other slots", () => {
  const mechanism = compile({
    timestep: 0.01,
    bodies: { ball: sphere({ radius: 0.1, mass: 1, contact: true }) },
    joints: { base: floating({ parent: "world", child: "ball" }) },
    contacts: [{ name: "foot", body: "ball", point: [0, 0, -0.1], frictionCoefficient: 0.5 }],
    shapes: [{ kind: "halfSpace", contact: true }],
  });
  const surfaces = new PairSurfaces(mechanism.touch as MechanismTouch);
  const pool = { feature: "pointPlane", otherMoves: false } as const;
  const few = [{ ...pool, model: "cone", count: 2 }] as const;
  const many = [{ ...pool, model: "impact", count: 3 }, ...few] as const;
  const [small, large] = [few, many].map((pools) => new SlotSystem(mechanism, pools, surfaces, chooseTarget()));
  const foot = ({ system }: SlotSystem): number => {
    const node = system.nodes.find(({ kind }) => kind === "contact");
    if (!node) throw new Error("no contact");
    return system.places.coneB + node.cone;
  };
  // a half of the step in one system, a half in the other
  small.system.f64[foot(small)] = 2;
  for (const { cone } of small.nodes) small.system.f64[small.system.places.coneB + cone] = 7;
  small.impulses.add();
  large.impulses.goOnFrom(small.impulses);
  large.system.f64[foot(large)] = 3;
  for (const { cone } of large.nodes) large.system.f64[large.system.places.coneB + cone] = 0;
  large.impulses.add();
  large.impulses.restore();
  expect(large.system.f64[foot(large)]).toBe(5);
  for (const { cone } of large.nodes) expect(large.system.f64[large.system.places.coneB + cone]).toBe(0);
});
