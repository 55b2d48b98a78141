/** Entry of the gradient lens: settings ⇄ address, settings → worker → charts, picture and table. */

import { exact } from "../../../experiments/gradient-comparison/box.ts";
import { element } from "../../replay/elements.ts";
import { type Curve, evenForces, exactCurve, type Values } from "./boxLens.ts";
import { type ChartCurve, createChart } from "./chart.ts";
import { createControls } from "./controls.ts";
import { createHeader } from "./pageHeader.ts";
import { createPicture } from "./picture.ts";
import {
  curveKey,
  type PointReply,
  type Reply,
  type Request,
  type SmoothedCurveReply,
  type SmoothedPointReply,
  smoothingKey,
} from "./protocol.ts";
import { createReadings, type ReadingRow } from "./readings.ts";
import { hashOf, type LensSettings, limited, offeredKappas, ranges, settingsOf } from "./settings.ts";
import { costRemark, explanation, kappaName, remark } from "./words.ts";

const root = document.getElementById("lens") as HTMLElement;
const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });

let settings = settingsOf(location.hash);
let request = 0;
let remembering: ReturnType<typeof setTimeout> | undefined;
const curves = new Map<string, Curve>();
let point: PointReply | undefined;
let smoothedPoint: SmoothedPointReply | undefined;
let smoothedCurve: SmoothedCurveReply | undefined;

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
const slope = createChart({
  name: "gradient",
  title: "Gradient of the next position, mm/N",
  xLabel: "force, N",
  description: "Gradient of the next position over the force, by the hard step, for each κ and by randomised smoothing",
  pick: push,
});
const readings = createReadings();
const text = element("div", { class: "explanation" });
const sentence = element("p", { class: "remark" });
const cost = element("p", { class: "hint cost" });
const legend = element("p", { class: "hint" }, "After the step: dashed the hard box, red the one at your κ. To scale.");
const alarm = element("p", { class: "alarm", role: "alert", hidden: true });
const panel = element(
  "div",
  { class: "lens", id: "lens-panel", role: "tabpanel" },
  element(
    "section",
    { class: "panel stage", "aria-label": "The box" },
    picture.root as Element,
    legend,
    controls.force,
    sentence,
  ),
  element("section", { class: "charts", "aria-label": "Curves" }, controls.chips, position.root, slope.root),
  element("section", { class: "panel side", "aria-label": "Smoothness" }, controls.sliders),
  element("section", { class: "results", "aria-label": "Values" }, readings.root, cost),
  element("section", { class: "panel words", "aria-label": "What is seen" }, text),
);
root.before(createHeader("Gradient lens"));
root.append(controls.tabs, alarm, panel);

worker.onmessage = ({ data }: MessageEvent<Reply>) => {
  if (data.kind === "point") point = data;
  else if (data.kind === "curve") curves.set(curveKey(data.direction, data.kappa), data.curve);
  else if (data.kind === "smoothedPoint") smoothedPoint = data;
  else if (data.kind === "smoothedCurve") smoothedCurve = data;
  else complain(data.message);
  draw();
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
  const next = { ...settings, ...part };
  for (const name of Object.keys(ranges) as (keyof typeof ranges)[]) next[name] = limited(name, next[name]);
  apply(next);
}

function apply(next: LensSettings): void {
  settings = next;
  alarm.hidden = true;
  request++;
  worker.postMessage({ id: request, settings } satisfies Request);
  controls.update(settings);
  const tab = `tab-${settings.direction}`;
  panel.setAttribute("aria-labelledby", tab);
  text.replaceChildren(...explanation(settings.direction).map((words) => element("p", {}, words)));
  rememberSoon();
  draw();
}

/** Browsers refuse more than some writes of the address a second. */
function rememberSoon(): void {
  clearTimeout(remembering);
  remembering = setTimeout(() => history.replaceState(null, "", hashOf(settings)), 200);
}

function draw(): void {
  const { direction, force, kappa, shown, smoothing } = settings;
  const current = point?.direction === direction ? point : undefined;
  const valuesAt = (each: number): Values | undefined => current?.values.find((entry) => entry.kappa === each)?.values;
  const lines = [
    ...shown.map((each) => ({ kappa: each, key: `kappa${offeredKappas.indexOf(each)}` })),
    { kappa, key: "own" },
  ];
  const hard = exact(direction, force);
  const own = valuesAt(kappa);
  const key = smoothingKey(settings);
  const cloud = smoothing && smoothedCurve?.key === key ? smoothedCurve : undefined;
  const estimate = smoothing && smoothedPoint?.id === request ? smoothedPoint : undefined;

  picture.update(direction, force, own?.displacement ?? hard.displacement);
  drawCharts();
  drawTable();
  cost.textContent = costRemark(settings.samples + 1, evenForces.length);
  cost.hidden = !smoothing;
  sentence.textContent = own ? remark(direction, current?.force ?? force, kappa, own.gradient) : "";
  const known = lines.every((line) => curves.has(curveKey(direction, line.kappa)));
  const busy = current?.id !== request || !known || (smoothing && !(estimate && cloud?.done));
  panel.setAttribute("aria-busy", String(busy));

  function drawCharts(): void {
    const truth = exactCurve(direction);
    const known = lines.flatMap((line) => {
      const curve = curves.get(curveKey(direction, line.kappa));
      return curve ? [{ key: line.key, curve }] : [];
    });
    const draws = (quantity: "displacement" | "gradient"): ChartCurve[] =>
      [{ key: "hard", curve: truth }, ...known].map(({ key: line, curve }) => ({
        key: line,
        x: curve.forces,
        y: curve[quantity].map((value) => 1e3 * value),
      }));
    const dots = (quantity: "displacement" | "gradient") =>
      lines.flatMap((line) => {
        const values = valuesAt(line.kappa);
        return values ? [{ key: line.key, y: 1e3 * values[quantity] }] : [];
      });
    const x = [ranges.force.low, ranges.force.high] as const;
    const at = current?.force ?? force;
    const positions = draws("displacement");
    const highest = Math.max(...positions.flatMap(({ y }) => Array.from(y)));
    const tangents = [
      ...(estimate ? [{ key: "smoothed", y: 1e3 * hard.displacement, slope: 1e3 * estimate.gradient }] : []),
      ...(own ? [{ key: "own", y: 1e3 * own.displacement, slope: 1e3 * own.gradient }] : []),
    ];
    position.update({
      ...{ x, y: [-0.04 * highest, 1.04 * highest], curves: positions, tangents },
      marker: { x: at, dots: [{ key: "hard", y: 1e3 * exact(direction, at).displacement }, ...dots("displacement")] },
    });
    const noisy = cloud ? [{ key: "smoothed", x: evenForces, y: cloud.gradient.map((value) => 1e3 * value) }] : [];
    const estimated = estimate ? [{ key: "smoothed", y: 1e3 * estimate.gradient }] : [];
    slope.update({
      ...{ x, y: [-1.5, 13], curves: [...noisy, ...draws("gradient")] },
      marker: {
        x: at,
        dots: [...estimated, { key: "hard", y: 1e3 * exact(direction, at).gradient }, ...dots("gradient")],
      },
    });
  }

  function drawTable(): void {
    const rows: ReadingRow[] = [
      { key: "hard", name: "hard step", ...hard },
      ...[...lines].reverse().map((line): ReadingRow => {
        const values = valuesAt(line.kappa);
        const name = line.key === "own" ? `your ${kappaName(kappa)}` : kappaName(line.kappa);
        const { displacement, gradient } = values ?? { displacement: undefined, gradient: undefined };
        return {
          key: line.key,
          name,
          displacement,
          gradient,
          steps: 1,
          seconds: line.key === "own" ? current?.seconds : undefined,
        };
      }),
    ];
    if (smoothing) {
      rows.push({
        ...{ key: "smoothed", name: `smoothing, σ = ${settings.sigma} N` },
        ...{ displacement: hard.displacement, gradient: estimate?.gradient },
        ...{ steps: settings.samples + 1, seconds: estimate?.seconds },
      });
    }
    readings.update(`At ${force.toFixed(2)} N`, rows);
  }
}
