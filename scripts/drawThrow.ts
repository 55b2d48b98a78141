/**
 * Draws a thrown body as an SVG: a side view of its flight (x to the right, z up), and below it its height, its energy and the
 * smallest distance of its contacts over time. Plain strings, no library.
 */
import type { Simulation, Trajectory } from "dojo-sim";

/** A point of the side view or of a plot. */
type Point = readonly [number, number];
/** Where something is drawn, in pixels. */
interface Frame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}
interface Curve {
  readonly name: string;
  readonly color: string;
  readonly points: readonly Point[];
}
interface Plot {
  readonly title: string;
  readonly curves: readonly Curve[];
  readonly ticks: readonly number[];
  readonly isLogarithmic?: boolean;
}

const size = { width: 900, height: 640 };
const ink = "#1f2933";
const faint = "#cbd2d9";
const palette = ["#0b69a3", "#b44d12", "#3f7d20"] as const;
/** Outlines drawn a second. */
const outlines = 12;

export interface ThrowFigure {
  readonly simulation: Simulation;
  readonly trajectory: Trajectory;
  readonly body: string;
  /** Corners of the body, in its frame. */
  readonly corners: readonly (readonly [number, number, number])[];
}

export function drawThrow({ simulation, trajectory, body, corners }: ThrowFigure): string {
  const { times, states, mechanism, timestep } = trajectory;
  const positions = trajectory.positions(body);
  const orientations = trajectory.orientations(body);
  const over = (values: readonly number[]): Point[] => values.map((value, k) => [times[k], value]);
  const readings = mechanism.contacts.map(({ name }) => trajectory.contact(name));
  const distances = times.slice(1).map((t, k): Point => [t, Math.min(...readings.map((series) => series[k].distance))]);
  const energies = states.map((state) => simulation.energy(state));

  // side view
  const every = Math.max(1, Math.round(1 / (outlines * timestep)));
  const shown = positions.map((_, k) => k).filter((k) => k % every === 0 || k === positions.length - 1);
  const shapes = shown.map((k) => hull(corners.map((corner) => inSideView(corner, positions[k], orientations[k]))));
  const view = sideView({ left: 60, top: 50, width: 800, height: 270 }, shapes, positions.map(toSideView));

  // plots
  const plots: Plot[] = [
    {
      title: "height of the centre, m",
      ticks: [0, 0.5, 1],
      curves: [{ name: "", color: palette[0], points: over(positions.map(([, , z]) => z)) }],
    },
    {
      title: "energy, J",
      ticks: [0, 5, 10, 15],
      curves: [
        { name: "total", color: ink, points: over(energies.map(({ total }) => total)) },
        { name: "kinetic", color: palette[1], points: over(energies.map(({ kinetic }) => kinetic)) },
        { name: "potential", color: palette[0], points: over(energies.map(({ potential }) => potential)) },
      ],
    },
    {
      title: "smallest contact distance, m",
      ticks: [1, 1e-3, 1e-6, 1e-9, 1e-12],
      isLogarithmic: true,
      curves: [{ name: "", color: palette[2], points: distances }],
    },
  ];
  const drawn = plots.map((plot, i) => drawPlot({ left: 60 + 285 * i, top: 400, width: 230, height: 180 }, plot));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="sans-serif" font-size="12" fill="${ink}">`,
    `<rect width="${size.width}" height="${size.height}" fill="#ffffff"/>`,
    text([60, 28], `The ${body}, seen from the side`, "start", 16),
    text([860, 28], `an outline every ${every * timestep} s, time step ${timestep} s`, "end"),
    ...view,
    ...drawn.flat(),
    "</svg>\n",
  ].join("\n");
}

/** Corner of the body in the world, without its y. */
function inSideView([a, b, c]: readonly number[], [x, , z]: readonly number[], q: readonly number[]): Point {
  const [w, i, j, k] = q;
  return [
    x + (1 - 2 * (j * j + k * k)) * a + 2 * (i * j - w * k) * b + 2 * (i * k + w * j) * c,
    z + 2 * (i * k - w * j) * a + 2 * (j * k + w * i) * b + (1 - 2 * (i * i + j * j)) * c,
  ];
}

const toSideView = ([x, , z]: readonly number[]): Point => [x, z];

/** Convex hull of a few points, counter-clockwise, by walking around them. */
function hull(points: readonly Point[]): Point[] {
  const first = points.reduce((a, b) => (b[0] < a[0] ? b : a));
  const found: Point[] = [];
  let last = first;
  do {
    found.push(last);
    let next = points.find((p) => p !== last) as Point;
    for (const p of points) {
      const turn = (next[0] - last[0]) * (p[1] - last[1]) - (next[1] - last[1]) * (p[0] - last[0]);
      if (turn < 0) next = p;
    }
    last = next;
  } while (last !== first && found.length <= points.length);
  return found;
}

function sideView(frame: Frame, shapes: readonly (readonly Point[])[], path: readonly Point[]): string[] {
  const all = shapes.flat();
  const [low, high] = range(all.map(([x]) => x));
  const top = Math.max(...all.map(([, z]) => z));
  const scale = Math.min(frame.width / (high - low), frame.height / top);
  const floor = frame.top + frame.height;
  const at = ([x, z]: Point): Point => [frame.left + (x - low) * scale, floor - z * scale];
  const lastShape = shapes.length - 1;
  return [
    `<line x1="${frame.left - 20}" y1="${floor}" x2="${frame.left + frame.width}" y2="${floor}" stroke="${ink}" stroke-width="1.5"/>`,
    ...shapes.map((shape, i) => {
      const fill = i === lastShape ? `fill="${palette[0]}" fill-opacity="0.35"` : 'fill="none"';
      return `<polygon points="${list(shape.map(at))}" ${fill} stroke="${palette[0]}" stroke-opacity="${0.35 + (0.65 * i) / lastShape}"/>`;
    }),
    `<polyline points="${list(path.map(at))}" fill="none" stroke="${palette[1]}" stroke-width="1.5"/>`,
    ...metreMarks(low, high).map((x) => text([at([x, 0])[0], floor + 18], `${x} m`, "middle")),
  ];
}

function metreMarks(low: number, high: number): number[] {
  const marks: number[] = [];
  for (let x = Math.ceil(low); x <= high; x++) marks.push(x);
  return marks;
}

function drawPlot(frame: Frame, { title, curves, ticks, isLogarithmic = false }: Plot): string[] {
  const scaled = (value: number): number => (isLogarithmic ? Math.log10(value) : value);
  const [low, high] = range(
    [...ticks, ...curves.flatMap((curve) => curve.points.map(([, value]) => value))].map(scaled),
  );
  const end = Math.max(...curves.flatMap((curve) => curve.points.map(([t]) => t)));
  const at = ([t, value]: Point): Point => [
    frame.left + (t / end) * frame.width,
    frame.top + frame.height * (1 - (scaled(value) - low) / (high - low)),
  ];
  const right = frame.left + frame.width;
  const bottom = frame.top + frame.height;
  return [
    text([frame.left, frame.top - 12], title, "start", 13),
    ...ticks.flatMap((tick) => {
      const [, y] = at([0, tick]);
      return [
        `<line x1="${frame.left}" y1="${y.toFixed(1)}" x2="${right}" y2="${y.toFixed(1)}" stroke="${faint}"/>`,
        text([frame.left - 6, y + 4], isLogarithmic && tick < 1 ? tick.toExponential() : String(tick), "end", 11),
      ];
    }),
    ...[0, 1, 2, 3, 4, 5]
      .filter((t) => t <= end)
      .map((t) => text([at([t, ticks[0]])[0], bottom + 18], `${t} s`, "middle", 11)),
    ...curves.map(
      ({ color, points }) =>
        `<polyline points="${list(points.map(at))}" fill="none" stroke="${color}" stroke-width="1.5"/>`,
    ),
    ...curves
      .filter(({ name }) => name !== "")
      .map(({ name, color }, i) => text([right, frame.top + 14 + 15 * i], name, "end", 11, color)),
  ];
}

function range(values: readonly number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)];
}

function list(points: readonly Point[]): string {
  return points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
}

function text([x, y]: Point, words: string, anchor: "start" | "middle" | "end", points = 12, color = ink): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" font-size="${points}" fill="${color}">${words}</text>`;
}
