/**
 * What hopper and walker have in common, whose base slides along z, then along x, then turns about y:
 *   reward     1 + v_x up to 1 m/s − 0.1 ‖a‖² − 4 θ² − 10 (1.2 − z)² where z < 1.2, z the torso's height and θ its pitch
 *   observed   all joint coordinates but x, and all rates
 *   over       z < lowest, or |θ| > 1 rad
 * Gym's reward, 1 + v_x − 1e-3 ‖a‖², says nothing of a fall until it has happened; z and θ do.
 */
import { models } from "../../models/index.ts";
import { abs, add, min, mul, square, sub, sum } from "../../symbolic/index.ts";
import type { EnvironmentDescription } from "../description.ts";
import { requireOptions, stepsPerAction, type TimestepOptions } from "./options.ts";
import { raised } from "./raised.ts";

interface Figures extends Pick<EnvironmentDescription, "summary" | "relativeKappa"> {
  readonly lowest: number;
}

const interval = 0.02;
/** m/s; m; rad. */
const [fastest, upright, steepest] = [1, 1.2, 1];
const [z, x, pitch] = ["base.slide1", "base.slide2", "base.angle"];

export function planarRunner(
  name: "hopper" | "walker",
  options: TimestepOptions,
  { lowest, ...rest }: Figures,
): EnvironmentDescription {
  requireOptions(name, options, interval);
  const { timestep = interval } = options;
  const mechanism = { ...models[name]({ timestep, damping: 1 }), damperCentering: 0 };
  return {
    name,
    mechanism,
    stepsPerAction: stepsPerAction(interval, timestep),
    horizon: 200,
    actionScale: 50,
    actionLimit: 1,
    observation: (q) => q.minimalState.filter((entry) => entry !== q.coordinate(x)),
    reward: ({ after, action }) => {
      const speed = min(after.rate(x), fastest);
      const sunk = min(sub(after.coordinate(z), upright), 0);
      const fall = add(mul(4, square(after.coordinate(pitch))), mul(10, square(sunk)));
      return sub(add(1, speed), add(mul(0.1, sum(action.map(square))), fall));
    },
    alive: (q) => [sub(q.coordinate(z), lowest), sub(steepest, abs(q.coordinate(pitch)))],
    start: raised(mechanism, "base", 0, 0.03),
    startNoise: 0.01,
    ...rest,
  };
}
