/**
 * An arm of three links with weak motors swings to a wall, keeps its tip there for a quarter of a second, leaning on it, and is at rest at
 * the end. The first guess goes evenly from hanging to a pose near the wall.
 */
import { maximalState } from "../../coordinates/index.ts";
import { frictionContact, halfSpace, type MechanismDescription } from "../../mechanism/index.ts";
import { models } from "../../models/index.ts";
import { compile, Simulation } from "../../simulation/index.ts";
import { sub } from "../../symbolic/index.ts";
import type { PlanningTask } from "../plan.ts";
import { atMostZero, cost, effort, equals } from "../terms.ts";

const timestep = 0.05;
const steps = 40;
const length = 0.5;
const wall = 1;
const height = -0.4;
const tipRadius = 0.05;
const largestTorque = 8;
/** Its tip is to be at the wall for so many knots before the last. */
const restingKnots = 5;
/** Nearly there. */
const leaningAngles = [0.34, 0.62, 1.34];
/** m. */
const touching = 1e-4;

export function wallTask(): PlanningTask {
  const arm = { ...models.nPendulum({ timestep, links: 3, length, damping: 0.5, actuated: true }), damperCentering: 0 };
  const point = [0, 0, -length / 2] as const;
  const description: MechanismDescription = {
    ...arm,
    contacts: [
      frictionContact({
        name: "tip",
        body: "link3",
        point,
        radius: tipRadius,
        frictionCoefficient: 1,
        halfSpace: halfSpace({ normal: [0, -1, 0], offset: -wall }),
      }),
    ],
  };
  const mechanism = compile(description);
  const rates = ["hinge1.angle", "hinge2.angle", "hinge3.angle"];
  return {
    name: "wall",
    simulation: new Simulation(mechanism),
    start: maximalState(mechanism, {}),
    steps,
    cost: (q) => {
      const { position } = q.body("link3").point(point);
      return [
        cost([sub(position[1], wall - tipRadius), sub(position[2], height)], 0.5),
        cost(
          rates.map((name) => q.rate(name)),
          1e-2,
        ),
        effort(q, 1e-3),
      ];
    },
    constraints: (q) => {
      const { position } = q.body("link3").point(point);
      const leaning = (knot: number): boolean => knot >= steps - restingKnots;
      return [
        equals([sub(position[2], height), ...rates.map((name) => q.rate(name))], "final"),
        atMostZero([sub(q.contact("tip").distance, touching)], leaning),
      ];
    },
    inputBounds: {
      lower: rates.map(() => -largestTorque),
      upper: rates.map(() => largestTorque),
    },
    guess: {
      inputs: Array.from({ length: steps }, () => [5, 0, 0]),
      states: Array.from({ length: steps + 1 }, (_, k) => {
        const share = Math.min(1, k / (steps - restingKnots - 5));
        const joint = (i: number) => ({ position: [share * leaningAngles[i]] });
        return maximalState(mechanism, { hinge1: joint(0), hinge2: joint(1), hinge3: joint(2) });
      }),
    },
    // the tip has to stay at the wall from the first round on
    options: { penalty: { initial: 100 } },
  };
}
