/**
 * A task of one's own: a puck on a rail flicks a crate so that it slides one metre. The puck has a motor of 40 N at most and is to end at rest;
 * the crate has none. The planner finds the flick: contact and friction carry its gradients.
 */
import {
  box,
  compile,
  cost,
  effort,
  equals,
  expression,
  floating,
  frictionContact,
  maximalState,
  planTrajectory,
  prismatic,
  Simulation,
  sphere,
} from "dojo-sim";

const crate = box({ size: [0.2, 0.2, 0.2], mass: 1 });
const corners = [-0.1, 0.1].flatMap((x) => [-0.1, 0.1].map((y) => [x, y, -0.1] as const));
const mechanism = compile({
  timestep: 0.02,
  bodies: { crate, puck: sphere({ radius: 0.05, mass: 0.5 }) },
  joints: {
    base: floating({ parent: "world", child: "crate" }),
    rail: prismatic({ parent: "world", child: "puck", axis: [1, 0, 0], parentAnchor: [0, 0, 0.1], actuated: true }),
  },
  contacts: [
    ...corners.map((point) => frictionContact({ body: "crate", point, frictionCoefficient: 0.3 })),
    // the puck against the face of the crate that looks at it
    frictionContact({
      body: "puck",
      point: [0, 0, 0],
      radius: 0.05,
      frictionCoefficient: 0.1,
      halfSpace: { body: "crate", normal: [-1, 0, 0], offset: 0.1 },
    }),
  ],
});
const plan = planTrajectory({
  name: "flick",
  simulation: new Simulation(mechanism),
  start: maximalState(mechanism, { base: { position: [0.2, 0, 0.1, 0, 0, 0] } }),
  steps: 60,
  cost: (q) => [effort(q, 1e-3), cost([q.rate("rail.slide")], 1e-2), cost(q.body("crate").velocity, 1, "final")],
  constraints: (q) => [equals([expression.sub(q.body("crate").position[0], 1.2), q.rate("rail.slide")], "final")],
  inputBounds: { lower: [-40], upper: [40] },
  guess: { inputs: Array.from({ length: 60 }, (_, k) => [k < 10 ? 20 : 0]) },
});
console.log(
  `${plan.end}: ${plan.iterations} iterations, violation ${plan.violation.toExponential(1)}, cost ${plan.cost.toPrecision(4)}`,
);
console.log(`the crate ends at ${plan.states[60][0].toFixed(6)} m`);
if (!plan.solved) throw new Error(plan.reason);
