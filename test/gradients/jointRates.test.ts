import { expect, test } from "vitest";
import { compile, jointRates, maximalState, models } from "../../src/index.ts";

test("rates are those over the time step where no interval is given", () => {
  const mechanism = compile(models.pendulum());
  const state = maximalState(mechanism, { hinge: { position: [0.4], velocity: [1.5] } });
  expect(jointRates(mechanism, state)[0]).toBeCloseTo(1.5, 12);
});
