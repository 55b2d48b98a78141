/** Tasks beyond the paper solve from their own start and from disturbed ones. */
import { describe, expect, it } from "vitest";
import { feetReport, replayed } from "../../experiments/planning/gait.ts";
import { disturbedTask, type Plan, planController, planningTasks, planTrajectory } from "../../src/index.ts";

/** z of the body's own z axis, the smallest of all knots. */
const leastUpright = ({ states }: Plan): number => Math.min(...states.map((z) => 1 - 2 * (z[4] ** 2 + z[5] ** 2)));

describe("the quadrotor", () => {
  it.each([1, 2, 3])("flies through its waypoints upright, in few iterations (seed %d)", (seed) => {
    const plan = planTrajectory(disturbedTask(planningTasks.quadrotor.make(), seed));
    expect(plan.reason).toBeUndefined();
    expect(plan.iterations).toBeLessThanOrEqual(15);
    expect(leastUpright(plan)).toBeGreaterThan(0.8);
    const waypoints = [
      [20, 1, 0.5, 1.5],
      [40, 2, -0.5, 1],
      [60, 3, 0, 1],
    ];
    for (const [knot, ...place] of waypoints) {
      place.forEach((value, i) => {
        expect(Math.abs(plan.states[knot][i] - value)).toBeLessThan(1e-6);
      });
    }
    for (const thrust of plan.inputs.flatMap((input) => Array.from(input))) {
      expect(thrust).toBeGreaterThanOrEqual(0);
      expect(thrust).toBeLessThanOrEqual(13);
    }
  });
});

it.each([2, 5])(
  "the box is lifted from disturbed starts too, on which it once stayed on the floor (seed %d)",
  (seed) => {
    const plan = planTrajectory(disturbedTask(planningTasks["box-up"].make(), seed));
    expect(plan.reason).toBeUndefined();
    expect(plan.iterations).toBeLessThanOrEqual(12);
    expect(plan.cost).toBeLessThan(14.7);
  },
);

it.each([6, 18])("the hopper keeps its figures from starts on which it once missed them (seed %d)", (seed) => {
  const plan = planTrajectory(disturbedTask(planningTasks.hopper.make(), seed));
  expect(plan.reason).toBeUndefined();
  expect(plan.iterations).toBeLessThanOrEqual(25);
  expect(plan.cost).toBeLessThan(8);
});

it("A1 turns a quarter of a turn and stands still; feet that carry load do not slip, and none sinks", () => {
  const task = planningTasks["a1-turn"].make();
  const plan = planTrajectory(task);
  expect(plan.reason).toBeUndefined();
  expect(plan.iterations).toBeLessThanOrEqual(15);
  const last = plan.states[plan.inputs.length];
  // the quaternion of π/2 about z, and no velocity, to the tolerance of the constraints
  const quarter = [Math.SQRT1_2, 0, 0, Math.SQRT1_2, 0, 0, 0, 0, 0, 0];
  quarter.forEach((value, i) => {
    expect(Math.abs(last[3 + i] - value)).toBeLessThan(2e-6);
  });
  const { largestSlip, lowestFoot, highestFoot, largestTorque } = feetReport(replayed(task, plan), plan);
  expect(largestSlip).toBeLessThan(1e-4);
  expect(lowestFoot).toBeGreaterThan(0);
  expect(highestFoot).toBeGreaterThan(0.02);
  expect(largestTorque).toBeLessThan(33.5);
});

it("the cart swings its pole up with at most 10 N", () => {
  const plan = planTrajectory(disturbedTask(planningTasks.cartpole.make(), 1));
  expect(plan.reason).toBeUndefined();
  expect(Math.max(...plan.inputs.map(([force]) => Math.abs(force)))).toBeLessThanOrEqual(10);
});

it("the acrobot swings up from the start that a penalty of 1 left hanging", () => {
  const plan = planTrajectory(disturbedTask(planningTasks.acrobot.make(), 2));
  expect(plan.reason).toBeUndefined();
  // both tips are above their hinges
  const [elbow, tip] = [0, 13].map((at) => plan.states[60][at + 2]);
  expect(elbow).toBeGreaterThan(0.2);
  expect(tip).toBeGreaterThan(0.7);
});

it.each([22, 25])(
  "the arm reaches its wall from starts on which short steps or the projection once ended it (seed %d)",
  (seed) => {
    expect(planTrajectory(disturbedTask(planningTasks.wall.make(), seed)).reason).toBeUndefined();
  },
);

it("the arm leans on its wall: at least a newton in each of the last steps, within its torques", () => {
  const task = planningTasks.wall.make();
  const plan = planTrajectory(disturbedTask(task, 1));
  expect(plan.reason).toBeUndefined();
  const { simulation } = task;
  const controller = planController(plan, simulation.mechanism, false);
  const trajectory = simulation.rollout(plan.start, { steps: plan.inputs.length, controller });
  for (const { normal, distance } of trajectory.contact("tip").slice(-5)) {
    expect(distance).toBeLessThan(1.01e-4);
    expect(normal).toBeGreaterThan(1);
  }
  for (const torque of plan.inputs.flatMap((input) => Array.from(input)))
    expect(Math.abs(torque)).toBeLessThanOrEqual(8);
});
