/** A gradient check as a table for people. */
import { visibleText } from "../mechanism/index.ts";
import type { GradientBlock } from "./checkColumns.ts";

/** Corners that are named; the others are counted. */
const mostNamed = 3;

/** A row per block; where shapes touch, with a second column of free differences, and the corners below. */
export function checkTable(blocks: readonly GradientBlock[]): string {
  const hasFree = blocks.some(({ free }) => free);
  const head = ["block", "error", ...(hasFree ? ["free"] : []), "norm", "worst entry"];
  const rows = blocks.map(({ name, worst, norm, entry, free }) => [
    visibleText(name),
    short(worst),
    ...(hasFree ? [free ? short(free.worst) : "-"] : []),
    short(norm),
    visibleText(free && free.worst > worst ? free.entry : entry),
  ]);
  const all = [head, ...rows];
  const last = head.length - 1;
  const widths = head.slice(0, last).map((_, k) => Math.max(...all.map((row) => row[k].length)));
  const lines = all.map((row) => row.map((cell, k) => (k < last ? cell.padEnd(widths[k]) : cell)).join("  "));
  return [...lines, ...cornerLines(blocks)].join("\n");
}

function cornerLines(blocks: readonly GradientBlock[]): string[] {
  const corners = blocks.flatMap(({ free }) => free?.corners ?? []);
  if (corners.length === 0) return [];
  const columns = blocks.reduce((sum, { free, columns: own }) => sum + (free ? own : 0), 0);
  return [
    `${corners.length} of ${columns} columns have no derivative here, since the features change; free differences to the two sides:`,
    ...corners
      .slice(0, mostNamed)
      .map(({ entry, below, above }) => `  ${visibleText(entry)}: ${short(below)} and ${short(above)}`),
    ...(corners.length > mostNamed ? [`  and ${corners.length - mostNamed} more`] : []),
  ];
}

function short(value: number): string {
  return value.toExponential(1);
}
