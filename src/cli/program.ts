/** The `dojo` command and all its commands. */
import { Command, type Option } from "commander";
import { version } from "../index.ts";
import { addBench } from "./commands/bench.ts";
import { addExperiment } from "./commands/experiment.ts";
import { addExport } from "./commands/exportModel.ts";
import { addGradients } from "./commands/gradients.ts";
import { addIdentify } from "./commands/identify.ts";
import { addList } from "./commands/list.ts";
import { addPlan } from "./commands/plan.ts";
import { addReplayStep } from "./commands/replayStep.ts";
import { addServe } from "./commands/serve.ts";
import { addSimulate } from "./commands/simulate.ts";
import { addTrain } from "./commands/train.ts";
import { addView } from "./commands/view.ts";
import { addWorker } from "./commands/worker.ts";
import { InputError } from "./inputError.ts";
import { paint, print, printError } from "./terminal.ts";

const examples = `
Examples:
  dojo list
  dojo simulate atlas --time 2 --out replay.html
  dojo simulate robot.urdf --out traj.csv --json
  dojo gradients hopper
  dojo plan box-up --out lift.html
  dojo view atlas

Every command explains itself: dojo simulate --help. With --json all but view, serve and worker print one JSON value on standard output.
Exit codes: 0 fine, 1 the simulation failed, 2 bad input, 3 a fault of the program, 130 after Ctrl-C, 143 after SIGTERM.`;

export function makeProgram(): Command {
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
  for (const add of [
    addList,
    addSimulate,
    addView,
    addGradients,
    addPlan,
    addTrain,
    addIdentify,
    addWorker,
    addExport,
    addReplayStep,
    addServe,
    addBench,
    addExperiment,
  ])
    add(program);
  for (const command of program.commands) {
    command.exitOverride().helpOption("-h, --help", "this text");
    for (const option of command.options) refuseRepeats(option);
  }
  return program;
}

/** Of an option that takes one value, commander would keep the last and say nothing. */
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
