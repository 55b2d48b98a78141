/** Tables and curves of a result. */
import type { Figure, Presentation, Table } from "../experiment.ts";
import { legend, type Panel, Plot } from "../report.ts";
import type { Drift } from "./drift.ts";
import type { ConservationResult, Integrator, Row } from "./run.ts";

type SceneResult = ConservationResult["scenes"][number];

const label = (integrator: Integrator): string => (integrator === "ours" ? "ours" : `MuJoCo ${integrator}`);
const small = (value: number): string => (value === 0 ? "0" : value.toExponential(1));

export function present(result: ConservationResult): Presentation {
  return {
    tables: result.scenes.flatMap((scene) => tables(scene, result.seconds)),
    figures: [figureOf(result)],
    remarks: remarksOf(result),
  };
}

function tables(scene: SceneResult, seconds: number): Table[] {
  const timesteps = [...new Set(scene.rows.map(({ timestep }) => timestep))];
  const columns = ["energy: trend", "fluctuation", "angular momentum: trend", "fluctuation", "linear momentum: trend"];
  return timesteps.map((timestep) => ({
    caption: `${scene.label}, h = ${timestep} s: relative change over ${seconds} s`,
    rows: [
      ["", ...columns, "fluctuation"],
      ["paper", "–", "small", "–", "none", "–", "none"],
      ...scene.rows.filter((row) => row.timestep === timestep).map((row) => [label(row.integrator), ...cells(row)]),
    ],
  }));
}

function cells({ drifts, seconds }: Row): string[] {
  const pair = ({ trend, fluctuation }: Drift): string[] => [small(trend), small(fluctuation)];
  if (drifts) return [...pair(drifts.energy), ...pair(drifts.angular), ...pair(drifts.linear)];
  return [`diverges after ${seconds.toFixed(1)} s`, ...new Array<string>(5).fill("–")];
}

/** Errors are drawn within these: below is rounding, above a motion that has nothing to do with the right one. */
const range = [1e-16, 10] as const;
/** The axis leaves room for the legend. */
const axis = { domain: [1e-16, 1e13], ticks: [1e-16, 1e-12, 1e-8, 1e-4, 1] };

function figureOf({ scenes, seconds }: ConservationResult): Figure {
  const panels = scenes.map((scene) => {
    const timesteps = [...new Set(scene.rows.map(({ timestep }) => timestep))];
    return timesteps.map((timestep): Panel => {
      const rows = scene.rows.filter((row) => row.timestep === timestep);
      const labels = rows.map(({ integrator }) => label(integrator));
      const points = rows.flatMap(({ integrator, energyErrors, interval }) =>
        energyErrors.slice(1).map((error, i) => ({
          time: (i + 1) * interval,
          error: Math.min(range[1], Math.max(range[0], Math.abs(error))),
          label: label(integrator),
        })),
      );
      return {
        heading: `${scene.label}, h = ${timestep} s`,
        x: { label: "time, s", domain: [0, seconds] },
        y: {
          label: "|energy / energy at the start − 1|",
          type: "log",
          ...axis,
          tickFormat: (value: number) => value.toExponential(0),
        },
        color: { domain: labels, scheme: "category10" },
        marks: [
          Plot.line(points, { x: "time", y: "error", stroke: "label", z: "label", clip: true }),
          ...legend(labels, { corner: "top-right" }),
        ],
      };
    });
  });
  return { name: "figure", caption: "Relative error of the energy over time", panels };
}

function remarksOf({ scenes, seconds }: ConservationResult): string[] {
  const ours = scenes.flatMap(({ label: name, rows }) =>
    rows.filter(({ integrator }) => integrator === "ours").map((row) => ({ name, ...row })),
  );
  const momenta = ours.flatMap(({ drifts }) => (drifts ? [drifts.linear.largest, drifts.angular.largest] : []));
  const energies = ours.map(
    ({ name, timestep, drifts }) =>
      `${name} at ${timestep} s: ${drifts ? small(drifts.energy.largest) : "not completed"}`,
  );
  return [
    `Momentum of our motions changes by at most ${small(Math.max(...momenta))} in ${seconds} s, relative: rounding. Their energy never strays further than: ${energies.join("; ")}.`,
    "Errors of the momentum are lengths of vectors, so that their trend is never far below zero. The spinning nut stays in place; its linear momentum is in kg·m/s.",
    "Momentum here is that of the discrete Legendre transform, energy that of the last interval: what the integrator conserves. MuJoCo's are those of its positions and velocities.",
    "The humanoids have no gravity, floor, limits, springs, dampers, rotor inertias, motors or hamstrings, and every joint and the root start with random velocities (0.5 rad/s, 0.5 m/s). For them MuJoCo's implicitfast and discrete integrators do what Euler does, for the nut what implicit does.",
    "Without limits the hips' three hinges pass through gimbal lock, where their rates grow without bound and MuJoCo's integrators jump. With balls in place of hinges in a row, the second scene, they need not.",
    ...rungeKutta(scenes),
  ];
}

/** Ours beside MuJoCo's best where nothing stands in its way. */
function rungeKutta(scenes: ConservationResult["scenes"]): string[] {
  const rows = scenes.find(({ name }) => name === "ballHumanoid")?.rows ?? [];
  const finest = Math.min(...rows.map(({ timestep }) => timestep));
  const [ours, peer] = (["ours", "RK4"] as const).map(
    (integrator) => rows.find((row) => row.timestep === finest && row.integrator === integrator)?.drifts,
  );
  if (!ours || !peer) return [];
  const pair = (key: "energy" | "angular"): string => `${small(ours[key].largest)} and ${small(peer[key].largest)}`;
  return [
    `There, at h = ${finest} s, the largest errors of ours and of MuJoCo's RK4, with four evaluations of the dynamics a step, are ${pair("energy")} of the energy, ${pair("angular")} of the angular momentum.`,
  ];
}
