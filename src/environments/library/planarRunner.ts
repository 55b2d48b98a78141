/**
 * What hopper and walker have in common, whose base slides along z, then along x, then turns about y:
 *   reward     1 + v_x up to 1 m/s − 0.1 ‖a‖² − 4 θ² − 10 (1.2 − z)² where z < 1.2, z the torso's height and θ its pitch
 *   observed   all joint coordinates but x, and all rates
 *   over       z < lowest, or |θ| > steepest
 * Gym's reward, 1 + v_x − 1e-3 ‖a‖², says nothing of a fall until it has happened; z and θ do.
 */
import { abs, add, min, mul, square, sub, sum } from "../../symbolic/index.ts";
import type { EnvironmentDescription } from "../description.ts";

export interface PlanarRunner {
  readonly lowest: number;
  readonly steepest: number;
}

/** m/s; m. */
const [fastest, upright] = [1, 1.2];
const [z, x, pitch] = ["base.slide1", "base.slide2", "base.angle"];

export function planarRunner(figures: PlanarRunner): Pick<EnvironmentDescription, "observation" | "reward" | "alive"> {
  const { lowest, steepest } = figures;
  return {
    observation: (q) => q.minimalState.filter((entry) => entry !== q.coordinate(x)),
    reward: ({ after, action }) => {
      const speed = min(after.rate(x), fastest);
      const sunk = min(sub(after.coordinate(z), upright), 0);
      const fall = add(mul(4, square(after.coordinate(pitch))), mul(10, square(sunk)));
      return sub(add(1, speed), add(mul(0.1, sum(action.map(square))), fall));
    },
    alive: (q) => [sub(q.coordinate(z), lowest), sub(steepest, abs(q.coordinate(pitch)))],
  };
}
