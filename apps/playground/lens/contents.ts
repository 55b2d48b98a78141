/** What the charts and the table show of a snapshot. */

import type { ChartContent, ChartCurve } from "./chart.ts";
import { evenForces, exactCurve } from "./exactCurve.ts";
import type { Snapshot } from "./knowledge.ts";
import type { ReadingRow } from "./readings.ts";
import { ranges } from "./settings.ts";
import { kappaName } from "./words.ts";

type Quantity = "displacement" | "gradient";

const forces = [ranges.force.low, ranges.force.high] as const;
const milli = (value: number): number => 1e3 * value;
/** Frame of the gradient, mm/N: the step from 0 to 10, and room for noise. */
const gradientFrame = [-1.5, 13] as const;
/** Part of the height of the position's frame that lies beyond its curves. */
const spare = 0.04;

export function positionContent(snapshot: Snapshot): ChartContent {
  const { hard, own, estimate } = snapshot;
  const curves = curvesOf(snapshot, "displacement");
  const highest = Math.max(...curves.flatMap(({ y }) => Array.from(y)));
  const smoothed = estimate && { key: "smoothed", y: milli(hard.displacement), slope: milli(estimate.gradient) };
  const analytic = own.values && {
    ...{ key: "own", y: milli(own.values.displacement), slope: milli(own.values.gradient) },
  };
  return {
    ...{ x: forces, y: [-spare * highest, (1 + spare) * highest], curves },
    marker: { x: snapshot.force, dots: dotsOf(snapshot, "displacement") },
    tangents: [smoothed, analytic].filter((tangent) => tangent !== undefined),
  };
}

export function gradientContent(snapshot: Snapshot): ChartContent {
  const { estimate, smoothedCurve } = snapshot;
  const noisy = smoothedCurve
    ? [{ key: "smoothed", x: smoothedCurve.forces, y: smoothedCurve.gradient.map(milli) }]
    : [];
  const estimated = estimate ? [{ key: "smoothed", y: milli(estimate.gradient) }] : [];
  return {
    ...{ x: forces, y: gradientFrame, curves: [...noisy, ...curvesOf(snapshot, "gradient")] },
    marker: { x: snapshot.force, dots: [...estimated, ...dotsOf(snapshot, "gradient")] },
  };
}

function curvesOf({ settings, lines }: Snapshot, quantity: Quantity): ChartCurve[] {
  const all = [{ key: "hard", curve: exactCurve(settings.direction) }, ...lines];
  return all.flatMap(({ key, curve }) => (curve ? [{ key, x: curve.forces, y: curve[quantity].map(milli) }] : []));
}

function dotsOf({ hard, lines }: Snapshot, quantity: Quantity): { key: string; y: number }[] {
  const all = [{ key: "hard", values: hard }, ...lines];
  return all.flatMap(({ key, values }) => (values ? [{ key, y: milli(values[quantity]) }] : []));
}

export function readingRows({ settings, hard, lines, seconds, estimate }: Snapshot): ReadingRow[] {
  const rows: ReadingRow[] = [{ key: "hard", name: "hard step", ...hard }];
  for (const { key, kappa, values } of [...lines].reverse()) {
    const isOwn = key === "own";
    const name = isOwn ? `your ${kappaName(kappa)}` : kappaName(kappa);
    rows.push({ key, name, ...values, steps: 1, seconds: isOwn ? seconds : undefined });
  }
  if (settings.smoothing) {
    rows.push({
      ...{ key: "smoothed", name: `smoothing, σ = ${settings.sigma} N` },
      ...{ displacement: hard.displacement, gradient: estimate?.gradient },
      ...{ steps: smoothingSteps(settings.samples), seconds: estimate?.seconds },
    });
  }
  return rows;
}

/** Steps of one smoothed gradient: one at the force itself, one a sample. */
const smoothingSteps = (samples: number): number => samples + 1;

export function costRemark({ settings }: Snapshot): string {
  if (!settings.smoothing) return "";
  const each = smoothingSteps(settings.samples);
  const points = evenForces.length;
  const all = (each * points).toLocaleString("en");
  return `Randomised smoothing takes ${each} steps for a gradient and ${all} for its curve of ${points} points; at κ a gradient takes one step.`;
}
