/**
 * Unitree's A1 stands, and is pushed at its trunk. It may step: nothing holds its feet where they are.
 * The plan has twice the plant's time step and the contacts of the feet alone.
 */
import { minimalState, startState } from "../../../coordinates/index.ts";
import { gravityCompensation } from "../../../gradients/index.ts";
import { models, servoTargets } from "../../../models/index.ts";
import { compile, Simulation } from "../../../simulation/index.ts";
import { sub } from "../../../symbolic/index.ts";
import type { PlanningTask } from "../../plan.ts";
import { cost, effort } from "../../terms.ts";
import type { ControlTask } from "../controlTask.ts";
import { horizontally } from "../pushes.ts";
import { heightOf, speedOf, uprightness } from "../readings.ts";

const timestep = 0.01;
const planTimestep = 0.02;
const steps = 20;
/** Of all hinges, in plant, plan and servos: N·m·s/rad. */
const damping = 0.5;
const largestTorque = 33.5;
const trunk = 0;

const weights = {
  place: 0.2,
  height: 200,
  tilt: 10,
  joint: 1,
  velocity: 3,
  spin: 0.1,
  rate: 0.02,
  torque: 4e-3,
  /** Those of positions again, at the end of the horizon. */
  final: 5,
} as const;

export function a1Stand(): ControlTask {
  const plant = new Simulation(compile(models.a1({ timestep, damping })));
  const served = models.a1({ timestep, damping, servo: { stiffness: 100, damping: 2 }, effortLimits: true });
  return {
    name: "a1-stand",
    plant,
    start: startState(plant.mechanism, "rest"),
    seconds: 2,
    every: 2,
    plan: standingPlan(),
    options: { path: { relativeKappa: 0.01 } },
    push: { body: "trunk", at: [0.1], duration: 0.1, direction: horizontally, impulse: 30 },
    isLost: (state) => uprightness(state, trunk) < 0.2,
    isKept: (state) => heightOf(state, trunk) > 0.2 && uprightness(state, trunk) > 0.9 && speedOf(state, trunk) < 0.5,
    servos: { plant: new Simulation(compile(served)), targets: servoTargets(served) },
  };
}

function standingPlan(): PlanningTask {
  const mechanism = compile(models.a1({ timestep: planTimestep, damping, bodyContacts: false }));
  const simulation = new Simulation(mechanism);
  const start = startState(mechanism, "rest");
  const { coordinateNames: names } = mechanism;
  const goal = minimalState(mechanism, start);
  const holding = gravityCompensation(simulation, start).input;
  const positionWeights = names.map((name) => {
    if (name === "base.x" || name === "base.y") return weights.place;
    if (name === "base.z") return weights.height;
    return name.startsWith("base") ? weights.tilt : weights.joint;
  });
  const rateWeights = names.map((name) => {
    if (name.startsWith("base.rotation")) return weights.spin;
    return name.startsWith("base") ? weights.velocity : weights.rate;
  });
  return {
    name: "a1-stand",
    simulation,
    start,
    steps,
    cost: (q) => {
      const errors = names.map((name, i) => sub(q.coordinate(name), goal[i]));
      const rates = names.map((name) => q.rate(name));
      return [
        cost(errors, positionWeights),
        cost(rates, rateWeights),
        effort(q, weights.torque, Array.from(holding)),
        cost(
          errors,
          positionWeights.map((weight) => weights.final * weight),
          "final",
        ),
        cost(rates, rateWeights, "final"),
      ];
    },
    inputBounds: {
      lower: Array(mechanism.inputSize).fill(-largestTorque),
      upper: Array(mechanism.inputSize).fill(largestTorque),
    },
    guess: { inputs: Array.from({ length: steps }, () => holding) },
  };
}
