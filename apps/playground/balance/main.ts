/** Entry of the balance page: settings ⇄ address, worker → stage and readings. */
import { element } from "../../replay/elements.ts";
import { addressWriter } from "../lens/address.ts";
import { createHeader, createLead } from "../lens/pageHeader.ts";
import { createSlider } from "../lens/slider.ts";
import { openStage } from "../stage/openStage.ts";
import { button } from "../ui/button.ts";
import type { BalanceFrame, Command, Report } from "./protocol.ts";
import {
  type BalanceSettings,
  defaultsOf,
  goalOf,
  hashOf,
  limitedSettings,
  ranges,
  settingsOf,
  taskNames,
  taskSummaries,
} from "./settings.ts";

const root = document.getElementById("balance") as HTMLElement;
const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
const planner = new Worker(new URL("./plannerWorker.ts", import.meta.url), { type: "module" });
const remember = addressWriter();
const send = (command: Command): void => worker.postMessage(command);

/** Keys that move the goal, m, while the view has the focus. */
const stride = 0.25;
const ways: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [1, 0],
  ArrowDown: [-1, 0],
  ArrowLeft: [0, 1],
  ArrowRight: [0, -1],
};

let settings = settingsOf(location.hash);
let run = 0;
let playing = true;
let goals: 0 | 1 | 2 = 0;

// plant and planner talk to each other without the page between them
const { port1, port2 } = new MessageChannel();
worker.postMessage({ kind: "planner", port: port1 } satisfies Command, [port1]);
planner.postMessage(port2, [port2]);

root.before(createHeader("Balance"));
const stage = openStage(root, {
  pick: () => {},
  pull: (pull) => send({ kind: "pull", pull }),
  place: (x, y) => goTo(x, y),
});
stage.root.addEventListener("keydown", (event) => {
  const way = ways[event.key];
  if (!way || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  goTo(settings.goalX + stride * way[0], settings.goalY + stride * way[1]);
});
const sliders = {
  horizon: slider("horizon", "Horizon, steps of the plan", 1, false),
  budget: slider("budget", "Budget of a plan, ms", 0.1, true),
  kappa: slider("kappa", "κ of the gradients, relative", 0.1, true),
  impulse: slider("impulse", "Push, N·s", 0.1, false),
  goalX: slider("goalX", "Goal along x, m", 0.05, false),
  goalY: slider("goalY", "Goal along y, m", 0.05, false),
};
const tasks = element("select", { "data-setting": "task", "aria-label": "What is to keep its balance" });
tasks.append(...taskNames.map((name) => element("option", { value: name }, `${name}: ${taskSummaries[name]}`)));
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

root.append(
  createLead(
    "These robots keep their balance by planning ahead, many times per second. Drag a body, push it, or click the floor to send the robot there.",
  ),
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
    "Lines show where the last plan leads. While the view has the focus, the arrow keys move the goal. The robot and its planner run in two workers: a plan begins one period after the state that it is made from, and if it is late, the robot waits for it.",
  ),
);

worker.onmessage = ({ data }: MessageEvent<Report>) => {
  if (data.run !== run) return;
  if (data.kind === "fault") complaint.textContent = `It stopped: ${data.message}. Restart begins anew.`;
  else {
    if (data.kind === "scene") {
      stage.load(data.info, data.frame);
      goals = data.goals;
      showGoal();
    }
    show(data.frame);
  }
};
for (const each of [worker, planner]) {
  each.onerror = (event) => {
    complaint.textContent = event.message || "The engine could not be loaded.";
  };
}
window.addEventListener("hashchange", () => {
  if (location.hash !== hashOf(settings)) apply(settingsOf(location.hash), true);
});
stage.followTheme();
apply(settings, true);

function apply(next: BalanceSettings, anew: boolean): void {
  settings = limitedSettings(next);
  tasks.value = settings.task;
  for (const name of Object.keys(sliders) as (keyof typeof sliders)[]) sliders[name].set(settings[name]);
  remember(hashOf(settings));
  showGoal();
  if (anew) start();
  else send({ kind: "change", settings });
}

function showGoal(): void {
  sliders.goalX.root.hidden = goals < 1;
  sliders.goalY.root.hidden = goals < 2;
  const [x, y] = goalOf(settings);
  stage.showMark(goals === 0 ? undefined : [x, goals === 1 ? 0 : y]);
}

function goTo(goalX: number, goalY: number): void {
  const rounded = (value: number): number => Number(value.toFixed(2));
  apply({ ...settings, goalX: rounded(goalX), goalY: rounded(goalY) }, false);
}

function start(): void {
  run++;
  complaint.textContent = "";
  send({ kind: "start", run, settings });
}

function show(frame: BalanceFrame): void {
  stage.show(frame);
  stage.showLines(frame.horizon);
  const { plansPerSecond, planTime, realTime } = frame;
  rate.value = `${plansPerSecond.toFixed(0)} plans per second, ${planTime.toFixed(0)} ms each, ${realTime.toFixed(2)} × real time`;
  Object.assign(rate.dataset, { plans: frame.plans, perSecond: plansPerSecond, planTime, realTime, time: frame.time });
  state.value = frame.isKept ? "in balance" : "on its way";
  Object.assign(state.dataset, { kept: frame.isKept, pushes: frame.pushes, segments: frame.horizon.length / 6 });
}

function slider(name: keyof typeof ranges, label: string, step: number, logarithmic: boolean) {
  const change = (value: number): void => apply({ ...settings, [name]: value }, false);
  return createSlider({ name, label, step, logarithmic, digits: 2, ...ranges[name], change });
}
