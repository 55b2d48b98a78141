/** The parameters on their way: start, value, interval, truth where it is known, and the path of each as a small curve. */
import { element, svgElement } from "../../replay/elements.ts";
import type { FitPoint } from "./protocol.ts";

const [width, height] = [140, 26];

/** Parameters as the reader knows them, with their units. */
const words: Readonly<Record<string, string>> = {
  halfWidth: "half the width, m",
  inertia: "inertia, kg·m²",
  comX: "centre of mass x, m",
  comY: "centre of mass y, m",
  comZ: "centre of mass z, m",
  gravity: "gravity, m/s²",
  radius: "radius of the corners, m",
};

export interface ParameterTable {
  readonly root: HTMLElement;
  clear(): void;
  /** One more point of each. */
  show(points: readonly FitPoint[]): void;
}

export function createParameterTable(): ParameterTable {
  const body = element("tbody");
  const heads = ["parameter", "start", "now", "95% interval", "truth", "on its way"];
  const root = element(
    "div",
    { class: "scrolling" },
    element(
      "table",
      { class: "parameters" },
      element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
      body,
    ),
  );
  let history: (readonly FitPoint[])[] = [];
  return {
    root,
    clear() {
      history = [];
      body.replaceChildren();
    },
    show(points) {
      history.push(points);
      body.replaceChildren(...points.map((point, i) => rowOf(point, pathOf(history.map((each) => each[i])))));
    },
  };
}

function rowOf({ name, start, value, halfWidth, truth }: FitPoint, path: SVGElement): HTMLElement {
  const number = (entry: number): string => entry.toPrecision(4);
  const interval = halfWidth === null ? "–" : `${number(value - halfWidth)} … ${number(value + halfWidth)}`;
  const cells = [number(start), number(value), interval, truth === undefined ? "–" : number(truth)];
  return element(
    "tr",
    { "data-parameter": name, "data-value": value },
    element("th", { scope: "row" }, words[name] ?? name),
    ...cells.map((cell) => element("td", {}, cell)),
    element("td", {}, path as Element as HTMLElement),
  );
}

/** Values over iterations, between the least and the largest of them; the truth as a line across. */
function pathOf(points: readonly FitPoint[]): SVGElement {
  const values = points.map(({ value }) => value);
  const { truth } = points[points.length - 1];
  const all = truth === undefined ? values : [...values, truth];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const x = (k: number): number => 2 + ((width - 4) * k) / Math.max(1, values.length - 1);
  const y = (value: number): number => height - 3 - ((height - 6) * (value - low)) / (high - low || 1);
  const svg = svgElement("svg", {
    class: "path",
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    "aria-hidden": true,
  });
  if (truth !== undefined)
    svg.append(svgElement("line", { class: "truth", x1: 0, x2: width, y1: y(truth), y2: y(truth) }));
  const steps = values.map((value, k) => `${k === 0 ? "M" : "L"}${x(k).toFixed(1)} ${y(value).toFixed(1)}`);
  svg.append(svgElement("path", { class: "values", d: steps.join("") }));
  return svg;
}
