import { expect, test } from "vitest";
import { maximalState } from "../../coordinates/index.ts";
import { models } from "../../models/index.ts";
import { Simulation } from "../simulation.ts";
import { compile } from "../states/compileMechanism.ts";

test("the reports of a rollout are those of its steps, without their states", () => {
  const simulation = new Simulation(compile(models.pendulum()));
  const start = maximalState(simulation.mechanism);
  const { reports } = simulation.rollout(start, { steps: 3 });
  const fields = Object.keys(simulation.stepper.report).sort();
  for (const report of reports) expect(Object.keys(report).sort()).toEqual(fields);
  expect(reports[2]).toEqual(simulation.stepper.report);
});

test("a step that ends a rollout unsolved leads to no state, and one that is gone on from does", () => {
  const simulation = new Simulation(compile(models.block()), { maxIterations: 1, fallback: false });
  const start = maximalState(simulation.mechanism, {
    base: { position: [0, 0, 0.3, 0.3, 0.2, 0], velocity: [1, 0, -3, 0, 0, 2] },
  });
  const ended = simulation.rollout(start, { steps: 3, check: false });
  expect(ended.solved).toBe(false);
  expect([ended.states.length, ended.inputs.length, ended.reports.length]).toEqual([
    ended.steps,
    ended.steps,
    ended.steps,
  ]);
  expect(ended.final).toBe(ended.states[ended.steps - 1]);
  const goneOn = simulation.rollout(start, { steps: 3, check: false, continueOnFailure: true });
  expect([goneOn.states.length, goneOn.reports.length]).toEqual([4, 3]);
});

test("a step that leads to where no other can be taken ends a rollout that goes on after failures", () => {
  const simulation = new Simulation(compile(models.pendulum({ actuated: true, timestep: 0.05 })), { fallback: false });
  const start = maximalState(simulation.mechanism);
  const spun = simulation.rollout(start, { steps: 5, inputs: [1e5], continueOnFailure: true });
  expect(spun.failure).toBeDefined();
  expect(spun.steps).toBeLessThan(5);
  expect(spun.states.length).toBe(spun.steps);
  expect(spun.reports[spun.steps - 1].status).not.toBe("solved");
});

test("iterations are those that were seen, of steps that fail too; and before the first step the interval is the time step", () => {
  let seen = 0;
  const onIteration = (): void => {
    seen++;
  };
  const simulation = new Simulation(compile(models.block()), { maxIterations: 2, onIteration });
  expect(simulation.report.interval).toBe(simulation.timestep);
  const start = maximalState(simulation.mechanism, {
    base: { position: [0, 0, 0.3, 0.3, 0.2, 0], velocity: [1, 0, -3, 0, 0, 2] },
  });
  const { status, iterations } = simulation.step(start);
  expect(status).toBe("iterationLimit");
  expect(iterations).toBe(seen);
});
