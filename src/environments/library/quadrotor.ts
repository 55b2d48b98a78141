/**
 * Skydio's X2 is to fly from waypoint to waypoint, the next one every second, by four thrusts about those that hover.
 *   reward     1 − 0.5 ‖d‖² − 0.02 ‖v‖² − 0.02 ‖ω‖² − tilt − 0.02 ‖a‖², d from the waypoint, tilt 1 − cosine of the lean
 *   observed   place from the waypoint, the body's z axis and x axis in the world, velocity, angular velocity
 *   over       more than 3 m from the waypoint, or turned upside down
 */
import { models } from "../../models/index.ts";
import type { Quantities } from "../../quantities/index.ts";
import { dot, ifLess, mul, type Scalar, square, sub, sum, vsub } from "../../symbolic/index.ts";
import type { EnvironmentDescription } from "../description.ts";
import { requireOptions, stepsPerAction, type TimestepOptions } from "./options.ts";

const interval = 0.05;
/** N per rotor: a quarter of the weight. */
const hover = 3.2496;
const waypoints = [
  [0.5, 0, 1.2],
  [0.5, 0.5, 1],
  [0, 0.5, 1.2],
  [0, 0, 1],
] as const;
const secondsEach = 1;

/** Where to fly at the time of a state. */
function target({ time }: Quantities): Scalar[] {
  return [0, 1, 2].map((axis) =>
    waypoints.slice(0, -1).reduceRight<Scalar>(
      // half a step early, so that rounding of the time decides nothing
      (later, place, i) => ifLess(time, (i + 1) * secondsEach - interval / 2, place[axis], later),
      waypoints[waypoints.length - 1][axis],
    ),
  );
}

export function quadrotorEnvironment(options: TimestepOptions = {}): EnvironmentDescription {
  requireOptions("quadrotor-waypoints", options, interval);
  const { timestep = interval } = options;
  const away = (q: Quantities): Scalar[] => vsub(q.body("x2").position, target(q));
  return {
    name: "quadrotor-waypoints",
    summary: "Skydio's X2 flies through four waypoints, 80 steps of 0.05 s",
    mechanism: models.skydioX2({ timestep }),
    stepsPerAction: stepsPerAction(interval, timestep),
    horizon: 80,
    actionOffset: hover,
    actionScale: 1,
    actionLimit: 2,
    observation: (q) => {
      const { velocity, angularVelocity, axes } = q.body("x2");
      return [...away(q), ...axes[2], ...axes[0], ...velocity, ...angularVelocity];
    },
    reward: ({ after, action }) => {
      const { velocity, angularVelocity, axes } = after.body("x2");
      const costs = [
        mul(0.5, dot(away(after), away(after))),
        mul(0.02, dot(velocity, velocity)),
        mul(0.02, dot(angularVelocity, angularVelocity)),
        sub(1, axes[2][2]),
        mul(0.02, sum(action.map(square))),
      ];
      return sub(1, sum(costs));
    },
    goal: target,
    alive: (q) => [sub(9, dot(away(q), away(q))), q.body("x2").axes[2][2]],
    start: { base: { position: [0, 0, 1, 0, 0, 0] } },
    startNoise: 0.1,
  };
}
