/** Tables and figures of the timing experiment. */
import type { Presentation } from "../experiment.ts";
import { Plot } from "../report.ts";
import { type Comparison, columns } from "./measure.ts";
import { bounds, paper, type RobotResult, type TimingResult } from "./result.ts";
import { robotNames } from "./robots.ts";

const titles = { humanoid: "Humanoid", a1: "Unitree A1", panda: "Franka Panda", x2: "Skydio X2" } as const;
const headings = {
  forward: "steps alone",
  jacobians: "steps + state and input Jacobians",
  pullback: "rollout + pullback of a scalar",
} as const;

export function present(result: TimingResult): Presentation {
  return {
    tables: [timeTable(result), paperTable(result), factTable(result)],
    figures: [ratioFigure(result)],
    remarks: remarks(result),
  };
}

const digits = (value: number, count = 3): string => value.toPrecision(count);

function timeTable({ robots, steps, rounds }: TimingResult): Presentation["tables"][number] {
  const rows = robotNames.flatMap((name) =>
    columns.map((column) => {
      const { oursSeconds, peerSeconds, ratio, spread }: Comparison = robots[name][column];
      return [
        titles[name],
        headings[column],
        digits(oursSeconds),
        peerSeconds === null ? "–" : digits(peerSeconds),
        ratio === null ? "–" : digits(ratio),
        spread.ratio === null ? "–" : `${digits(spread.ratio.low)} … ${digits(spread.ratio.high)}`,
        column === "pullback" ? digits(robots[name].pullback.overForward) : "–",
      ];
    }),
  );
  return {
    caption: `Seconds of 1000 steps, measured over ${steps} steps: medians of ${rounds} rounds in turns, more where they are short. Ratio: MuJoCo over ours, above 1 ours is faster.`,
    rows: [["robot", "what", "ours, s", "MuJoCo, s", "ratio", "its quartiles", "in bare rollouts"], ...rows],
  };
}

function paperTable({ robots }: TimingResult): Presentation["tables"][number] {
  const ours = (pick: (entry: RobotResult) => number | null) =>
    robotNames.map((name) => digits(pick(robots[name]) ?? Number.NaN));
  return {
    caption: "Seconds of 1000 steps with gradients: measured here, and as the paper prints them, on its machine.",
    rows: [
      ["", ...robotNames.map((name) => titles[name])],
      ["ours, here", ...ours(({ jacobians }) => jacobians.oursSeconds)],
      ["MuJoCo's npm build, here", ...ours(({ jacobians }) => jacobians.peerSeconds)],
      ...Object.entries(paper).map(([engine, row]) => [
        `${engine}, the paper`,
        ...robotNames.map((name) => digits(row[name])),
      ]),
      ["MuJoCo over ours, here", ...ours(({ jacobians }) => jacobians.ratio)],
      [
        "MuJoCo over Dojo.jl, the paper",
        ...robotNames.map((name) => digits(paper.MuJoCo[name] / paper["Dojo.jl"][name])),
      ],
    ],
  };
}

function factTable({ robots }: TimingResult): Presentation["tables"][number] {
  const millimetres = (metres: number | null) => (metres === null ? "–" : (1000 * metres).toFixed(2));
  return {
    caption:
      "What was simulated. Means a step; lowest distances of all contacts, mm; largest distance between the engines' bodies, mm.",
    rows: [
      [
        "",
        "bodies",
        "coordinates",
        "inputs",
        "contacts",
        "iterations",
        "retries",
        "substepped",
        "unsolved",
        "without gradients",
        "touching, ours",
        "MuJoCo",
        "lowest, ours",
        "MuJoCo",
        "apart after 1 step",
        "10",
        "100",
      ],
      ...robotNames.map((name) => {
        const { facts } = robots[name];
        return [
          titles[name],
          `${facts.bodies}`,
          `${facts.coordinates}`,
          `${facts.inputs}`,
          `${facts.contacts}`,
          facts.iterations.toFixed(2),
          `${facts.retries}`,
          `${facts.substeppedSteps}`,
          `${facts.unsolvedSteps}`,
          `${facts.stepsWithoutGradients}`,
          facts.touching.toFixed(2),
          facts.peerTouching.toFixed(2),
          millimetres(facts.lowestDistance),
          millimetres(facts.peerLowestDistance),
          ...["1", "10", "100"].map((step) => millimetres(facts.apart[step])),
        ];
      }),
    ],
  };
}

function ratioFigure({ robots }: TimingResult): Presentation["figures"][number] {
  const panel = (column: "forward" | "jacobians") => {
    const rows = robotNames.map((name) => ({
      robot: titles[name],
      ratio: robots[name][column].ratio ?? 0,
      low: robots[name][column].spread.ratio?.low ?? 0,
      high: robots[name][column].spread.ratio?.high ?? 0,
      bound: bounds[column][name],
    }));
    return {
      heading: headings[column],
      x: { label: null, domain: rows.map((row) => row.robot) },
      y: { label: "MuJoCo's time over ours", grid: true },
      marks: [
        Plot.barY(rows, { x: "robot", y: "ratio", fill: "#4269d0" }),
        Plot.ruleX(rows, { x: "robot", y1: "low", y2: "high", strokeWidth: 2 }),
        Plot.tickY(rows, { x: "robot", y: "bound", stroke: "#ff725c", strokeWidth: 2 }),
        Plot.ruleY([0]),
      ],
    };
  };
  return {
    name: "ratios",
    caption:
      "MuJoCo's time over ours, above 1 ours is faster; lines span the middle half of the rounds, red marks are the targets.",
    panels: [[panel("forward"), panel("jacobians")]],
  };
}

function remarks({ robots, targets }: TimingResult): string[] {
  const missed = targets.filter(({ met }) => !met);
  return [
    ...robotNames.map((name) => `${titles[name]}: ${robots[name].setUp}.`),
    "MuJoCo runs its default settings (Euler, pyramidal cones, Newton), with one-sided finite differences of 1e-6. Its contacts are soft, so both engines part after the first impacts; the work is alike.",
    missed.length === 0
      ? "Every target is met."
      : `Missed: ${missed.map(({ robot: name, what, value, bound }) => `${titles[name]} ${what} ${digits(value)} (target ${bound})`).join("; ")}.`,
  ];
}
