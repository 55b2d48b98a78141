/** Tables, learning curves and film strips of trained policies. */
import type { Presentation } from "../experiment.ts";
import { legend, type Panel, Plot } from "../report.ts";
import type { Picture } from "./film.ts";
import { bestThree, cases, most, published, type Result, type Robot, type Row, spread } from "./result.ts";

const robots = ["half-cheetah", "ant"] as const;

export function present({ quick, rows, film, starts, fineStarts, workers }: Result): Presentation {
  return {
    tables: robots
      .filter((robot) => rows.some((row) => row.robot === robot))
      .map((robot) => ({
        caption: `${robot}, at most ${most[robot]}: the last policy, mean of ${robot === "ant" ? "its one start" : `${starts} starts`}`,
        rows: rewardTable(
          robot,
          rows.filter((row) => row.robot === robot),
          quick,
        ),
      })),
    figures: [
      {
        name: "strip",
        caption:
          "Policies at work [rl_vis]: the networks of seed 1, nine moments of an episode, drawn where they are and shifted apart.",
        panels: film.map(({ robot, pictures }) => [strip(robot, pictures)]),
      },
      {
        name: "curves",
        caption: "Returns of updates, mean over seeds, by evaluations: steps simulated and steps differentiated.",
        panels: [
          robots.map((robot) =>
            curves(
              robot,
              rows.filter((row) => row.robot === robot),
            ),
          ),
        ],
      },
    ],
    remarks: [
      ...(quick ? ["A short form: every training ends after a few updates, so rewards say nothing."] : []),
      "Evaluations are steps simulated and steps differentiated. The policy that counts is the last one; starts for scores are none that training has had. Each step's reward is clipped to ±1, as in the paper.",
      `h = 0.01: the same policies, acting 20 times per second as in training, in a simulation with five steps per action; mean of ${fineStarts} starts.`,
      "One seed stands for all where nothing is random: the ant has one start, and a linear policy begins with zeros.",
      ...robots.map(paperRemark),
      `Seconds are of training alone, on ${workers} threads that seeds share, on a machine with other work.`,
      ...rows.flatMap(divergenceRemark),
    ],
  };
}

function rewardTable(robot: Robot, rows: readonly Row[], quick: boolean): (string | number)[][] {
  return [
    [
      "",
      "reward",
      "±",
      "best three",
      "evaluations",
      "seeds",
      "paper",
      "h = 0.01",
      "±",
      "seconds per seed",
      "target",
      "",
    ],
    ...rows.map(({ label, seeds }) => {
      const deviationOf = (value: number): string | number => (seeds.length > 1 ? digits(value) : "–");
      const { target, paper } = cases.find((each) => each.robot === robot && each.label === label) ?? {};
      const rewards = seeds.map(({ reward }) => reward);
      const { mean, deviation } = spread(rewards);
      const fine = spread(seeds.map(({ fineReward }) => fineReward));
      const evaluations = Math.max(...seeds.map((seed) => seed.evaluations));
      const seconds = spread(seeds.map((seed) => seed.seconds)).mean;
      const verdict = quick ? "" : verdictOf(robot, label, rewards, target);
      return [
        ...[
          label,
          digits(mean),
          deviationOf(deviation),
          digits(bestThree(rewards)),
          evaluations.toLocaleString("en-US"),
          seeds.length,
          paper ?? "",
        ],
        ...[digits(fine.mean), deviationOf(fine.deviation), digits(seconds), target ?? "", verdict],
      ];
    }),
  ];
}

const digits = (value: number): number => Number(value.toFixed(1));

/** ARS may be two standard errors of both means below the paper's. */
function verdictOf(robot: Robot, label: string, rewards: readonly number[], target: number | undefined): string {
  const { mean, deviation } = spread(rewards);
  if (target !== undefined) return mean >= target ? "met" : "missed";
  if (!label.startsWith("ARS")) return "";
  const theirs = spread(published[robot].rewards);
  const error = Math.sqrt(deviation ** 2 / rewards.length + theirs.deviation ** 2 / published[robot].rewards.length);
  return mean >= theirs.mean - 2 * error ? "met" : "missed";
}

function paperRemark(robot: Robot): string {
  const { rewards, evaluations, seconds } = published[robot];
  const { mean, deviation } = spread(rewards);
  return `The paper's ${robot} by ARS: ${mean.toFixed(1)} ± ${deviation.toFixed(1)} over five seeds with ${evaluations} evaluations, the best three ${bestThree(rewards).toFixed(1)}, ${seconds} s each.`;
}

function divergenceRemark({ robot, label, seeds }: Row): string[] {
  const ended = seeds.filter(({ divergence }) => divergence !== undefined);
  if (ended.length === 0) return [];
  return [
    `${robot}, ${label}: ${ended.length} of ${seeds.length} seeds ended early with their best policy: ${ended[0].divergence}.`,
  ];
}

function curves(robot: Robot, rows: readonly Row[]): Panel {
  const labels = rows.map(({ label }) => label);
  const points = rows.flatMap(({ label, curve }) =>
    curve.map(({ evaluations, reward }) => ({ label, evaluations, reward: Math.max(reward, -0.2 * most[robot]) })),
  );
  return {
    heading: robot,
    width: 560,
    height: 340,
    x: { label: "evaluations", type: "log" },
    y: { label: "return", domain: [-0.2 * most[robot], most[robot]] },
    // a scheme has no colour for one label alone
    color: {
      domain: labels,
      ...(labels.length > 1 ? { scheme: "turbo", range: [0.05, 0.9] } : { range: ["#1b7fbd"] }),
    },
    marks: [
      Plot.ruleY([spread(published[robot].rewards).mean], { stroke: "#999", strokeDasharray: "4,3" }),
      Plot.line(points, { x: "evaluations", y: "reward", stroke: "label" }),
      ...legend(labels, { corner: "top-left" }),
    ],
  };
}

/** m between pictures, beyond what the robot moves. */
const spacing = { "half-cheetah": 1.2, ant: 1.5 } as const;
const stripWidth = 1180;
const shown = { low: -0.05, high: 1.4 };

function strip(robot: Robot, pictures: readonly Picture[]): Panel {
  const limbs = pictures.flatMap(({ limbs: list }, i) =>
    list.map(({ body, ends, radius }) => ({
      body,
      radius,
      points: ends.map(([x, z]) => ({ x: x + spacing[robot] * i, z })),
    })),
  );
  const all = limbs.flatMap(({ points }) => points.map(({ x }) => x));
  const [left, right] = [Math.min(...all) - 0.4, Math.max(...all) + 0.4];
  const pixels = (stripWidth - 20) / (right - left);
  const captions = pictures.map(({ time, limbs: list }, i) => ({
    x: list[0].ends[0][0] + spacing[robot] * i,
    text: `${time.toFixed(1)} s`,
  }));
  return {
    heading: robot,
    width: stripWidth,
    // the same scale both ways
    height: 24 + Math.round(pixels * (shown.high - shown.low)),
    margin: 0,
    marginLeft: 10,
    marginRight: 10,
    x: { domain: [left, right], axis: null },
    y: { domain: [shown.low, shown.high], axis: null },
    marks: [
      Plot.ruleY([0], { stroke: "#888" }),
      ...limbs.map(({ body, points, radius }) =>
        Plot.line(points, {
          x: "x",
          y: "z",
          stroke: colorOf(body),
          strokeWidth: 2 * radius * pixels,
          strokeLinecap: "round",
        }),
      ),
      Plot.text(captions, { x: "x", y: shown.high - 0.2, text: "text" }),
    ],
  };
}

/** Torsos dark; near and far limbs apart. */
function colorOf(body: string): string {
  if (body === "torso") return "#4a4f57";
  return /^b|back|left/.test(body) ? "#1b7fbd" : "#d95f02";
}
