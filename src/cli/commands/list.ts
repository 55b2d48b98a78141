/** dojo list: models, scenes, environments and experiments, a line each. */
import type { Command } from "commander";
import {
  environmentSummaries,
  type MechanismDescription,
  type ModelSummary,
  modelSummaries,
  models,
  namesOf,
  type SceneSummary,
  sceneSummaries,
  scenes,
} from "../../index.ts";
import { experimentSummaries } from "../experiments.ts";
import { paint, print, printJson, table } from "../terminal.ts";

const examples = `
Examples:
  dojo list
  dojo list --json`;

export function addList(program: Command): void {
  program
    .command("list")
    .summary("models, scenes, environments and experiments")
    .description("Lists the models, scenes, environments and experiments, one line each.")
    .option("--json", "as JSON: models, scenes, environments, experiments")
    .addHelpText("after", examples)
    .action(({ json }: { readonly json?: boolean }) => {
      const found = {
        models: modelSummaries.map((summary) => ({ ...summary, states: statesOf(models[summary.name]()) })),
        scenes: sceneSummaries.map((summary) => ({ ...summary, states: statesOf(scenes[summary.name]()) })),
        environments: environmentSummaries(),
        experiments: experimentSummaries(),
      };
      if (json) printJson(found);
      else print(textOf(found));
    });
}

/** Names of the states; the first is the start. */
function statesOf(description: MechanismDescription): string[] {
  return namesOf(description, "states");
}

interface Named {
  readonly name: string;
  readonly summary: string;
}

interface Stated {
  readonly states: readonly string[];
}

function textOf({
  models,
  scenes,
  environments,
  experiments,
}: {
  readonly models: readonly (ModelSummary & Stated)[];
  readonly scenes: readonly (SceneSummary & Stated)[];
  readonly environments: readonly Named[];
  readonly experiments: readonly Named[];
}): string {
  const rows = models.map(({ name, bodies, degreesOfFreedom, states, summary }) => [
    name,
    bodies,
    degreesOfFreedom,
    states.join(", "),
    summary,
  ]);
  const section = (title: string, entries: readonly Named[]): string[] =>
    entries.length === 0
      ? []
      : [
          "",
          table(
            [title, ""],
            entries.map(({ name, summary }) => [name, summary]),
          ),
        ];
  return [
    table(["model", "bodies", "dof", "states, the start first", ""], rows),
    "",
    table(
      ["scene", "bodies", "states, the start first", ""],
      scenes.map(({ name, bodies, states, summary }) => [name, bodies, states.join(", "), summary]),
    ),
    ...section("environment", environments),
    ...section("experiment", experiments),
    "",
    paint("dim", "dojo simulate <model or scene> --out replay.html shows one; files: .urdf, .xml (MJCF), .json"),
  ].join("\n");
}
