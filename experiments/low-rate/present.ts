/** Tables and curves of a result. */
import type { Figure, Presentation, Table } from "../experiment.ts";
import { legend, type Panel, Plot } from "../report.ts";
import type { Engine, LowRateResult, Row, SceneResult } from "./run.ts";

const titles: Readonly<Record<Engine, string>> = {
  ours: "ours",
  mujocoDefault: "MuJoCo",
  mujocoImplicitFast: "MuJoCo implicitfast",
  mujocoDiscrete: "MuJoCo discrete",
};
const names = Object.keys(titles) as Engine[];
/** What 20 Hz must keep to after the impact has settled, m. */
const bound = 0.02;

const millimetres = (metres: number | null, otherwise = "–"): string =>
  metres === null ? otherwise : String(Number((1e3 * metres).toPrecision(3)));

export function present(result: LowRateResult): Presentation {
  return {
    tables: [...result.scenes.map(deviationTable), heightTable(result), damperTable(result)],
    figures: [figureOf(result)],
    remarks: remarksOf(result),
  };
}

function deviationTable(scene: SceneResult): Table {
  const cell = ({ completed, largest, settled }: Row): string[] =>
    completed ? [millimetres(largest), millimetres(settled, "restless")] : ["diverges", "diverges"];
  const rows = scene.engines.ours.map(({ rate }, i) => [
    `${rate} Hz`,
    "small",
    ...names.flatMap((engine) => cell(scene.engines[engine][i])),
  ]);
  return {
    caption: `${scene.title}: deviation of the torso's height from the same engine's run at the finest rate, mm (largest; once settled)`,
    rows: [["rate", "paper", ...names.flatMap((engine) => [titles[engine], "settled"])], ...rows],
  };
}

function heightTable({ scenes, rates }: LowRateResult): Table {
  const ends = [0, rates.length - 1];
  const rows = scenes.flatMap(({ label, engines }) =>
    ends.map((i) => [
      `${label}, ${rates[i]} Hz`,
      ...names.map((engine) =>
        engines[engine][i].completed ? millimetres(engines[engine][i].finalHeight) : "diverges",
      ),
    ]),
  );
  return {
    caption: "Height of the torso at the end, mm",
    rows: [["", ...names.map((engine) => titles[engine])], ...rows],
  };
}

function damperTable({ damperCheck: { armature, plain, withArmature }, rates }: LowRateResult): Table {
  const [coarsest, finest] = [rates[0], rates[rates.length - 1]];
  return {
    caption: `Why Atlas buckles later at ${coarsest} Hz: a damper with the weights (1, ρ)/(1+ρ) is an exact one and an inertia of (1−ρ)/(1+ρ) d h/2`,
    rows: [
      [`Atlas at ${coarsest} Hz against`, "largest, mm", "root mean square, mm"],
      [`${finest} Hz`, millimetres(plain.largest), millimetres(plain.mean)],
      [
        `${finest} Hz, hinges heavier by (1−ρ)/(1+ρ) d Δh/2 = ${armature.toFixed(2)} kg·m²`,
        millimetres(withArmature.largest),
        millimetres(withArmature.mean),
      ],
    ],
  };
}

function figureOf({ scenes, rates }: LowRateResult): Figure {
  const labels = rates.map((rate) => `${rate} Hz`);
  const panels = scenes.map((scene) => {
    const top = Math.max(...scene.engines.ours.flatMap(({ heights }) => heights));
    return names.map((engine): Panel => {
      return {
        heading: `${scene.label}: ${titles[engine]}`,
        x: { label: "time, s", domain: [0, scene.seconds] },
        y: { label: "torso height, m", domain: [-0.1, 1.05 * top] },
        clip: true,
        color: { domain: labels, scheme: "turbo" },
        marks: [
          Plot.ruleY([0], { stroke: "#bbb" }),
          Plot.line(scene.engines[engine].flatMap(points), { x: "time", y: "height", stroke: "label", z: "label" }),
          ...legend(labels, { corner: "top-right" }),
        ],
      };
    });
  });
  return { name: "figure", caption: "Height of the torso's centre of mass over time. [time_step]", panels };
}

function points({ rate, samplingRate, heights }: Row): { time: number; height: number; label: string }[] {
  return heights.map((height, i) => ({ time: i / samplingRate, height, label: `${rate} Hz` }));
}

function remarksOf({ scenes, rates, damperCheck: { plain, withArmature } }: LowRateResult): string[] {
  const coarsest = rates[0];
  const kept = scenes.map(({ label, engines: { ours } }) => {
    const [{ settled }] = ours;
    const verdict = settled !== null && settled <= bound ? "kept" : "missed";
    return `${label} ${millimetres(settled, "not settled")} mm (${verdict})`;
  });
  return [
    `At ${coarsest} Hz, once settled, the torso must be within ${1e3 * bound} mm of the finest run: ${kept.join(", ")}.`,
    "Settled means within 5 mm of the height at the end, in both runs. What happens before counts in the largest deviation.",
    `While Atlas buckles, its curves differ by up to ${millimetres(plain.largest)} mm: it falls later at low rates. Its dampers of 25 N·m·s/rad act mostly on the velocity at the end of the step (ρ, the mechanism's damperCentering, is 0.2 by default), which adds the inertia (1−ρ)/(1+ρ) d h/2 to every hinge, more than most links have. The finest run with that inertia added differs from the coarsest by ${millimetres(withArmature.largest)} mm. MuJoCo's discrete integrator stays closer to its finest run there.`,
    "The robots touch the floor with their bodies too, but not themselves. MuJoCo runs the same mechanism. Its default integrator (Euler) treats the damping of servos explicitly and diverges with them; implicitfast does not.",
    "The limp A1 comes to rest in another pose in MuJoCo: there its legs splay out, the joint limits giving way by 0.04 to 0.15 rad; on our hard limits the trunk leans over the hips.",
  ];
}
