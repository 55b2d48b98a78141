/** The `dojo` command and all its commands. */
import { Command, type Option } from "commander";
import { version } from "../index.ts";
import { InputError } from "./inputError.ts";
import { paint, print, printError } from "./terminal.ts";

const examples = `
Examples:
  dojo list
  dojo inspect robot.urdf
  dojo simulate atlas --time 2 --out replay.html
  dojo simulate robot.urdf --out traj.csv --json
  dojo gradients hopper
  dojo plan box-up --out lift.html
  dojo view atlas

Every command explains itself: dojo simulate --help. With --json all but view, serve and worker print one JSON value on standard output.
Exit codes: 0 fine, 1 the simulation failed, 2 bad input, 3 a fault of the program, 130 after Ctrl-C, 143 after SIGTERM.`;

/** Commands by name, in the order of the help. Each is read when it is asked for: all of them take a tenth of a second. */
const commands: Readonly<Record<string, () => Promise<(program: Command) => void>>> = {
  list: async () => (await import("./commands/list.ts")).addList,
  inspect: async () => (await import("./commands/inspect.ts")).addInspect,
  simulate: async () => (await import("./commands/simulate.ts")).addSimulate,
  view: async () => (await import("./commands/view.ts")).addView,
  gradients: async () => (await import("./commands/gradients.ts")).addGradients,
  plan: async () => (await import("./commands/plan.ts")).addPlan,
  train: async () => (await import("./commands/train.ts")).addTrain,
  identify: async () => (await import("./commands/identify.ts")).addIdentify,
  worker: async () => (await import("./commands/worker.ts")).addWorker,
  export: async () => (await import("./commands/exportModel.ts")).addExport,
  "replay-step": async () => (await import("./commands/replayStep.ts")).addReplayStep,
  serve: async () => (await import("./commands/serve.ts")).addServe,
  bench: async () => (await import("./commands/bench.ts")).addBench,
  experiment: async () => (await import("./commands/experiment.ts")).addExperiment,
};

/** The program with the command of this name alone, or with all of them where there is none. */
export async function makeProgram(name: string | undefined): Promise<Command> {
  const program = new Command("dojo")
    .description("Simulates robots with hard contact, and differentiates what they do.")
    .version(version, "-V, --version", "the version")
    .helpOption("-h, --help", "this text")
    .showSuggestionAfterError(true)
    .configureHelp({ styleTitle: (title) => paint("bold", title) })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => print(text.trimEnd()),
      writeErr: (text) => printError(text.trimEnd()),
    })
    .addHelpText("after", examples);
  const own = name !== undefined && Object.hasOwn(commands, name) ? [commands[name]] : Object.values(commands);
  for (const add of await Promise.all(own.map((load) => load()))) add(program);
  for (const command of program.commands) {
    command.exitOverride().helpOption("-h, --help", "this text");
    for (const option of command.options) refuseRepeats(option);
  }
  return program;
}

/** The name of a command that there is not, of those that begin with it or ask for its help. */
export function unknownCommand(argv: readonly string[]): string | undefined {
  const name = argv[2] === "help" ? argv[3] : argv[2];
  const isKnown = name === undefined || name.startsWith("-") || name === "help" || Object.hasOwn(commands, name);
  return isKnown ? undefined : name;
}

/** Refuses an option that is given twice: of one that takes one value, commander would keep the last and say nothing. */
function refuseRepeats(option: Option): void {
  // switches say the same twice; lists and those with a parser of their own collect
  if (!option.required || option.variadic || option.parseArg !== undefined) return;
  let before: string | undefined;
  option.argParser((value: string) => {
    if (before !== undefined) {
      throw new InputError(`${option.long} is given twice, as "${before}" and as "${value}"; give it once`);
    }
    before = value;
    return value;
  });
}
