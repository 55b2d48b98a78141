/** Skydio's X2 flies through two waypoints and hovers at a third. Its rotors only push, up to 13 N each. */
import { maximalState } from "../../coordinates/index.ts";
import { models } from "../../models/index.ts";
import { compile, Simulation } from "../../simulation/index.ts";
import { sub } from "../../symbolic/index.ts";
import type { PlanningTask } from "../plan.ts";
import { cost, effort, equals, upright } from "../terms.ts";

const timestep = 0.05;
const steps = 60;
const hover = 3.2496;
const waypoints = new Map([
  [20, [1, 0.5, 1.5]],
  [40, [2, -0.5, 1]],
  [steps, [3, 0, 1]],
]);

export function quadrotorTask(): PlanningTask {
  const mechanism = compile(models.skydioX2({ timestep }));
  return {
    name: "quadrotor",
    simulation: new Simulation(mechanism),
    start: maximalState(mechanism, { base: { position: [0, 0, 1, 0, 0, 0] } }),
    steps,
    cost: (q) => {
      const { velocity, angularVelocity } = q.body("x2");
      return [
        cost([...velocity], 0.01),
        cost([...angularVelocity], 0.01),
        upright(q, "x2", 0.1),
        effort(
          q,
          1e-3,
          q.inputs.map(() => hover),
        ),
      ];
    },
    constraints: (q) => {
      const { position, velocity, angularVelocity, axes } = q.body("x2");
      const through = [...waypoints].map(([knot, place]) =>
        equals(
          position.map((entry, i) => sub(entry, place[i])),
          knot,
        ),
      );
      return [...through, equals([...velocity, ...angularVelocity, axes[2][0], axes[2][1]], "final")];
    },
    inputBounds: { lower: [0, 0, 0, 0], upper: [13, 13, 13, 13] },
    guess: { inputs: Array.from({ length: steps }, () => [hover, hover, hover, hover]) },
  };
}
