/**
 * A trajectory as comma-separated values: a heading, then a row a state. What acts during a step stands in the row of the state
 * that it leads to, so those cells are empty in the first row. Numbers are written so that reading gives the same bits.
 */
import type { Trajectory } from "../../index.ts";
import { seriesOf } from "./series.ts";

export function csvOf(trajectory: Trajectory): string {
  const series = seriesOf(trajectory);
  const lines = [series.flatMap(({ columns }) => columns.map(quoted)).join(",")];
  trajectory.states.forEach((_, k) => {
    const cells = series.flatMap(({ columns, of, rows }) => {
      const row = of === "states" ? rows[k] : rows[k - 1];
      return row ? Array.from(row, String) : columns.map(() => "");
    });
    lines.push(cells.join(","));
  });
  return `${lines.join("\n")}\n`;
}

function quoted(name: string): string {
  return /[",\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}
