/** What the tasks in which A1 follows a motion have in common. */
import type { Mechanism } from "../../mechanism/index.ts";
import { models } from "../../models/index.ts";
import { compile, Simulation } from "../../simulation/index.ts";
import type { PlanningTask } from "../plan.ts";
import { effort } from "../terms.ts";
import { referenceMotion } from "./referenceMotion.ts";

const timestep = 0.05;
export const steps = 40;
/** The foot is a ball of 21 mm; motions keep it a tenth of a millimetre above the floor. */
export const footClearance = 0.0211;
const weights = { velocity: 0.01, rate: 0.001, impulse: 0.01 } as const;

type Common = Pick<PlanningTask, "simulation" | "start" | "steps" | "parameters" | "cost">;

/** `pose`: all joint coordinates at a knot; weights of coordinates by their names. */
export function a1Motion(
  pose: (mechanism: Mechanism, knot: number) => readonly number[],
  positionWeight: (name: string) => number,
): Common & { readonly states: readonly Float64Array[] } {
  const mechanism = compile({
    ...models.a1({ timestep, damping: 5, bodyContacts: false, jointLimits: true }),
    damperCentering: 0,
  });
  const { states, parameters, tracking } = referenceMotion(mechanism, steps, (k) => pose(mechanism, k));
  return {
    simulation: new Simulation(mechanism),
    start: states[0],
    steps,
    parameters,
    cost: (q) => [
      ...tracking(q, {
        coordinate: (name) => timestep * positionWeight(name),
        rate: (name) => timestep * (name.startsWith("base") ? weights.velocity : weights.rate),
      }),
      effort(q, timestep * weights.impulse * timestep ** 2),
    ],
    states,
  };
}
