/** An arm with three kinds of joints, all driven, for tests of control. */
import { expect } from "vitest";
import {
  box,
  capsule,
  compile,
  cylindrical,
  type JointDescription,
  maximalState,
  revolute,
  Simulation,
  spherical,
} from "../../src/index.ts";

export const rod = capsule({ radius: 0.04, length: 0.4, mass: 1 });
export const link = { parentAnchor: [0, 0, -0.2], childAnchor: [0, 0, 0.2] } as const;

/** Shoulder ball, elbow hinge with a spring, hand that slides and turns. */
export function arm(extra: Partial<JointDescription> = {}) {
  const mechanism = compile({
    timestep: 0.01,
    bodies: { upper: rod, lower: { ...rod, mass: 0.7 }, hand: box({ size: [0.1, 0.1, 0.2], mass: 0.4 }) },
    joints: {
      shoulder: spherical({ parent: "world", child: "upper", childAnchor: [0, 0, 0.2], actuated: true, damping: 0.1 }),
      elbow: revolute({
        ...link,
        parent: "upper",
        child: "lower",
        axis: [0, 1, 0],
        stiffness: 5,
        rest: 0.3,
        actuated: true,
        armature: 0.05,
        ...extra,
      }),
      hand: cylindrical({ ...link, parent: "lower", child: "hand", axis: [0, 0.6, 0.8], actuated: true }),
    },
  });
  const state = maximalState(mechanism, {
    shoulder: { position: [0.5, 0.3, -0.4], velocity: [1, -0.5, 0.2] },
    elbow: { position: [0.9], velocity: [-1] },
    hand: { position: [0.05, 0.4], velocity: [0.2, 0.5] },
  });
  return { mechanism, simulation: new Simulation(mechanism), state };
}

export const closeTo = (a: ArrayLike<number>, b: ArrayLike<number>, tolerance: number): void => {
  expect(a.length).toBe(b.length);
  for (let i = 0; i < a.length; i++) expect(Math.abs(a[i] - b[i])).toBeLessThan(tolerance);
};
