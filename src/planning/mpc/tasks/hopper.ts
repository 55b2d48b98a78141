/** Raibert's hopper keeps standing on its foot when its body is pushed: it leans, turns and hops. */
import { startState } from "../../../coordinates/index.ts";
import { models } from "../../../models/index.ts";
import { compile, Simulation } from "../../../simulation/index.ts";
import { sub } from "../../../symbolic/index.ts";
import type { PlanningTask } from "../../plan.ts";
import { withJoint } from "../../tasks/withJoint.ts";
import { cost, effort } from "../../terms.ts";
import type { ControlTask } from "../controlTask.ts";
import { horizontally } from "../pushes.ts";
import { heightOf, speedOf, uprightness } from "../readings.ts";

const timestep = 0.01;
const planTimestep = 0.02;
const steps = 25;
const standing = 0.55;
const bodyMass = 4.18;
const gravity = 9.81;
const bounds = { torque: 10, leg: 150 } as const;
const body = 0;

const description = (h: number) => withJoint(models.raibertHopper({ timestep: h }), "leg", { damping: 0.1 });

export function hopperBalance(): ControlTask {
  const plant = new Simulation(compile(description(timestep)));
  return {
    name: "hopper",
    plant,
    start: startState(plant.mechanism, "rest"),
    seconds: 2.5,
    every: 2,
    plan: standingPlan(),
    options: { path: { relativeKappa: 0.03 } },
    push: { body: "body", at: [0.2], duration: 0.1, direction: horizontally, impulse: 3 },
    isLost: (state) => heightOf(state, body) < 0.15,
    isKept: (state) => heightOf(state, body) > 0.45 && uprightness(state, body) > 0.95 && speedOf(state, body) < 0.3,
  };
}

function standingPlan(): PlanningTask {
  const mechanism = compile(description(planTimestep));
  const holding = [0, 0, 0, -bodyMass * gravity];
  const turns = ["rotationX", "rotationY", "rotationZ"].map((name) => `base.${name}`);
  const axes = ["x", "y", "z"].map((name) => `base.${name}`);
  return {
    name: "hopper",
    simulation: new Simulation(mechanism),
    start: startState(mechanism, "rest"),
    steps,
    cost: (q) => {
      const errors = [
        q.coordinate("base.x"),
        q.coordinate("base.y"),
        sub(q.coordinate("base.z"), standing),
        ...turns.map((name) => q.coordinate(name)),
        q.coordinate("leg.slide"),
      ];
      const rates = [...axes, ...turns, "leg.slide"].map((name) => q.rate(name));
      const errorWeights = [1, 1, 10, 5, 5, 1, 5];
      const rateWeights = [0.5, 0.5, 0.5, 0.05, 0.05, 0.05, 0.05];
      return [
        cost(errors, errorWeights),
        cost(rates, rateWeights),
        effort(q, [1e-3, 1e-3, 1e-3, 1e-4], holding),
        cost(
          errors,
          errorWeights.map((weight) => 5 * weight),
          "final",
        ),
        cost(
          rates,
          rateWeights.map((weight) => 5 * weight),
          "final",
        ),
      ];
    },
    inputBounds: {
      lower: [-bounds.torque, -bounds.torque, -bounds.torque, -bounds.leg],
      upper: [bounds.torque, bounds.torque, bounds.torque, bounds.leg],
    },
    guess: { inputs: Array.from({ length: steps }, () => holding) },
  };
}
