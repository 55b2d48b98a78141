/** The table of scenes, and how they compare. */
import type { Figure, Presentation } from "../experiment.ts";
import { legend, type Panel, Plot } from "../report.ts";
import type { Result, Row } from "./run.ts";

export function present({ rows }: Result): Presentation {
  return { tables: [table(rows)], figures: [figure(rows)], remarks: remarks(rows) };
}

function table(rows: readonly Row[]): Presentation["tables"][number] {
  return {
    caption:
      "Time is processor time per simulated second. Distances are those of the true shapes, by the same function for all engines; what lies in another is negative. Moved is how far the body that moves most moves in the last half second; slip, how far an object slides down the fingers",
    rows: [
      [
        "scene",
        "bodies",
        "h, s",
        "engine",
        "time",
        "iterations per step",
        "smallest distance, mm",
        "moved, mm",
        "slip, µm",
        "",
      ],
      ...rows.map((row) => [
        row.scene,
        row.bodies,
        row.timestep,
        row.engine,
        Number(row.cost.toPrecision(2)),
        row.iterations === null ? "" : row.iterations.toFixed(1),
        row.smallestMillimetres === null ? "" : Number(row.smallestMillimetres.toPrecision(2)),
        Number(row.movedMillimetres.toPrecision(2)),
        row.slipMicrometres === null ? "" : Number(row.slipMicrometres.toPrecision(2)),
        row.sound ? "" : "not all steps solved",
      ]),
    ],
  };
}

const engineColors: Readonly<Record<string, string>> = { ours: "#0b63a5", MuJoCo: "#111111", Rapier: "#c92a2a" };

function figure(rows: readonly Row[]): Figure {
  const names = Object.keys(engineColors);
  const color = { domain: names, range: Object.values(engineColors) };
  const scenes = [...new Set(rows.map(({ scene }) => scene))];
  const panel = (
    heading: string,
    label: string,
    least: number,
    value: (row: Row) => number,
    hasLegend = false,
  ): Panel => ({
    heading,
    width: 340,
    height: 60 + 24 * scenes.length,
    marginLeft: 110,
    color,
    x: { type: "log", label, grid: true },
    y: { label: null, domain: scenes },
    marks: [
      Plot.dot(
        rows.map((row) => ({ engine: row.engine, scene: row.scene, value: Math.max(least, value(row)) })),
        { x: "value", y: "scene", fill: "engine", r: 4 },
      ),
      ...(hasLegend ? legend(names, { corner: "top-right" }) : []),
    ],
  });
  return {
    name: "figure",
    caption: "Every scene in every engine. Depths and moves below a ten-thousandth of a millimetre stand at that mark",
    panels: [
      [
        panel("processor time", "seconds per simulated second", 1e-6, ({ cost }) => cost, true),
        panel("deepest overlap", "mm", 1e-4, ({ smallestMillimetres }) => -(smallestMillimetres ?? 0)),
        panel("moved in the last half second", "mm", 1e-4, ({ movedMillimetres }) => movedMillimetres),
      ],
    ],
  };
}

/** Rounding of distances, mm. */
const rounding = 1e-6;

function remarks(rows: readonly Row[]): string[] {
  const of = (engine: string): readonly Row[] => rows.filter((row) => row.engine === engine);
  const deepest = (engine: string): number => Math.min(...of(engine).map((row) => row.smallestMillimetres ?? 0));
  const own = of("ours");
  const unsolved = own.filter(({ sound }) => !sound).map(({ scene }) => scene);
  return [
    deepest("ours") > -rounding
      ? `No shape of ours is in another at any moment looked at${deepest("ours") < 0 ? `, but for rounding: ${(-1e6 * deepest("ours")).toPrecision(2)} nm` : ""}.`
      : `Missed: shapes of ours are up to ${(-deepest("ours")).toPrecision(2)} mm in each other.`,
    `MuJoCo's are up to ${(-deepest("MuJoCo")).toPrecision(2)} mm in each other, Rapier's ${(-deepest("Rapier")).toPrecision(2)} mm.`,
    unsolved.length === 0 ? "All steps were solved." : `Missed: not all steps were solved in ${unsolved.join(", ")}.`,
  ];
}
