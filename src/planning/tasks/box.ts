/**
 * A cube of half a metre is pushed at its centre: one metre to the right, or one metre up. [trajopt_results]
 * Costs as published: 1 on all numbers of the state, the four of its quaternion included, and 0.01 on impulses h u. The whole state is
 * to be reached.
 */
import { maximalState } from "../../coordinates/index.ts";
import { models } from "../../models/index.ts";
import type { Quantities } from "../../quantities/index.ts";
import { compile, Simulation } from "../../simulation/index.ts";
import { sub } from "../../symbolic/index.ts";
import type { PlanningTask } from "../plan.ts";
import { cost, effort, equals } from "../terms.ts";
import { withJoint } from "./withJoint.ts";

const timestep = 0.1;
const impulseWeight = 0.01;

/** Where the centre goes. */
const goals = { "box-right": [1, 0, 0.25], "box-up": [0, 0, 1.25] } as const;

export function boxTask(name: keyof typeof goals): PlanningTask {
  const description = models.block({ timestep, frictionCoefficient: 0.5 });
  const actuated = [true, true, true, false, false, false];
  const mechanism = compile(withJoint(description, "base", { actuated }));
  const goal = goals[name];
  // position, quaternion, velocity, angular velocity, less those of the goal
  const errors = (q: Quantities) => {
    const { position, orientation, velocity, angularVelocity } = q.body("block");
    const turn = orientation.map((entry, i) => (i === 0 ? sub(entry, 1) : entry));
    return [...position.map((entry, i) => sub(entry, goal[i])), ...turn, ...velocity, ...angularVelocity];
  };
  const final = (q: Quantities) => {
    const { position, orientation, velocity, angularVelocity } = q.body("block");
    return [
      ...position.map((entry, i) => sub(entry, goal[i])),
      ...orientation.slice(1),
      ...velocity,
      ...angularVelocity,
    ];
  };
  return {
    name,
    simulation: new Simulation(mechanism),
    start: maximalState(mechanism, { base: { position: [0, 0, 0.25, 0, 0, 0] } }),
    steps: 10,
    cost: (q) => [cost(errors(q)), effort(q, impulseWeight * timestep ** 2)],
    constraints: (q) => [equals(final(q), "final")],
  };
}
