/**
 * Gymnasium's pendulum: a rod is to stand upright, by a torque too weak to lift it at once.
 *   reward     −(θ² + 0.1 θ̇² + 0.001 u²) of the state before the step, θ from upright, in (−π, π]
 *   observed   cos θ, sin θ, θ̇
 */
import { models } from "../../models/index.ts";
import { add, atan2, cos, mul, neg, sin, square } from "../../symbolic/index.ts";
import type { EnvironmentDescription } from "../description.ts";
import { requireOptions, stepsPerAction, type TimestepOptions } from "./options.ts";

const interval = 0.05;
const largestTorque = 2;

export function pendulumEnvironment(options: TimestepOptions = {}): EnvironmentDescription {
  requireOptions("pendulum", options, interval);
  const { timestep = interval } = options;
  return {
    name: "pendulum",
    summary: "a rod swings up and stands, by a weak motor, 200 steps of 0.05 s",
    mechanism: models.pendulum({ timestep }),
    stepsPerAction: stepsPerAction(interval, timestep),
    horizon: 200,
    actionScale: largestTorque,
    actionLimit: 1,
    // the model's angle is zero where the rod hangs
    observation: (q) => {
      const angle = q.coordinate("hinge.angle");
      return [neg(cos(angle)), neg(sin(angle)), q.rate("hinge.angle")];
    },
    observationBounds: { low: [-1, -1, Number.NEGATIVE_INFINITY], high: [1, 1, Number.POSITIVE_INFINITY] },
    reward: ({ before, action: [action] }) => {
      const angle = before.coordinate("hinge.angle");
      const fromUpright = atan2(neg(sin(angle)), neg(cos(angle)));
      const motion = add(square(fromUpright), mul(0.1, square(before.rate("hinge.angle"))));
      return neg(add(motion, mul(0.001 * largestTorque ** 2, square(action))));
    },
    start: { hinge: { position: [Math.PI] } },
    startNoise: [Math.PI, 1],
  };
}
