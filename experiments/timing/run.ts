/** [table:time_benchmark]: what steps and their gradients cost on four robots, beside MuJoCo's npm build in the same process. */
import type { Experiment, Presentation } from "../experiment.ts";
import { loadMujoco } from "../peers/mujoco.ts";
import { Plot } from "../report.ts";
import { type Comparison, Contest, columns, type Facts, type RobotTimes } from "./measure.ts";
import { type RobotName, robot, robotNames } from "./robots.ts";

interface RobotResult extends RobotTimes {
  readonly setUp: string;
  readonly facts: Facts;
}

interface Result {
  readonly timestep: number;
  readonly steps: number;
  readonly rounds: number;
  readonly node: string;
  readonly robots: Readonly<Record<RobotName, RobotResult>>;
  /** What must hold, and whether it does. */
  readonly targets: readonly Target[];
  /** Seconds of 1000 steps with gradients, as printed; on its machine. */
  readonly paper: Readonly<Record<string, Readonly<Record<RobotName, number>>>>;
}

interface Target {
  readonly robot: RobotName;
  readonly what: string;
  readonly bound: number;
  readonly value: number;
  readonly met: boolean;
}

/** [table:time_benchmark] */
const paper = {
  MuJoCo: { humanoid: 1.512, a1: 1.114, panda: 0.335, x2: 0.047 },
  Drake: { humanoid: 5.463, a1: 3.87, panda: 2.352, x2: 0.571 },
  Brax: { humanoid: 6.975, a1: 11.064, panda: 10.954, x2: 7.953 },
  "Dojo.jl": { humanoid: 1.75, a1: 5.235, panda: 1.159, x2: 0.807 },
} as const;

/** Least ratios to MuJoCo, and the most that a rollout with its pullback may cost in rollouts. */
const bounds = {
  forward: { humanoid: 1, a1: 1, panda: 0.5, x2: 0.5 },
  jacobians: { humanoid: 10, a1: 10, panda: 5, x2: 5 },
  overForward: 1.6,
} as const;

const titles = { humanoid: "Humanoid", a1: "Unitree A1", panda: "Franka Panda", x2: "Skydio X2" } as const;
const headings = {
  forward: "steps alone",
  jacobians: "steps + state and input Jacobians",
  pullback: "rollout + pullback of a scalar",
} as const;

function targetsOf(name: RobotName, { forward, jacobians, pullback }: RobotTimes): Target[] {
  const least = (what: string, value: number, bound: number): Target => {
    return { robot: name, what, bound, value, met: value >= bound };
  };
  const { overForward } = pullback;
  return [
    least("forward.ratio", forward.ratio ?? 0, bounds.forward[name]),
    least("jacobians.ratio", jacobians.ratio ?? 0, bounds.jacobians[name]),
    {
      robot: name,
      what: "pullback.overForward",
      bound: bounds.overForward,
      value: overForward,
      met: overForward <= bounds.overForward,
    },
  ];
}

const timing: Experiment<Result> = {
  name: "timing",
  title: "Computation time",
  claim:
    "[table:time_benchmark]: 1000 steps of 0.01 s with random inputs and with gradients; the paper's Dojo needs 1.2 (humanoid), 4.7 (A1), 3.5 (Panda) and 17 (X2) times the time of MuJoCo with finite differences.",
  seconds: { full: 60, quick: 15 },

  async run({ quick, progress }) {
    const [steps, rounds] = quick ? [250, 3] : [1000, 7];
    const mujoco = await loadMujoco();
    const robots: Partial<Record<RobotName, RobotResult>> = {};
    let timestep = 0;
    robotNames.forEach((name, i) => {
      progress(i / robotNames.length, titles[name]);
      const contest = new Contest(mujoco, robot(name), steps);
      const { setUp, description } = contest.robot;
      timestep = description.timestep;
      robots[name] = { setUp, ...contest.measure(rounds), facts: contest.facts() };
      contest.delete();
    });
    const measured = robots as Record<RobotName, RobotResult>;
    const targets = robotNames.flatMap((name) => targetsOf(name, measured[name]));
    return { timestep, steps, rounds, node: process.version, robots: measured, targets, paper };
  },

  present: (result) => ({
    tables: [timeTable(result), paperTable(result), factTable(result)],
    figures: [ratioFigure(result)],
    remarks: remarks(result),
  }),
};

export default timing;

const digits = (value: number, count = 3): string => value.toPrecision(count);

function timeTable({ robots, steps, rounds }: Result): Presentation["tables"][number] {
  const rows = robotNames.flatMap((name) =>
    columns.map((column) => {
      const { oursSeconds, peerSeconds, ratio, spread }: Comparison = robots[name][column];
      return [
        titles[name],
        headings[column],
        digits(oursSeconds),
        peerSeconds === null ? "–" : digits(peerSeconds),
        ratio === null ? "–" : digits(ratio),
        spread.ratio === null ? "–" : `${digits(spread.ratio.least)} … ${digits(spread.ratio.most)}`,
        column === "pullback" ? digits(robots[name].pullback.overForward) : "–",
      ];
    }),
  );
  return {
    caption: `Seconds of 1000 steps, measured over ${steps} steps: medians of ${rounds} rounds in turns. Ratio: MuJoCo over ours, above 1 ours is faster.`,
    rows: [["robot", "what", "ours, s", "MuJoCo, s", "ratio", "its spread", "in bare rollouts"], ...rows],
  };
}

function paperTable({ robots }: Result): Presentation["tables"][number] {
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

function factTable({ robots }: Result): Presentation["tables"][number] {
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

function ratioFigure({ robots }: Result): Presentation["figures"][number] {
  const panel = (column: "forward" | "jacobians") => {
    const rows = robotNames.map((name) => ({
      robot: titles[name],
      ratio: robots[name][column].ratio ?? 0,
      least: robots[name][column].spread.ratio?.least ?? 0,
      most: robots[name][column].spread.ratio?.most ?? 0,
      bound: bounds[column][name],
    }));
    return {
      heading: headings[column],
      x: { label: null, domain: rows.map((row) => row.robot) },
      y: { label: "MuJoCo's time over ours", grid: true },
      marks: [
        Plot.barY(rows, { x: "robot", y: "ratio", fill: "#4269d0" }),
        Plot.ruleX(rows, { x: "robot", y1: "least", y2: "most", strokeWidth: 2 }),
        Plot.tickY(rows, { x: "robot", y: "bound", stroke: "#ff725c", strokeWidth: 2 }),
        Plot.ruleY([0]),
      ],
    };
  };
  return {
    name: "ratios",
    caption: "MuJoCo's time over ours, above 1 ours is faster; lines span the rounds, red marks are the targets.",
    panels: [[panel("forward"), panel("jacobians")]],
  };
}

function remarks({ robots, targets }: Result): string[] {
  const missed = targets.filter(({ met }) => !met);
  return [
    ...robotNames.map((name) => `${titles[name]}: ${robots[name].setUp}.`),
    "MuJoCo runs its default settings (Euler, pyramidal cones, Newton), with one-sided finite differences of 1e-6. Its contacts are soft, so both engines part after the first impacts; the work is alike.",
    missed.length === 0
      ? "Every target is met."
      : `Missed: ${missed.map(({ robot: name, what, value, bound }) => `${titles[name]} ${what} ${digits(value)} (target ${bound})`).join("; ")}.`,
  ];
}
