/**
 * A chart as inline SVG, drawn anew at each update: curves, a marker across it with dots, tangents. One unit of the picture is
 * one pixel, so that words stay readable at any width. A press or a drag says where.
 */
import { element, svgElement } from "../../replay/elements.ts";
import { formatNumber, ticks } from "../../replay/numbers.ts";

export interface ChartCurve {
  /** Class that gives the colour. */
  readonly key: string;
  readonly x: ArrayLike<number>;
  /** What is not finite, or not positive on a logarithmic axis, is passed over. */
  readonly y: ArrayLike<number>;
}

export interface ChartTangent {
  readonly key: string;
  readonly y: number;
  readonly slope: number;
}

export interface ChartContent {
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
  readonly logarithmic?: boolean;
  readonly curves: readonly ChartCurve[];
  readonly marker?: { readonly x: number; readonly dots: readonly { readonly key: string; readonly y: number }[] };
  /** Lines through the marker. */
  readonly tangents?: readonly ChartTangent[];
}

export interface Chart {
  readonly root: HTMLElement;
  update(content: ChartContent): void;
}

export interface ChartOptions {
  readonly name: string;
  readonly title: string;
  readonly xLabel: string;
  /** What a screen reader says of the picture. */
  readonly description: string;
  readonly pick?: (x: number) => void;
}

const height = 250;
/** Reach of a tangent to either side, as a part of the axis. */
const tangentReach = 0.22;
const margin = { left: 50, right: 12, top: 10, bottom: 34 };

export function createChart({ name, title, xLabel, description, pick }: ChartOptions): Chart {
  const svg = svgElement("svg", { class: "chart", role: "img", "aria-label": description, height });
  const root = element("figure", { class: "panel", "data-chart": name }, element("h2", {}, title), svg as Element);
  let content: ChartContent | undefined;
  let width = 0;
  const draw = (): void => {
    if (!content || width === 0) return;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren(...marks(content, width, name, xLabel));
  };
  new ResizeObserver(([entry]) => {
    width = Math.round(entry.contentRect.width);
    draw();
  }).observe(svg);
  if (pick) pickByPointer(svg, pick, () => (content ? { x: content.x, width } : undefined));
  return {
    root,
    update(next) {
      content = next;
      draw();
    },
  };
}

function marks(content: ChartContent, width: number, name: string, xLabel: string): SVGElement[] {
  const { x: xs, y: ys, logarithmic = false, curves, marker, tangents = [] } = content;
  const inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
  const x = (value: number): number => margin.left + (inner.width * (value - xs[0])) / (xs[1] - xs[0]);
  const share = (value: number): number =>
    logarithmic ? Math.log(value / ys[0]) / Math.log(ys[1] / ys[0]) : (value - ys[0]) / (ys[1] - ys[0]);
  const y = (value: number): number => margin.top + inner.height * (1 - share(value));
  const made: SVGElement[] = [];
  const text = (words: string, at: { x: number; y: number }, anchor: string): void => {
    const label = svgElement("text", { ...at, "text-anchor": anchor });
    label.textContent = words;
    made.push(label);
  };

  // axes
  for (const value of ticks(ys[0], ys[1], logarithmic)) {
    const at = y(value);
    made.push(svgElement("line", { class: "grid", x1: margin.left, x2: width - margin.right, y1: at, y2: at }));
    text(formatNumber(value), { x: margin.left - 6, y: at + 4 }, "end");
  }
  for (const value of ticks(xs[0], xs[1], false))
    text(formatNumber(value), { x: x(value), y: height - margin.bottom + 15 }, "middle");
  text(xLabel, { x: margin.left + inner.width / 2, y: height - 4 }, "middle");

  // what may leave the frame is cut off there
  const clip = svgElement("clipPath", { id: `${name}-frame` });
  clip.append(svgElement("rect", { x: margin.left, y: margin.top - 3, width: inner.width, height: inner.height + 6 }));
  const inside = svgElement("g", { "clip-path": `url(#${name}-frame)` });
  for (const { key, x: at, y: values } of curves) {
    const shown = (value: number): boolean => Number.isFinite(value) && (!logarithmic || value > 0);
    const points = Array.from(values, (value, i) => ({ at: at[i], value })).filter((point) => shown(point.value));
    const path = points.map(
      (point, i) => `${i === 0 ? "M" : "L"}${x(point.at).toFixed(1)} ${y(point.value).toFixed(1)}`,
    );
    inside.append(svgElement("path", { class: `curve ${key}`, d: path.join("") }));
  }
  if (marker) {
    inside.append(
      svgElement("line", {
        class: "marker",
        x1: x(marker.x),
        x2: x(marker.x),
        y1: margin.top,
        y2: margin.top + inner.height,
      }),
    );
    for (const { key, y: middle, slope } of tangents) {
      const at = (where: number): number => y(middle + slope * (where - marker.x));
      const [from, to] = [-1, 1].map((sign) => marker.x + sign * tangentReach * (xs[1] - xs[0]));
      const ends = { x1: x(from), y1: at(from), x2: x(to), y2: at(to) };
      inside.append(svgElement("line", { class: `tangent ${key}`, ...ends }));
    }
    for (const { key, y: value } of marker.dots)
      inside.append(svgElement("circle", { class: `dot ${key}`, cx: x(marker.x), cy: y(value), r: 4 }));
  }
  return [clip, ...made, inside];
}

function pickByPointer(
  svg: SVGElement,
  pick: (x: number) => void,
  frame: () => { readonly x: readonly [number, number]; readonly width: number } | undefined,
): void {
  svg.classList.add("pickable");
  const go = (event: PointerEvent): void => {
    const known = frame();
    if (!known) return;
    const at = event.clientX - svg.getBoundingClientRect().left - margin.left;
    const fraction = at / (known.width - margin.left - margin.right);
    pick(known.x[0] + Math.min(1, Math.max(0, fraction)) * (known.x[1] - known.x[0]));
  };
  svg.addEventListener("pointerdown", (event) => {
    svg.setPointerCapture(event.pointerId);
    go(event);
  });
  svg.addEventListener("pointermove", (event) => {
    if (event.buttons > 0) go(event);
  });
}
