/** A saved plan made ready to run: its own mechanism, start and inputs, with its feedback. */
import { checkState, compile, planController, planFromJson, Simulation, StateError } from "../index.ts";
import { inFile } from "./inFile.ts";
import { readText } from "./readFile.ts";
import { requireOfUse } from "./requireOfUse.ts";
import type { Setup, SimulationFlags } from "./setUp.ts";

/** What a plan's run is of use with. */
const taken = new Set(["time", "plan", "policy", "seed", "out", "dump", "continue", "json"]);

/** What `simulate --plan` runs, and how long the plan is. */
export function setUpPlan(path: string, flags: SimulationFlags): { readonly setup: Setup; readonly seconds: number } {
  requireOfUse(flags, taken, "a plan is run in its mechanism, with the steps it was made with; leave it out");
  return inFile(path, () => planSetup(readText(path)));
}

function planSetup(text: string): { readonly setup: Setup; readonly seconds: number } {
  const plan = planFromJson(text);
  const begin = performance.now();
  const mechanism = compile({ ...plan.description, timestep: plan.timestep });
  const simulation = new Simulation(mechanism);
  const controller = planController(plan, mechanism);
  const faults = checkState(simulation, plan.start);
  if (faults.length > 0) throw new StateError(faults, "the plan's start is not valid:");
  const setup: Setup = {
    name: `plan of ${plan.task}`,
    simulation,
    mechanism,
    start: plan.start,
    controller,
    compileSeconds: (performance.now() - begin) / 1000,
    notes: plan.solved
      ? []
      : [
          `the plan was not solved: ${(plan.reason ?? plan.end).replace("(maxIterations)", "(dojo plan --iterations)")}`,
        ],
  };
  return { setup, seconds: plan.inputs.length * plan.timestep };
}
