/**
 * What hopper and walker have in common, whose base slides along z, then along x, then turns about y:
 *   reward     1 + min(v_x, fastest) − effort ‖a‖² − lean θ²
 *   observed   all joint coordinates but x, and all rates
 *   over       z < lowest, or |θ| > steepest
 * Gym's reward, 1 + v_x − 1e-3 ‖a‖², says nothing of a fall until it has happened; θ² does.
 */
import { abs, add, min, mul, square, sub, sum } from "../../symbolic/index.ts";
import type { EnvironmentDescription } from "../description.ts";

export interface PlanarRunner {
  readonly fastest: number;
  readonly lowest: number;
  readonly steepest: number;
  readonly effort: number;
  readonly lean: number;
}

const [z, x, pitch] = ["base.slide1", "base.slide2", "base.angle"];

export function planarRunner(figures: PlanarRunner): Pick<EnvironmentDescription, "observation" | "reward" | "alive"> {
  const { fastest, lowest, steepest, effort, lean } = figures;
  return {
    observation: (q) => q.minimalState.filter((entry) => entry !== q.coordinate(x)),
    reward: ({ after, action }) => {
      const speed = min(after.rate(x), fastest);
      const costs = add(mul(effort, sum(action.map(square))), mul(lean, square(after.coordinate(pitch))));
      return sub(add(1, speed), costs);
    },
    alive: (q) => [sub(q.coordinate(z), lowest), sub(steepest, abs(q.coordinate(pitch)))],
  };
}
