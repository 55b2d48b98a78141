/**
 * Unitree's A1 is to walk along x at half a metre per second, by servos around its standing pose and within the motors' 33.5 N·m.
 *   reward     1 − 4 (v_x − 0.5)² − v_y² − 0.2 ω_z² − 5 tilt − 10 (z − 0.3)² − 0.02 ‖a‖², of the trunk, tilt 1 − cosine of its lean
 *   observed   height, attitude and hinges (x and y are left out), all rates, and sine and cosine of a clock of 2 Hz
 *   over       trunk's height below 0.15 m
 */
import { models } from "../../models/index.ts";
import { cos, mul, sin, square, sub, sum } from "../../symbolic/index.ts";
import type { EnvironmentDescription } from "../description.ts";
import { requireOptions, stepsPerAction, type TimestepOptions } from "./options.ts";
import { raised } from "./raised.ts";

const interval = 0.02;
const [speed, height, lowest] = [0.5, 0.3, 0.15];
const clock = 2 * Math.PI * 2;

export function quadrupedEnvironment(options: TimestepOptions = {}): EnvironmentDescription {
  requireOptions("quadruped-walk", options, interval);
  const { timestep = interval } = options;
  const servo = { stiffness: 60, damping: 2 };
  const mechanism = { ...models.a1({ timestep, servo, effortLimits: true }), damperCentering: 0 };
  const start = raised(mechanism, "base", 2, 0.05);
  const hinges = Object.keys(mechanism.joints ?? {}).filter((name) => name !== "base");
  return {
    name: "quadruped-walk",
    summary: "Unitree's A1 walks at 0.5 m/s by servos, 150 steps of 0.02 s",
    mechanism,
    stepsPerAction: stepsPerAction(interval, timestep),
    horizon: 150,
    actionOffset: hinges.map((name) => start[name].position?.[0] ?? 0),
    actionScale: 0.3,
    actionLimit: 1.5,
    observation: (q) => {
      const aside = [q.coordinate("base.x"), q.coordinate("base.y")];
      const seen = q.minimalState.filter((entry) => !aside.includes(entry));
      return [...seen, sin(mul(clock, q.time)), cos(mul(clock, q.time))];
    },
    reward: ({ after, action }) => {
      const { position, velocity, angularVelocity, axes } = after.body("trunk");
      const costs = [
        mul(4, square(sub(velocity[0], speed))),
        square(velocity[1]),
        mul(0.2, square(angularVelocity[2])),
        mul(5, sub(1, axes[2][2])),
        mul(10, square(sub(position[2], height))),
        mul(0.02, sum(action.map(square))),
      ];
      return sub(1, sum(costs));
    },
    alive: (q) => [sub(q.body("trunk").position[2], lowest)],
    relativeKappa: 0.1,
    start,
    startNoise: 0.02,
  };
}
