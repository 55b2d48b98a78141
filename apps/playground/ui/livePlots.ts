/** Plots of the last seconds: energy, momentum, gap, iterations, time of a step. */
import uPlot from "uplot";
import { element } from "../../replay/elements.ts";
import { formatNumber, formatTicks, rangeOf } from "../../replay/numbers.ts";
import type { Frame, Sample } from "../protocol.ts";

/** Simulated seconds, and samples that are kept. */
const windowTime = 8;
const mostSamples = 1200;
/** Milliseconds from one drawing to the next. */
const drawEvery = 100;

interface Plot {
  readonly title: string;
  readonly unit: string;
  readonly series: readonly { readonly name: string; readonly of: (sample: Sample) => number | null }[];
}

const plots: readonly Plot[] = [
  {
    title: "Energy",
    unit: "J",
    series: [
      { name: "kinetic", of: ({ kinetic }) => kinetic },
      { name: "potential", of: ({ potential }) => potential },
      { name: "total", of: ({ kinetic, potential }) => kinetic + potential },
    ],
  },
  {
    title: "Momentum",
    unit: "N·s, N·m·s",
    series: [
      { name: "linear", of: ({ momentum }) => momentum },
      { name: "angular", of: ({ angularMomentum }) => angularMomentum },
    ],
  },
  {
    title: "Smallest gap",
    unit: "mm",
    series: [{ name: "gap", of: ({ distance }) => (distance === null ? null : 1000 * distance) }],
  },
  { title: "Iterations", unit: "per step", series: [{ name: "most", of: ({ iterations }) => iterations }] },
  { title: "Step time", unit: "ms", series: [{ name: "mean", of: ({ stepTime }) => stepTime }] },
];

export interface LivePlots {
  readonly root: HTMLElement;
  /** Begins again. */
  clear(): void;
  add(frame: Frame): void;
  /** Reads the colours of the page again. */
  paint(): void;
}

export function createLivePlots(): LivePlots {
  const times: number[] = [];
  const charts = plots.map((plot) => createChart(plot));
  const root = element(
    "section",
    { class: "plots", "aria-label": "Plots", tabindex: 0 },
    ...charts.map(({ root: figure }) => figure),
  );
  let drawn = 0;
  let stale = false;
  const draw = (now: number): void => {
    if (stale && now - drawn > drawEvery && root.clientHeight > 0) {
      stale = false;
      drawn = now;
      for (const chart of charts) chart.draw(times);
    }
    requestAnimationFrame(draw);
  };
  requestAnimationFrame(draw);
  const clear = (): void => {
    times.length = 0;
    for (const { rows } of charts) for (const row of rows) row.length = 0;
    stale = true;
  };
  return {
    root,
    clear,
    add: ({ time, sample }) => {
      if (!sample) return;
      // one that went back in time begins again
      if (times.length > 0 && time <= times[times.length - 1]) clear();
      times.push(time);
      plots.forEach(({ series }, k) => {
        series.forEach(({ of }, i) => {
          charts[k].rows[i].push(of(sample));
        });
      });
      let old = 0;
      while (times[old] < time - windowTime || times.length - old > mostSamples) old++;
      if (old > 0) {
        times.splice(0, old);
        for (const { rows } of charts) for (const row of rows) row.splice(0, old);
      }
      stale = true;
    },
    paint: () => {
      for (const chart of charts) chart.paint();
      stale = true;
    },
  };
}

interface Chart {
  readonly root: HTMLElement;
  readonly rows: (number | null)[][];
  draw(times: readonly number[]): void;
  paint(): void;
}

function createChart({ title, unit, series }: Plot): Chart {
  const rows: (number | null)[][] = series.map(() => []);
  const values = series.map(() => element("output"));
  // the figures below say the same
  const place = element("div", { class: "chart", "aria-hidden": "true" });
  const legend = series.map(({ name }, i) =>
    element(
      "span",
      { class: "entry" },
      element("i", { class: `key line${i}`, "aria-hidden": "true" }),
      series.length > 1 ? `${name} ` : "",
      values[i],
    ),
  );
  const root = element(
    "figure",
    {},
    element("figcaption", {}, element("strong", {}, title), element("span", { class: "soft" }, ` ${unit}`)),
    place,
    element("div", { class: "legend" }, ...legend),
  );
  let plot: uPlot | undefined;
  const color = (name: string): string => getComputedStyle(root).getPropertyValue(name).trim();
  const make = (): uPlot => {
    const axis = {
      stroke: color("--soft"),
      grid: { stroke: color("--grid"), width: 1 },
      ticks: { show: false },
      font: "11px system-ui, sans-serif",
    };
    return new uPlot(
      {
        width: Math.max(80, place.clientWidth),
        height: Math.max(60, place.clientHeight),
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false }, y: { range: (_, low, high) => rangeOf(low, high) } },
        padding: [6, 6, 0, 0],
        axes: [
          { ...axis, size: 20, space: 60, values: (_, all) => all.map((value) => `${formatNumber(value)} s`) },
          { ...axis, size: 46, space: 24, values: (_, all) => formatTicks(all) },
        ],
        series: [{}, ...series.map((_, i) => ({ stroke: color(`--line${i}`), width: 1.5, spanGaps: false }))],
      },
      [[], ...series.map(() => [])],
      place,
    );
  };
  new ResizeObserver(() =>
    plot?.setSize({ width: Math.max(80, place.clientWidth), height: Math.max(60, place.clientHeight) }),
  ).observe(place);
  return {
    root,
    rows,
    draw: (times) => {
      plot ??= make();
      plot.setData([[...times], ...rows.map((row) => [...row])] as uPlot.AlignedData);
      rows.forEach((row, i) => {
        const last = row[row.length - 1];
        values[i].textContent = last === undefined || last === null ? "–" : formatNumber(last);
      });
    },
    paint: () => {
      plot?.destroy();
      plot = undefined;
    },
  };
}
