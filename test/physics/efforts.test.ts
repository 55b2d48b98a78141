/** Motors and servos within their efforts, which need not be the same both ways. */
import { describe, expect, test } from "vitest";
import { box, compile, type JointDescription, maximalState, prismatic, Simulation } from "../../src/index.ts";

const h = 0.01;
const mass = 2;

/** Force on a mass on a level rail in its first step, from its velocity. */
function force(drive: Partial<JointDescription>, input: number): number {
  const mechanism = compile({
    timestep: h,
    bodies: { weight: box({ size: [0.1, 0.1, 0.1], mass }) },
    joints: { rail: prismatic({ parent: "world", child: "weight", axis: [1, 0, 0], ...drive }) },
  });
  const { status, next } = new Simulation(mechanism).step(maximalState(mechanism), Float64Array.of(input));
  expect(status).toBe("solved");
  return (mass * next[7]) / h;
}

describe("efforts", () => {
  const servo = { stiffness: 100, damping: 1 };
  test.each([
    ["a motor, the same both ways", { actuated: true, effortLimit: 2 }, [-2, 2]],
    ["a motor, more forwards", { actuated: true, effortLimit: 2, effortCenter: 1 }, [-1, 3]],
    ["a motor that only pushes", { actuated: true, effortLimit: 2, effortCenter: 2 }, [0, 4]],
    ["a servo, the same both ways", { servo, effortLimit: 2 }, [-2, 2]],
    ["a servo, more forwards", { servo, effortLimit: 2, effortCenter: 1 }, [-1, 3]],
    ["a servo that only pulls", { servo, effortLimit: 2, effortCenter: -2.5 }, [-4.5, -0.5]],
  ] as const)("of %s", (_, drive, [least, most]) => {
    expect(force(drive, -5)).toBeCloseTo(least, 6);
    expect(force(drive, 5)).toBeCloseTo(most, 6);
    if ("actuated" in drive) expect(force(drive, (least + most) / 2 + 0.3)).toBeCloseTo((least + most) / 2 + 0.3, 9);
  });

  test("a center without a limit is a fault", () => {
    expect(() => force({ actuated: true, effortCenter: 1 }, 0)).toThrow(/effortLimit: effortCenter needs it/);
  });
});
