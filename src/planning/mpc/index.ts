/** Control in a loop, by tasks that `dojo plan --mpc` knows by name. */
import type { ControlTask } from "./controlTask.ts";
import { a1Stand } from "./tasks/a1Stand.ts";
import { a1Walk } from "./tasks/a1Walk.ts";
import { cartpoleBalance } from "./tasks/cartpole.ts";
import { hopperBalance } from "./tasks/hopper.ts";

export { type ControlRun, type ControlRunOptions, controlling, runControl } from "./controlLoop.ts";
export type { ControlTask, Guide, Place, PushSchedule } from "./controlTask.ts";
export { PredictivePlanner } from "./predictivePlanner.ts";

export interface ControlTaskEntry {
  readonly summary: string;
  readonly make: () => ControlTask;
}

export const controlTasks: Readonly<Record<string, ControlTaskEntry>> = {
  "a1-stand": { summary: "Unitree's A1 stands while its trunk is pushed", make: a1Stand },
  "a1-walk": { summary: "Unitree's A1 trots to a place while its trunk is pushed, and stands there", make: a1Walk },
  cartpole: {
    summary: "a cart swings its pole up, keeps it up when it is knocked, and goes where it is told",
    make: cartpoleBalance,
  },
  hopper: {
    summary: "Raibert's hopper keeps standing while its body is pushed, and hops where it is told",
    make: hopperBalance,
  },
};
