/** Tables and figures of the sliding box. */
import type { Figure, Presentation, Table } from "../experiment.ts";
import { legend, type Panel, Plot } from "../report.ts";
import type { Curve, Result, Row } from "./run.ts";
import { closedDistance, frictionCoefficient, heading, type SceneName, scenes, size, speed } from "./slide.ts";

export function present({ rows, curves }: Result): Presentation {
  const timesteps = [...new Set(rows.map(({ timestep }) => timestep))];
  const table = (scene: SceneName, timestep: number): Table => tableOf(rows, scene, timestep);
  return {
    tables: timesteps.flatMap((timestep) => [table("slide", timestep), table("drop", timestep)]),
    figures: [figure(curves, timesteps[0])],
    remarks: remarks(rows, timesteps),
  };
}

const sceneTitles: Readonly<Record<SceneName, string>> = {
  slide: "lying on the floor at first",
  drop: `falling ${100 * scenes.drop.height} cm first`,
};

/** What the paper's figure shows, in its words for each engine. */
const paper: Readonly<Record<string, string>> = {
  "ours, exact cone": "straight",
  "ours, four-sided": "lateral drift",
  "MuJoCo, pyramidal": "lateral drift",
  "MuJoCo, elliptic": "minor rotational drift",
  Bullet: "straight, but shorter",
};

function tableOf(rows: readonly Row[], scene: SceneName, timestep: number): Table {
  const here = rows.filter((row) => row.scene === scene && row.timestep === timestep);
  const closed = closedDistance(scene);
  return {
    caption: `Box pushed at ${speed} m/s, 11.3° off the axis, μ = ${frictionCoefficient}, h = ${timestep} s, ${sceneTitles[scene]}; by Coulomb's law it stops after ${closed.toFixed(3)} m`,
    rows: [
      ["", "paper", "sideways, mm", "yaw, degrees", "stops after, m", "error, %", "lowest, mm"],
      ...here.map((row) => [
        row.engine,
        paper[row.engine] ?? "",
        small(row.lateralMillimetres, 1e-3),
        small(row.yawDegrees, 1e-3),
        row.stoppingMetres.toFixed(3),
        ((100 * (row.stoppingMetres - closed)) / closed).toFixed(1),
        row.lowestMillimetres > -1e-3 ? "0" : row.lowestMillimetres.toFixed(2),
      ]),
    ],
  };
}

/** What is below the resolution is said so. */
const small = (value: number, resolution: number): string =>
  value < resolution ? `< ${resolution}` : Number(value.toPrecision(3)).toString();

function remarks(rows: readonly Row[], timesteps: readonly number[]): string[] {
  const all = (engine: string): readonly Row[] => rows.filter((row) => row.engine === engine);
  const worst = (engine: string, key: "lateralMillimetres" | "yawDegrees"): number =>
    Math.max(...all(engine).map((row) => row[key]));
  const exact = worst("ours, exact cone", "lateralMillimetres");
  const straight =
    exact < 1e-3
      ? `Ours with the exact cone goes straight to ${exact.toExponential(0)} mm.`
      : `Miss: ours with the exact cone drifts ${exact.toPrecision(2)} mm sideways.`;
  const finest = Math.min(...timesteps);
  const bullet = rows.filter((row) => row.engine === "Bullet" && row.timestep === finest && row.scene === "slide");
  return [
    straight,
    `Four-sided cones drift alike, ours up to ${worst("ours, four-sided", "lateralMillimetres").toFixed(0)} mm, MuJoCo's up to ${worst("MuJoCo, pyramidal", "lateralMillimetres").toFixed(0)} mm: the force points along one axis until the speeds along both are equal.`,
    `MuJoCo's elliptic cone drifts up to ${worst("MuJoCo, elliptic", "lateralMillimetres").toPrecision(2)} mm and turns up to ${worst("MuJoCo, elliptic", "yawDegrees").toPrecision(2)}°, its stiffest up to ${worst("MuJoCo, elliptic, stiffest", "lateralMillimetres").toPrecision(2)} mm and ${worst("MuJoCo, elliptic, stiffest", "yawDegrees").toPrecision(2)}°: its contacts bounce (side view) and share the load unevenly.`,
    ...bullet.map(
      (row) =>
        `Bullet stops ${((100 * (row.closedMetres - row.stoppingMetres)) / row.closedMetres).toFixed(0)}% early at ${finest} s, as the paper saw, and turns ${row.yawDegrees.toPrecision(2)}°.`,
    ),
    `Rapier turns by ${small(worst("Rapier", "yawDegrees"), 1e-3)}° and drifts at most ${worst("Rapier", "lateralMillimetres").toPrecision(2)} mm.`,
    "Velocity is updated before position in all of these engines, so that a sliding box stops h v/2 short: 1% at 0.01 s. Rapier divides each step into four.",
  ];
}

/** The paper's colours where it has them. */
const colors: Readonly<Record<string, string>> = {
  "ours, exact cone": "#0b63a5",
  "ours, four-sided": "#e8890c",
  "MuJoCo, pyramidal": "#c2179e",
  "MuJoCo, elliptic": "#111111",
  "MuJoCo, elliptic, stiffest": "#7a7a7a",
  "MuJoCo, elliptic, discrete": "#8a5a2b",
  Rapier: "#c92a2a",
  Bullet: "#2b8a3e",
};

type Axis = "times" | "along" | "sideways" | "height" | "yaw";

function figure(curves: readonly Curve[], timestep: number): Figure {
  const names = curves.map(({ engine }) => engine);
  const color = { domain: names, range: names.map((name) => colors[name]) };
  type Point = { readonly engine: string; readonly x: number; readonly y: number };
  // ours are dashed and on top: others often lie below them
  const lines = (points: readonly Point[]): Plot.Markish[] =>
    [false, true].map((own) =>
      Plot.line(
        points.filter(({ engine }) => engine.startsWith("ours") === own),
        {
          x: "x",
          y: "y",
          stroke: "engine",
          ...(own ? { strokeWidth: 2.2, strokeDasharray: "6,4" } : { strokeWidth: 1.5 }),
        },
      ),
    );
  const against = (x: Axis, y: Axis, only = names): Point[] =>
    curves
      .filter(({ engine }) => only.includes(engine))
      .flatMap((curve) => curve[x].map((value, i) => ({ engine: curve.engine, x: value, y: curve[y][i] })));
  const straight = names.filter((name) => !/four-sided|pyramidal/.test(name));
  const wide = 1020;
  const top: Panel = {
    heading: "top view: the box's centre, and the box at its end",
    width: wide,
    height: 520,
    aspectRatio: 1,
    color,
    x: { label: "along the push, m" },
    y: { label: "sideways, m" },
    marks: [
      Plot.ruleY([0], { stroke: "#bbb" }),
      Plot.line(curves.flatMap(outline), { x: "x", y: "y", z: "engine", stroke: "engine", strokeOpacity: 0.4 }),
      ...lines(against("along", "sideways")),
      ...legend(names, { corner: "top-left", inset: 12 }),
    ],
  };
  const side: Panel = {
    heading: "side view: height of the box's underside",
    width: wide / 2,
    color,
    x: { label: "along the push, m" },
    y: { label: "mm" },
    marks: [
      Plot.ruleY([0], { stroke: "#bbb" }),
      ...lines(against("along", "height").map((point) => ({ ...point, y: 1000 * (point.y - size[2] / 2) }))),
    ],
  };
  const turns: Panel = {
    heading: "yaw of those with round cones",
    width: wide / 2,
    color,
    x: { label: "time, s" },
    y: { label: "degrees" },
    marks: [Plot.ruleY([0], { stroke: "#bbb" }), ...lines(against("times", "yaw", straight))],
  };
  return {
    name: "figure",
    caption: `A box falls ${100 * scenes.drop.height} cm at ${speed} m/s, lands and slides to rest, h = ${timestep} s. Colours are the same in all views.`,
    panels: [[top], [side, turns]],
  };
}

/** The box from above at the end of its path. */
function outline({ engine, along, sideways, yaw }: Curve): { engine: string; x: number; y: number }[] {
  const end = along.length - 1;
  const turn = (Math.PI / 180) * yaw[end] - heading;
  const [a, b] = [size[0] / 2, size[1] / 2];
  return [
    [a, b],
    [-a, b],
    [-a, -b],
    [a, -b],
    [a, b],
  ].map(([x, y]) => ({
    engine,
    x: along[end] + x * Math.cos(turn) - y * Math.sin(turn),
    y: sideways[end] + x * Math.sin(turn) + y * Math.cos(turn),
  }));
}
