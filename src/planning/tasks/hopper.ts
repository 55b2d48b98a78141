/**
 * Raibert's hopper hops half a metre to the side and as high, and stands again. [trajopt_results]
 * Stage costs follow the highest point until knot 10 and the end from there on; position, velocity and leg length are to be reached.
 */
import { maximalState } from "../../coordinates/index.ts";
import { models } from "../../models/index.ts";
import { compile, Simulation } from "../../simulation/index.ts";
import { add, type Scalar, sub } from "../../symbolic/index.ts";
import type { PlanningTask } from "../plan.ts";
import { cost, effort, equals } from "../terms.ts";
import { withJoint } from "./withJoint.ts";

const timestep = 0.05;
const steps = 20;
const turningKnot = 10;
const standing = 0.55;
const bodyMass = 4.18;
const gravity = 9.81;

export function hopperTask(): PlanningTask {
  const description = { ...models.raibertHopper({ timestep }), damperCentering: 0 };
  const turning = withJoint(description, "base", { actuated: [false, false, false, true, true, false] });
  const mechanism = compile(withJoint(turning, "leg", { damping: 0.1 }));
  const height = "height above the end";
  return {
    name: "hopper",
    simulation: new Simulation(mechanism),
    start: maximalState(mechanism, { base: { position: [0, 0, standing, 0, 0, 0] } }),
    steps,
    parameters: { [height]: (k) => (k < turningKnot ? 0.5 : 0) },
    cost: (q) => {
      const [x, y, z] = ["x", "y", "z"].map((axis) => q.coordinate(`base.${axis}`));
      const rates = (names: readonly string[]): Scalar[] => names.map((name) => q.rate(`base.${name}`));
      const turns = ["rotationX", "rotationY", "rotationZ"];
      return [
        cost([sub(x, 0.5), sub(y, 0.5), sub(z, add(standing, q.parameter(height)))], 1),
        cost(
          turns.map((name) => q.coordinate(`base.${name}`)),
          0.01,
        ),
        cost(rates(["x", "y", "z"]), 0.1),
        cost(rates(turns), 0.01),
        cost([q.coordinate("leg.slide")], 1),
        cost([q.rate("leg.slide")], 0.01),
        effort(q, 0.01 * timestep ** 2),
      ];
    },
    constraints: (q) => [
      equals(
        [
          sub(q.coordinate("base.x"), 0.5),
          sub(q.coordinate("base.y"), 0.5),
          sub(q.coordinate("base.z"), standing),
          q.coordinate("leg.slide"),
          ...["x", "y", "z"].map((axis) => q.rate(`base.${axis}`)),
        ],
        "final",
      ),
    ],
    // the leg holds the body
    guess: { inputs: Array.from({ length: steps }, () => [0, 0, -bodyMass * gravity]) },
    options: { penalty: { initial: 100 }, roundTolerance: 2e-3 },
  };
}
