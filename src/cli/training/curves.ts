/** Learning curves: what updates returned, over the evaluations spent. One per seed, and their mean and spread. */
import { escaped, svgPage } from "../svg.ts";

export interface Curve {
  readonly spent: readonly number[];
  readonly returns: readonly number[];
}

export interface CurvePoint {
  readonly spent: number;
  readonly mean: number;
  /** Standard deviation over curves; 0 of one. */
  readonly deviation: number;
}

/** Mean and spread by update, over all curves that reached it. */
export function meanCurve(curves: readonly Curve[]): CurvePoint[] {
  const longest = Math.max(0, ...curves.map(({ returns }) => returns.length));
  return Array.from({ length: longest }, (_, k) => {
    const there = curves.filter(({ returns }) => returns.length > k);
    const average = (of: (curve: Curve) => number): number =>
      there.reduce((sum, curve) => sum + of(curve), 0) / there.length;
    const mean = average(({ returns }) => returns[k]);
    const variance = there.length > 1 ? average(({ returns }) => (returns[k] - mean) ** 2) : 0;
    const deviation = Math.sqrt((variance * there.length) / Math.max(1, there.length - 1));
    return { spent: average(({ spent }) => spent[k]), mean, deviation };
  });
}

const heights = "▁▂▃▄▅▆▇█";

/** A curve in one line of `width` letters, from its least to its largest value. */
export function sparkline(values: readonly number[], width: number): string {
  if (values.length === 0) return "";
  const cells = Math.min(width, values.length);
  const means = Array.from({ length: cells }, (_, i) => {
    const part = values.slice(Math.floor((i * values.length) / cells), Math.floor(((i + 1) * values.length) / cells));
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
  const [least, most] = [Math.min(...means), Math.max(...means)];
  return means.map((value) => heights[Math.round((7 * (value - least)) / (most - least || 1))]).join("");
}

/** A picture in letters: the mean as a line of dots, with its axes. */
export function curveText(points: readonly CurvePoint[], width = 60, height = 10): string {
  const { left, right, ticks, low, high } = frameOf(points);
  const labels = ticks.map((tick) => String(tick));
  const margin = Math.max(...labels.map(({ length }) => length));
  // two by four dots per letter of braille
  const [columns, rows] = [2 * width, 4 * height];
  const cells = Array.from({ length: height }, () => new Array<number>(width).fill(0));
  const bits = [
    [0x01, 0x08],
    [0x02, 0x10],
    [0x04, 0x20],
    [0x40, 0x80],
  ];
  for (let x = 0; x < columns; x++) {
    const at = left + ((right - left) * x) / (columns - 1);
    const value = valueAt(points, at);
    if (value === undefined) continue;
    const y = Math.round(((high - value) / (high - low)) * (rows - 1));
    cells[y >> 2][x >> 1] |= bits[y & 3][x & 1];
  }
  const labelAt = (row: number): string =>
    labels.find((_, i) => Math.round(((high - ticks[i]) / (high - low)) * (height - 1)) === row) ?? "";
  const lines = cells.map((line, row) => {
    const dots = line.map((bit) => String.fromCodePoint(0x2800 + bit)).join("");
    return `${labelAt(row).padStart(margin)} │${dots.replace(/\u2800/g, " ").trimEnd()}`;
  });
  const ends = `${Math.round(left)}${`${Math.round(right)} evaluations`.padStart(width - String(Math.round(left)).length)}`;
  return [...lines, `${" ".repeat(margin)} └${"─".repeat(width)}`, `${" ".repeat(margin)}  ${ends}`].join("\n");
}

/** The mean between its points; undefined before the first. */
function valueAt(points: readonly CurvePoint[], spent: number): number | undefined {
  const next = points.findIndex((point) => point.spent >= spent);
  if (next < 0) return points.at(-1)?.mean;
  if (next === 0) return points[0].spent === spent ? points[0].mean : undefined;
  const [a, b] = [points[next - 1], points[next]];
  return a.mean + ((b.mean - a.mean) * (spent - a.spent)) / (b.spent - a.spent);
}

interface Frame {
  readonly left: number;
  readonly right: number;
  readonly low: number;
  readonly high: number;
  /** Round numbers within. */
  readonly ticks: readonly number[];
}

function frameOf(points: readonly CurvePoint[], others: readonly number[] = []): Frame {
  const values = [...points.flatMap(({ mean }) => mean), ...others].filter(Number.isFinite);
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  const every = roundStep((most - least || 1) / 4);
  const first = Math.floor(least / every);
  const last = Math.max(Math.ceil(most / every), first + 1);
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * every).toPrecision(12)));
  const spent = points.map((point) => point.spent);
  return { left: 0, right: Math.max(1, ...spent), low: ticks[0], high: ticks[ticks.length - 1], ticks };
}

/** 1, 2 or 5 times a power of ten. */
function roundStep(about: number): number {
  const power = 10 ** Math.floor(Math.log10(about));
  return ([1, 2, 5].find((factor) => factor * power >= about) ?? 10) * power;
}

/** Curves as a picture: a thin line per seed, the mean as a thick one, and one standard deviation around it as far as the axes go. */
export function curveSvg(title: string, curves: readonly Curve[]): string {
  const points = meanCurve(curves);
  const { left, right, low, high, ticks } = frameOf(
    points,
    curves.flatMap(({ returns }) => returns),
  );
  const [width, height] = [640, 400];
  const box = { x: 64, y: 40, width: width - 88, height: height - 96 };
  const x = (spent: number): string => (box.x + (box.width * (spent - left)) / (right - left)).toFixed(1);
  const y = (value: number): string => {
    const share = (high - value) / (high - low);
    return (box.y + box.height * Math.min(1, Math.max(0, share))).toFixed(1);
  };
  const path = (list: readonly (readonly [number, number])[]): string =>
    list.map(([spent, value], i) => `${i === 0 ? "M" : "L"}${x(spent)} ${y(value)}`).join("");
  const across = roundStep(right / 5);
  const downwards = ticks.map(
    (tick) =>
      `<path d="M${box.x} ${y(tick)}h${box.width}" stroke="#ddd"/><text x="${box.x - 8}" y="${y(tick)}" text-anchor="end" dy="4">${tick}</text>`,
  );
  const along = Array.from({ length: Math.floor(right / across) + 1 }, (_, i) => {
    const spent = i * across;
    return `<text x="${x(spent)}" y="${box.y + box.height + 18}" text-anchor="middle">${spent.toLocaleString("en")}</text>`;
  });
  const upper = points.map(({ spent, mean, deviation }) => [spent, mean + deviation] as const);
  const lower = points.map(({ spent, mean, deviation }) => [spent, mean - deviation] as const).reverse();
  const seeds = curves.map(({ spent, returns }) => path(returns.map((value, k) => [spent[k], value] as const)));
  const parts = [
    `<text x="${box.x}" y="24" font-size="15">${escaped(title)}</text>`,
    ...downwards,
    ...along,
    `<text x="${box.x + box.width / 2}" y="${height - 14}" text-anchor="middle">evaluations: steps simulated and steps differentiated</text>`,
    `<text transform="translate(18 ${box.y + box.height / 2}) rotate(-90)" text-anchor="middle">return of the update's episodes</text>`,
    curves.length > 1 ? `<path d="${path([...upper, ...lower])}Z" fill="#1f4e79" fill-opacity="0.15"/>` : "",
    ...(curves.length > 1
      ? seeds.map((d) => `<path d="${d}" fill="none" stroke="#1f4e79" stroke-opacity="0.25"/>`)
      : []),
    `<path d="${path(points.map(({ spent, mean }) => [spent, mean] as const))}" fill="none" stroke="#1f4e79" stroke-width="2.5"/>`,
  ];
  return svgPage(
    width,
    height,
    12,
    parts.filter((part) => part !== ""),
  );
}
