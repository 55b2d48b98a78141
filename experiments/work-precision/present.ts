/** Error over time of computation, and who gets to an accuracy first. */
import type { Presentation } from "../experiment.ts";
import { legend, Plot } from "../report.ts";
import { defaultPeer, engineNames, ourNames } from "./engines.ts";
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
        caption: `${scene.title}, ${scene.seconds.toFixed(3)} s: milliseconds of the cheapest run within an accuracy (and its time step or tolerance), and the error of the coarsest run. Least of ${rounds} rounds.`,
        rows: [
          [
            "",
            ...accuracies.map((accuracy) => `within ${1000 * accuracy} mm`),
            "error of the coarsest run, mm",
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
          "Largest distance of a body from the engine's own finest run, over the time that the run took; each dot is a time step, or a tolerance. Errors below 0.1 µm are left out.",
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
  return `${(1000 * point.seconds).toPrecision(3)} (${point.setting})`;
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

/** The best of ours within each accuracy, against MuJoCo's default and against the best of its integrators. */
function verdict({ title, curves }: SceneResult): string {
  const parts = accuracies.map((accuracy) => {
    const reached = curves
      .flatMap((curve) => {
        const point = cheapest(curve, accuracy);
        return point ? [{ engine: curve.engine, seconds: point.seconds }] : [];
      })
      .sort((a, b) => a.seconds - b.seconds);
    const within = `within ${1000 * accuracy} mm`;
    const own = reached.find(({ engine }) => ourNames.includes(engine));
    const peers = reached.filter(({ engine }) => !ourNames.includes(engine));
    if (!own) return `${within} ${peers[0] ? `${peers[0].engine}; ours did not get there` : "nobody"}`;
    const usual = peers.find(({ engine }) => engine === defaultPeer);
    const against = [
      usual ? compared(own.seconds, usual.seconds, defaultPeer) : `${defaultPeer} did not get there`,
      ...(peers[0] && peers[0] !== usual ? [compared(own.seconds, peers[0].seconds, peers[0].engine)] : []),
    ];
    return `${within} ${own.engine}, ${against.join(", ")}`;
  });
  return `${title}. The best of ours: ${parts.join("; ")}.`;
}

function compared(own: number, peer: number, name: string): string {
  return own <= peer ? `${times(peer / own)} ahead of ${name}` : `${times(own / peer)} behind ${name}`;
}

const times = (ratio: number): string => `${ratio.toPrecision(2)} times`;
