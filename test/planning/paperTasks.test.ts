/** The paper's planning problems: fewer iterations, lower cost and smaller violation than its table. [trajopt_results] */
import { describe, expect, it } from "vitest";
import { feetReport, replayed } from "../../experiments/planning/gait.ts";
import { planningTasks, planTrajectory } from "../../src/index.ts";

/** Iterations are passes of gradients, the projection's included. */
const wanted = {
  "box-right": { iterations: 12, cost: 14.7, paper: "30 iterations, cost 14.5, violation 3e-3" },
  "box-up": { iterations: 12, cost: 14.7, paper: "106 iterations, cost 14.5, violation 3e-3" },
  hopper: { iterations: 25, cost: 8, paper: "96 iterations, cost 8.9, violation 1e-3" },
  quadruped: { iterations: 10, cost: 0.019, paper: "20 iterations, cost 2e-2, violation 3e-4" },
  "quadruped-cold": { iterations: 25, cost: 0.02, paper: "20 iterations, cost 2e-2, violation 3e-4" },
} as const;

describe("plans from the published starts", () => {
  for (const [name, { iterations, cost, paper }] of Object.entries(wanted)) {
    it(`${name}: at most ${iterations} iterations and cost ${cost} at a violation of 1e-6 (paper: ${paper})`, () => {
      const task = planningTasks[name].make();
      const plan = planTrajectory(task);
      expect(plan.reason).toBeUndefined();
      expect(plan.violation).toBeLessThan(1e-6);
      expect(plan.iterations).toBeLessThanOrEqual(iterations);
      expect(plan.cost).toBeLessThan(cost);
      if (!name.startsWith("quadruped")) return;
      const { largestSlip, lowestFoot } = feetReport(replayed(task, plan), plan);
      expect(largestSlip).toBeLessThan(1e-4);
      expect(lowestFoot).toBeGreaterThanOrEqual(0);
    });
  }
});
