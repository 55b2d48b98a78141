/** A state written in another interval has the same momentum, and the simulation that wrote it stays as it is. */
import { expect, test } from "vitest";
import { maximalState } from "../../coordinates/index.ts";
import { models } from "../../models/index.ts";
import { Simulation } from "../simulation.ts";
import { compile } from "./compileMechanism.ts";

test("momentum is kept over a change of interval, there and back", () => {
  const mechanism = compile(models.dzhanibekov());
  const simulation = new Simulation(mechanism);
  const { timestep } = mechanism;
  const [joint] = mechanism.joints;
  const state = maximalState(mechanism, { [joint.name]: { velocity: [0.1, 0, 0.2, 9, 0.3, -4] } });
  const longer = simulation.transferState(state, 3 * timestep);
  expect(simulation.timestep).toBe(timestep);
  expect(longer).not.toEqual(state);
  const [before, after] = [simulation.momentum(state), simulation.momentum(longer, 3 * timestep)];
  for (let k = 0; k < 3; k++) expect(after.angular[k]).toBeCloseTo(before.angular[k], 12);
  const back = simulation.transferState(longer, timestep, 3 * timestep);
  for (let i = 0; i < state.length; i++) expect(back[i]).toBeCloseTo(state[i], 10);
  expect(simulation.changeTimestep(state, 3 * timestep)).toEqual(longer);
  expect(simulation.timestep).toBe(3 * timestep);
  expect(() => simulation.transferState(state, 0)).toThrow("out-of-range at timestep");
  expect(() => simulation.transferState(state, 1)).toThrow("cannot be taken over");
});
