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
import { duration, facts, figure, paint, print, printJson, table, warn, writtenFacts } from "../terminal.ts";
import { writeReplay } from "../writeReplay.ts";
import { type ControlFlags, control } from "./planControl.ts";

interface Flags extends ControlFlags {
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
  dojo simulate --plan hop.json --out run.csv
  dojo plan a1-stand --mpc --push 30
  dojo plan a1-stand --mpc --push 10,20,30 --seeds 20 --latency 0.02 --json
  dojo plan hopper --mpc --push 3 --out push.html
  dojo plan a1-walk --mpc --goal -1,0.5 --seeds 1 --out walk.html

A plan as .json has its mechanism, inputs and feedback gains; .html shows it. Ctrl-C ends the search and keeps what it has.
With --mpc the planner controls a mechanism in a loop while it is pushed: a plan every few steps, without a clock.
Exit codes: 0 solved (with --mpc: all seeds survived), 1 not, 2 bad input, 130 after Ctrl-C.`;

export function addPlan(program: Command): void {
  program
    .command("plan")
    .summary("find the inputs that do a task: trajectory optimisation through contact")
    .description("Plans a motion: iLQR with gradients through contact, constraints held to 1e-6.")
    .argument("[task]", "one of those that --list shows")
    .option("--list", "the tasks, a line each (with --mpc: those of control in a loop)")
    .option("--kappa <k>", "smoothness of the gradients, SI (default: the task's own)")
    .option(
      "--seed <n>",
      "disturb the first inputs at random: another start for each number (with --mpc: the first seed, 1)",
    )
    .option("--iterations <n>", "most passes of gradients (default: 200; with --mpc per plan, 1)")
    .option("--tolerance <e>", "largest violation of a constraint (default: 1e-6)")
    .option("--mpc", "control in a loop: plan again and again while the mechanism is pushed")
    .option("--push <impulses>", "with --mpc: impulses of the pushes, N·s, as 30 or 10,20,30 (default: the task's own)")
    .option("--seeds <n>", "with --mpc: runs per impulse, each pushed from other sides (default: 5)")
    .option("--latency <s>", "with --mpc: seconds from a state to the plan made from it (default: 0)")
    .option("--every <k>", "with --mpc: steps of the plant from one plan to the next (default: the task's own)")
    .option("--goal <x,y>", "with --mpc: the place to go to, m (default: the task's own)")
    .option("--servos", "with --mpc: servos alone in place of the planner, to compare with")
    .addOption(new Option("--out <file...>", `write the plan (${endings.join(", ")})`).default([], "none"))
    .option("--json", "the result as JSON")
    .addHelpText("after", examples)
    .action(async (task: string | undefined, flags: Flags) => {
      requireFitting(flags);
      const isControl = flags.mpc ?? false;
      if (flags.list) process.exitCode = listTasks(flags.json ?? false, isControl);
      else process.exitCode = isControl ? await control(task, flags) : await plan(task, flags);
    });
}

/** Options that belong to the other kind of planning are refused rather than ignored. */
function requireFitting(flags: Flags): void {
  if (flags.mpc && flags.tolerance !== undefined)
    throw new InputError("--tolerance: control in a loop has no constraints to reach; leave it out");
  if (flags.mpc) return;
  const given = (["push", "seeds", "latency", "every", "goal", "servos"] as const).find(
    (name) => flags[name] !== undefined,
  );
  if (given) throw new InputError(`--${given} belongs to control in a loop; add --mpc`);
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

async function plan(name: string | undefined, flags: Flags): Promise<number> {
  const names = Object.keys(planningTasks);
  if (name === undefined) throw new InputError(`which task? Give one of ${names.join(", ")}`);
  if (!names.includes(name)) {
    if (Object.hasOwn(controlTasks, name)) throw new InputError(`"${name}" is a task of control in a loop; add --mpc`);
    const hint = `${suggestion(name, names)} (have: ${names.join(", ")}; dojo plan --list says more)`;
    throw new InputError(`"${name}" is no task${hint}`);
  }
  const kappa = flags.kappa === undefined ? undefined : positive("--kappa", flags.kappa);
  const tolerance = flags.tolerance === undefined ? undefined : positive("--tolerance", flags.tolerance);
  const maxIterations = flags.iterations === undefined ? undefined : count("--iterations", flags.iterations);
  for (const path of flags.out) requireWritable(path, endings);
  requireDistinct(flags.out);
  const entry = planningTasks[name];
  const made = entry.make();
  const task = flags.seed === undefined ? made : disturbedTask(made, wholeNumber("--seed", flags.seed));
  const options = {
    ...(kappa !== undefined && { path: () => ({ kappa }) }),
    ...(tolerance !== undefined && { tolerance }),
    ...(maxIterations !== undefined && { maxIterations }),
  };

  const run = planning(task, options);
  const earlier: Ghost[] = [];
  const { found, interrupted } = await Interruption.during(async (interruption) => {
    if (!flags.json) print(paint("bold", heading));
    for (let step = run.next(); ; step = run.next(!interruption.requested)) {
      if (step.done)
        return { found: step.value, interrupted: interruption.requested ? interruption.exitCode : undefined };
      if (!flags.json) print(progressLine(step.value));
      earlier.push(ghostOf(step.value, task));
      // Ctrl-C is heard here
      await setImmediate();
    }
  });

  const { files, faults } = writeEach(flags.out, (path) => write(path, found, task, earlier));
  if (flags.json) printJson({ ...resultOf(found), files: files.map(({ path }) => path) });
  else {
    print("");
    print(
      facts([
        ["task", `${found.task}: ${entry.summary}`],
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
