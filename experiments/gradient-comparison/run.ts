/**
 * [gradient_compare]: how a pushed box moves and what its gradient is: exactly, by the engine at several κ, and by randomised
 * smoothing at several σ.
 *   run [--quick] [--json] [--out dir]
 */
import { Random } from "dojo-sim";
import { type Panel, Plot, readArguments, table, writeFigure, writeResult } from "../report.ts";
import { type Direction, exact, PushedBox } from "./box.ts";
import { smoothedGradient } from "./randomizedSmoothing.ts";

const args = readArguments(import.meta.dirname);
const directions: readonly Direction[] = ["impact", "friction"];
const kappas = [1e-2, 1e-3, 1e-4, 1e-6, 1e-8];
const sigmas = [0.3, 1, 3];
const samples = 500;
const largestForce = 20;
const count = args.quick ? 41 : 201;
const forces = Array.from({ length: count }, (_, i) => (largestForce * i) / (count - 1));
/** The paper's largest differences between κ = 1e-4 and 1e-8, metres: its Δy taken as the vertical, its Δx as the horizontal motion. */
const paper = { impact: 2.56e-3, friction: 1.52e-3 };

const box = new PushedBox("corners");
const onePoint = new PushedBox("point");
const random = new Random(1);

interface Curve {
  readonly label: string;
  readonly displacement: number[];
  readonly gradient: number[];
}

function curves(direction: Direction): { ours: Curve[]; smoothed: Curve[]; exact: Curve } {
  return {
    exact: {
      label: "exact",
      displacement: forces.map((f) => exact(direction, f).displacement),
      gradient: forces.map((f) => exact(direction, f).gradient),
    },
    ours: kappas.map((kappa) => ({
      label: `κ = ${kappa.toExponential(0)}`,
      displacement: forces.map((f) => box.displacement(direction, f, kappa)),
      gradient: forces.map((f) => box.gradient(direction, f, kappa)),
    })),
    smoothed: sigmas.map((sigma) => ({
      label: `σ = ${sigma}`,
      displacement: [],
      gradient: forces.map((f) => smoothedGradient((x) => box.sharp(direction, x), f, sigma, samples, random)),
    })),
  };
}

/** Seconds of one gradient, the median of several rounds of calls. */
function seconds(work: () => void, calls: number): number {
  const rounds = Array.from({ length: 9 }, () => {
    const begin = performance.now();
    for (let i = 0; i < calls; i++) work();
    return (performance.now() - begin) / 1000 / calls;
  });
  return rounds.sort((a, b) => a - b)[4];
}

/** How rough a curve is: mean absolute second difference, over its range. */
function roughness(values: readonly number[]): number {
  const range = Math.max(...values) - Math.min(...values);
  const second = values.slice(2).map((value, i) => Math.abs(value - 2 * values[i + 1] + values[i]));
  return second.reduce((sum, value) => sum + value, 0) / second.length / range;
}

const all = new Map(directions.map((direction) => [direction, curves(direction)]));
const largestDifference = (a: readonly number[], b: readonly number[]): number =>
  Math.max(...a.map((value, i) => Math.abs(value - b[i])));
const rows = directions.map((direction) => {
  const { ours, smoothed, exact: truth } = all.get(direction) as ReturnType<typeof curves>;
  return {
    direction,
    differenceMetres: largestDifference(ours[2].displacement, ours[4].displacement),
    onePointMetres: largestDifference(
      forces.map((f) => onePoint.displacement(direction, f, 1e-4)),
      forces.map((f) => onePoint.displacement(direction, f, 1e-8)),
    ),
    paperMetres: paper[direction],
    gradientErrors: ours.map((curve, i) => ({
      kappa: kappas[i],
      // mean error of the gradient against the step function, over its height
      meanError:
        curve.gradient.reduce((sum, value, k) => sum + Math.abs(value - truth.gradient[k]), 0) /
        forces.length /
        Math.max(...truth.gradient),
      roughness: roughness(curve.gradient),
    })),
    smoothing: smoothed.map((curve, i) => ({ sigma: sigmas[i], roughness: roughness(curve.gradient) })),
  };
});
const oursSeconds = seconds(() => box.gradient("impact", 9, 1e-3), args.quick ? 20 : 200);
const smoothingSeconds = seconds(() => smoothedGradient((x) => box.sharp("impact", x), 9, 1, samples, random), 1);
const cost = { oursSeconds, smoothingSeconds, samples, ratio: smoothingSeconds / oursSeconds };
writeResult(args, { rows, cost });

const lines = (
  list: readonly Curve[],
  key: "displacement" | "gradient",
): { force: number; value: number; label: string }[] =>
  list.flatMap((curve) => curve[key].map((value, i) => ({ force: forces[i], value, label: curve.label })));
const plot = (heading: string, list: readonly Curve[], key: "displacement" | "gradient", truth: Curve): Panel => ({
  heading,
  x: { label: "force, N" },
  y: { label: key === "displacement" ? "displacement, m" : "gradient, m/N" },
  color: { legend: false, domain: list.map((curve) => curve.label), scheme: "viridis" },
  marks: [
    Plot.line(lines([truth], key), { x: "force", y: "value", stroke: "black", strokeDasharray: "4,3" }),
    Plot.line(lines(list, key), { x: "force", y: "value", stroke: "label" }),
    // a legend where the curves are not
    ...list.map((curve, i) =>
      Plot.text([curve], {
        text: "label",
        fill: "label",
        frameAnchor: key === "displacement" ? "top-left" : "bottom-right",
        dx: key === "displacement" ? 8 : -8,
        dy: key === "displacement" ? 8 + 11 * i : -8 - 11 * i,
      }),
    ),
  ],
});
writeFigure(
  args,
  "figure",
  directions.map((direction) => {
    const { ours, smoothed, exact: truth } = all.get(direction) as ReturnType<typeof curves>;
    return [
      plot(`${direction}: motion`, ours, "displacement", truth),
      plot(`${direction}: gradient by κ`, ours, "gradient", truth),
      plot(`${direction}: ${samples} samples`, smoothed, "gradient", truth),
    ];
  }),
);

if (!args.json) {
  console.log("largest difference of the motion between κ = 1e-4 and 1e-8");
  console.log(
    table([
      ["", "four corners, mm", "one point, mm", "paper, mm"],
      ...rows.map((row) => [
        row.direction,
        1e3 * row.differenceMetres,
        1e3 * row.onePointMetres,
        1e3 * row.paperMetres,
      ]),
    ]),
  );
  console.log("\nmean error of the gradient against the exact step, relative to its height; roughness");
  console.log(
    table([
      ["", ...kappas.map((kappa) => `κ ${kappa.toExponential(0)}`)],
      ...rows.map((row) => [row.direction, ...row.gradientErrors.map((entry) => entry.meanError)]),
      ...rows.map((row) => [`${row.direction} roughness`, ...row.gradientErrors.map((entry) => entry.roughness)]),
    ]),
  );
  console.log(`\nrandomised smoothing, ${samples} samples: roughness`);
  console.log(
    table([
      ["", ...sigmas.map((sigma) => `σ ${sigma}`)],
      ...rows.map((row) => [row.direction, ...row.smoothing.map((entry) => entry.roughness)]),
    ]),
  );
  console.log(
    `\none gradient: ours ${(1e6 * oursSeconds).toFixed(1)} µs, smoothing ${(1e6 * smoothingSeconds).toFixed(0)} µs: ${cost.ratio.toFixed(0)} times`,
  );
}
