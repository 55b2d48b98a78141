/** Entry of the gradient lens: settings ⇄ address, settings → worker → charts, picture and table. */
import { element } from "../../replay/elements.ts";
import { addressWriter } from "./address.ts";
import { createChart } from "./chart.ts";
import { costRemark, gradientContent, positionContent, readingRows } from "./contents.ts";
import { createControls } from "./controls.ts";
import { Knowledge } from "./knowledge.ts";
import { createHeader, createLead } from "./pageHeader.ts";
import { painter } from "./painter.ts";
import { createPicture } from "./picture.ts";
import type { Reply, Request } from "./protocol.ts";
import { createReadings } from "./readings.ts";
import { hashOf, type LensSettings, limitedSettings, settingsOf } from "./settings.ts";
import { explanation, remark } from "./words.ts";

const root = document.getElementById("lens") as HTMLElement;
const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
const knowledge = new Knowledge();
const remember = addressWriter();
const paint = painter(draw);
let settings = settingsOf(location.hash);
let request = 0;

const controls = createControls(() => settings, change);
const push = (force: number): void => change({ force: Number(force.toFixed(2)) });
const picture = createPicture(push);
const position = createChart({
  name: "position",
  title: "Next position along the force, mm",
  xLabel: "force, N",
  description: "Next position over the force, by the hard step and for each κ, with the tangent at the current force",
  pick: push,
});
const gradient = createChart({
  name: "gradient",
  title: "Gradient of the next position, mm/N",
  xLabel: "force, N",
  description: "Gradient of the next position over the force, by the hard step, for each κ and by randomised smoothing",
  pick: push,
});
const readings = createReadings();
const sentence = element("p", { class: "remark" });
const cost = element("p", { class: "hint cost" });
const legend = element("p", { class: "hint" }, "After the step: dashed the hard box, red the one at your κ. To scale.");
const words = element("section", { class: "panel words", "aria-label": "What is seen" });
const alarm = element("p", { class: "alarm", role: "alert", hidden: true });
const stage = [picture.root as Element, legend, controls.force, sentence];
const panel = element(
  "div",
  { class: "lens", id: "lens-panel", role: "tabpanel" },
  element("section", { class: "panel stage", "aria-label": "The box" }, ...stage),
  element("section", { class: "charts", "aria-label": "Curves" }, controls.chips, position.root, gradient.root),
  element("section", { class: "panel side", "aria-label": "Smoothness" }, controls.sliders),
  element("section", { class: "results", "aria-label": "Values" }, readings.root, cost),
  words,
);
root.before(createHeader("Gradient lens"));
root.append(
  createLead(
    "A box rests on the floor and is pushed. As long as the push is too weak to move it, the gradient of the hard step is zero and says nothing; a smoother step at κ > 0 tells how near the box is to moving. Drag the arrow or the sliders.",
  ),
  controls.tabs,
  alarm,
  panel,
);

worker.onmessage = ({ data }: MessageEvent<Reply>) => {
  if (data.kind === "fault") complain(data.message);
  knowledge.take(data);
  paint();
};
worker.onerror = (event) => complain(event.message || "the engine could not be loaded");
window.addEventListener("hashchange", () => {
  if (location.hash !== hashOf(settings)) apply(settingsOf(location.hash));
});
apply(settings);

function complain(message: string): void {
  alarm.textContent = `Something could not be computed: ${message}`;
  alarm.hidden = false;
}

function change(part: Partial<LensSettings>): void {
  apply(limitedSettings({ ...settings, ...part }));
}

/** Asks the worker; what it answers is drawn when it comes. Only the arrow follows the hand at once. */
function apply(next: LensSettings): void {
  settings = next;
  request++;
  worker.postMessage({ id: request, settings } satisfies Request);
  alarm.hidden = true;
  controls.update(settings);
  panel.setAttribute("aria-labelledby", `tab-${settings.direction}`);
  panel.setAttribute("aria-busy", "true");
  words.replaceChildren(...explanation(settings.direction).map((text) => element("p", {}, text)));
  remember(hashOf(settings));
  drawPicture();
}

function drawPicture(): void {
  const { own, hard } = knowledge.snapshot(settings, request);
  picture.update(settings.direction, settings.force, own.values?.displacement ?? hard.displacement);
}

function draw(): void {
  const snapshot = knowledge.snapshot(settings, request);
  const { force, own, complete } = snapshot;
  drawPicture();
  position.update(positionContent(snapshot));
  gradient.update(gradientContent(snapshot));
  readings.update(`At ${force.toFixed(2)} N`, readingRows(snapshot));
  cost.textContent = costRemark(snapshot);
  if (own.values) sentence.textContent = remark(settings.direction, force, own.kappa, own.values.gradient);
  panel.setAttribute("aria-busy", String(!complete));
}
