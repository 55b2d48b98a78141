import { expect, test } from "vitest";
import { maximalState } from "../coordinates/index.ts";
import { models } from "../models/index.ts";
import { compile } from "./compileMechanism.ts";
import { Simulation } from "./simulation.ts";

test("the reports of a rollout are those of its steps, without their states", () => {
  const simulation = new Simulation(compile(models.pendulum()));
  const start = maximalState(simulation.mechanism);
  const { reports } = simulation.rollout(start, { steps: 3 });
  const fields = Object.keys(simulation.stepper.report).sort();
  for (const report of reports) expect(Object.keys(report).sort()).toEqual(fields);
  expect(reports[2]).toEqual(simulation.stepper.report);
});
