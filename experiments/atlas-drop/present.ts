/** Tables and figures of the Atlas drop. */
import type { Presentation, Table } from "../experiment.ts";
import { legend, type Panel, Plot } from "../report.ts";
import { dropHeight } from "./drop.ts";
import type { Curve, Result, Row, Speed } from "./run.ts";

export function present({ seconds, rows, feetOnlyRows, curves, at65Hz, paperRealTimeFactor }: Result): Presentation {
  return {
    tables: [
      depths("Lowest point of the feet, mm above the floor; contacts all over the body", rows),
      depths(
        "The same with the eight contacts of the feet alone, as in the paper: nothing holds the rest of the body above the floor",
        feetOnlyRows,
      ),
      speedTable(at65Hz, paperRealTimeFactor),
    ],
    figures: [
      {
        name: "figure",
        caption: `Atlas falls ${dropHeight} m: the lowest point of its feet over ${seconds} s, with contacts all over the body. Below zero is inside the floor.`,
        panels: [rows.map(({ timestep }) => panel(timestep, curves))],
      },
    ],
    remarks: remarks(rows, feetOnlyRows, at65Hz),
  };
}

const shown = (value: number | null, none: string): string | number => value ?? none;

function depths(caption: string, rows: readonly Row[]): Table {
  const line = (
    label: string,
    key: Exclude<keyof Row, "timestep" | "paperMujocoMillimetres" | "paperOursMillimetres">,
  ) => [label, ...rows.map((row) => shown(row[key], "diverged"))];
  return {
    caption,
    rows: [
      ["", ...rows.map(({ timestep }) => `h = ${timestep} s`)],
      ["paper, Dojo", ...rows.map((row) => row.paperOursMillimetres)],
      line("ours", "oursMillimetres"),
      ["paper, MuJoCo", ...rows.map((row) => shown(row.paperMujocoMillimetres, "failure"))],
      line("MuJoCo, default", "mujocoMillimetres"),
      line("MuJoCo, stiffest", "mujocoStiffMillimetres"),
      line("MuJoCo, discrete", "mujocoDiscreteMillimetres"),
    ],
  };
}

const sceneOf = ({ contacts, jointLimits }: Speed): string => `${contacts}${jointLimits ? "" : ", no joint limits"}`;

function speedTable(speeds: readonly Speed[], paper: number): Table {
  const scenes = [...new Set(speeds.map(sceneOf))];
  return {
    caption: "Times real time at 65 Hz",
    rows: [
      ["contacts", "paper, Dojo", ...new Set(speeds.map(({ engine }) => engine))],
      ...scenes.map((scene, i) => [
        scene,
        i === 0 ? paper : "",
        ...speeds.filter((speed) => sceneOf(speed) === scene).map(({ realTimeFactor }) => realTimeFactor),
      ]),
    ],
  };
}

function remarks(rows: readonly Row[], feetOnlyRows: readonly Row[], speeds: readonly Speed[]): string[] {
  const factors = (engine: string): number[] =>
    speeds.filter((speed) => speed.engine === engine).map(({ realTimeFactor }) => realTimeFactor);
  const ratios = factors("MuJoCo").map((factor, i) => factor / factors("ours")[i]);
  const inside = [...rows, ...feetOnlyRows].filter(
    ({ oursMillimetres }) => oursMillimetres === null || oursMillimetres <= 0,
  );
  return [
    ...(inside.length === 0
      ? ["Ours: no foot enters the floor at any time step."]
      : inside.map(({ timestep, oursMillimetres }) =>
          oursMillimetres === null
            ? `Miss: not all steps were solved at ${timestep} s.`
            : `Miss: a foot is at ${oursMillimetres} mm at ${timestep} s.`,
        )),
    "MuJoCo's contacts are springs: the stiffest that it takes have a time constant of two steps, so that only small steps make them hard.",
    `A bare step of MuJoCo by default is ${Math.min(...ratios).toFixed(1)} to ${Math.max(...ratios).toFixed(1)} times as fast as ours in this scene.`,
    "The paper's −46 mm for MuJoCo at 0.001 s is the lowest of all contacts, which is the torso's; the figures here are of the feet alone.",
  ];
}

const floor = -1;

function panel(timestep: number, curves: readonly Curve[]): Panel {
  const here = curves.filter((curve) => curve.timestep === timestep);
  const points = here.flatMap(({ engine, times, millimetres }) =>
    times.map((time, i) => ({ engine, time, height: millimetres[i] })),
  );
  const deepest = Math.min(floor, ...points.map(({ height }) => height));
  const labels = here.map(({ engine }) => engine);
  return {
    heading: `h = ${timestep} s`,
    x: { label: "time, s" },
    // about the floor, with room for the legend: the fall itself is cut off
    y: { label: "lowest point of the feet, mm", domain: [1.05 * deepest, -0.6 * deepest] },
    color: { domain: labels, range: ["#0b63a5", "#111111", "#b5179e", "#d9730d"] },
    marks: [
      Plot.ruleY([0], { strokeDasharray: "4,3" }),
      Plot.line(points.reverse(), { x: "time", y: "height", stroke: "engine", clip: true }),
      ...legend(labels, { corner: "top-right" }),
    ],
  };
}
