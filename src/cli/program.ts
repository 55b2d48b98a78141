/** The `dojo` command and all its commands. */
import { Command } from "commander";
import { version } from "../index.ts";
import { addBench } from "./commands/bench.ts";
import { addExperiment } from "./commands/experiment.ts";
import { addExport } from "./commands/exportModel.ts";
import { addGradients } from "./commands/gradients.ts";
import { addList } from "./commands/list.ts";
import { addReplayStep } from "./commands/replayStep.ts";
import { addSimulate } from "./commands/simulate.ts";
import { addView } from "./commands/view.ts";
import { paint } from "./terminal.ts";

const examples = `
Examples:
  dojo list
  dojo simulate atlas --time 2 --out replay.html
  dojo simulate robot.urdf --out traj.csv --json
  dojo gradients hopper
  dojo view atlas

Every command explains itself: dojo simulate --help. With --json all but view print one JSON value on standard output.
Exit codes: 0 fine, 1 the simulation failed, 2 bad input, 3 a fault of the program, 130 after Ctrl-C.`;

export function makeProgram(): Command {
  const program = new Command("dojo")
    .description("Simulates robots with hard contact, and differentiates what they do.")
    .version(version, "-V, --version", "the version")
    .helpOption("-h, --help", "this text")
    .showSuggestionAfterError(true)
    .configureHelp({ styleTitle: (title) => paint("bold", title) })
    .exitOverride()
    .addHelpText("after", examples);
  for (const add of [addList, addSimulate, addView, addGradients, addExport, addReplayStep, addBench, addExperiment])
    add(program);
  for (const command of program.commands) command.exitOverride().helpOption("-h, --help", "this text");
  return program;
}
