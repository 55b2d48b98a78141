/** Entry of the page of policies: settings ⇄ address, the robot's worker → stage, the trainer's worker → curve and robot. */
import { element } from "../../replay/elements.ts";
import { addressWriter } from "../lens/address.ts";
import { createHeader, createLead } from "../lens/pageHeader.ts";
import { createSlider } from "../lens/slider.ts";
import { openStage } from "../stage/openStage.ts";
import { button } from "../ui/button.ts";
import { keptPolicies } from "./policies.ts";
import type { Command, PolicyFrame, Report, TrainerCommand, TrainerReport } from "./protocol.ts";
import {
  defaultsOf,
  hashOf,
  limitedSettings,
  methodNames,
  methods,
  type PolicySettings,
  type RobotName,
  ranges,
  robotNames,
  robots,
  settingsOf,
} from "./settings.ts";
import { createTrainingPanel } from "./trainingPanel.ts";

const root = document.getElementById("policy") as HTMLElement;
const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
const remember = addressWriter();
const send = (command: Command): void => worker.postMessage(command);

let settings = settingsOf(location.hash);
let run = 0;
let playing = true;
/** Starts when it is first needed: it compiles for a while. */
let trainer: Worker | undefined;
let trainingRun = 0;
/** The last policy of the training here. */
let own: string | undefined;

root.before(createHeader("Policies"));
const stage = openStage(root, { pick: () => {}, pull: (pull) => send({ kind: "pull", pull }) });
const sliders = {
  impulse: slider("impulse", "Push, N·s", 0.1),
  updates: slider("updates", "Updates", 1),
  seed: slider("seed", "Seed", 1),
};
const robotChoice = choice(
  "robot",
  "Robot",
  robotNames.map((name) => [name, robots[name].words]),
  (value) => apply(defaultsOf(value as RobotName), true),
);
const methodChoice = choice(
  "method",
  "How it is trained",
  methodNames.map((name) => [name, methods[name]]),
  (value) => apply({ ...settings, method: value as PolicySettings["method"] }, false),
);
const shown = choice("shown", "Which policy acts", [], showPolicy);
const play = button("Pause", "play", () => {
  playing = !playing;
  play.textContent = playing ? "Pause" : "Play";
  send({ kind: "play", playing });
});
const push = button("Push", "push", () => send({ kind: "push", impulse: settings.impulse }));
push.classList.add("primary");
const reading = element("output", { class: "reading", "aria-label": "How it runs" });
const complaint = element("p", { class: "complaint", role: "alert" });
const panel = createTrainingPanel(
  { train, stop: () => tell({ kind: "stop" }), continue: () => tell({ kind: "continue" }) },
  element("label", { class: "field" }, "Method", methodChoice),
  sliders.updates.root,
  sliders.seed.root,
);

root.append(
  createLead(
    "A policy turns what the robot observes into torques. Two robots come with a policy that was trained by gradients; drag them, push them, or train a policy of your own below.",
  ),
  element(
    "div",
    { class: "row" },
    robotChoice,
    shown,
    push,
    play,
    button("Restart", "restart", () => send({ kind: "restart" })),
    reading,
  ),
  complaint,
  stage.root,
  element("section", { class: "panel", "aria-label": "Pushes" }, sliders.impulse.root),
  panel.root,
  element(
    "p",
    { class: "hint" },
    "A policy acts twenty or fifty times per second. Training runs in workers of its own, and the robot acts by each new policy as soon as it is there.",
  ),
);

worker.onmessage = ({ data }: MessageEvent<Report>) => {
  if (data.run !== run) return;
  if (data.kind === "fault") complaint.textContent = `It stopped: ${data.message}. Choose a robot to begin anew.`;
  else {
    if (data.kind === "scene") {
      stage.load(data.info, data.frame);
      reading.dataset.robot = data.info.name;
    }
    show(data.frame);
  }
};
worker.onerror = failed;
window.addEventListener("hashchange", () => {
  if (location.hash !== hashOf(settings)) apply(settingsOf(location.hash), true);
});
stage.followTheme();
apply(settings, true);

function apply(next: PolicySettings, anew: boolean): void {
  settings = limitedSettings(next);
  robotChoice.value = settings.robot;
  methodChoice.value = settings.method;
  for (const name of Object.keys(sliders) as (keyof typeof sliders)[]) sliders[name].set(settings[name]);
  remember(hashOf(settings));
  if (anew) start();
}

/** Another robot. A training of the last one ends. */
function start(): void {
  run++;
  endTraining();
  complaint.textContent = "";
  own = undefined;
  listPolicies();
  const policy = keptPolicies[settings.robot];
  send({ kind: "start", run, robot: settings.robot, ...(policy !== undefined && { policy }) });
}

function train(): void {
  endTraining();
  trainingRun++;
  trainer = new Worker(new URL("./trainerWorker.ts", import.meta.url), { type: "module" });
  trainer.onmessage = ({ data }: MessageEvent<TrainerReport>) => hear(data);
  trainer.onerror = failed;
  complaint.textContent = "";
  panel.clear(true);
  // one core is left for the robot
  tell({
    kind: "train",
    run: trainingRun,
    settings,
    workers: Math.max(1, Math.min(8, navigator.hardwareConcurrency - 1)),
  });
}

function endTraining(): void {
  trainer?.terminate();
  trainer = undefined;
  panel.clear(false);
}

function tell(command: TrainerCommand): void {
  trainer?.postMessage(command);
}

function hear(report: TrainerReport): void {
  if (report.run !== trainingRun) return;
  if (report.kind === "fault") {
    complaint.textContent = `The training stopped: ${report.message}`;
    panel.stopped();
  } else if (report.kind === "stopped") panel.stopped();
  else {
    own = report.training.policy;
    panel.show(report.training);
    listPolicies("own");
    send({ kind: "policy", policy: own });
  }
}

/** Those that can act. */
function listPolicies(chosen?: "own"): void {
  const entries: [string, string][] = [];
  if (keptPolicies[settings.robot] !== undefined) entries.push(["kept", "trained before"]);
  if (own !== undefined) entries.push(["own", "trained here"]);
  if (entries.length === 0) entries.push(["none", "no policy yet"]);
  shown.replaceChildren(...entries.map(([value, words]) => element("option", { value }, words)));
  if (chosen) shown.value = chosen;
}

function showPolicy(value: string): void {
  const policy = value === "own" ? own : keptPolicies[settings.robot];
  if (policy !== undefined) send({ kind: "policy", policy });
  send({ kind: "restart" });
}

function show(frame: PolicyFrame): void {
  stage.show(frame);
  const { time, speed, distance, starts, falls, hasFallen, pushes } = frame;
  const words = [`${time.toFixed(1)} s`, `${speed.toFixed(2)} m/s`, `${distance.toFixed(1)} m`];
  if (hasFallen) words.push("it fell");
  reading.value = words.join(", ");
  Object.assign(reading.dataset, { time, speed, distance, starts, falls, pushes });
}

function failed(event: ErrorEvent): void {
  complaint.textContent = event.message || "The engine could not be loaded.";
}

function slider(name: keyof typeof ranges, label: string, step: number) {
  const change = (value: number): void => apply({ ...settings, [name]: value }, false);
  return createSlider({ name, label, step, ...ranges[name], change });
}

function choice(
  name: string,
  label: string,
  options: readonly (readonly [string, string])[],
  choose: (value: string) => void,
): HTMLSelectElement {
  const made = element("select", { "data-setting": name, "aria-label": label });
  made.append(...options.map(([value, words]) => element("option", { value }, words)));
  made.addEventListener("change", () => choose(made.value));
  return made;
}
