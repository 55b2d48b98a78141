/** Entry of the creep test: settings ⇄ address, worker → cards and chart. */
import { element } from "../../replay/elements.ts";
import { createChart } from "../lens/chart.ts";
import { createHeader } from "../lens/pageHeader.ts";
import { createCard } from "./card.ts";
import { createControls } from "./controls.ts";
import { driftWindow } from "./driftMeter.ts";
import { fittingMagnification } from "./picture.ts";
import type { Command, EngineName, Report } from "./protocol.ts";
import { type CreepSettings, hashOf, limited, ranges, settingsOf } from "./settings.ts";
import { creepTheory } from "./theory.ts";
import { explanation, situation, theorySentence } from "./words.ts";

const root = document.getElementById("creep") as HTMLElement;
const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
const send = (command: Command): void => worker.postMessage(command);

interface Moment {
  readonly time: number;
  /** m/s. */
  readonly drifts: Readonly<Partial<Record<EngineName, number>>>;
}

let settings = settingsOf(location.hash);
let run = 0;
let moments: Moment[] = [];
let magnification = fittingMagnification(0);
let mujocoFault: string | undefined;
let remembering: ReturnType<typeof setTimeout> | undefined;

const cards = { engine: createCard("dojo-sim", "engine"), mujoco: createCard("MuJoCo", "mujoco") };
const controls = createControls({
  change,
  restart: start,
  play: (playing, speed) => send({ kind: "play", playing, speed }),
});
const chart = createChart({
  name: "drift",
  title: `Drift, µm/s, over the last ${driftWindow} s (dashed: theory for dojo-sim)`,
  xLabel: "time, s",
  description: "Drift of both blocks over time on a logarithmic scale, with what theory says of ours",
});
const clock = element("output", { class: "clock", "aria-label": "Simulated time" });
const truth = element("p", { class: "situation" });
controls.run.append(clock);
root.before(createHeader("Creep test"));
root.append(
  element("section", { class: "intro" }, controls.run, truth),
  element("section", { class: "cards", "aria-label": "Two engines" }, cards.engine.root, cards.mujoco.root),
  element("section", { class: "below" }, element("div", { class: "results" }, chart.root, words()), controls.root),
);

worker.onmessage = ({ data }: MessageEvent<Report>) => {
  if (data.kind === "frame") {
    if (data.run === run) show(data.time, data.readings);
  } else if (data.kind === "fault") complain(data.engine, data.message);
  else {
    cards.mujoco.name(`MuJoCo ${data.version}`);
    start();
  }
};
worker.onerror = (event) => complain("engine", event.message || "The engine could not be loaded.");
window.addEventListener("hashchange", () => {
  if (location.hash !== hashOf(settings)) apply(settingsOf(location.hash));
});
apply(settings);

function words(): HTMLElement {
  const licences = element("a", { href: "./licences.txt" }, "licences");
  const credit = element(
    "p",
    { class: "hint" },
    "MuJoCo is by Google DeepMind, under the Apache License 2.0 (",
    licences,
    ").",
  );
  return element("div", { class: "panel words" }, ...explanation.map((text) => element("p", {}, text)), credit);
}

function complain(engine: EngineName, message: string): void {
  if (engine === "mujoco") mujocoFault = `MuJoCo does not run here: ${message}`;
  cards[engine].complain(engine === "mujoco" ? (mujocoFault as string) : message);
}

function change(part: Partial<CreepSettings>): void {
  const next = { ...settings, ...part };
  for (const name of Object.keys(ranges) as (keyof typeof ranges)[]) next[name] = limited(name, next[name]);
  apply(next);
}

function apply(next: CreepSettings): void {
  settings = next;
  controls.update(settings);
  truth.textContent = situation(settings);
  cards.engine.note(theorySentence(settings));
  const { cone, impratio, integrator, noslip } = settings;
  cards.mujoco.note(`${cone} cone, impratio ${impratio}, ${integrator}, ${noslip} no-slip iterations`);
  if (mujocoFault) cards.mujoco.complain(mujocoFault);
  clearTimeout(remembering);
  remembering = setTimeout(() => history.replaceState(null, "", hashOf(settings)), 200);
  start();
}

/** Both blocks from rest. */
function start(): void {
  run++;
  moments = [];
  magnification = fittingMagnification(0);
  clock.dataset.seconds = "0";
  send({ kind: "start", run, settings });
}

function show(time: number, readings: Extract<Report, { kind: "frame" }>["readings"]): void {
  const { engine, mujoco } = readings;
  const farthest = Math.max(Math.abs(engine?.moved ?? 0), Math.abs(mujoco?.moved ?? 0));
  // it only falls during a run, so that blocks do not jump to and fro
  magnification = Math.min(magnification, fittingMagnification(farthest));
  cards.engine.show(engine, settings.angle, magnification);
  cards.mujoco.show(mujoco, settings.angle, magnification);
  clock.value = `${time.toFixed(1)} s`;
  clock.dataset.seconds = String(time);
  const drifts = { ...(engine && { engine: engine.drift }), ...(mujoco && { mujoco: mujoco.drift }) };
  if (time > 0) moments.push({ time, drifts });
  drawChart(time);
}

const longest = 20;

function drawChart(time: number): void {
  const end = Math.max(longest, time);
  const begin = end - longest;
  while (moments.length > 0 && moments[0].time < begin) moments.shift();
  const times = moments.map((moment) => moment.time);
  const line = (name: EngineName) => ({
    key: name,
    x: times,
    y: moments.map(({ drifts }) => 1e6 * Math.abs(drifts[name] ?? 0)),
  });
  const { creep } = creepTheory(settings);
  const theory = creep ? [{ key: "theory", x: [begin, end], y: [1e6 * creep, 1e6 * creep] }] : [];
  const curves = [...theory, line("engine"), line("mujoco")];
  const values = curves.flatMap(({ y }) => y).filter((value) => value > 0);
  const low = Math.min(1e-5, ...values);
  const high = Math.max(1e4, ...values);
  chart.update({
    ...{ x: [begin, end], logarithmic: true, curves },
    y: [10 ** Math.floor(Math.log10(low)), 10 ** Math.ceil(Math.log10(high))],
  });
}
