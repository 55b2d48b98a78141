/** Plots over time as inline SVG: lines, axes, a mark at the current time; a press or a drag goes to that time. */
import { decodeFloats, type ReplayPlot } from "dojo-sim";
import { element, svgElement } from "./elements.ts";
import { formatNumber, ticks } from "./numbers.ts";

const width = 320;
const height = 150;
const margin = { left: 46, right: 8, top: 8, bottom: 20 };

export interface Plot {
  readonly root: HTMLElement;
  showTime(time: number): void;
}

interface Scale {
  readonly low: number;
  readonly high: number;
  readonly logarithmic: boolean;
}

export function createPlot(plot: ReplayPlot, interval: number, duration: number, seek: (time: number) => void): Plot {
  const series = plot.series.map(({ name, values }) => ({ name, values: decodeFloats(values) }));
  const scale = scaleOf(
    series.flatMap(({ values }) => Array.from(values)),
    plot.scale === "logarithmic",
  );
  const x = (time: number): number =>
    margin.left + (duration > 0 ? time / duration : 0) * (width - margin.left - margin.right);
  const y = (value: number): number =>
    height - margin.bottom - share(scale, value) * (height - margin.top - margin.bottom);
  const label = `${plot.title} over time: ${series.map(({ name }) => name).join(", ")}`;
  const svg = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, class: "plot", role: "img", "aria-label": label });
  svg.append(...axes(scale, duration, x, y));
  series.forEach(({ values }, index) => {
    svg.append(svgElement("path", { class: `line line${index % 5}`, d: pathOf(values, interval, scale, x, y) }));
  });
  const cursor = svgElement("line", { class: "cursor", y1: margin.top, y2: height - margin.bottom });
  svg.append(cursor);
  seekByPointer(svg, duration, seek);

  // the legend has the values at the current time
  const readings = series.map(() => element("output", {}));
  const legend = series.map(({ name }, index) => {
    const key = element("span", { class: `key line${index % 5}` });
    return element("li", {}, key, element("span", {}, name), readings[index]);
  });
  const heading = element("h2", {}, plot.unit ? `${plot.title}, ${plot.unit}` : plot.title);
  const root = element("figure", { class: "panel" }, heading, svg, element("ul", { class: "legend" }, ...legend));
  const showTime = (time: number): void => {
    const at = x(time).toFixed(2);
    cursor.setAttribute("x1", at);
    cursor.setAttribute("x2", at);
    series.forEach(({ values }, index) => {
      const value = values[Math.min(values.length - 1, Math.floor(time / interval + 1e-6))];
      readings[index].textContent = Number.isFinite(value) ? formatNumber(value) : "–";
    });
  };
  return { root, showTime };
}

function scaleOf(values: readonly number[], logarithmic: boolean): Scale {
  const shown = values.filter((value) => Number.isFinite(value) && (!logarithmic || value > 0));
  if (shown.length === 0) return { low: logarithmic ? 1e-3 : 0, high: 1, logarithmic };
  let low = shown.reduce((a, b) => Math.min(a, b));
  let high = shown.reduce((a, b) => Math.max(a, b));
  if (logarithmic)
    return { low: 10 ** Math.floor(Math.log10(low)), high: 10 ** Math.ceil(Math.log10(high) + 1e-9), logarithmic };
  // zero is shown when it is near
  if (low > 0 && low < 0.4 * high) low = 0;
  const pad = high > low ? 0.04 * (high - low) : Math.max(1e-6, 0.1 * Math.abs(high));
  if (low !== 0) low -= pad;
  high += pad;
  return { low, high, logarithmic };
}

/** Where a value lies between the ends of the scale, 0 to 1. */
function share({ low, high, logarithmic }: Scale, value: number): number {
  if (!logarithmic) return (value - low) / (high - low);
  return high > low ? Math.log(value / low) / Math.log(high / low) : 0.5;
}

type Place = (value: number) => number;

function axes(scale: Scale, duration: number, x: Place, y: Place): SVGElement[] {
  const marks: SVGElement[] = [];
  const text = (at: { x: number; y: number }, anchor: string, words: string): void => {
    const label = svgElement("text", { ...at, "text-anchor": anchor });
    label.textContent = words;
    marks.push(label);
  };
  for (const value of ticks(scale.low, scale.high, scale.logarithmic)) {
    const at = y(value);
    marks.push(svgElement("line", { class: "grid", x1: margin.left, x2: width - margin.right, y1: at, y2: at }));
    text({ x: margin.left - 5, y: at + 3.5 }, "end", formatNumber(value));
  }
  const seconds = ticks(0, duration, false);
  seconds.forEach((time, index) => {
    const last = index === seconds.length - 1;
    text({ x: x(time), y: height - 6 }, last ? "end" : "middle", last ? `${formatNumber(time)} s` : formatNumber(time));
  });
  return marks;
}

/** A line that breaks where there is no value. */
function pathOf(values: Float32Array, interval: number, scale: Scale, x: Place, y: Place): string {
  let path = "";
  let drawing = false;
  values.forEach((value, frame) => {
    const shown = Number.isFinite(value) && (!scale.logarithmic || value > 0);
    if (shown) path += `${drawing ? "L" : "M"}${x(frame * interval).toFixed(1)} ${y(value).toFixed(1)}`;
    drawing = shown;
  });
  return path;
}

function seekByPointer(svg: SVGElement, duration: number, seek: (time: number) => void): void {
  const go = (event: PointerEvent): void => {
    const { left, width: wide } = svg.getBoundingClientRect();
    const at = ((event.clientX - left) / wide) * width;
    seek((duration * (at - margin.left)) / (width - margin.left - margin.right));
  };
  svg.addEventListener("pointerdown", (event) => {
    svg.setPointerCapture(event.pointerId);
    go(event);
  });
  svg.addEventListener("pointermove", (event) => {
    if (event.buttons > 0) go(event);
  });
}
