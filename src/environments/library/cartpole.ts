/**
 * A cart balances its pole by a force along the rail. The episode is over where Gymnasium's is: 2.4 m from the middle, or 12° from upright.
 * Gymnasium's reward, 1 per step, has no gradient; this one falls off smoothly from it.
 *   reward     cos θ − 0.1 x² − 0.01 a²
 *   observed   x, θ from upright, and their rates
 */
import { models } from "../../models/index.ts";
import { abs, cos, mul, square, sub } from "../../symbolic/index.ts";
import type { EnvironmentDescription } from "../description.ts";
import { requireOptions, stepsPerAction, type TimestepOptions } from "./options.ts";

const interval = 0.02;
const farthest = 2.4;
const steepest = (12 * Math.PI) / 180;

export function cartpoleEnvironment(options: TimestepOptions = {}): EnvironmentDescription {
  requireOptions("cartpole", options, interval);
  const { timestep = interval } = options;
  return {
    name: "cartpole",
    summary: "a cart balances its pole, 200 steps of 0.02 s",
    mechanism: models.cartpole({ timestep }),
    stepsPerAction: stepsPerAction(interval, timestep),
    horizon: 200,
    actionScale: 10,
    actionLimit: 1,
    observation: (q) => [
      q.coordinate("rail.slide"),
      sub(q.coordinate("hinge.angle"), Math.PI),
      q.rate("rail.slide"),
      q.rate("hinge.angle"),
    ],
    reward: ({ after, action: [action] }) => {
      const lean = sub(after.coordinate("hinge.angle"), Math.PI);
      const aside = mul(0.1, square(after.coordinate("rail.slide")));
      return sub(sub(cos(lean), aside), mul(0.01, square(action)));
    },
    alive: (q) => [
      sub(farthest, abs(q.coordinate("rail.slide"))),
      sub(steepest, abs(sub(q.coordinate("hinge.angle"), Math.PI))),
    ],
    start: { hinge: { position: [Math.PI] } },
    startNoise: 0.05,
  };
}
