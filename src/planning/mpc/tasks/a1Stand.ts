/** Unitree's A1 stands, and is pushed at its trunk. It may step: nothing holds its feet where they are. */
import { startState } from "../../../coordinates/index.ts";
import { models, servoTargets } from "../../../models/index.ts";
import { compile, Simulation } from "../../../simulation/index.ts";
import type { ControlTask } from "../controlTask.ts";
import { horizontally } from "../pushes.ts";
import { heightOf, speedOf, uprightness } from "../readings.ts";
import { a1Plan, conditions, damping, timestep } from "./a1Plan.ts";

const trunk = 0;

export function a1Stand(): ControlTask {
  const plant = new Simulation(compile({ ...models.a1({ timestep, damping }), damperCentering: 0 }));
  const served = {
    ...models.a1({ timestep, damping, servo: { stiffness: 100, damping: 2 }, effortLimits: true }),
    damperCentering: 0,
  };
  return {
    name: "a1-stand",
    plant,
    conditions,
    start: startState(plant.mechanism, "rest"),
    seconds: 2,
    every: 2,
    plan: a1Plan({ name: "a1-stand", velocityWeight: 3 }),
    options: { path: { relativeKappa: 0.01 }, stalledPath: { relativeKappa: 0.1 } },
    push: { body: "trunk", at: [0.1], duration: 0.1, direction: horizontally, impulse: 30 },
    isLost: (state) => uprightness(state, trunk) < 0.2,
    isKept: stands,
    servos: { plant: new Simulation(compile(served)), targets: servoTargets(served) },
  };
}

/** Upright, off its belly, and slow. */
export function stands(state: Float64Array): boolean {
  return heightOf(state, trunk) > 0.2 && uprightness(state, trunk) > 0.9 && speedOf(state, trunk) < 0.5;
}
