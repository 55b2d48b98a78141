/** dojo list: models, environments and experiments, a line each. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { modelSummaries } from "../../index.ts";
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
      const found = { models: modelSummaries, environments: environments(), experiments: experiments() };
      if (json) printJson(found);
      else print(textOf(found));
    });
}

interface Named {
  readonly name: string;
  readonly summary: string;
}

/** None yet: the library has no environments. */
function environments(): Named[] {
  return [];
}

/** In a clone: titles of experiments/<name>/README.md. In an installed package there are none. */
function experiments(): Named[] {
  const folder = join(packageFolder(), "experiments");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, "README.md")))
    .sort()
    .map((name) => {
      const title = /^#\s+(.+)$/m.exec(readFileSync(join(folder, name, "README.md"), "utf8"))?.[1] ?? "";
      return { name, summary: title.trim() };
    });
}

/** The nearest folder above this file that has a package.json. */
function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json")) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

function textOf({
  models,
  environments,
  experiments,
}: {
  readonly models: typeof modelSummaries;
  readonly environments: readonly Named[];
  readonly experiments: readonly Named[];
}): string {
  const rows = models.map(({ name, bodies, degreesOfFreedom, summary }) => [name, bodies, degreesOfFreedom, summary]);
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
    table(["model", "bodies", "dof", ""], rows),
    ...section("environment", environments),
    ...section("experiment", experiments),
    "",
    paint("dim", "dojo simulate <model> --out replay.html shows one; files: .urdf, .xml (MJCF), .json"),
  ].join("\n");
}
