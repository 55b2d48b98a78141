/**
 * Recordings of a mechanism: poses of its bodies, joint coordinates, inputs, at equal intervals of time. From tables whose columns are
 *   time or t                        seconds; or a rate is given, in hertz
 *   x, y, z, qw, qx, qy, qz          pose of the only body, or of the one that `body` names; "crate.x" and so on with several bodies
 *   hinge.angle                      a joint coordinate by its name in `mechanism.coordinateNames`
 *   inputs.hinge.angle               an input by its name in `mechanism.inputNames`, held until the next row
 * A header's comment lines may set the same options: `# rate: 148`, `# body: cube`, `# length: 0.001` (metres per unit of length).
 */

import { coordinates as coordinatesOf } from "../equations/index.ts";
import { poseSize } from "../math/index.ts";
import { type Mechanism, nearestName, optionNamesOf, requireOptionNames } from "../mechanism/index.ts";
import { fileFault, type NumberTable, parseTable } from "./table.ts";

/** Plain data. */
export interface Recording {
  /** Its file. */
  readonly name: string;
  readonly frames: number;
  /** Seconds from a frame to the next. */
  readonly interval: number;
  /** Poses by body: 7 numbers per frame, position and quaternion, scalar first, body to world. */
  readonly poses: Readonly<Record<string, Float64Array>>;
  /** Coordinates by name: one number per frame. */
  readonly coordinates: Readonly<Record<string, Float64Array>>;
  readonly inputs: Readonly<Record<string, Float64Array>>;
  /** Line of each frame in the file, from 1, for messages. */
  readonly lines: readonly number[];
}

export interface RecordingOptions {
  /** Name of the file, for messages. Default "recording". */
  readonly file?: string;
  /** Frames per second, where no column has the time: beside one it is refused. Default: the note `# rate:`. */
  readonly rate?: number | undefined;
  /** Frames per second where nothing else says them. Default none. */
  readonly usualRate?: number | undefined;
  /** Body that columns x to qz belong to. Default: the note `# body:`, or the only body. */
  readonly body?: string | undefined;
  /** Metres per unit of length in the file. Default: the note `# length:`, or 1. */
  readonly length?: number | undefined;
  /** Other names of columns: from the file's to ours. */
  readonly columns?: Readonly<Record<string, string>>;
  /** Columns of the file to leave out. */
  readonly ignore?: readonly string[];
}

const optionNames = optionNamesOf<RecordingOptions>()("file rate usualRate body length columns ignore");

const poseColumns = ["x", "y", "z", "qw", "qx", "qy", "qz"] as const;
const timeColumns = ["time", "t"];
/** Columns in tables of `dojo simulate` of what acts in the step that leads to a row, so that the first has none; and all that are not read. */
const actingColumns = /^(inputs|contacts|touches|solver)\./;
const besideColumns = /^(rates|bodies|contacts|touches|solver)\./;
/** Frames may come this much early or late, as a part of the interval: clocks jitter, dropped frames do not pass. */
const jitter = 0.1;
/** s: columns of times with longer intervals are taken for milliseconds. No motion of a mechanism can be followed from frames so far apart. */
const longestInterval = 1;
/** Quaternions are normalised; further off than this they are something else. */
const quaternionTolerance = 0.01;
const fewestFrames = 3;

export function parseRecording(text: string, mechanism: Mechanism, options: RecordingOptions = {}): Recording {
  requireOptionNames("options", options, optionNames);
  const { file = "recording" } = options;
  const table = parseTable(
    text,
    file,
    (column, columns) => actingColumns.test(column) && isSimulated(columns, mechanism),
  );
  const note = (key: string): string | undefined => table.notes.get(key)?.value;
  const numberNote = (key: string): number | undefined => {
    const found = table.notes.get(key);
    if (!found) return undefined;
    const value = Number(found.value);
    if (value > 0 && Number.isFinite(value)) return value;
    throw fileFault("bad-note", file, found.line, `"# ${key}: ${found.value}" must be a number above 0`);
  };
  if (table.rows.length < fewestFrames) {
    const count = table.rows.length;
    const message = `has ${count} ${count === 1 ? "frame" : "frames"}; at least ${fewestFrames} are needed`;
    throw fileFault("too-few-frames", file, undefined, message);
  }
  const names = columnMeanings(table, mechanism, { ...options, body: options.body ?? note("body") });
  const column = (i: number): Float64Array => Float64Array.from(table.rows, (row) => row[i]);
  const length = options.length ?? numberNote("length") ?? 1;
  const coordinates: Record<string, Float64Array> = {};
  const inputs: Record<string, Float64Array> = {};
  const posed = new Map<string, (number | undefined)[]>();
  const angles = angleNames(mechanism);
  const isAngle = (name: string): boolean => angles.has(name);
  let interval: number | undefined;
  names.forEach((meaning, i) => {
    if (meaning.kind === "time") interval = intervalOf(table, column(i));
    else if (meaning.kind === "coordinate")
      coordinates[meaning.name] = isAngle(meaning.name) ? unwrapped(column(i)) : column(i);
    else if (meaning.kind === "input") inputs[meaning.name] = heldFrom(column(i));
    else if (meaning.kind === "pose") {
      const found = posed.get(meaning.name) ?? poseColumns.map(() => undefined);
      found[poseColumns.indexOf(meaning.part)] = i;
      posed.set(meaning.name, found);
    }
  });
  if (interval !== undefined && options.rate !== undefined) {
    const message = `has a column of times, and a rate of ${options.rate} is given as well; leave one of them out`;
    throw fileFault("both-given", file, table.headerLine, message);
  }
  const rate = options.rate ?? numberNote("rate") ?? options.usualRate;
  if (interval === undefined && rate === undefined) {
    const message = 'has no column "time", and no rate is given; write "# rate: 100" above the header or give the rate';
    throw fileFault("no-time", file, table.headerLine, message);
  }
  const poses = Object.fromEntries([...posed].map(([body, found]) => [body, posesOf(table, body, found, length)]));
  if (posed.size === 0 && Object.keys(coordinates).length === 0) {
    throw fileFault(
      "nothing-recorded",
      file,
      table.headerLine,
      `has neither a pose nor a joint coordinate; ${known(mechanism)}`,
    );
  }
  return {
    name: file,
    frames: table.rows.length,
    interval: interval ?? 1 / (rate as number),
    poses,
    coordinates,
    inputs,
    lines: table.lines,
  };
}

/** Angles that no limit keeps from turning on and on. */
function angleNames({ joints }: Mechanism): ReadonlySet<string> {
  return new Set(
    joints.flatMap(({ shape, coordinates: own }) =>
      coordinatesOf(shape).flatMap(({ period }, i) => {
        const { name, lower, upper } = own[i];
        return period > 0 && lower === null && upper === null ? [name] : [];
      }),
    ),
  );
}

const turn = 2 * Math.PI;

/** An angle that stays within one turn, and jumps by more than half of one, was wrapped: it is counted on. Others are as they are. */
function unwrapped(column: Float64Array): Float64Array {
  let [low, high, isWrapped] = [column[0], column[0], false];
  for (let k = 1; k < column.length; k++) {
    low = Math.min(low, column[k]);
    high = Math.max(high, column[k]);
    if (Math.abs(column[k] - column[k - 1]) > turn / 2) isWrapped = true;
  }
  if (!isWrapped || high - low > (1 + 1e-3) * turn) return column;
  let turns = 0;
  return column.map((angle, k) => {
    if (k > 0) turns -= Math.round((angle - column[k - 1]) / turn);
    return angle + turn * turns;
  });
}

/** Whether a table is one that `dojo simulate` has written of this mechanism. */
function isSimulated(columns: readonly string[], { coordinateNames }: Mechanism): boolean {
  return coordinateNames.every((name) => columns.includes(`coordinates.${name}`));
}

/** An input by the row from which it is held. Where the first row has none, each is that of the step that led to its row. */
function heldFrom(column: Float64Array): Float64Array {
  return Number.isNaN(column[0])
    ? Float64Array.from(column, (_, k) => column[Math.min(k + 1, column.length - 1)])
    : column;
}

type Meaning =
  | { readonly kind: "time" | "ignored" }
  | { readonly kind: "coordinate" | "input"; readonly name: string }
  | { readonly kind: "pose"; readonly name: string; readonly part: (typeof poseColumns)[number] };

/** What each column is. */
function columnMeanings(table: NumberTable, mechanism: Mechanism, options: RecordingOptions): Meaning[] {
  const { columns: renamed = {}, ignore = [], body } = options;
  const { file, headerLine, columns } = table;
  const bodies = mechanism.bodies.map(({ name }) => name);
  if (body !== undefined && !bodies.includes(body)) {
    throw fileFault("unknown-body", file, headerLine, `"${body}" is no body (have: ${bodies.join(", ")})`);
  }
  for (const name of [...Object.keys(renamed), ...ignore]) {
    if (columns.includes(name)) continue;
    throw fileFault("unknown-column", file, headerLine, `has no column "${name}" (have: ${columns.join(", ")})`);
  }
  const only = body ?? (bodies.length === 1 ? bodies[0] : undefined);
  const meanings = new Map<string, Meaning>(timeColumns.map((name) => [name, { kind: "time" }]));
  for (const name of mechanism.coordinateNames) meanings.set(name, { kind: "coordinate", name });
  for (const name of mechanism.inputNames) meanings.set(`inputs.${name}`, { kind: "input", name });
  for (const name of bodies) {
    for (const part of poseColumns) {
      meanings.set(`${name}.${part}`, { kind: "pose", name, part });
      if (name === only) meanings.set(part, { kind: "pose", name, part });
    }
  }
  const ofSimulation = isSimulated(columns, mechanism);
  // a file may have a column "constructor"
  const others = new Map(Object.entries(renamed));
  return columns.map((column): Meaning => {
    if (ignore.includes(column) || (ofSimulation && besideColumns.test(column))) return { kind: "ignored" };
    const name = others.get(column) ?? (ofSimulation ? column.replace(/^coordinates\./, "") : column);
    const meaning = meanings.get(name);
    if (meaning) return meaning;
    const input = /^inputs\.(.+)$/.exec(name)?.[1];
    if (input !== undefined && mechanism.coordinateNames.includes(input)) {
      const message = `"${column}" is an input, and ${input} has no motor in this mechanism; make its joint \`actuated\`, or leave the column out with \`ignore\``;
      throw fileFault("unknown-column", file, headerLine, message);
    }
    const nearest = nearestName(name, [...meanings.keys()]);
    const hint = nearest === undefined ? known(mechanism) : `did you mean "${nearest}"?`;
    const wayOut = "rename it with `columns`, or leave it out with `ignore`";
    throw fileFault(
      "unknown-column",
      file,
      headerLine,
      `"${column}" means nothing to this mechanism; ${hint} ${wayOut}`,
    );
  });
}

function known({ bodies, coordinateNames, inputNames }: Mechanism): string {
  const poses =
    bodies.length === 1 ? "x,y,z,qw,qx,qy,qz" : bodies.map(({ name }) => `${name}.x … ${name}.qz`).join(", ");
  const inputs = inputNames.map((name) => `inputs.${name}`);
  return `columns may be time, ${[poses, ...coordinateNames, ...inputs].join(", ")};`;
}

function intervalOf({ file, lines }: NumberTable, times: Float64Array): number {
  const last = times.length - 1;
  for (let k = 1; k <= last; k++) {
    const gap = times[k] - times[k - 1];
    if (!(gap > 0)) {
      const message = `time ${times[k]} does not come after ${times[k - 1]}; sort the rows by time`;
      throw fileFault("unsorted", file, lines[k], message);
    }
  }
  // the median, which a dropped frame does not move
  const gaps = Array.from({ length: last }, (_, k) => times[k + 1] - times[k]).sort((a, b) => a - b);
  const interval = gaps[Math.floor(last / 2)];
  for (let k = 1; k <= last; k++) {
    const gap = times[k] - times[k - 1];
    if (Math.abs(gap / interval - 1) <= jitter) continue;
    const message = `comes ${figure(gap)} s after the frame before it, where the others are ${figure(interval)} s apart; frames at equal intervals are needed, so resample it or cut it there`;
    throw fileFault("uneven-time", file, lines[k], message);
  }
  if (interval >= longestInterval) {
    const message = `frames are ${figure(interval)} s apart: times are in seconds, so divide milliseconds by 1000; where frames really are so far apart, leave the times out and give the rate`;
    throw fileFault("time-units", file, lines[1], message);
  }
  return (times[last] - times[0]) / last;
}

const figure = (value: number): string => String(Number(value.toPrecision(4)));

function posesOf(
  { file, headerLine, rows, lines }: NumberTable,
  body: string,
  found: readonly (number | undefined)[],
  length: number,
): Float64Array {
  const missing = poseColumns.filter((_, i) => found[i] === undefined);
  if (missing.length > 0) {
    throw fileFault("incomplete-pose", file, headerLine, `the pose of "${body}" lacks ${missing.join(", ")}`);
  }
  const poses = new Float64Array(poseSize * rows.length);
  rows.forEach((row, k) => {
    const pose = poses.subarray(poseSize * k, poseSize * (k + 1));
    found.forEach((at, i) => {
      pose[i] = row[at as number] * (i < 3 ? length : 1);
    });
    const norm = Math.hypot(pose[3], pose[4], pose[5], pose[6]);
    if (!(Math.abs(norm - 1) <= quaternionTolerance)) {
      const message = `the quaternion of "${body}" has length ${figure(norm)}, not 1; is qw, qx, qy, qz the order of its columns?`;
      throw fileFault("not-unit", file, lines[k], message);
    }
    // of q and −q the one that is nearer to the frame before, so that they can be averaged
    const before = k === 0 ? pose : poses.subarray(poseSize * (k - 1), poseSize * k);
    let along = 0;
    for (let i = 3; i < poseSize; i++) along += pose[i] * before[i];
    for (let i = 3; i < poseSize; i++) pose[i] /= along < 0 ? -norm : norm;
  });
  return poses;
}
