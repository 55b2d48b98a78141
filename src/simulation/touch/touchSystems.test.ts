import { expect, test } from "vitest";
import { maximalState } from "../../coordinates/index.ts";
import { cylinder, ellipsoid, floating, sphere } from "../../mechanism/index.ts";
import { Simulation } from "../simulation.ts";
import { compile } from "../states/compileMechanism.ts";
import type { SlotSystem } from "./slotSystem.ts";

test("a run that is taken up again from before a new kind of feature finds the memory of then, with the same bits", () => {
  const contact = { frictionCoefficient: 0.5 };
  const mechanism = compile({
    timestep: 0.01,
    bodies: {
      ball: sphere({ radius: 0.1, mass: 1, contact }),
      egg: ellipsoid({ radii: [0.1, 0.1, 0.15], mass: 1, contact }),
    },
    joints: {
      ball: floating({ parent: "world", child: "ball" }),
      egg: floating({ parent: "world", child: "egg" }),
    },
    shapes: [{ kind: "halfSpace", contact }],
  });
  const simulation = new Simulation(mechanism);
  const start = maximalState(mechanism, {
    ball: { position: [0, 0, 0.1, 0, 0, 0] },
    egg: { position: [1, 0, 0.4, 0, 0, 0] },
  });
  const first = simulation.step(start).next.slice();
  const { continuation, system: early } = simulation;
  const second = simulation.step(first).next.slice();
  // until the egg is near the floor
  let state = second;
  for (let k = 0; k < 60 && simulation.system === early; k++) state = simulation.step(state).next.slice();
  const late = simulation.system;
  expect(late).not.toBe(early);
  simulation.continuation = continuation;
  expect(simulation.system).toBe(early);
  expect(simulation.step(first).next).toEqual(second);
});

test("warmUp makes the system that takes over where a rim first meets something; the bits stay the same", () => {
  const mechanism = compile({
    timestep: 0.01,
    bodies: { can: cylinder({ radius: 0.1, length: 0.2, mass: 1, contact: true }) },
    joints: { can: floating({ parent: "world", child: "can" }) },
    shapes: [{ kind: "halfSpace", contact: true }],
  });
  const start = maximalState(mechanism, { can: { position: [0, 0, 0.3, 0.4, 0.2, 0] } });
  const [cold, warm] = [false, true].map((isWarm) => {
    const simulation = new Simulation(mechanism);
    const first = simulation.system;
    if (isWarm) simulation.warmUp();
    const made = madeSystems(simulation);
    let state = start;
    for (let k = 0; k < 60 && simulation.system === first; k++) state = simulation.step(state).next.slice();
    const { system } = simulation;
    const { final } = simulation.rollout(start, { steps: 60 });
    return { final, hasTakenOver: system !== first, wasMade: made.has(system) };
  });
  expect([cold.hasTakenOver, warm.hasTakenOver]).toEqual([true, true]);
  expect([cold.wasMade, warm.wasMade]).toEqual([false, true]);
  expect(warm.final).toEqual(cold.final);
});

/** Systems that have been made so far: nobody but this test asks. */
function madeSystems({ touching }: Simulation): Set<unknown> {
  const { kept } = (touching as unknown as { systems: { kept: ReadonlyMap<string, SlotSystem> } }).systems;
  return new Set([...kept.values()].map(({ system }) => system));
}
