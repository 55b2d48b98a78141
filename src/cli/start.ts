/** `npm start`: the Atlas drop with gradients, in figures and as a replay. npm start [-- --out file.html]. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type AtlasDrop, atlasDrop, dropHeight, type GradientTest, targetStep } from "./atlasDrop.ts";
import { InputError } from "./inputError.ts";
import { requireWritable } from "./outputs/outputFile.ts";
import { writeReplay } from "./writeReplay.ts";

function main(): void {
  const { values } = parseArgs({ options: { out: { type: "string", default: "atlasDrop.html" } } });
  const file = resolve(values.out);
  requireWritable(file, [".html", ".htm"]);
  const drop = atlasDrop();
  const lines = report(drop);
  const size = writeReplay(file, drop.trajectory, {
    simulation: drop.simulation,
    title: "Atlas drop",
    heights: ["pelvis", "head", "l_foot"],
    plots: [gradientPlot(drop)],
    notes: [{ label: "energy", text: lines.energy }],
  });
  for (const [label, text] of Object.entries(lines)) console.log(`${label.padEnd(14)}${text}`);
  console.log(`${"replay".padEnd(14)}${file} (${(size / 1e6).toFixed(1)} MB): open it in a browser`);
  if (!drop.trajectory.solved) process.exitCode = 1;
}

function report(drop: AtlasDrop): Record<string, string> {
  const { trajectory, mass, energy, imbalance, times, gradient, smallestFootHeight, smallestDistance } = drop;
  const { mechanism, reports, steps, timestep } = trajectory;
  const total = (key: "iterations" | "retries"): number => reports.reduce((sum, entry) => sum + entry[key], 0);
  const most = Math.max(...reports.map(({ iterations }) => iterations));
  const parts = reports.filter(({ substeps }) => substeps > 1).length;
  const duration = steps * timestep;
  return {
    atlas: `${mechanism.bodies.length} bodies, ${mechanism.inputSize} motors, ${mechanism.contacts.length} contacts, ${mass.toFixed(0)} kg, let go ${dropHeight} m above the floor`,
    steps: `${steps} of ${timestep} s, ${trajectory.solved ? "all" : "NOT all"} solved`,
    iterations: `${(total("iterations") / steps).toFixed(1)} per step, at most ${most}; retries: ${total("retries")}; steps in parts: ${parts}`,
    feet: `never lower than ${(1000 * smallestFootHeight).toExponential(1)} mm above the floor, all contacts ${(1000 * smallestDistance).toExponential(1)} mm`,
    energy: `${energy.before.toFixed(0)} J before, ${energy.after.toFixed(0)} J after`,
    momentum: `gravity and contacts account for it to ${imbalance.linear.toExponential(0)} N·s and ${imbalance.angular.toExponential(0)} N·m·s`,
    gradient: `of the pelvis's height after ${targetStep * timestep} s, with respect to ${targetStep * mechanism.inputSize} torques and ${mechanism.bodies.length} masses, in one pullback`,
    "  largest": `${largestInput(drop)}; ${largestMass(drop)}`,
    "  followed": `torques ${gradient.tests.map(followed).join("; ")}`,
    speed: `${(duration / times.simulation).toFixed(0)} times real time, with gradients ${(duration / (times.simulation + times.gradients)).toFixed(0)} times`,
    "wall time": `${ms(times.simulation)} for ${duration} s, gradients ${ms(times.gradients)} more, compilation ${ms(times.compilation)} before`,
  };
}

const mm = (metres: number): string => (1000 * metres).toPrecision(3);
const followed = ({ torque, predicted, simulated }: GradientTest): string =>
  `up to ${torque} N·m: ${mm(simulated)} mm higher (gradient: ${mm(predicted)})`;
const ms = (seconds: number): string => `${(1000 * seconds).toFixed(0)} ms`;

function largestInput({ trajectory, gradient }: AtlasDrop): string {
  let found = { step: 0, input: 0, value: 0 };
  gradient.inputs.forEach((row, step) => {
    row.forEach((value, input) => {
      if (Math.abs(value) > Math.abs(found.value)) found = { step, input, value };
    });
  });
  const name = trajectory.mechanism.inputNames[found.input].split(".")[0];
  const micrometres = (1e6 * found.value).toFixed(1);
  return `${micrometres} µm per N·m of ${name} in step ${found.step + 1}`;
}

function largestMass({ gradient }: AtlasDrop): string {
  const [path, value] = Object.entries(gradient.masses).reduce((a, b) => (Math.abs(b[1]) > Math.abs(a[1]) ? b : a));
  return `${(1000 * value).toFixed(1)} mm per kg of ${path.split(".")[1]}`;
}

/** Size of the gradient by the torques of each step, with the frame that the step leads to. */
function gradientPlot({ gradient }: AtlasDrop) {
  const values = [
    Number.NaN,
    ...gradient.inputs.map((row, k) => (k < targetStep ? 1e6 * Math.hypot(...row) : Number.NaN)),
  ];
  const series = [{ name: "gradient of all motors", values }];
  return {
    title: `pelvis height at ${targetStep / 100} s by the torques`,
    unit: "µm/(N·m)",
    scale: "linear" as const,
    series,
  };
}

try {
  main();
} catch (error) {
  if (!(error instanceof InputError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
