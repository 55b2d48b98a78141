/** Error over time of computation, and who gets to an accuracy first. */
import type { Presentation } from "../experiment.ts";
import { legend, Plot } from "../report.ts";
import { engineNames } from "./engines.ts";
import type { Curve, Point, WorkPrecisionResult } from "./run.ts";

/** Metres. */
const accuracies = [1e-2, 1e-3, 1e-4];

type SceneResult = WorkPrecisionResult["scenes"][number];

/** The cheapest run within an accuracy. */
function cheapest({ points }: Curve, accuracy: number): Point | undefined {
  return points
    .filter(({ error }) => error !== null && error <= accuracy)
    .sort((a, b) => a.seconds - b.seconds)
    .at(0);
}

export function present({ scenes, rounds }: WorkPrecisionResult): Presentation {
  return {
    tables: [
      ...scenes.map((scene) => ({
        caption: `${scene.title}, ${scene.seconds.toFixed(3)} s: milliseconds of the cheapest run within an accuracy (and its time step), and the error at the coarsest step. Least of ${rounds} rounds.`,
        rows: [
          [
            "",
            ...accuracies.map((accuracy) => `within ${1000 * accuracy} mm`),
            `error at h = ${scene.curves[0].points[0].timestep.toFixed(3)} s, mm`,
            "finest run from ours, mm",
          ],
          ...scene.curves.map((curve) => [
            curve.engine,
            ...accuracies.map((accuracy) => costText(cheapest(curve, accuracy))),
            millimetres(curve.points[0].error),
            millimetres(curve.finestFromOurs),
          ]),
        ],
      })),
    ],
    figures: [
      {
        name: "work-precision",
        caption:
          "Largest distance of a body from the engine's own finest run, over the time that the run took; each dot is a time step. Errors below 0.1 µm are left out.",
        panels: [scenes.map(panel)],
      },
    ],
    remarks: [
      ...scenes.map(verdict),
      "Limits differ: our contacts are hard, MuJoCo's are springs and dampers, so the finest runs of the falls are not the same motion; each engine is measured against its own. MuJoCo's stiffest settings are left out: they change with the time step, and so have no finest run.",
    ],
  };
}

const millimetres = (metres: number | null): string => (metres === null ? "diverged" : (1000 * metres).toPrecision(3));

function costText(point: Point | undefined): string {
  if (!point) return "–";
  return `${(1000 * point.seconds).toPrecision(3)} (${point.timestep.toPrecision(2)} s)`;
}

/** Plain numbers: the m of a prefix would read as metres. */
const logarithmic = { type: "log", grid: true, ticks: 5, tickFormat: (value: number) => String(value) } as const;

/** Errors that are drawn, mm; the top is for the legend. */
const drawn = [1e-4, 3e3];

function panel({ title, curves }: SceneResult) {
  const dots = curves.flatMap(({ engine, points }) =>
    points.flatMap(({ seconds, error }) =>
      error === null || 1000 * error < drawn[0]
        ? []
        : [{ engine, milliseconds: 1000 * seconds, millimetres: 1000 * error }],
    ),
  );
  return {
    heading: title,
    width: 380,
    height: 330,
    x: { label: "time of computation, ms", ...logarithmic },
    y: { label: "error, mm", domain: drawn, ...logarithmic },
    color: { domain: engineNames, scheme: "observable10" as const },
    marks: [
      Plot.line(dots, { x: "milliseconds", y: "millimetres", stroke: "engine", marker: true }),
      ...legend(engineNames, { corner: "top-right" }),
    ],
  };
}

/** Who is cheapest within each accuracy, among those that reach it. */
function verdict({ title, curves }: SceneResult): string {
  const parts = accuracies.map((accuracy) => {
    const reached = curves
      .flatMap((curve) => {
        const point = cheapest(curve, accuracy);
        return point ? [{ engine: curve.engine, seconds: point.seconds }] : [];
      })
      .sort((a, b) => a.seconds - b.seconds);
    const within = `within ${1000 * accuracy} mm`;
    if (reached.length === 0) return `${within} nobody`;
    const own = reached.find(({ engine }) => engine === "ours");
    const [first, second] = reached;
    if (!own) return `${within} ${first.engine}; ours did not get there`;
    if (first.engine !== "ours")
      return `${within} ${first.engine}, ${times(own.seconds / first.seconds)} ahead of ours`;
    return second
      ? `${within} ours, ${times(second.seconds / own.seconds)} ahead of ${second.engine}`
      : `${within} ours alone`;
  });
  return `${title}. Who wins: ${parts.join("; ")}.`;
}

const times = (ratio: number): string => `${ratio.toPrecision(2)} times`;
