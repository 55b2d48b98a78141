/** A saved plan made ready to run: its own mechanism, start and inputs, with its feedback. */
import { compile, planController, planFromJson, Simulation } from "../index.ts";
import { readText } from "./readFile.ts";
import type { Setup } from "./setUp.ts";

/** What `simulate --plan` runs, and how long the plan is. */
export function setUpPlan(path: string): { readonly setup: Setup; readonly seconds: number } {
  const plan = planFromJson(readText(path));
  const begin = performance.now();
  const mechanism = compile({ ...plan.description, timestep: plan.timestep });
  const simulation = new Simulation(mechanism);
  const setup: Setup = {
    name: `plan of ${plan.task}`,
    simulation,
    mechanism,
    start: plan.start,
    controller: planController(plan, mechanism),
    compileSeconds: (performance.now() - begin) / 1000,
    notes: plan.solved ? [] : [`the plan was not solved: ${plan.reason ?? plan.end}`],
  };
  return { setup, seconds: plan.inputs.length * plan.timestep };
}
