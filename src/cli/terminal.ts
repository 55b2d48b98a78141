/**
 * Text for a terminal: colours where there is one (and NO_COLOR is not set), tables, a progress bar. Names that come from files are
 * printed by their visible characters: only `paint` makes the terminal do anything.
 */
import { randomUUID } from "node:crypto";
import { visibleText } from "../index.ts";

type Stream = NodeJS.WriteStream;
type Style = "bold" | "dim" | "red" | "green" | "yellow";

const codes: Readonly<Record<Style, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
};

function hasColor(stream: Stream): boolean {
  const { NO_COLOR, TERM } = process.env;
  return stream.isTTY === true && (NO_COLOR === undefined || NO_COLOR === "") && TERM !== "dumb";
}

/** Stands in a text where a style begins or ends, until it is written. No file can know it. */
const mark = randomUUID();

export function paint(style: Style, text: string, stream: Stream = process.stdout): string {
  if (!hasColor(stream)) return text;
  const [on, off] = codes[style];
  return `${mark}${on}m${text}${mark}${off}m`;
}

/** Lines that can be written: styles become escape sequences, and whatever else would act becomes visible. */
function written(text: string): string {
  const lines = (part: string): string => part.split("\n").map(visibleText).join("\n");
  const [first, ...rest] = text.split(mark);
  const styled = rest.map((part) => {
    const end = part.indexOf("m");
    return `\u001b[${part.slice(0, end)}m${lines(part.slice(end + 1))}`;
  });
  return lines(first) + styled.join("");
}

export function print(text: string): void {
  process.stdout.write(`${written(text)}\n`);
}

/** The same on standard error. */
export function printError(text: string): void {
  process.stderr.write(`${written(text)}\n`);
}

/** One JSON value on standard output, and nothing else. */
export function printJson(value: unknown): void {
  // `print` writes what JSON.stringify leaves as it is, such as \u009b, by its code, which means the same
  print(JSON.stringify(value, null, 2));
}

/** One line. */
export function warn(text: string): void {
  printError(`${paint("yellow", "note:", process.stderr)} ${visibleText(text)}`);
}

/** Lines "label  value", the values in one column; each has one line. */
export function facts(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => `${paint("dim", label.padEnd(width))}  ${visibleText(value)}`).join("\n");
}

/** Columns as wide as their widest cell; those whose cells are all numbers stand to the right. */
export function table(heading: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = rows.map((row) => row.map((cell) => visibleText(String(cell))));
  const widths = heading.map((title, k) => Math.max(title.length, ...cells.map((row) => row[k].length)));
  const right = heading.map((_, k) => cells.length > 0 && cells.every((row) => /^[-+\d.e]+$|^–?$/.test(row[k])));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, k) => (right[k] ? cell.padStart(widths[k]) : cell.padEnd(widths[k])))
      .join("  ")
      .trimEnd();
  return [paint("bold", line(heading)), ...cells.map(line)].join("\n");
}

/** Seconds as people say them: 850 µs, 12.3 ms, 4.2 s, 3 min 20 s. */
export function duration(seconds: number): string {
  if (seconds < 1e-3) return `${(1e6 * seconds).toPrecision(3)} µs`;
  if (seconds < 1) return `${(1e3 * seconds).toPrecision(3)} ms`;
  if (seconds < 100) return `${seconds.toPrecision(3)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** " and 3 more bodies", after the first of them; nothing where there are no others. */
export function andMore(others: readonly unknown[], one: string, many: string): string {
  return others.length === 0 ? "" : ` and ${others.length} more ${others.length === 1 ? one : many}`;
}

/** Short, and readable at every size. */
export function figure(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  return size >= 1e-3 && size < 1e5 ? String(Number(value.toPrecision(4))) : value.toExponential(2);
}

export function fileSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1e3).toPrecision(3)} kB` : `${(bytes / 1e6).toPrecision(3)} MB`;
}

/** The row of `facts` that names the files which were written; none without files. */
export function writtenFacts(
  files: readonly { readonly path: string; readonly bytes: number }[],
): readonly (readonly [string, string])[] {
  const named = files.map(({ path, bytes }) => `${path} (${fileSize(bytes)})`);
  return files.length > 0 ? [["written", named.join(", ")]] : [];
}

/** Drawn on standard error, if that is a terminal: what is done now, how much of it, and about how long all will take. */
export class TaskProgress {
  private readonly stream: Stream;
  private drawn = false;
  private last = Number.NEGATIVE_INFINITY;

  constructor(stream: Stream = process.stderr) {
    this.stream = stream;
  }

  update(doing: string, fraction: number, secondsLeft: number): void {
    const now = performance.now();
    if (this.stream.isTTY !== true || now - this.last < 100) return;
    this.last = now;
    const left = secondsLeft < 100 ? `${Math.ceil(secondsLeft)} s` : duration(secondsLeft);
    const line = `${bar(fraction)}  ${left} left  ${doing}`;
    this.stream.write(`\r\u001b[K${visibleText(line).slice(0, this.stream.columns - 1)}`);
    this.drawn = true;
  }

  clear(): void {
    if (this.drawn) this.stream.write("\r\u001b[K");
    this.drawn = false;
  }
}

function bar(fraction: number): string {
  const width = 30;
  const filled = Math.round(Math.min(1, fraction) * width);
  return `${"█".repeat(filled)}${"░".repeat(width - filled)} ${(100 * fraction).toFixed(0).padStart(3)}%`;
}

/** Drawn on standard error, if that is a terminal, once the work has taken half a second. */
export class ProgressBar {
  private readonly begin = performance.now();
  private readonly total: number;
  private readonly stream: Stream;
  private drawn = false;
  private last = 0;

  constructor(total: number, stream: Stream = process.stderr) {
    this.total = total;
    this.stream = stream;
  }

  update(done: number): void {
    const now = performance.now();
    if (this.stream.isTTY !== true || now - this.begin < 500 || now - this.last < 100) return;
    this.last = now;
    const fraction = Math.min(1, done / this.total);
    const left = fraction > 0 ? ((now - this.begin) / 1000) * (1 / fraction - 1) : Number.NaN;
    const time = Number.isFinite(left) ? `${duration(Math.max(left, 0.1))} left` : "";
    this.stream.write(`\r\u001b[K${bar(fraction)}  ${done}/${this.total}  ${time}`);
    this.drawn = true;
  }

  clear(): void {
    if (this.drawn) this.stream.write("\r\u001b[K");
    this.drawn = false;
  }
}
