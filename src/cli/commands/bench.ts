/** dojo bench: the timing comparison with MuJoCo where it is at hand, else our times alone. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { type ModelName, modelNames } from "../../index.ts";
import { benchRepeats, benchSteps, modelTimesText, timeModel } from "../benchModels.ts";
import { type ExperimentOutcome, experimentsFolder, withRunner } from "../experiments.ts";
import { exitCodes, InputError, suggestion } from "../inputError.ts";
import { Interruption } from "../interruption.ts";
import { ProgressBar, print, printJson, TaskProgress } from "../terminal.ts";

const usual: readonly ModelName[] = ["humanoid", "a1", "panda", "skydioX2"];
const note = "Ours alone: the comparison with MuJoCo comes with the repository (there: npm run dojo -- bench).";

const examples = `
Examples:
  dojo bench
  dojo bench --quick --json
  dojo bench a1 atlas

In a clone with its development dependencies it is the experiment "timing": steps, steps with Jacobians, and rollouts with
pullbacks of four robots, in turns with MuJoCo. Elsewhere, and for models by name: runs of ${benchSteps} steps from rest with small
random inputs, the median of ${benchRepeats}; microseconds. Nothing else should run meanwhile.`;

interface Flags {
  readonly quick?: boolean;
  readonly json?: boolean;
}

export function addBench(program: Command): void {
  program
    .command("bench")
    .summary("time steps and gradients, beside MuJoCo where it is there")
    .description("Times forward steps and steps with all Jacobians (minimal coordinates).")
    .argument("[models...]", "models to time alone, by name")
    .option("--quick", "a shorter comparison")
    .option("--json", "as JSON")
    .addHelpText("after", examples)
    .action(async (names: string[], flags: Flags) => {
      const folder = experimentsFolder();
      const withPeer = names.length === 0 && folder !== undefined && hasMujoco(folder);
      process.exitCode = withPeer ? await compare(folder, flags) : alone(names, flags);
    });
}

function hasMujoco(folder: string): boolean {
  return existsSync(join(dirname(folder), "node_modules", "@mujoco", "mujoco"));
}

/** Runs the experiment without touching its recorded result. */
async function compare(folder: string, { quick = false, json = false }: Flags): Promise<number> {
  const out = mkdtempSync(join(tmpdir(), "dojo-bench-"));
  const progress = new TaskProgress();
  let outcome: ExperimentOutcome | undefined;
  try {
    const interrupted = await Interruption.during(async (interruption) => {
      await withRunner(folder, ["timing"], (runner) =>
        runner.runSeries({
          tasks: [{ name: "timing", out }],
          quick,
          page: undefined,
          signal: interruption.signal,
          onProgress: (_, fraction, doing, left) => progress.update(doing, fraction, left),
          onOutcome: (ended) => {
            outcome = ended;
          },
        }),
      );
      return interruption.requested ? interruption.exitCode : undefined;
    });
    progress.clear();
    if (interrupted !== undefined) return interrupted;
    if (outcome?.text === undefined) return exitCodes.failed;
    if (json) printJson(JSON.parse(readFileSync(join(out, "result.json"), "utf8")));
    else print(outcome.text);
    return exitCodes.ok;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

function alone(names: readonly string[], { json = false }: Flags): number {
  const chosen = names.length > 0 ? names.map(modelNamed) : usual;
  const progress = new ProgressBar(chosen.length);
  const rows = chosen.map((name, i) => {
    const row = timeModel(name);
    progress.update(i + 1);
    return row;
  });
  progress.clear();
  if (json)
    printJson({ node: process.version, steps: benchSteps, repeats: benchRepeats, peer: null, note, models: rows });
  else print(`${modelTimesText(rows)}\n\n${note}`);
  return rows.every(({ solved }) => solved) ? exitCodes.ok : exitCodes.failed;
}

function modelNamed(name: string): ModelName {
  const found = modelNames.find((known) => known === name);
  if (found) return found;
  throw new InputError(`there is no model "${name}"${suggestion(name, modelNames)}`);
}
