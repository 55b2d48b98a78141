/** dojo replay-step: takes a dumped step again and shows the solver at work. */
import type { Command } from "commander";
import { restoreStep, type StepDump } from "../../index.ts";
import { inFile } from "../inFile.ts";
import { exitCodes, InputError } from "../inputError.ts";
import { readText } from "../readFile.ts";
import { facts, figure, print, printJson, table } from "../terminal.ts";

const examples = `
Examples:
  dojo simulate robot.urdf --dump step.json     writes the first step that is not solved
  dojo replay-step step.json                    takes it again, iteration by iteration

Exit codes: 0 the step is solved, 1 it is not, 2 bad input.`;

export function addReplayStep(program: Command): void {
  program
    .command("replay-step")
    .summary("take a dumped step again, iteration by iteration")
    .description("Replays a step that `simulate --dump` or the library's dumpStep wrote, from a cold start.")
    .argument("<dump.json>", "the file")
    .option("--json", "iterations and outcome as JSON")
    .addHelpText("after", examples)
    .action((path: string, { json }: { readonly json?: boolean }) => {
      process.exitCode = replay(path, json ?? false);
    });
}

interface Row {
  readonly attempt: number;
  readonly iteration: number;
  readonly residual: number;
  readonly residualViolation: number;
  readonly complementarityViolation: number;
  readonly mu: number;
  readonly kappa: number;
  readonly alpha: number;
}

function replay(path: string, json: boolean): number {
  const { simulation, state, input } = inFile(path, () => restoreStep(readDump(path)));
  const rows: Row[] = [];
  let attempt = 0;
  const result = inFile(path, () =>
    simulation.step(state, input, {
      onIteration: (progress) => {
        const last = rows.at(-1);
        // each attempt and substep counts its own iterations
        if (!last || progress.iterations <= last.iteration) attempt++;
        rows.push({
          attempt,
          iteration: progress.iterations,
          residual: progress.residual,
          residualViolation: progress.residualViolation,
          complementarityViolation: progress.complementarityViolation,
          mu: progress.mu,
          kappa: progress.kappa,
          alpha: progress.alpha,
        });
      },
    }),
  );
  const { status, iterations, retries, substeps, residualViolation, complementarityViolation } = result;
  const outcome = { status, iterations, retries, substeps, residualViolation, complementarityViolation };
  if (json) printJson({ model: simulation.mechanism.name, timestep: simulation.timestep, ...outcome, rows });
  else {
    const heading = ["attempt", "iteration", "residual", "r/tolerance", "complementarity", "mu", "kappa", "alpha"];
    const cells = rows.map((row) => [
      row.attempt,
      row.iteration,
      ...[row.residual, row.residualViolation, row.complementarityViolation, row.mu, row.kappa].map((value) =>
        value.toExponential(1),
      ),
      row.alpha.toFixed(3),
    ]);
    print(table(heading, cells));
    print("");
    print(
      facts([
        ["model", simulation.mechanism.name],
        ["outcome", `${status} after ${iterations} iterations; retries: ${retries}, substeps: ${substeps}`],
        ["residual", `${figure(residualViolation)} of the tolerance`],
      ]),
    );
  }
  return status === "solved" ? exitCodes.ok : exitCodes.failed;
}

function readDump(path: string): StepDump {
  const text = readText(path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new InputError(`${path}: not JSON: ${(error as Error).message}`);
  }
  const fields = ["description", "parameters", "timestep", "state", "input", "wrenches", "options"];
  const missing = fields.filter((field) => typeof value !== "object" || value === null || !(field in value));
  if (missing.length > 0) {
    throw new InputError(
      `${path}: no dumped step: it lacks ${missing.join(", ")}; \`dojo simulate --dump\` writes one`,
    );
  }
  return value as StepDump;
}
