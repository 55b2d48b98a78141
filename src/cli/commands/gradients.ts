/** dojo gradients: Jacobians of one step, held against finite differences, timed and drawn. */
import type { Command } from "commander";
import {
  checkGradients,
  type GradientCheck,
  type GradientOptions,
  type GradientPath,
  NoGradientsError,
  StateError,
  stepGradients,
} from "../../index.ts";
import { exitCodes, InputError } from "../inputError.ts";
import { requireWritable, writeWhole } from "../outputs/outputFile.ts";
import { notNegative, oneOf, positive, stepsIn } from "../parse.ts";
import {
  addSimulationOptions,
  namesLike,
  printNotes,
  type Setup,
  type SimulationFlags,
  setUp,
  withModel,
} from "../setUp.ts";
import { density, type Matrix, sparsitySvg, sparsityText } from "../sparsity.ts";
import { duration, facts, figure, paint, print, printJson, warn } from "../terminal.ts";
import { stepTimes } from "./timing.ts";

interface Flags extends SimulationFlags {
  readonly smoothing?: string;
  readonly relativeKappa?: string;
  readonly coordinates: string;
  readonly parameters?: string;
  readonly after: string;
  readonly tolerance: string;
  readonly out?: string;
  readonly json?: boolean;
}

const examples = `
Examples:
  dojo gradients hopper
  dojo gradients atlas --coordinates maximal --out jacobian.svg
  dojo gradients block --kappa 1e-5 --parameters contacts.*.frictionCoefficient,bodies.block.mass
  dojo gradients robot.urdf --after 0.5 --json

Exit codes: 0 Jacobians and differences agree, 1 they do not or the step has none, 2 bad input.`;

/** Lines that the pictures may take: whatever the robot, the figures below them stay in sight. */
const pictureHeight = 24;

export function addGradients(program: Command): void {
  const command = program
    .command("gradients")
    .summary("Jacobians of a step, checked against finite differences")
    .description(
      "Takes one step, differentiates it where it ends, or smoothed, and compares with fourth-order central differences of the same; where shapes touch, with free ones too, of steps that find what touches anew.",
    )
    .argument("[model]", "a model's name or a file");
  addSimulationOptions(command)
    .option(
      "--smoothing <k>",
      "how smooth contacts are in the gradients, in units of each: 0.1 is usual, 1 very soft; 0 is the end of the step (default: 0)",
    )
    .option("--kappa <k>", "the same in SI; 1e-3 is smooth, 1e-6 sharp")
    .option("--relative-kappa <k>", "the former name of --smoothing")
    .option("--coordinates <kind>", "minimal (joint positions and rates) or maximal (12 numbers per body)", "minimal")
    .option("--parameters <names>", "parameters with respect to which it differentiates too, separated by commas")
    .option("--after <s>", "simulate this long first", "0")
    .option("--tolerance <e>", "largest relative error that passes", "1e-5")
    .option(
      "--error-tolerance <m>",
      "largest error of any part of a step, metres and radians: steps are divided to keep it, and gradients hold the parts",
    )
    .option("--out <file.svg>", "draw the Jacobians")
    .option("--json", "shapes, errors and times as JSON")
    .addHelpText("after", examples)
    .action((model: string | undefined, given: Flags) => {
      const { model: what, flags } = withModel(model, given);
      process.exitCode = gradients(what, flags);
    });
}

function gradients(what: string | undefined, flags: Flags): number {
  const path = pathOf(flags);
  const coordinates = oneOf("--coordinates", flags.coordinates, ["minimal", "maximal"]);
  const after = notNegative("--after", flags.after);
  const tolerance = positive("--tolerance", flags.tolerance);
  if (flags.out !== undefined) requireWritable(flags.out, [".svg"]);
  // κ is the gradients': the steps before are taken as simulations take them
  const setup = setUp(what, { ...flags, kappa: undefined }, { toleranceFlag: "--error-tolerance" });
  const { simulation, name, mechanism } = setup;
  const renamed = flags.relativeKappa === undefined ? [] : ["--relative-kappa is called --smoothing now"];
  const notes = [...setup.notes, ...renamed];
  if (!flags.json) printNotes(notes);
  const point = pointAfter(setup, after);
  if (!point) return exitCodes.failed;
  const { state, input, interval } = point;

  const parameters = flags.parameters?.split(",").map((path) => path.trim()) ?? [];
  for (const path of parameters) namesLike("--parameters", "parameter", path, simulation.parameterNames);
  const options: GradientOptions = { ...path, coordinates, parameters, interval };
  const jacobians = stepGradients(simulation, state, input, options);
  const { kappa, relativeKappa, smoothing } = jacobians;
  const where = smoothing === 0 ? "at its end" : kappa === undefined ? `smoothing = ${smoothing}` : `κ = ${kappa}`;
  if (!jacobians.differentiable) {
    warn(
      `the step has no gradients (${where}): it ended as ${jacobians.status}; --smoothing 0.1 or a smaller --timestep may help`,
    );
    return exitCodes.failed;
  }
  const { rows } = jacobians;
  if (jacobians.note !== undefined) warn(jacobians.note.replace("smoothing: 0.1", "--smoothing 0.1"));
  const matrices: { title: string; matrix: Matrix }[] = [
    { title: "next by state", matrix: { rows, columns: rows, values: jacobians.dNext_dState } },
    { title: "next by input", matrix: { rows, columns: simulation.inputSize, values: jacobians.dNext_dInput } },
    { title: "next by parameter", matrix: { rows, columns: parameters.length, values: jacobians.dNext_dParameter } },
  ].filter(({ matrix }) => matrix.columns > 0);
  const check = differencesOf(simulation, state, input, options);
  if (!check) return exitCodes.failed;
  const { stepSeconds, jacobianSeconds } = stepTimes(simulation, state, input, options);
  if (flags.out !== undefined) writeWhole(flags.out, sparsitySvg(matrices));

  const { free } = check;
  const agree = check.worst <= tolerance && (!free || free.worst <= tolerance);
  if (flags.json) {
    printJson({
      model: name,
      timestep: simulation.timestep,
      kappa: kappa ?? null,
      relativeKappa: relativeKappa ?? null,
      smoothing: smoothing ?? null,
      coordinates,
      status: jacobians.status,
      substeps: jacobians.substeps,
      shapes: Object.fromEntries(matrices.map(({ title, matrix }) => [title, [matrix.rows, matrix.columns]])),
      worstRelativeError: check.worst,
      worstEntry: check.entry,
      free: free ? { worstRelativeError: free.worst, worstEntry: free.entry, corners: free.corners } : null,
      blocks: check.blocks,
      stepSeconds,
      jacobianSeconds,
      notes,
      files: flags.out === undefined ? [] : [flags.out],
    });
  } else {
    const width = Math.min(100, (process.stdout.columns ?? 80) - 2);
    const drawn = matrices.slice(0, 2);
    for (const { title, matrix } of drawn) {
      const filled = `${(100 * density(matrix)).toFixed(0)}% filled`;
      print(paint("bold", `${title}, ${matrix.rows} × ${matrix.columns}, ${filled}`));
    }
    print(
      sparsityText(
        drawn.map(({ matrix }) => matrix),
        width,
        pictureHeight,
      ),
    );
    print("");
    print(check.format());
    print("");
    const verdict = agree ? paint("green", "agree") : paint("red", "DISAGREE");
    print(
      facts([
        [
          "model",
          `${name}: ${mechanism.bodies.length} ${mechanism.bodies.length === 1 ? "body" : "bodies"}, ${coordinates} coordinates, ${where}`,
        ],
        [
          "check",
          `Jacobians and differences ${verdict}: largest relative error ${figure(check.worst)} at ${check.entry || "none"}`,
        ],
        ...(free ? ([["free", freeText(free)]] as const) : []),
        ...(jacobians.substeps > 1 ? ([["parts", `${jacobians.substeps}`]] as const) : []),
        ["time", `a step ${duration(stepSeconds)}, with its Jacobians ${duration(jacobianSeconds)}`],
        ...(flags.out === undefined ? [] : ([["written", flags.out]] as const)),
      ]),
    );
  }
  return agree ? exitCodes.ok : exitCodes.failed;
}

/** What differences say of steps that find their features anew. */
function freeText({ worst, entry, corners }: NonNullable<GradientCheck["free"]>): string {
  const left =
    corners.length > 0
      ? `; ${corners.length} ${corners.length === 1 ? "column at a corner is" : "columns at corners are"} left out`
      : "";
  return `with features of shapes found anew: ${figure(worst)} at ${entry || "none"}${left}`;
}

/** The comparison; undefined, and a message, if the same step from a cold start has no gradients. */
function differencesOf(...step: Parameters<typeof checkGradients>): GradientCheck | undefined {
  try {
    return checkGradients(...step);
  } catch (error) {
    if (!(error instanceof NoGradientsError)) throw error;
    warn(`the step has gradients, but not when it is taken by itself, and so no differences: ${error.message}`);
    return undefined;
  }
}

/** Where to differentiate: as asked, or the default. */
function pathOf({ kappa, relativeKappa, smoothing }: Flags): GradientPath {
  const given = Object.entries({
    "--smoothing": smoothing,
    "--kappa": kappa,
    "--relative-kappa": relativeKappa,
  }).filter(([, value]) => value !== undefined);
  if (given.length > 1) throw new InputError(`${given.map(([name]) => name).join(" and ")}: give one of them`);
  if (smoothing !== undefined) return { smoothing: notNegative("--smoothing", smoothing) };
  if (kappa !== undefined) return { kappa: positive("--kappa", kappa) };
  if (relativeKappa !== undefined) return { relativeKappa: positive("--relative-kappa", relativeKappa) };
  return {};
}

/** State, the interval that it is written in, and input after some time; undefined, and a message, if a step on the way is not solved. */
function pointAfter(
  { simulation, start, controller }: Setup,
  after: number,
): { state: Float64Array; interval: number; input: Float64Array } | undefined {
  const state = Float64Array.from(start);
  const input = new Float64Array(simulation.inputSize);
  const steps = stepsIn("--after", after, simulation.timestep);
  // bodies may come to spin faster than the time step can express: the steps then go on in parts
  const options = { interval: simulation.timestep };
  for (let k = 0; k < steps; k++) {
    controller(state, k, input, options.interval);
    try {
      const { status, next, interval } = simulation.step(state, input, options);
      if (status !== "solved") {
        warn(`step ${k} on the way was not solved: ${status}`);
        return undefined;
      }
      state.set(next);
      options.interval = interval;
    } catch (error) {
      if (!(error instanceof StateError) || k === 0) throw error;
      warn(`step ${k} on the way cannot be taken: ${error.faults[0].message}`);
      return undefined;
    }
  }
  controller(state, steps, input, options.interval);
  return { state, input, ...options };
}
