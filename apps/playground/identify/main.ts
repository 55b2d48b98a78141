/** Entry of the page of identification: recordings in, parameters on their way, a toss beside its prediction. */
import { element } from "../../replay/elements.ts";
import { parametersOf } from "../lens/address.ts";
import { createHeader, createLead } from "../lens/pageHeader.ts";
import { openStage } from "../stage/openStage.ts";
import { button } from "../ui/button.ts";
import { createFileDrop } from "../ui/fileDrop.ts";
import { sentence } from "../ui/messages.ts";
import { createParameterTable } from "./parameterTable.ts";
import type { Command, FitReport, GivenRecording, Report } from "./protocol.ts";
import { TossFilm } from "./tossFilm.ts";

const choices = {
  friction: "friction",
  halfWidth: "half the width",
  inertia: "inertia",
  centerOfMass: "centre of mass",
  gravity: "gravity",
  restitution: "restitution, by search",
} as const;
type Choice = keyof typeof choices;
const names = Object.keys(choices) as Choice[];
const usual: readonly Choice[] = ["friction", "halfWidth", "inertia", "centerOfMass"];

const root = document.getElementById("identify") as HTMLElement;
const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
const send = (command: Command): void => worker.postMessage(command);

let run = 0;
/** Undefined: tosses that are made up. */
let given: readonly GivenRecording[] | undefined;
let scene: Extract<Report, { kind: "scene" }> | undefined;

root.before(createHeader("Identification"));
const stage = openStage(root, { pick: () => {}, pull: () => {} });
const film = new TossFilm(stage);
const table = createParameterTable();
const drop = createFileDrop(
  (files) => {
    given = files.map(({ name, bytes }) => ({ name, text: new TextDecoder().decode(bytes) }));
    begin();
  },
  (message) => complain(message),
  { accept: ".csv,.tsv,.txt", title: "Open recordings of tosses (.csv)", words: "Drop recordings of tosses: .csv" },
);
drop.button.textContent = "Open recordings";
drop.button.append(drop.input);
const chosen = new Set(chosenOf(location.hash));
const boxes = names.map((name) => {
  const box = element("input", { type: "checkbox", "data-parameter-choice": name });
  box.checked = chosen.has(name);
  box.addEventListener("change", () => {
    if (box.checked) chosen.add(name);
    else chosen.delete(name);
    history.replaceState(null, "", `#parameters=${names.filter((each) => chosen.has(each)).join(",")}`);
  });
  return element("label", {}, box, ` ${choices[name]}`);
});
const again = button("Fit", "fit", begin);
again.classList.add("primary");
const stop = button("Stop", "stop", () => send({ kind: "stop" }));
const made = button("Make tosses up", "made-up", () => {
  given = undefined;
  begin();
});
const play = button("Pause", "play", () => {
  film.playing = !film.playing;
  play.textContent = film.playing ? "Pause" : "Play";
});
const progress = element("output", { class: "progress", "aria-label": "How far the fit is" });
const error = element("output", { class: "error", "aria-label": "How well the toss is predicted" });
/** What the warnings of a fit say about its intervals. */
const caution = element("p", { class: "hint caution", role: "status" });
const complaint = element("p", { class: "complaint", role: "alert" });

root.append(
  createLead(
    "A cube was tossed onto a table, and its motion was recorded. This page finds its friction, its size and its distribution of mass from the recordings, by gradients through contact. It begins with tosses that it makes up, so that the truth is known.",
  ),
  element("div", { class: "row" }, again, stop, drop.button, made, play, progress),
  element("fieldset", { class: "row" }, element("legend", {}, "What is to be found"), ...boxes),
  complaint,
  stage.root,
  error,
  element("section", { class: "panel", "aria-label": "Parameters" }, table.root, caution),
  element(
    "p",
    { class: "hint" },
    "The lines are the recorded cube; the solid cube is what the simulation predicts from just before the first impact. The fit looks for the parameters with which simulations come closest to the recordings. To use recordings of your own, drop .csv files anywhere on the page: columns x, y, z, qw, qx, qy, qz in metres, 148 rows per second unless a column t or a line # rate: says otherwise. Nothing leaves your computer.",
  ),
  drop.overlay,
);

worker.onmessage = ({ data }: MessageEvent<Report>) => {
  if (data.run !== run) return;
  switch (data.kind) {
    case "scene":
      scene = data;
      break;
    case "progress":
      show(data.fit);
      break;
    case "done":
      stop.disabled = true;
      progress.value += data.converged ? `, converged in ${data.seconds.toFixed(1)} s` : ", ended before it converged";
      progress.dataset.done = String(data.converged);
      caution.textContent = data.warnings.map(sentence).join(" ");
      break;
    case "fault":
      stop.disabled = true;
      progress.value = "";
      complain(data.message);
  }
};
worker.onerror = (event) => complain(event.message || "The engine could not be loaded.");
stage.followTheme();
begin();

function begin(): void {
  complain(chosen.size === 0 ? "Choose something to be found." : "");
  caution.textContent = "";
  if (chosen.size === 0) return;
  run++;
  scene = undefined;
  table.clear();
  progress.value = "compiling";
  delete progress.dataset.done;
  stop.disabled = false;
  const parameters = names.filter((name) => chosen.has(name));
  send({ kind: "fit", run, parameters, ...(given && { recordings: given }) });
}

function show({ stage: name, count, cost, parameters, toss }: FitReport): void {
  if (scene) film.load(scene.info, toss);
  else film.show(toss);
  const from = scene?.recordings ?? Number(progress.dataset.recordings);
  scene = undefined;
  const words = [`${from} ${from === 1 ? "recording" : "recordings"}`];
  if (Number.isFinite(cost)) words.push(`${name}, iteration ${count}`, `cost ${cost.toPrecision(4)}`);
  progress.value = words.join(", ");
  Object.assign(progress.dataset, { count, recordings: from });
  const { position, rotation } = toss;
  error.value = `${toss.name}: the prediction is off by ${position.toFixed(1)}% of the cube's width and ${rotation.toFixed(1)}° on average`;
  Object.assign(error.dataset, { position, rotation });
  table.show(parameters);
}

function complain(message: string): void {
  complaint.textContent = message;
}

function chosenOf(hash: string): Choice[] {
  const asked = parametersOf(hash).get("parameters")?.split(",") ?? [];
  const known = names.filter((name) => asked.includes(name));
  return known.length > 0 ? known : [...usual];
}
