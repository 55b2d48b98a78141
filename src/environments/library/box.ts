/**
 * The paper's block, pushed at its centre: one metre to the right along the floor, or one metre up. Friction holds it on the floor below
 * 4.9 N.
 *   reward     1/(1 + 4 ‖d‖²) − 0.05 ‖v‖² − 0.01 ‖a‖², d from the goal
 *   observed   place from the goal, rotation vector, and their rates
 */
import { models } from "../../models/index.ts";
import type { Quantities } from "../../quantities/index.ts";
import { add, div, dot, mul, type Scalar, square, sub, sum, vsub } from "../../symbolic/index.ts";
import type { EnvironmentDescription } from "../description.ts";
import { type EnvironmentOption, requireOptions, stepsPerAction, type TimestepOptions } from "./options.ts";

export interface BoxOptions extends TimestepOptions {
  /** Default "right". */
  readonly goal?: keyof typeof boxGoals;
}

/** Where the centre is to go. */
const boxGoals = { right: [1, 0, 0.25], up: [0, 0, 1.25] } as const;
export const goalOption: EnvironmentOption = {
  name: "goal",
  summary: "where the cube is to go",
  default: "right",
  choices: Object.keys(boxGoals),
};
const interval = 0.05;

export function boxEnvironment(options: BoxOptions = {}): EnvironmentDescription {
  requireOptions("box", options, interval, [goalOption]);
  const { timestep = interval, goal = "right" } = options;
  const block = models.block({ timestep, frictionCoefficient: 0.5 });
  const base = { ...block.joints?.base, actuated: [true, true, true, false, false, false] };
  const away = (q: Quantities): Scalar[] => vsub(q.body("block").position, boxGoals[goal]);
  return {
    name: "box",
    summary: "a cube is pushed to a place, on the floor or above it, 80 steps of 0.05 s",
    mechanism: { ...block, joints: { base } as typeof block.joints },
    stepsPerAction: stepsPerAction(interval, timestep),
    horizon: 80,
    actionScale: 10,
    actionLimit: 2,
    observation: (q) => {
      const rotation = ["rotationX", "rotationY", "rotationZ"].map((name) => q.coordinate(`base.${name}`));
      return [...away(q), ...rotation, ...q.body("block").velocity, ...q.body("block").angularVelocity];
    },
    reward: ({ after, action }) => {
      const { velocity } = after.body("block");
      const nearness = div(1, add(1, mul(4, dot(away(after), away(after)))));
      const costs = add(mul(0.05, dot(velocity, velocity)), mul(0.01, sum(action.map(square))));
      return sub(nearness, costs);
    },
    goal: () => boxGoals[goal],
    start: { base: { position: [0, 0, 0.25, 0, 0, 0] } },
    // places along x and y, turned about z
    startNoise: [0.2, 0.2, 0, 0, 0, 0.3, 0, 0, 0, 0, 0, 0],
  };
}
