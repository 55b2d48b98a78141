import { expect, test } from "vitest";
import { maximalState } from "../../coordinates/index.ts";
import { ellipsoid, floating, sphere } from "../../mechanism/index.ts";
import { Simulation } from "../simulation.ts";
import { compile } from "../states/compileMechanism.ts";

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
