/** dojo list: models, environments and experiments, a line each. */
import type { Command } from "commander";
import { environmentSummaries, modelSummaries, models } from "../../index.ts";
import { experimentSummaries } from "../experiments.ts";
import { paint, print, printJson, table } from "../terminal.ts";

const examples = `
Examples:
  dojo list
  dojo list --json`;

export function addList(program: Command): void {
  program
    .command("list")
    .summary("models, environments and experiments")
    .description("Lists the models, environments and experiments, one line each.")
    .option("--json", "as JSON: models, environments, experiments")
    .addHelpText("after", examples)
    .action(({ json }: { readonly json?: boolean }) => {
      const found = {
        models: modelSummaries.map(withStates),
        environments: environmentSummaries(),
        experiments: experimentSummaries(),
      };
      if (json) printJson(found);
      else print(textOf(found));
    });
}

/** A model with the names of its states; the first is where it starts. */
function withStates(summary: (typeof modelSummaries)[number]) {
  return { ...summary, states: Object.keys(models[summary.name]().states ?? {}) };
}

interface Named {
  readonly name: string;
  readonly summary: string;
}

function textOf({
  models,
  environments,
  experiments,
}: {
  readonly models: readonly ReturnType<typeof withStates>[];
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
    ...section("environment", environments),
    ...section("experiment", experiments),
    "",
    paint("dim", "dojo simulate <model> --out replay.html shows one; files: .urdf, .xml (MJCF), .json"),
  ].join("\n");
}
