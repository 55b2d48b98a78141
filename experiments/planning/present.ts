/** Tables, curves and the film strip of the planning experiment. */
import type { Presentation } from "../experiment.ts";
import { legend, type Panel, Plot } from "../report.ts";
import type { FeetReport, Picture } from "./gait.ts";
import { type MujocoRow, type PlanRow, paperTolerance, type Result, type SeedsRow, stepsPerKnot } from "./result.ts";

/** [trajopt_results] */
const paper: Readonly<Record<string, { iterations: number; cost: number; violation: number }>> = {
  "box-right": { iterations: 30, cost: 14.5, violation: 3e-3 },
  "box-up": { iterations: 106, cost: 14.5, violation: 3e-3 },
  hopper: { iterations: 96, cost: 8.9, violation: 1e-3 },
  quadruped: { iterations: 20, cost: 2e-2, violation: 3e-4 },
};
const paperOnMujoco: Readonly<Record<string, string>> = {
  "box-right": "95 iterations, cost 13.5, violation 3e-3",
  "box-up": "fails",
};

export function present({ rows, seeds, mujoco, feet, coldFeet, strip }: Result): Presentation {
  return {
    tables: [
      { caption: "Plans from the published starts, and the paper's", rows: planTable(rows) },
      { caption: "The worst over disturbed starts (dojo plan --seed)", rows: seedsTable(seeds) },
      {
        caption: `The same planner and tasks on MuJoCo, central differences, ${stepsPerKnot} steps per knot`,
        rows: mujocoTable(mujoco),
      },
    ],
    figures: [
      {
        name: "strip",
        caption:
          "The planned gait of A1 [trajopt_vis], every fifth knot, 0.25 s apart and drawn side by side. Arrows: loads of the feet.",
        panels: [[stripPanel(strip)]],
      },
      {
        name: "figure",
        caption: "Violation of the constraints by iteration: with our gradients, and with MuJoCo's finite differences.",
        panels: [
          [
            curves(
              "our gradients",
              rows.map(({ task, progress }) => ({ label: task, progress })),
              "bottom-left",
            ),
            curves(
              "MuJoCo, finite differences",
              mujoco.map(({ task, setting, width, progress }) => ({
                label: `${task}, ${setting}, ${width.toExponential(0)}`,
                progress,
              })),
              "bottom-right",
            ),
          ],
        ],
      },
    ],
    remarks: [
      "Iterations are passes of gradients, those of the final projection included; cost and violation are of a fresh, sharp rollout of the inputs without feedback. The paper simulates at the κ of its gradients, 3e-4.",
      ...feetRemarks("Feet of the gait from the kinematic reference", feet),
      ...(coldFeet ? feetRemarks("Feet of the gait from zero inputs", coldFeet) : []),
      "The paper's MuJoCo script has 100 knots per second at the same weights, so that its cost is no raw sum; cost × h compares.",
      "On MuJoCo, pushing is solved where it is to the paper's tolerance, 5e-3, and with no setting and width to our 1e-6. Its steps are reset before each of them, so that the same state and input give the same bits, and the differences are central. But corners of the cube touch and leave their soft floor within a knot, and the plan comes to lie where one of them is about to: there the Jacobians of two widths differ by more than their size, and a step onto the constraints holds for a hundredth of its length. It is not the projection: the cube that is thrown up touches nothing in the end, and the same differences and the same projection bring it far below 1e-6.",
      ...mujoco.map(mujocoRemark),
    ],
  };
}

const millimetres = (metres: number): string => `${Number((1e3 * metres).toPrecision(2))} mm`;

function feetRemarks(whose: string, { largestSlip, lightSlips, lowestFoot, highestFoot, largestTorque }: FeetReport) {
  const { steps, largest, newtons } = lightSlips;
  return [
    `${whose} that carry at least a tenth of the weight slip at most ${millimetres(largestSlip)} in a stance (rolling subtracted); the lowest is ${millimetres(lowestFoot)} above the floor, the highest ${millimetres(highestFoot)}; torques reach ${largestTorque.toFixed(1)} N·m.`,
    steps === 0
      ? "None of them brushes the floor."
      : `In ${steps} of 160 steps of the four feet, one that touches the floor with less load slips by more than 0.1 mm, by ${millimetres(largest)} at most, with ${newtons.toFixed(1)} N on it: it brushes the floor before it lands or after it lifts off.`,
  ];
}

function seedsTable(rows: readonly SeedsRow[]): (string | number)[][] {
  return [
    ["", "starts", "solved", "most iterations", "largest cost", "largest violation"],
    ...rows.map(({ task, seeds, solved, iterations, cost, violation }) => [
      ...[task, seeds, solved, iterations, cost, violation],
    ]),
  ];
}

function planTable(rows: readonly PlanRow[]): (string | number)[][] {
  return [
    ["", "iterations", "paper", "cost", "paper", "violation", "paper", "cost × h", "seconds", "result"],
    ...rows.map(({ task, iterations, cost, violation, timestep, seconds, solved }) => {
      const { [task]: theirs } = paper;
      const [count, price, error] = theirs ? [theirs.iterations, theirs.cost, theirs.violation] : ["", "", ""];
      const result = solved ? "solved" : "missed";
      return [task, iterations, count, cost, price, violation, error, cost * timestep, seconds, result];
    }),
  ];
}

function mujocoTable(rows: readonly MujocoRow[]): (string | number)[][] {
  return [
    [
      "",
      "setting",
      "width",
      `iterations to ${paperTolerance}`,
      "cost there",
      "iterations",
      "cost",
      "violation",
      "seconds",
      "paper",
    ],
    ...rows.map(({ task, setting, width, atPaperTolerance: met, iterations, cost, violation, seconds }) => [
      task,
      setting,
      width,
      met?.iteration ?? "never",
      met?.cost ?? "",
      ...[iterations, cost, violation, seconds],
      paperOnMujoco[task],
    ]),
  ];
}

function mujocoRemark(row: MujocoRow): string {
  const { task, setting, width, atPaperTolerance: met, violation, height, distance, cost } = row;
  const { narrower, wider } = row.changeWithWidth;
  const widths = `Ten times narrower differences change its Jacobians by ${narrower.toExponential(0)} of their size at most, ten times wider ones by ${wider.toExponential(0)}.`;
  const place = `the cube ends ${distance.toFixed(2)} m along and ${height.toFixed(2)} m high`;
  const beginning = `MuJoCo (${setting}, width ${width.toExponential(0)}), ${task}:`;
  if (!met) return `${beginning} not solved; ${place}, off by ${violation.toExponential(1)}. ${widths}`;
  const end = violation <= 1e-6 ? "and 1e-6 in the end" : `and ends at ${violation.toExponential(1)}, not at 1e-6`;
  return `${beginning} meets the paper's tolerance in ${met.iteration} iterations ${end}; ${place}, at a cost of ${cost.toFixed(1)}. ${widths}`;
}

function curves(
  heading: string,
  series: readonly { readonly label: string; readonly progress: PlanRow["progress"] }[],
  corner: "bottom-left" | "bottom-right",
): Panel {
  const labels = series.map(({ label }) => label);
  // below the smallest that the scale shows
  const points = series.flatMap(({ label, progress }) =>
    progress.map(({ iteration, violation }) => ({ label, iteration, violation: Math.max(violation, 1e-9) })),
  );
  return {
    heading,
    width: 460,
    height: 300,
    x: { label: "iteration" },
    y: { label: "violation", type: "log", domain: [1e-9, 10], tickFormat: (value: number) => value.toExponential(0) },
    color: { domain: labels, scheme: "turbo", range: [0.05, 0.9] },
    marks: [
      Plot.ruleY([paperTolerance], { stroke: "#999", strokeDasharray: "4,3" }),
      Plot.ruleY([1e-6], { stroke: "#999" }),
      Plot.line(points, { x: "iteration", y: "violation", stroke: "label", marker: "dot" }),
      ...legend(labels, { corner }),
    ],
  };
}

/** Metres from one picture to the next, beyond what A1 walks. */
const spacing = 0.62;
const metresPerKilonewton = 1.2;
const stripWidth = 1180;

function stripPanel(strip: readonly Picture[]): Panel {
  const parts = strip.flatMap(({ lines }, i) =>
    lines.map(({ part, points }) => ({
      part,
      points: points.map(([x, z]) => ({ x: x + spacing * i, z })),
    })),
  );
  const loads = strip.flatMap((frame, i) =>
    frame.loads
      .filter(({ newtons }) => newtons > 1)
      .map(({ x, newtons }) => ({ x: x + spacing * i, top: (metresPerKilonewton * newtons) / 1000 })),
  );
  const captions = strip.map(({ knot, lines }, i) => ({ x: lines[4].points[0][0] - 0.135 + spacing * i, knot }));
  const colors: Readonly<Record<string, string>> = {
    trunk: "#4a4f57",
    "first pair": "#d95f02",
    "second pair": "#1b7fbd",
  };
  const right = (captions.at(-1)?.x ?? 0) + 0.35;
  const [low, high] = [-0.05, 0.45];
  const width = stripWidth;
  return {
    heading: "A1 trots: diagonal pairs of feet take turns",
    width,
    // the same scale both ways
    height: 24 + Math.round(((width - 20) * (high - low)) / (right + 0.35)),
    margin: 0,
    marginLeft: 10,
    marginRight: 10,
    x: { domain: [-0.35, right], axis: null },
    y: { domain: [low, high], axis: null },
    marks: [
      Plot.ruleY([0], { stroke: "#888" }),
      ...parts.map(({ part, points }) =>
        Plot.line(points, {
          x: "x",
          y: "z",
          stroke: colors[part],
          strokeWidth: part === "trunk" ? 1.5 : 3.5,
          strokeLinejoin: "round",
          strokeLinecap: "round",
          ...(part === "trunk" && { fill: colors[part], fillOpacity: 0.25 }),
        }),
      ),
      Plot.arrow(loads, { x1: "x", x2: "x", y1: 0, y2: "top", stroke: "#2a9d4a", strokeWidth: 2, headLength: 6 }),
      Plot.text(captions, { x: "x", y: 0.42, text: ({ knot }: { knot: number }) => `${(0.05 * knot).toFixed(2)} s` }),
    ],
  };
}
