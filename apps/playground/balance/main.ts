/** Entry of the balance page: settings ⇄ address, worker → stage and readings. */
import { controlTasks } from "dojo-sim";
import { element } from "../../replay/elements.ts";
import type { Theme } from "../../replay/theme.ts";
import { addressWriter } from "../lens/address.ts";
import { createHeader } from "../lens/pageHeader.ts";
import { createSlider } from "../lens/slider.ts";
import { Stage } from "../stage/stage.ts";
import type { BalanceFrame, Command, Report } from "./protocol.ts";
import {
  type BalanceSettings,
  defaultsOf,
  hashOf,
  limitedSettings,
  ranges,
  settingsOf,
  taskNames,
} from "./settings.ts";

const root = document.getElementById("balance") as HTMLElement;
const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
const remember = addressWriter();
const send = (command: Command): void => worker.postMessage(command);

let settings = settingsOf(location.hash);
let run = 0;
let playing = true;

const stage = new Stage({ pick: () => {}, pull: (pull) => send({ kind: "pull", pull }) });
const sliders = {
  horizon: slider("horizon", "Horizon, steps of the plan", 1, false),
  budget: slider("budget", "Budget of a plan, ms", 0.1, true),
  kappa: slider("kappa", "κ of the gradients, relative", 0.1, true),
  impulse: slider("impulse", "Push, N·s", 0.1, false),
};
const tasks = element("select", { "data-setting": "task", "aria-label": "What is to keep its balance" });
tasks.append(...taskNames.map((name) => element("option", { value: name }, `${name}: ${controlTasks[name].summary}`)));
tasks.addEventListener("change", () => apply(defaultsOf(tasks.value), true));
const play = button("Pause", "play", () => {
  playing = !playing;
  play.textContent = playing ? "Pause" : "Play";
  send({ kind: "play", playing });
});
const push = button("Push", "push", () => send({ kind: "push", impulse: settings.impulse }));
push.classList.add("primary");
const rate = element("output", { class: "rate", "aria-label": "Plans per second" });
const state = element("output", { class: "state", "aria-label": "How it stands" });
const complaint = element("p", { class: "complaint", role: "alert" });

root.before(createHeader("Balance"));
root.append(
  element("div", { class: "row" }, tasks, push, play, button("Restart", "restart", start), rate, state),
  complaint,
  stage.root,
  element(
    "section",
    { class: "panel choices", "aria-label": "Planner" },
    ...Object.values(sliders).map((each) => each.root),
  ),
  element(
    "p",
    { class: "hint" },
    "A planner looks ahead, again and again: lines show where its last plan leads. Drag a body, or push. The engine and the planner run in one worker; plans per second count the time in plans alone.",
  ),
);

worker.onmessage = ({ data }: MessageEvent<Report>) => {
  if (data.kind === "fault") complaint.textContent = `It stopped: ${data.message}. Restart begins anew.`;
  else if (data.run === run) {
    if (data.kind === "scene") stage.load(data.info, data.frame);
    show(data.frame);
  }
};
worker.onerror = (event) => {
  complaint.textContent = event.message || "The engine could not be loaded.";
};
window.addEventListener("hashchange", () => {
  if (location.hash !== hashOf(settings)) apply(settingsOf(location.hash), true);
});
const follow = (): void => stage.paint((document.documentElement.dataset.theme ?? "light") as Theme);
new MutationObserver(follow).observe(document.documentElement, { attributeFilter: ["data-theme"] });
follow();
apply(settings, true);

function apply(next: BalanceSettings, anew: boolean): void {
  settings = limitedSettings(next);
  tasks.value = settings.task;
  for (const name of Object.keys(sliders) as (keyof typeof sliders)[]) sliders[name].set(settings[name]);
  remember(hashOf(settings));
  if (anew) start();
  else send({ kind: "change", settings });
}

function start(): void {
  run++;
  complaint.textContent = "";
  send({ kind: "start", run, settings });
}

function show(frame: BalanceFrame): void {
  stage.show(frame);
  stage.showLines(frame.horizon);
  rate.value = `${frame.plansPerSecond.toFixed(0)} plans per second, ${frame.realTime.toFixed(2)} × real time`;
  Object.assign(rate.dataset, { plans: frame.plans, perSecond: frame.plansPerSecond, time: frame.time });
  state.value = frame.isKept ? "in balance" : "on its way";
  Object.assign(state.dataset, { kept: frame.isKept, pushes: frame.pushes, segments: frame.horizon.length / 6 });
}

function slider(name: keyof typeof ranges, label: string, step: number, logarithmic: boolean) {
  const change = (value: number): void => apply({ ...settings, [name]: value }, false);
  return createSlider({ name, label, step, logarithmic, digits: 2, ...ranges[name], change });
}

function button(words: string, action: string, press: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", "data-action": action }, words);
  made.addEventListener("click", press);
  return made;
}
