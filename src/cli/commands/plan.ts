/** dojo plan: finds the inputs that do a task, shows how it gets there, and writes the plan. */
import { setImmediate } from "node:timers/promises";
import { type Command, Option } from "commander";
import {
  controlTasks,
  disturbedTask,
  type Ghost,
  type Plan,
  type PlanningTask,
  type PlanProgress,
  planController,
  planJson,
  planning,
  planningTasks,
} from "../../index.ts";
import { exitCodes, InputError, suggestion } from "../inputError.ts";
import { Interruption } from "../interruption.ts";
import { endingOf, requireDistinct, requireWritable, writeWhole } from "../outputs/outputFile.ts";
import { writeEach } from "../outputs/writeEach.ts";
import { count, positive, wholeNumber } from "../parse.ts";
import { addGoalOptions, type GoalFlags, hasGoal, taskOfGoal } from "../planGoal.ts";
import { printNotes } from "../setUp.ts";
import { duration, facts, figure, paint, print, printJson, table, warn, writtenFacts } from "../terminal.ts";
import { writeReplay } from "../writeReplay.ts";
import { type ControlFlags, control } from "./planControl.ts";

interface Flags extends ControlFlags, Omit<GoalFlags, "errorTolerance"> {
  readonly list?: boolean;
  readonly mpc?: boolean;
  readonly goal?: string;
  readonly tolerance?: string;
}

const endings = [".json", ".html"];

const examples = `
Examples:
  dojo plan --list
  dojo plan box-right
  dojo plan hopper --out hop.html --out hop.json
  dojo plan quadruped --kappa 1e-4 --json
  dojo plan robot.urdf --on-ground --reach trunk.z=0.35 --keep feet --time 0.5 --out stand.html
  dojo plan cartpole --reach rail.slide=1,rail.slide.rate=0 --cost "0.1 hinge.angle^2"
  dojo simulate --plan hop.json --out run.csv
  dojo plan a1-stand --mpc --push 30
  dojo plan a1-stand --mpc --push 10,20,30 --seeds 20 --latency 0.02 --json
  dojo plan hopper --mpc --push 3 --out push.html
  dojo plan a1-walk --mpc --goal -1,0.5 --seeds 1 --out walk.html

A plan as .json has its mechanism, inputs and feedback gains; .html shows it. Ctrl-C ends the search and keeps what it has.
With --mpc the planner controls a mechanism in a loop while it is pushed: a plan every few steps, without a clock.
Exit codes: 0 solved (with --mpc: all seeds survived), 1 not, 2 bad input, 130 after Ctrl-C.`;

export function addPlan(program: Command): void {
  const command = program
    .command("plan")
    .summary("find the inputs that do a task: trajectory optimisation through contact")
    .description("Plans a motion: iLQR with gradients through contact, constraints held to 1e-6.")
    .argument("[task]", "one of those that --list shows; or a model or a robot file, with a goal of your own")
    .option("--list", "the tasks, a line each (with --mpc: those of control in a loop)")
    .option("--kappa <k>", "smoothness of the gradients, SI (default: the task's own)")
    .option(
      "--seed <n>",
      "disturb the first inputs at random: another start for each number (with --mpc: the first seed, 1)",
    )
    .option("--iterations <n>", "most passes of gradients (default: 200; with --mpc per plan, 1)")
    .option("--tolerance <e>", "largest violation of a constraint (default: 1e-6)")
    .option("--mpc", "control in a loop: plan again and again while the mechanism is pushed")
    .addOption(new Option("--out <file...>", `write the plan (${endings.join(", ")})`).default([], "none"))
    .option("--json", "the result as JSON");
  const controlOptions = added(command, () => {
    command
      .optionsGroup("Control in a loop, with --mpc:")
      .option("--push <impulses>", "impulses of the pushes, N·s, as 30 or 10,20,30 (default: the task's own)")
      .option("--seeds <n>", "runs per impulse, each pushed from other sides (default: 5)")
      .option("--latency <s>", "seconds from a state to the plan made from it (default: 0)")
      .option("--every <k>", "steps of the plant from one plan to the next (default: the task's own)")
      .option("--goal <x,y>", "the place to go to, m (default: the task's own)")
      .option("--servos", "servos alone in place of the planner, to compare with");
  });
  const goalOptions = added(command, () => addGoalOptions(command));
  command.addHelpText("after", examples).action(async (task: string | undefined, flags: Flags) => {
    requireFitting(flags, controlOptions, goalOptions);
    const isControl = flags.mpc ?? false;
    if (flags.list) process.exitCode = listTasks(flags.json ?? false, isControl);
    else process.exitCode = isControl ? await control(task, flags) : await plan(task, flags, goalOptions);
  });
}

/** The options that a function adds to a command. */
function added(command: Command, add: () => unknown): Option[] {
  const before = command.options.length;
  add();
  return command.options.slice(before);
}

/** Options that belong to the other kind of planning are refused rather than ignored. */
function requireFitting(flags: Flags, controlOptions: readonly Option[], goalOptions: readonly Option[]): void {
  if (flags.mpc && flags.tolerance !== undefined)
    throw new InputError("--tolerance: control in a loop has no constraints to reach; leave it out");
  if (flags.mpc)
    requireNone(goalOptions, flags, "is for plans of models and files; control in a loop has its own plant");
  else requireNone(controlOptions, flags, "belongs to control in a loop; add --mpc");
}

/** Refuses the first of these options that is given. */
function requireNone(options: readonly Option[], flags: object, why: string): void {
  const given = options.find((option) => (flags as Record<string, unknown>)[option.attributeName()] !== undefined);
  if (given) throw new InputError(`${given.long} ${why}`);
}

function listTasks(asJson: boolean, isControl: boolean): number {
  const tasks = Object.entries(isControl ? controlTasks : planningTasks).map(([name, { summary }]) => ({
    name,
    summary,
  }));
  if (asJson) printJson(tasks);
  else
    print(
      table(
        ["task", "what it is"],
        tasks.map(({ name, summary }) => [name, summary]),
      ),
    );
  return exitCodes.ok;
}

interface Chosen {
  readonly task: PlanningTask;
  readonly summary: string;
  readonly notes: readonly string[];
}

/** A task of the list, or the goal that the options say for a model or a file. */
function chosenTask(name: string | undefined, { kappa: _, ...flags }: Flags, goalOptions: readonly Option[]): Chosen {
  const names = Object.keys(planningTasks);
  if (hasGoal(flags) || (name !== undefined && !names.includes(name) && looksLikeFile(name)))
    return taskOfGoal(name, flags);
  if (name === undefined)
    throw new InputError(`which task? Give one of ${names.join(", ")}, or a robot file and a goal`);
  if (!names.includes(name)) {
    if (Object.hasOwn(controlTasks, name)) throw new InputError(`"${name}" is a task of control in a loop; add --mpc`);
    const hint = `${suggestion(name, names)} (have: ${names.join(", ")}; dojo plan --list says more)`;
    throw new InputError(`"${name}" is no task${hint}; a model or a file has a goal: add --reach or --cost`);
  }
  requireNone(
    goalOptions,
    flags,
    `is for a goal of your own, and "${name}" is a task; add --reach or --cost to plan for the model`,
  );
  const { make, summary } = planningTasks[name];
  return { task: make(), summary, notes: [] };
}

const looksLikeFile = (name: string): boolean => /[\\/.]/.test(name);

async function plan(name: string | undefined, flags: Flags, goalOptions: readonly Option[]): Promise<number> {
  const kappa = flags.kappa === undefined ? undefined : positive("--kappa", flags.kappa);
  const tolerance = flags.tolerance === undefined ? undefined : positive("--tolerance", flags.tolerance);
  const maxIterations = flags.iterations === undefined ? undefined : count("--iterations", flags.iterations);
  for (const path of flags.out) requireWritable(path, endings);
  requireDistinct(flags.out);
  const { task: made, summary, notes } = chosenTask(name, flags, goalOptions);
  if (!flags.json) printNotes(notes);
  const task = flags.seed === undefined ? made : disturbedTask(made, wholeNumber("--seed", flags.seed));
  const options = {
    ...(kappa !== undefined && { path: () => ({ kappa }) }),
    ...(tolerance !== undefined && { tolerance }),
    ...(maxIterations !== undefined && { maxIterations }),
  };

  const run = planning(task, options);
  const earlier: Ghost[] = [];
  const { found, interrupted } = await Interruption.during(async (interruption) => {
    let isFirst = true;
    for (let step = run.next(); ; step = run.next(!interruption.requested)) {
      if (step.done)
        return { found: step.value, interrupted: interruption.requested ? interruption.exitCode : undefined };
      if (!flags.json && isFirst) print(paint("bold", heading));
      if (!flags.json) print(progressLine(step.value));
      isFirst = false;
      earlier.push(ghostOf(step.value, task));
      // Ctrl-C is heard here
      await setImmediate();
    }
  });

  const { files, faults } = writeEach(flags.out, (path) => write(path, found, task, earlier));
  if (flags.json)
    printJson({ ...resultOf(found), ...(notes.length > 0 && { notes }), files: files.map(({ path }) => path) });
  else {
    print("");
    print(
      facts([
        ["task", `${found.task}: ${summary}`],
        ["result", found.solved ? paint("green", "solved") : paint("red", "not solved")],
        ["cost", figure(found.cost)],
        ["violation", figure(found.violation)],
        ["iterations", `${found.iterations} passes of gradients in ${found.rounds} rounds`],
        ["time", duration(found.seconds)],
        ...writtenFacts(files),
      ]),
    );
  }
  if (found.reason !== undefined) warn(found.reason.replace("(maxIterations)", "(--iterations)"));
  if (faults.length > 0) throw faults[0];
  if (interrupted !== undefined) return interrupted;
  return found.solved ? exitCodes.ok : exitCodes.failed;
}

/** Fields that docs/cli.md documents. */
function resultOf({ task, cost, violation, iterations, rounds, seconds, solved, end, reason }: Plan) {
  return { task, cost, violation, iterations, rounds, seconds, solved, end, ...(reason !== undefined && { reason }) };
}

const heading = "iteration  phase     round        cost  violation      gaps    step  κ";

function progressLine(progress: PlanProgress): string {
  const { iteration, phase, round, cost, violation, gaps, stepLength, path } = progress;
  const kappa = path.kappa === undefined ? `relative ${path.relativeKappa}` : `${path.kappa}`;
  return [
    String(iteration).padStart(9),
    phase.padEnd(8),
    String(round + 1).padStart(6),
    cost.toPrecision(6).padStart(11),
    violation.toExponential(1).padStart(10),
    gaps.toExponential(1).padStart(9),
    figure(stepLength).padStart(7),
    kappa,
  ].join("  ");
}

function write(path: string, found: Plan, task: PlanningTask, earlier: readonly Ghost[]): number {
  const { simulation } = task;
  if (endingOf(path) === ".json") return writeWhole(path, planJson(found, simulation));
  const trajectory = simulation.rollout(found.start, {
    steps: found.inputs.length,
    controller: planController(found, simulation.mechanism, false),
  });
  // a rollout that ended early has fewer states
  const ghosts = chosen(earlier).map(({ name, states }) => ({
    name,
    states: states.slice(0, trajectory.states.length),
  }));
  return writeReplay(path, trajectory, { simulation, title: `plan: ${found.task}`, ghosts });
}

const mostGhosts = 4;

/** The motion of an iteration: the planner's states end with those of the bodies. */
function ghostOf({ iteration, states }: PlanProgress, { simulation }: PlanningTask): Ghost {
  const { stateSize } = simulation.mechanism;
  return { name: `iteration ${iteration}`, states: states.map((state) => state.slice(-stateSize)) };
}

/** The first, and some up to the end, evenly; not the last, which is nearly the plan itself. */
function chosen(earlier: readonly Ghost[]): Ghost[] {
  const count = Math.min(mostGhosts, earlier.length - 1);
  return Array.from({ length: Math.max(0, count) }, (_, i) => earlier[Math.floor((i * (earlier.length - 1)) / count)]);
}
