import { expect, test } from "vitest";
import { compile, models, Simulation, startState } from "../../index.ts";
import { currentDescription } from "./currentDescription.ts";

test("the weights of springs and dampers are those of now, and steps of the description are the same to the bit", () => {
  const simulation = new Simulation(compile(models.halfCheetah()));
  simulation.setParameter("springConservation", 0.5);
  simulation.setParameter("damperCentering", 0.6);
  const description = currentDescription(simulation);
  expect(description).toMatchObject({ springConservation: 0.5, damperCentering: 0.6 });
  const again = new Simulation(compile(description));
  const start = startState(simulation.mechanism);
  const steps = (each: Simulation) => each.rollout(start, { steps: 3 }).final;
  expect(steps(again)).toEqual(steps(simulation));
});
