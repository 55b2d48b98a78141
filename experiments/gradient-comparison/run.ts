/**
 * [gradient_compare]: how a pushed box moves and what its gradient is: exactly, by the engine at several κ, and by randomised
 * smoothing at several σ.
 */
import { Random } from "dojo-sim";
import type { Experiment, Presentation, RunOptions } from "../experiment.ts";
import { legend, type Panel, Plot } from "../report.ts";
import { type Direction, exact } from "./box.ts";
import { PushedBox } from "./pushedBox.ts";
import { smoothedGradient } from "./randomizedSmoothing.ts";

const directions: readonly Direction[] = ["impact", "friction"];
const kappas = [1e-2, 1e-3, 1e-4, 1e-6, 1e-8];
const sigmas = [0.3, 1, 3];
const samples = 500;
const largestForce = 20;
/** The paper's largest differences between κ = 1e-4 and 1e-8, metres: its Δy taken as the vertical, its Δx as the horizontal motion. */
const paper = { impact: 2.56e-3, friction: 1.52e-3 };

/** Where the box goes and its gradient, one value a force. Smoothing gives gradients alone. */
interface Curve {
  readonly label: string;
  readonly displacement: readonly number[];
  readonly gradient: readonly number[];
}

interface Row {
  readonly direction: Direction;
  /** Largest difference of the motion between κ = 1e-4 and 1e-8, on four corners and on one point, m. */
  readonly differenceMetres: number;
  readonly onePointMetres: number;
  readonly paperMetres: number;
  /** Mean error of the gradient against the exact step, over its height; mean absolute second difference over the range. */
  readonly gradientErrors: readonly {
    readonly kappa: number;
    readonly meanError: number;
    readonly roughness: number;
  }[];
  readonly smoothing: readonly { readonly sigma: number; readonly meanError: number; readonly roughness: number }[];
  readonly curves: {
    readonly exact: Curve;
    readonly ours: readonly Curve[];
    readonly smoothed: readonly Curve[];
  };
}

interface Result {
  readonly forces: readonly number[];
  readonly rows: readonly Row[];
  /** Seconds of one gradient. */
  readonly cost: {
    readonly oursSeconds: number;
    readonly smoothingSeconds: number;
    readonly samples: number;
    readonly ratio: number;
  };
}

function run({ quick, progress }: RunOptions): Result {
  const count = quick ? 41 : 201;
  const forces = Array.from({ length: count }, (_, i) => (largestForce * i) / (count - 1));
  const box = new PushedBox("corners");
  const onePoint = new PushedBox("point");
  const random = new Random(1);
  const rows = directions.map((direction, i) => {
    progress(i / directions.length, direction);
    return compared(direction, forces, box, onePoint, random);
  });
  const oursSeconds = seconds(() => box.gradient("impact", 9, 1e-3), quick ? 20 : 200);
  const smoothingSeconds = seconds(() => smoothedGradient((x) => box.sharp("impact", x), 9, 1, samples, random), 1);
  const cost = { oursSeconds, smoothingSeconds, samples, ratio: smoothingSeconds / oursSeconds };
  return { forces, rows, cost };
}

function compared(
  direction: Direction,
  forces: readonly number[],
  box: PushedBox,
  onePoint: PushedBox,
  random: Random,
): Row {
  const truth: Curve = {
    label: "exact",
    displacement: forces.map((f) => exact(direction, f).displacement),
    gradient: forces.map((f) => exact(direction, f).gradient),
  };
  const ours = kappas.map((kappa) => ({
    label: `κ = ${kappa.toExponential(0)}`,
    displacement: forces.map((f) => box.displacement(direction, f, kappa)),
    gradient: forces.map((f) => box.gradient(direction, f, kappa)),
  }));
  const smoothed = sigmas.map((sigma) => ({
    label: `σ = ${sigma} N`,
    displacement: [],
    gradient: forces.map((f) => smoothedGradient((x) => box.sharp(direction, x), f, sigma, samples, random)),
  }));
  const quality = ({ gradient }: Curve) => ({
    meanError: meanDifference(gradient, truth.gradient) / Math.max(...truth.gradient),
    roughness: roughness(gradient),
  });
  return {
    direction,
    differenceMetres: largestDifference(ours[2].displacement, ours[4].displacement),
    onePointMetres: largestDifference(
      forces.map((f) => onePoint.displacement(direction, f, 1e-4)),
      forces.map((f) => onePoint.displacement(direction, f, 1e-8)),
    ),
    paperMetres: paper[direction],
    gradientErrors: ours.map((curve, i) => ({ kappa: kappas[i], ...quality(curve) })),
    smoothing: smoothed.map((curve, i) => ({ sigma: sigmas[i], ...quality(curve) })),
    curves: { exact: truth, ours: ours.map(rounded), smoothed: smoothed.map(rounded) },
  };
}

/** Digits that a figure needs. */
function rounded({ label, displacement, gradient }: Curve): Curve {
  const short = (values: readonly number[]): number[] => values.map((value) => Number(value.toPrecision(6)));
  return { label, displacement: short(displacement), gradient: short(gradient) };
}

/** Seconds of one call, the median of several rounds. */
function seconds(work: () => void, calls: number): number {
  const rounds = Array.from({ length: 9 }, () => {
    const begin = performance.now();
    for (let i = 0; i < calls; i++) work();
    return (performance.now() - begin) / 1000 / calls;
  });
  return rounds.sort((a, b) => a - b)[4];
}

function meanDifference(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + Math.abs(value - b[i]), 0) / a.length;
}

function largestDifference(a: readonly number[], b: readonly number[]): number {
  return Math.max(...a.map((value, i) => Math.abs(value - b[i])));
}

/** How rough a curve is: mean absolute second difference, over its range. */
function roughness(values: readonly number[]): number {
  const range = Math.max(...values) - Math.min(...values);
  const second = values.slice(2).map((value, i) => Math.abs(value - 2 * values[i + 1] + values[i]));
  return second.reduce((sum, value) => sum + value, 0) / second.length / range;
}

function present({ forces, rows, cost }: Result): Presentation {
  const kappaHeadings = kappas.map((kappa) => `κ ${kappa.toExponential(0)}`);
  const sigmaHeadings = sigmas.map((sigma) => `σ ${sigma} N`);
  const qualities = (key: "meanError" | "roughness") => [
    ["", ...kappaHeadings, ...sigmaHeadings],
    ...rows.map((row) => [row.direction, ...[...row.gradientErrors, ...row.smoothing].map((entry) => entry[key])]),
  ];
  const microseconds = (value: number): string => (1e6 * value).toFixed(0);
  return {
    tables: [
      {
        caption: "Largest difference of the motion between κ = 1e-4 and 1e-8, mm",
        rows: [
          ["", "paper", "four corners", "one point"],
          ...rows.map((row) => [
            row.direction,
            ...[row.paperMetres, row.differenceMetres, row.onePointMetres].map((metres) => 1e3 * metres),
          ]),
        ],
      },
      {
        caption: `Mean error of the gradient against the exact step, over its height (σ: smoothing by ${samples} samples)`,
        rows: qualities("meanError"),
      },
      {
        caption: "Roughness of the gradient: mean absolute second difference, over its range",
        rows: qualities("roughness"),
      },
    ],
    figures: [
      {
        name: "figure",
        caption:
          "A box at rest pushed up (impact) and sideways (friction) for one step; dashed: exact. Left: motion. Middle: gradients at several κ. Right: randomised smoothing.",
        panels: rows.map(({ direction, curves: { exact: truth, ours, smoothed } }) => [
          panel(`${direction}: motion`, forces, ours, "displacement", truth),
          panel(`${direction}: gradient by κ`, forces, ours, "gradient", truth),
          panel(`${direction}: smoothing, ${samples} samples`, forces, smoothed, "gradient", truth),
        ]),
      },
    ],
    remarks: [
      `One gradient costs ${microseconds(cost.oursSeconds)} µs, one of randomised smoothing ${microseconds(cost.smoothingSeconds)} µs: ${cost.ratio.toFixed(0)} times as much.`,
      "On the central path a resting contact floats: at lift-off a box on n contacts is √(n κ h / m) high. The paper does not say on how many contacts its box rests; its figure for the impact lies near that of one point, its figure for friction near that of four corners.",
    ],
  };
}

function panel(
  heading: string,
  forces: readonly number[],
  curves: readonly Curve[],
  key: "displacement" | "gradient",
  truth: Curve,
): Panel {
  const points = (list: readonly Curve[]) =>
    list.flatMap(({ label, [key]: values }) => values.map((value, i) => ({ force: forces[i], value, label })));
  const labels = curves.map(({ label }) => label);
  return {
    heading,
    x: { label: "force, N" },
    y: { label: key === "displacement" ? "displacement, m" : "gradient, m/N" },
    // the palest of the scheme is hard to see on white
    color: { domain: labels, scheme: "viridis", range: [0, 0.85] },
    marks: [
      Plot.line(points([truth]), { x: "force", y: "value", stroke: "black", strokeDasharray: "4,3" }),
      Plot.line(points(curves), { x: "force", y: "value", stroke: "label" }),
      ...legend(labels, { corner: key === "displacement" ? "top-left" : "bottom-right" }),
    ],
  };
}

const experiment: Experiment<Result> = {
  name: "gradient-comparison",
  title: "How smooth a gradient is",
  claim:
    "[gradient_compare] The exact gradient through a contact event is a step, which tells an optimiser nothing on its flat side. At a large κ the engine's gradient is smooth through the event; as κ falls it approaches the step. Randomised smoothing gives a similar curve, noisier, for the price of hundreds of steps.",
  seconds: { full: 25, quick: 5 },
  run,
  present,
};
export default experiment;
