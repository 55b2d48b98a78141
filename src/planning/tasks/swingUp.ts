/**
 * Two swing-ups: a cart with a pole, and an acrobot (a double pendulum that is driven at its elbow alone). Both start hanging, and are to
 * stand upright and still. The height of the tips pulls them up: residuals of height vanish only there, whichever way round an angle goes.
 */
import { maximalState } from "../../coordinates/index.ts";
import { models } from "../../models/index.ts";
import { compile, Simulation } from "../../simulation/index.ts";
import { cos, mul, sub } from "../../symbolic/index.ts";
import type { PlanningTask } from "../plan.ts";
import { cost, effort, equals } from "../terms.ts";
import { withJoint } from "./withJoint.ts";

const timestep = 0.05;
const largestForce = 10;
const largestTorque = 12;

export function cartpoleTask(): PlanningTask {
  const mechanism = compile(models.cartpole({ timestep }));
  const steps = 40;
  return {
    name: "cartpole",
    simulation: new Simulation(mechanism),
    start: maximalState(mechanism, {}),
    steps,
    cost: (q) => [
      // 1 + cos θ = 2 cos²(θ/2): zero where the pole stands
      cost([cos(mul(0.5, q.coordinate("hinge.angle"))), mul(0.3, q.coordinate("rail.slide"))], 0.2),
      effort(q, 1e-3),
    ],
    constraints: (q) => [
      equals(
        [
          cos(mul(0.5, q.coordinate("hinge.angle"))),
          q.rate("hinge.angle"),
          q.coordinate("rail.slide"),
          q.rate("rail.slide"),
        ],
        "final",
      ),
    ],
    inputBounds: { lower: [-largestForce], upper: [largestForce] },
    // hanging at rest is a stationary point: begin with a nudge
    guess: { inputs: Array.from({ length: steps }, (_, k) => [k < steps / 2 ? 1 : -1]) },
    options: { roundTolerance: 1e-3 },
  };
}

export function acrobotTask(): PlanningTask {
  const pendulum = withJoint(models.nPendulum({ timestep, links: 2, damping: 0.1 }), "hinge1", { actuated: false });
  const mechanism = compile({ ...pendulum, damperCentering: 0 });
  const steps = 60;
  const length = 0.5;
  return {
    name: "acrobot",
    simulation: new Simulation(mechanism),
    start: maximalState(mechanism, {}),
    steps,
    cost: (q) => {
      const [elbow, tip] = ["link1", "link2"].map((name) => q.body(name).point([0, 0, -length / 2]).position[2]);
      return [
        cost([sub(elbow, length), sub(tip, 2 * length)], 0.1),
        cost([q.rate("hinge1.angle"), q.rate("hinge2.angle")], 1e-3),
        effort(q, 1e-4),
      ];
    },
    constraints: (q) => {
      const tip = q.body("link2").point([0, 0, -length / 2]).position;
      const elbow = q.body("link1").point([0, 0, -length / 2]).position;
      return [equals([tip[1], elbow[1], q.rate("hinge1.angle"), q.rate("hinge2.angle")], "final")];
    },
    inputBounds: { lower: [-largestTorque], upper: [largestTorque] },
    guess: { inputs: Array.from({ length: steps }, (_, k) => [2 * Math.sin((2 * Math.PI * k) / 24)]) },
    // a penalty that starts high keeps it hanging: at 1 one start of four fails, at 10 all
    options: { roundTolerance: 1e-4, penalty: { initial: 0.3, factor: 4 }, maxRounds: 15 },
  };
}
