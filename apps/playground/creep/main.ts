/** Entry of the creep test: settings ⇄ address, worker → cards and chart. */
import { element } from "../../replay/elements.ts";
import { addressWriter } from "../lens/address.ts";
import { createChart } from "../lens/chart.ts";
import { createHeader, createLead } from "../lens/pageHeader.ts";
import { painter } from "../lens/painter.ts";
import { createCard } from "./card.ts";
import { createControls } from "./controls.ts";
import { driftWindow } from "./driftMeter.ts";
import { fittingMagnification } from "./picture.ts";
import type { Command, EngineName, Report } from "./protocol.ts";
import { type CreepSettings, hashOf, limitedSettings, settingsOf } from "./settings.ts";
import { creepTheory } from "./theory.ts";
import { explanation, situation, theorySentence } from "./words.ts";

const root = document.getElementById("creep") as HTMLElement;
const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
const remember = addressWriter();
const paint = painter(draw);
const send = (command: Command): void => worker.postMessage(command);

/** What the chart spans, and how near its points may be, seconds. */
const longest = 20;
const spacing = 0.04;

type Frame = Extract<Report, { kind: "frame" }>;

interface Moment {
  readonly time: number;
  /** m/s. */
  readonly drifts: Readonly<Partial<Record<EngineName, number>>>;
}

let settings = settingsOf(location.hash);
let run = 0;
let latest: Frame | undefined;
let moments: Moment[] = [];
let magnification = fittingMagnification(0);

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
  createLead(
    "The same block lies on the same slope in two physics engines, from the same description. Which of them lets it creep?",
  ),
  element("section", { class: "intro" }, controls.run, truth),
  element("section", { class: "cards", "aria-label": "Two engines" }, cards.engine.root, cards.mujoco.root),
  element("section", { class: "below" }, element("div", { class: "results" }, chart.root, words()), controls.root),
);

worker.onmessage = ({ data }: MessageEvent<Report>) => {
  if (data.kind === "frame") {
    if (data.run === run) take(data);
  } else if (data.kind === "fault") cards[data.engine].complain(data.message);
  else {
    cards.mujoco.name(`MuJoCo ${data.version}`);
    start();
  }
};
worker.onerror = (event) => cards.engine.complain(event.message || "The engine could not be loaded.");
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

function change(part: Partial<CreepSettings>): void {
  apply(limitedSettings({ ...settings, ...part }));
}

function apply(next: CreepSettings): void {
  settings = next;
  controls.update(settings);
  truth.textContent = situation(settings);
  cards.engine.note(theorySentence(settings));
  const { cone, impratio, integrator, noslip } = settings;
  cards.mujoco.note(`${cone} cone, impratio ${impratio}, ${integrator}, ${noslip} no-slip iterations`);
  remember(hashOf(settings));
  start();
}

/** Both blocks from rest. */
function start(): void {
  run++;
  latest = undefined;
  moments = [];
  magnification = fittingMagnification(0);
  clock.dataset.seconds = "0";
  send({ kind: "start", run, settings });
}

function take(frame: Frame): void {
  const { time, readings } = frame;
  const { engine, mujoco } = readings;
  latest = frame;
  const drifts = { ...(engine && { engine: engine.drift }), ...(mujoco && { mujoco: mujoco.drift }) };
  if (time >= (moments.at(-1)?.time ?? 0) + spacing) moments.push({ time, drifts });
  paint();
}

function draw(): void {
  if (!latest) return;
  const { time, readings } = latest;
  const { engine, mujoco } = readings;
  const farthest = Math.max(Math.abs(engine?.moved ?? 0), Math.abs(mujoco?.moved ?? 0));
  // it only falls during a run, so that blocks do not jump to and fro
  magnification = Math.min(magnification, fittingMagnification(farthest));
  cards.engine.show(engine, settings.angle, magnification);
  cards.mujoco.show(mujoco, settings.angle, magnification);
  clock.value = `${time.toFixed(1)} s`;
  clock.dataset.seconds = String(time);
  drawChart(time);
}

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
