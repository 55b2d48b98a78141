/** [residual_plot]: violations over iterations. [condition_plot]: conditions over iterations, beside the primal-only solver's. */
import type { Figure } from "../experiment.ts";
import { legend, type Panel, Plot } from "../report.ts";
import type { ConvergenceResult, Sweep } from "./run.ts";

interface Point {
  readonly iteration: number;
  readonly value: number;
  readonly label: string;
}

/** What a logarithmic axis shows of smaller values. */
const smallest = 1e-16;
const tolerance = (name: string, value: number): string => `${name} ${value.toExponential(0)}`;

export function residualFigure({ robots }: ConvergenceResult): Figure {
  return {
    name: "residuals",
    caption: "Violations of the step of the impact over iterations, in SI. [residual_plot]",
    panels: robots.map(({ label, kappaSweep, residualSweep }) => [
      panel(`${label}: κ_vio, r_tol 1e-8`, kappaSweep, "κ_tol", "kappa"),
      panel(`${label}: r_vio, r_tol 1e-8`, kappaSweep, "κ_tol", "residual"),
      panel(`${label}: r_vio, κ_tol 0.1`, residualSweep, "r_tol", "residual"),
    ]),
  };
}

function panel(heading: string, sweeps: readonly Sweep[], name: "κ_tol" | "r_tol", key: "kappa" | "residual"): Panel {
  const labelOf = ({ to }: Sweep): string => tolerance(name, name === "κ_tol" ? to.kappa : to.residual);
  const points = sweeps.flatMap((sweep) =>
    sweep.impact.points.map((point, iteration) => {
      return { iteration, value: Math.max(smallest, point[key]), label: labelOf(sweep) };
    }),
  );
  const axis = { label: key === "kappa" ? "κ_vio" : "r_vio", ticks: 6 };
  return lines(heading, axis, sweeps.map(labelOf), { corner: "bottom-left", solid: points });
}

/** Ranges of the axes of the two measures, the same for all robots. */
const conditionAxes = {
  scaleFree: { heading: "best scaling", domain: [1, 1e12], ticks: [1, 1e3, 1e6, 1e9] },
  inUnits: { heading: "SI", domain: [1, 1e24], ticks: [1, 1e6, 1e12, 1e18] },
} as const;

export function conditionFigure({ robots }: ConvergenceResult): Figure {
  return {
    name: "conditions",
    caption:
      "Condition of the matrices factored in the step of the impact, r_tol = 1e-8: ours (solid) and the primal-only solver's (dashed). [condition_plot]",
    panels: robots.map(({ label, kappaSweep }) => {
      const drawn = kappaSweep.filter(({ impact }) => impact.conditions.length > 1);
      const sweeps = drawn.length > 0 ? drawn : kappaSweep;
      const labels = sweeps.map(({ to }) => tolerance("κ_tol", to.kappa));
      return (["scaleFree", "inUnits"] as const).map((measure): Panel => {
        const { heading, ...axis } = conditionAxes[measure];
        const pointsOf = (method: "impact" | "primalOnly"): Point[] =>
          sweeps.flatMap((sweep, i) =>
            sweep[method].conditions.map((condition) => {
              return { iteration: condition.iteration, value: condition[measure], label: labels[i] };
            }),
          );
        return lines(`${label}, ${heading}`, { label: "condition number", ...axis }, labels, {
          corner: "top-right",
          solid: pointsOf("impact"),
          dashed: pointsOf("primalOnly"),
        });
      });
    }),
  };
}

interface Axis {
  readonly label: string;
  readonly domain?: readonly number[];
  readonly ticks: number | readonly number[];
}

interface Drawing {
  readonly corner: "top-right" | "bottom-left";
  readonly solid: readonly Point[];
  readonly dashed?: readonly Point[];
}

function lines(heading: string, axis: Axis, labels: readonly string[], { corner, solid, dashed = [] }: Drawing): Panel {
  const last = Math.max(...[...solid, ...dashed].map(({ iteration }) => iteration));
  const stride = Math.max(1, Math.ceil(last / 10));
  const ticks = Array.from({ length: Math.floor(last / stride) + 1 }, (_, i) => i * stride);
  // named, since a short run has but one point a curve
  const channels = { x: "iteration", y: "value", z: "label" } as const;
  return {
    heading,
    x: { label: "iteration", ticks, tickFormat: String },
    y: { type: "log", ...axis, tickFormat: (value: number) => value.toExponential(0) },
    color: { domain: [...labels], scheme: "turbo" },
    marks: [
      Plot.line(dashed, { ...channels, stroke: "label", z: "label", strokeDasharray: "4,3" }),
      Plot.line(solid, { ...channels, stroke: "label", z: "label" }),
      Plot.dot(solid, { ...channels, fill: "label", r: 2 }),
      ...legend(labels, { corner }),
    ],
  };
}
