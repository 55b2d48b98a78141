/** Figures of an identification as SVG: each parameter over the iterations with its 95% interval, and errors of all recordings. */
import type { Identification } from "../../index.ts";
import { escaped, svgPage } from "../svg.ts";

const [width, height, gap] = [300, 170, 14];
const margin = { left: 62, right: 12, top: 26, bottom: 30 };
const colors = { line: "#1b7fbd", band: "#1b7fbd33", start: "#999", truth: "#2a9d4a", bar: "#d95f02" };

export function figureOf(found: Identification, truth: Readonly<Record<string, number>> | undefined): string {
  const names = Object.keys(found.parameters);
  const panels = [costPanel(found), ...names.map((name) => parameterPanel(found, name, truth?.[name]))];
  const columns = Math.min(3, panels.length);
  const rows = Math.ceil(panels.length / columns);
  const placed = panels.map((panel, i) => {
    const [x, y] = [gap + (i % columns) * (width + gap), gap + Math.floor(i / columns) * (height + gap)];
    return `<g transform="translate(${x},${y})">${panel}</g>`;
  });
  return svgPage(columns * (width + gap) + gap, rows * (height + gap) + gap, 11, placed);
}

interface Point {
  readonly x: number;
  readonly y: number;
  /** The interval, where there is one; an end may be infinite. */
  readonly band?: readonly [number, number];
}

function parameterPanel({ history, parameters }: Identification, name: string, truth: number | undefined): string {
  const { start, interval, value } = parameters[name];
  const points = history.flatMap(({ values, halfWidths }, x): Point[] => {
    const y = values[name];
    if (y === undefined) return [];
    const half = halfWidths[name];
    return [{ x, y, ...(Number.isFinite(half) && { band: [y - half, y + half] }) }];
  });
  if (points.length === 0) points.push({ x: 0, y: value });
  const last = points[points.length - 1];
  if (interval) points[points.length - 1] = { ...last, band: interval };
  // wide intervals of the first iterations would hide all else
  const shown = [
    start,
    value,
    ...(truth === undefined ? [] : [truth]),
    ...(interval ?? []).filter(Number.isFinite),
    ...points.map(({ y }) => y),
  ];
  return panel(name, points, shown, [
    { y: start, color: colors.start, label: "start" },
    ...(truth === undefined ? [] : [{ y: truth, color: colors.truth, label: "truth" }]),
  ]);
}

function costPanel({ history }: Identification): string {
  // each stage has a cost of its own: all begin at 1
  const first = new Map<string, number>();
  const points = history.map(({ stage, cost }, x): Point => {
    if (!first.has(stage)) first.set(stage, cost);
    return { x, y: cost / (first.get(stage) as number) };
  });
  const title = "cost, over the first of its stage";
  return panel(title, points.length > 0 ? points : [{ x: 0, y: 1 }], [0, 1, ...points.map(({ y }) => y)], []);
}

function panel(
  title: string,
  points: readonly Point[],
  shown: readonly number[],
  rules: readonly { readonly y: number; readonly color: string; readonly label: string }[],
): string {
  let [low, high] = [Math.min(...shown), Math.max(...shown)];
  const pad = 0.08 * (high - low) || Math.abs(high) * 0.1 || 1;
  [low, high] = [low - pad, high + pad];
  const lastX = Math.max(1, ...points.map(({ x }) => x));
  const px = (x: number): string => (margin.left + (x / lastX) * (width - margin.left - margin.right)).toFixed(1);
  const py = (y: number): string => {
    const inside = Math.min(high, Math.max(low, y));
    return (margin.top + ((high - inside) / (high - low)) * (height - margin.top - margin.bottom)).toFixed(1);
  };
  const banded = points.flatMap(({ x, band }) => (band ? [{ x, low: band[0], high: band[1] }] : []));
  const band = [
    ...banded.map(({ x, high }) => `${px(x)},${py(high)}`),
    ...[...banded].reverse().map(({ x, low }) => `${px(x)},${py(low)}`),
  ];
  const ticks = [low + pad, (low + high) / 2, high - pad].map(
    (y) => `<text x="${margin.left - 6}" y="${py(y)}" text-anchor="end" dominant-baseline="middle">${figure(y)}</text>`,
  );
  const right = width - margin.right;
  return [
    `<text x="0" y="14" font-weight="bold">${escaped(title)}</text>`,
    `<rect x="${margin.left}" y="${margin.top}" width="${right - margin.left}" height="${height - margin.top - margin.bottom}" fill="none" stroke="#ccc"/>`,
    ...ticks,
    `<text x="${right}" y="${height - 8}" text-anchor="end">progress: ${points.length - 1} improvements</text>`,
    ...rules.map(
      ({ y, color, label }) =>
        `<line x1="${margin.left}" x2="${right}" y1="${py(y)}" y2="${py(y)}" stroke="${color}" stroke-dasharray="4 3"/><text x="${label === "start" ? margin.left + 60 : right - 3}" y="${Number(py(y)) - 4}" text-anchor="end" fill="${color}">${label}</text>`,
    ),
    ...(band.length > 0 ? [`<polygon points="${band.join(" ")}" fill="${colors.band}"/>`] : []),
    `<polyline points="${points.map(({ x, y }) => `${px(x)},${py(y)}`).join(" ")}" fill="none" stroke="${colors.line}" stroke-width="1.8"/>`,
    ...points.map(({ x, y }) => `<circle cx="${px(x)}" cy="${py(y)}" r="2" fill="${colors.line}"/>`),
  ].join("");
}

const figure = (value: number): string => String(Number(value.toPrecision(3)));
