/**
 * An environment of one's own: a ball on a table. Two servos tilt the table, the ball rolls by contact and friction alone, and is to lie in
 * the middle. A few seconds of gradients teach a network to bring it there.
 */
import {
  augmentedGradientSearch,
  box,
  Environment,
  expression,
  floating,
  frictionContact,
  halfSpace,
  policyScore,
  revolute,
  sphere,
} from "dojo-sim";

const { add, mul, sub, sum, square } = expression;
const table = halfSpace({ body: "table", normal: [0, 0, 1], offset: 0.02 });

const environment = new Environment({
  name: "ball-on-table",
  mechanism: {
    timestep: 0.05,
    bodies: {
      frame: box({ size: [0.1, 0.1, 0.02], mass: 0.5 }),
      table: box({ size: [1, 1, 0.04], mass: 1 }),
      ball: sphere({ radius: 0.05, mass: 0.1 }),
    },
    joints: {
      pitch: revolute({ parent: "world", child: "frame", axis: [0, 1, 0], servo: { stiffness: 50, damping: 5 } }),
      roll: revolute({ parent: "frame", child: "table", axis: [1, 0, 0], servo: { stiffness: 50, damping: 5 } }),
      free: floating({ parent: "world", child: "ball" }),
    },
    contacts: [
      frictionContact({
        name: "ball",
        body: "ball",
        point: [0, 0, 0],
        radius: 0.05,
        frictionCoefficient: 0.5,
        halfSpace: table,
      }),
    ],
  },
  horizon: 60,
  actionScale: 0.1, // radians of the servos' targets per unit of action
  actionLimit: 2,
  observation: (q) => [
    ...q.body("ball").position,
    ...q.body("ball").velocity,
    q.coordinate("pitch.angle"),
    q.coordinate("roll.angle"),
  ],
  reward: ({ after, action }) => {
    const [x, y] = after.body("ball").position;
    const [vx, vy] = after.body("ball").velocity;
    return sub(1, add(mul(4, sum([x, y, mul(0.3, vx), mul(0.3, vy)].map(square))), mul(0.02, sum(action.map(square)))));
  },
  alive: (q) =>
    q
      .body("ball")
      .position.slice(0, 2)
      .map((place) => sub(0.5, expression.abs(place))), // it fell off
  start: { free: { position: [0, 0, 0.0701, 0, 0, 0] } },
  startNoise: [0, 0, 0.25, 0.25, 0, 0, 0, 0, ...Array(8).fill(0)],
});

const scores = [1, 40].map((updates) => {
  const { policy } = augmentedGradientSearch(environment, { seed: 1, policy: "network", updates });
  return policyScore(environment, policy, { starts: 20 });
});
console.log(
  `of ${environment.description.horizon}: ${scores[0].toFixed(1)} after one update, ${scores[1].toFixed(1)} after 40`,
);
