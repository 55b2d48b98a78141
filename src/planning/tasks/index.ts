/** The tasks that `dojo plan` knows by name. */
import type { PlanningTask } from "../plan.ts";
import { a1TurnTask } from "./a1Turn.ts";
import { boxTask } from "./box.ts";
import { hopperTask } from "./hopper.ts";
import { quadrotorTask } from "./quadrotor.ts";
import { quadrupedTask } from "./quadruped.ts";
import { acrobotTask, cartpoleTask } from "./swingUp.ts";
import { wallTask } from "./wall.ts";

export interface TaskEntry {
  readonly summary: string;
  readonly make: () => PlanningTask;
}

export const planningTasks: Readonly<Record<string, TaskEntry>> = {
  "box-right": { summary: "a cube is pushed one metre along the floor", make: () => boxTask("box-right") },
  "box-up": { summary: "a cube is lifted one metre", make: () => boxTask("box-up") },
  hopper: { summary: "Raibert's hopper hops half a metre", make: hopperTask },
  quadruped: { summary: "Unitree's A1 trots, from a kinematic gait", make: () => quadrupedTask() },
  "quadruped-cold": { summary: "the same without a guess of the motion", make: () => quadrupedTask({ guess: "none" }) },
  "a1-turn": { summary: "A1 turns a quarter of a turn on the spot, from rest to rest", make: a1TurnTask },
  cartpole: { summary: "a cart swings its pole up", make: cartpoleTask },
  acrobot: { summary: "a double pendulum swings up by its elbow", make: acrobotTask },
  quadrotor: { summary: "Skydio's X2 flies through waypoints", make: quadrotorTask },
  wall: { summary: "an arm reaches a wall and leans on it", make: wallTask },
};
