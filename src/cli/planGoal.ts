/** Options of `dojo plan` that make a task out of a model or a robot file: a goal of one's own. */
import type { Command } from "commander";
import { type Goal, goalTask, type PlanningTask } from "../index.ts";
import { InputError } from "./inputError.ts";
import { assignments, notNegative, positive } from "./parse.ts";
import { addSimulationOptions, type SimulationFlags, setUp } from "./setUp.ts";

export interface GoalFlags extends SimulationFlags {
  readonly time?: string;
  readonly reach?: string;
  readonly keep?: string;
  readonly effort?: string;
  readonly cost?: readonly string[];
  readonly require?: readonly string[];
}

const defaultSeconds = 1;
const goalFlags = ["reach", "keep", "effort", "cost", "require"] as const;

export function addGoalOptions(command: Command): Command {
  const collected = (text: string, before: readonly string[] = []): string[] => [...before, text];
  command
    .optionsGroup("A goal of your own, for a model or a robot file:")
    .option("--time <s>", `how long the motion takes (default: ${defaultSeconds})`)
    .option("--reach <name=value,...>", "quantities at the end, held exactly: torso.z=1.15,torso.velocity=0")
    .option("--keep <name,...>", "what stays as it is at the start: feet (what touches then), a body, a quantity")
    .option("--effort <weight>", "cost of (input − what holds the start)² per step (default: 1e-4)")
    .option(
      "--cost <sum>",
      'a sum of squares: "(torso.z - 0.4)^2", "final: 10 |torso.velocity|^2"; again for more',
      collected,
    )
    .option(
      "--require <row>",
      'what must hold: "foot.z >= 0.02", "final: torso.velocity = 0"; again for more',
      collected,
    )
    .optionsGroup("The model, and where it starts:");
  return addSimulationOptions(command);
}

/** Whether options ask for a goal, which makes a name that of a model. */
export function hasGoal(flags: GoalFlags): boolean {
  return goalFlags.some((name) => flags[name] !== undefined);
}

/** The task, and what there is to say of the model and its start. */
export function taskOfGoal(
  what: string | undefined,
  flags: GoalFlags,
): { readonly task: PlanningTask; readonly summary: string; readonly notes: readonly string[] } {
  const { simulation, mechanism, start, name, notes, controller } = setUp(what, flags);
  const seconds = flags.time === undefined ? defaultSeconds : positive("--time", flags.time, "seconds");
  const reach = flags.reach === undefined ? [] : assignments("--reach", flags.reach);
  if (reach.length === 0 && !flags.cost && !flags.require) {
    throw new InputError(
      `what is ${name} to do? Give --reach, --cost or --require: --reach ${exampleOf(mechanism.bodies)}`,
    );
  }
  const goal: Goal = {
    name,
    seconds,
    reach: Object.fromEntries(reach.map(({ name: path, value }) => [path, value])),
    ...(flags.keep !== undefined && { keep: flags.keep.split(",").map((path) => path.trim()) }),
    ...(flags.effort !== undefined && { effort: notNegative("--effort", flags.effort) }),
    ...(flags.cost && { cost: flags.cost }),
    ...(flags.require && { constraints: flags.require }),
    ...(flags.input !== undefined && { input: heldInput(controller, start, mechanism.inputSize, simulation.timestep) }),
  };
  return { task: goalTask(simulation, start, goal), summary: `${seconds} s of ${name}`, notes };
}

type Start = ReturnType<typeof setUp>;

function heldInput(controller: Start["controller"], start: Float64Array, size: number, timestep: number): Float64Array {
  const input = new Float64Array(size);
  return controller(start, 0, input, timestep) ?? input;
}

function exampleOf(bodies: Start["mechanism"]["bodies"]): string {
  return `${bodies[0].name}.z=0.5`;
}
