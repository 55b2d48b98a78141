/** dojo simulate: takes steps, says what happened, writes what was recorded. */
import { type Command, Option } from "commander";
import type { PolicyRun } from "../../index.ts";
import { exitCodes, InputError } from "../inputError.ts";
import { Interruption } from "../interruption.ts";
import { requireDistinct, requireWritable, writeWhole } from "../outputs/outputFile.ts";
import {
  requireTrajectoryFiles,
  trajectoryEndings,
  type WrittenFiles,
  writeTrajectories,
} from "../outputs/trajectoryFiles.ts";
import { positive, stepsIn } from "../parse.ts";
import type { PolicySetup } from "../policySetup.ts";
import { type Run, run } from "../run.ts";
import { addSimulationOptions, printNotes, type Setup, type SimulationFlags, setUp, withModel } from "../setUp.ts";
import { andMore, duration, facts, figure, paint, print, printJson, warn, writtenFacts } from "../terminal.ts";

interface Flags extends SimulationFlags {
  readonly time?: string;
  readonly plan?: string;
  readonly policy?: string;
  readonly seed?: string;
  readonly out: readonly string[];
  readonly dump?: string;
  readonly continue?: boolean;
  readonly json?: boolean;
}

const defaultSeconds = 2;

const examples = `
Examples:
  dojo simulate pendulum --position hinge.angle=0.8
  dojo simulate atlas --time 2 --position base.z=1.2 --out replay.html
  dojo simulate a1 --input random:1:10 --out run.csv --out run.npz
  dojo simulate block --state raised --set contacts.*.frictionCoefficient=0.2 --json
  dojo simulate atlas --timestep 0.05 --tolerance 0.001 --position base.z=1.5
  dojo simulate robot.urdf --base fixed --timestep 0.02 --out traj.json
  dojo simulate --plan hop.json --out run.html
  dojo simulate --policy policies/ant-ags-network-1.json --timestep 0.01 --out run.html

Files, by ending: ${trajectoryEndings.join(", ")}. Ctrl-C ends the run and writes what was recorded so far.
Exit codes: 0 all steps solved, 1 not all, 2 bad input, 130 after Ctrl-C.`;

export function addSimulate(program: Command): void {
  const command = program
    .command("simulate")
    .summary("simulate a model or a robot file, and write what happened")
    .description("Simulates a model of the library (`dojo list`) or a robot file: .urdf, .xml (MJCF or URDF), .json.")
    .argument("[model]", "a model's name or a file")
    .option("--time <s>", "how long, seconds of the simulation (default: 2, or as long as the plan)")
    .option("--plan <file.json>", "replay a plan of `dojo plan`, with its feedback, in place of a model")
    .option("--policy <file.json>", "run a policy of `dojo train` in its environment, in place of a model")
    .option("--seed <n>", "seed of the policy's start (default: 1)");
  addSimulationOptions(command)
    .option("--kappa <k>", "central-path parameter of the steps, SI; 1e-4 is soft (default: as hard as it gets)")
    .option(
      "--tolerance <m>",
      "largest error of any part of a step, metres and radians: steps are divided to keep it, impacts found (default: whole steps)",
    )
    .option("--precision <p>", "exact, or fast: contacts to 1e-4, for less time (default: exact)")
    .addOption(
      new Option("--out <file>", `write the run; again for more files (${trajectoryEndings.join(", ")})`)
        .argParser((path: string, before: string[]) => [...before, path])
        .default([], "none"),
    )
    .option("--dump <file.json>", "write the first step that is not solved, for `dojo replay-step`")
    .option("--continue", "go on after a step that is not solved")
    .option("--json", "the summary as JSON")
    .addHelpText("after", examples)
    .action(async (model: string | undefined, { tolerance, ...own }: Flags & { readonly tolerance?: string }) => {
      const given: Flags = tolerance === undefined ? own : { ...own, errorTolerance: tolerance };
      const { model: what, flags } = withModel(model, given);
      process.exitCode = await simulate(what, flags);
    });
}

async function simulate(what: string | undefined, flags: Flags): Promise<number> {
  const given = flags.time === undefined ? undefined : positive("--time", flags.time, "seconds");
  requireTrajectoryFiles(flags.out);
  if (flags.dump !== undefined) requireWritable(flags.dump, [".json"], "--dump");
  const outputs = [...flags.out, ...(flags.dump === undefined ? [] : [flags.dump])];
  requireDistinct(outputs, what, flags.plan, flags.policy);
  const planned = flags.plan === undefined ? undefined : await planOf(flags.plan, what, flags);
  const policed = await policyOf(what, flags);
  const prepared = planned ?? policed;
  const setup = prepared?.setup ?? setUp(what, flags, { runs: true });
  const time = given ?? prepared?.seconds ?? defaultSeconds;
  const { simulation, start, controller } = setup;
  const steps = Math.max(1, stepsIn("--time", time, simulation.timestep));
  const notes = [...setup.notes, ...roundingNotes(time, steps, simulation.timestep)];
  if (!flags.json) printNotes(notes);

  const record = flags.out.length > 0;
  const goOn = flags.continue ?? false;
  const ended = await Interruption.during(async (interruption) => {
    const done = await run(simulation, start, { steps, controller, record, goOn, interruption });
    const episode = policed && rewardsOf(policed.run, done);
    const summary = { ...summaryOf(setup, done, steps), ...(episode && { episode }) };
    const { trajectory } = done;
    const files: WrittenFiles = trajectory
      ? await writeTrajectories(flags.out, { ...done, trajectory, title: setup.name, summary })
      : { written: [], faults: [] };
    // a signal between the last step and the first file: the run is whole, and so are its files
    const late = interruption.requested ? interruption.exitCode : undefined;
    return { done, episode, summary, files, late };
  });
  const { done, episode, summary } = ended;
  const { written, faults, interruption } = ended.files;
  const { failure } = done;
  if (failure && flags.dump !== undefined) {
    written.push({ path: flags.dump, bytes: writeWhole(flags.dump, `${JSON.stringify(failure.dump, null, 2)}\n`) });
  }

  if (flags.json) printJson({ ...summary, notes, files: written.map(({ path }) => path) });
  else {
    print(textOf(setup, done, summary));
    if (episode) print(facts([[paddedLabel("reward"), rewardText(episode)]]));
    if (written.length > 0) print(facts(writtenFacts(written).map(([label, files]) => [paddedLabel(label), files])));
  }
  report(done, steps, flags, written.length > 0);
  if (interruption) warn(interruption.message);
  else if (ended.late !== undefined && done.interrupted === undefined) {
    warn(`interrupted after the last step${written.length > 0 ? "; the files hold the whole run" : ""}`);
  }
  if (faults.length > 0) throw faults[0];
  if (interruption) return interruption.exitCode;
  if (ended.late !== undefined) return ended.late;
  return failure || done.outOfMemory ? exitCodes.failed : exitCodes.ok;
}

/** More than this part of the time that was asked for is worth a word. */
const roundingShare = 0.01;

function roundingNotes(time: number, steps: number, timestep: number): string[] {
  const taken = steps * timestep;
  if (Math.abs(taken - time) <= roundingShare * time) return [];
  return [`${time} s are no whole number of steps of ${timestep} s: ${figure(taken)} s are simulated`];
}

// planning and learning are read where they are asked for
async function planOf(plan: string, what: string | undefined, flags: Flags) {
  const file = requireAlone(plan, what);
  return (await import("../planSetup.ts")).setUpPlan(file, flags);
}

async function policyOf(what: string | undefined, flags: Flags): Promise<PolicySetup | undefined> {
  if (flags.policy === undefined) {
    if (flags.seed !== undefined) throw new InputError("--seed: it is of the start of a policy; give one by --policy");
    return undefined;
  }
  if (flags.plan !== undefined) throw new InputError("--plan and --policy both bring a mechanism; give one of them");
  return (await import("../policySetup.ts")).setUpPolicy(flags.policy, what, flags);
}

interface EpisodeRewards {
  readonly return: number;
  readonly actions: number;
  readonly terminated: boolean;
}

/** What the policy's actions were rewarded with. */
function rewardsOf(run: PolicyRun, { solvedSteps, steps, final }: Run): EpisodeRewards {
  if (solvedSteps === steps) run.reach(final.state, steps, final.interval);
  return { return: run.return, actions: run.actions, terminated: run.terminated };
}

function rewardText({ return: sum, actions, terminated }: EpisodeRewards): string {
  return `${figure(sum)} for ${actions} actions${terminated ? "; then the environment would have ended the episode" : ""}`;
}

/** A plan brings its own mechanism. */
function requireAlone(plan: string, what: string | undefined): string {
  if (what === undefined) return plan;
  throw new InputError(`--plan ${plan} brings its own mechanism; leave "${what}" out`);
}

/** What went otherwise than asked, on standard error. */
function report(done: Run, steps: number, flags: Flags, hasFiles: boolean): void {
  const { failure, simulation } = done;
  if (failure) {
    const at = figure(failure.step * simulation.timestep);
    const hint = flags.dump === undefined ? "; --dump step.json keeps it for `dojo replay-step`" : "";
    const lock = failure.lockedJoint === undefined ? "" : ` (joint ${failure.lockedJoint} is near its lock)`;
    warn(`step ${failure.step} (at ${at} s) was not solved: ${failure.status}${lock}${hint}`);
  }
  reportConcessions(done);
  if (done.sunken.length > 0) {
    const { body, depth } = done.sunken[0];
    const others = andMore(done.sunken.slice(1), "body", "bodies");
    warn(
      `${body}${others} ended below the floor, up to ${figure(depth)} m: no contact of theirs holds them up${sinkingHint(flags)}`,
    );
  }
  if (done.stretched.length > 0) {
    const [{ body, timestep }, ...more] = done.stretched;
    const others = andMore(more, "body", "bodies");
    warn(
      `joints pull ${body}${others} so hard that ${more.length > 0 ? "they shake" : "its swing shakes"} at this time step: --timestep ${figure(timestep)} or less, or heavier links (docs/joints.md, tension)`,
    );
  }
  if (done.small.length > 0) {
    const [{ body, fall, timestep }, ...more] = done.small;
    const others = andMore(more, "body", "bodies");
    warn(
      `${body}${others} ${more.length > 0 ? "are" : "is"} too small for this time step, in which gravity moves ${body} by ${figure(fall)} of its radius of gyration: --timestep ${figure(timestep)} or less (docs/shapes.md, small bodies)`,
    );
  }
  if (done.outOfMemory) {
    const kept = hasFiles ? "; the files hold these" : "";
    warn(`the record filled the memory after ${done.steps} of ${steps} steps${kept}; a larger --timestep helps`);
  }
  if (done.interrupted !== undefined) {
    const kept = hasFiles ? "; the files hold these" : "";
    warn(`interrupted after ${done.steps} of ${steps} steps${kept}`);
  }
}

/** Overlaps beyond this are told, m: what is left is rounding as a rule. */
const toldOverlap = 1e-6;

/** What steps were solved with that found no solution otherwise. */
function reportConcessions({ touching, lessPreciseSteps }: Run): void {
  const { overlap = 0, lessFriction = 0 } = touching ?? {};
  const steps = (count: number): string => `${count} ${count === 1 ? "step was" : "steps were"} solved`;
  const told = [
    ...(overlap > toldOverlap
      ? [`shapes were up to ${figure(1000 * overlap)} mm in each other where a step ended`]
      : []),
    ...(lessFriction > 0 ? [`${steps(lessFriction)} with less friction`] : []),
    ...(lessPreciseSteps > 0 ? [`${steps(lessPreciseSteps)} to 1e-4 instead of 1e-8`] : []),
  ];
  const page = touching ? "shapes" : "solver";
  if (told.length > 0) warn(`${told.join("; ")}: a smaller --timestep helps (docs/${page}.md)`);
}

function sinkingHint({ contacts }: Flags): string {
  return contacts === "feet" ? "; --contacts all gives them some" : "; docs/contacts.md shows how to give them some";
}

/** Fields that docs/cli.md documents. */
function summaryOf({ name, simulation, compileSeconds }: Setup, done: Run, requestedSteps: number) {
  const { energy, momentum, wallSeconds, steps } = done;
  const balanced = momentum.note === undefined;
  return {
    model: name,
    timestep: simulation.timestep,
    requestedSteps,
    steps,
    solvedSteps: done.solvedSteps,
    iterations: { mean: done.iterations.mean, max: done.iterations.max },
    retries: done.retries,
    substeppedSteps: done.substeppedSteps,
    minimumDistance: done.minimumDistance,
    lessPreciseSteps: done.lessPreciseSteps,
    ...(done.touching && { largestOverlap: done.touching.overlap, lessFrictionSteps: done.touching.lessFriction }),
    sunkenBodies: done.sunken,
    stretchedBodies: done.stretched,
    smallBodies: done.small,
    energy: { start: energy.start.total, end: energy.end.total },
    energyDrift: energy.end.total - energy.start.total,
    momentumDrift: balanced ? momentum.linear : null,
    angularMomentumDrift: momentum.angularNote === undefined ? momentum.angular : null,
    ...(momentum.angularNote !== undefined && { momentumNote: momentum.angularNote }),
    compileSeconds,
    wallSeconds,
    realTimeFactor: wallSeconds > 0 ? (steps * simulation.timestep) / wallSeconds : 0,
    interrupted: done.interrupted !== undefined,
    ...(done.failure && { failure: { step: done.failure.step, status: done.failure.status } }),
  };
}

const labelWidth = 12;
const paddedLabel = (label: string): string => label.padEnd(labelWidth);

function textOf({ name, mechanism, compileSeconds }: Setup, done: Run, summary: ReturnType<typeof summaryOf>): string {
  const { bodies, coordinateCount, contacts, touch } = mechanism;
  const allSolved = done.solvedSteps === done.steps;
  const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
  const solved = allSolved ? paint("green", "all solved") : paint("red", `${done.solvedSteps} solved`);
  const size = `${bodies.length} ${bodies.length === 1 ? "body" : "bodies"}, ${plural(coordinateCount, "joint coordinate")}`;
  const met = [
    ...(contacts.length > 0 || !touch ? [plural(contacts.length, "contact")] : []),
    ...(touch ? [`${plural(touch.shapes.length, "shape")} that touch`] : []),
  ].join(", ");
  const { energy, momentum } = done;
  const distance =
    done.minimumDistance === null
      ? contacts.length === 0 || done.solvedSteps > 0
        ? touch
          ? "nothing came near anything"
          : "no contacts"
        : "unknown: no step was solved"
      : `${figure(done.minimumDistance)} m`;
  const drift =
    momentum.note === undefined
      ? `drift ${figure(momentum.linear)} N·s, angular ${momentum.angularNote ?? `${figure(momentum.angular)} N·m·s`}`
      : `no balance: ${momentum.note}`;
  return facts([
    [paddedLabel("model"), `${name}: ${size}, ${met}`],
    ["steps", `${done.steps} of ${summary.timestep} s, ${solved}`],
    [
      "iterations",
      `${done.iterations.mean.toFixed(1)} per step, at most ${done.iterations.max}; retries: ${done.retries}, steps in parts: ${done.substeppedSteps}`,
    ],
    ["smallest gap", distance],
    [
      "energy",
      `${figure(energy.start.total)} J before, ${figure(energy.end.total)} J after: ${summary.energyDrift >= 0 ? "+" : ""}${figure(summary.energyDrift)} J`,
    ],
    ["momentum", drift],
    [
      "speed",
      `${duration(summary.wallSeconds)}, ${figure(summary.realTimeFactor)} times real time; compiled in ${duration(compileSeconds)}`,
    ],
  ]);
}
