/**
 * A trajectory as comma-separated values: a heading, then a row a state. What acts during a step stands in the row of the state
 * that it leads to, so those cells are empty in the first row. Numbers are written so that reading
 * gives the same bits, but for the sign of zero.
 */
import type { Trajectory } from "../simulation/index.ts";
import { rowAt, seriesOf } from "./series.ts";

/** Line by line: a long run is more than one string can hold. */
export function* trajectoryCsv(trajectory: Trajectory): Generator<string> {
  const series = seriesOf(trajectory);
  yield `${series.flatMap(({ columns }) => columns.map(quoted)).join(",")}\n`;
  for (let k = 0; k < trajectory.states.length; k++) {
    const cells = series.flatMap((one) => {
      const row = rowAt(one, k);
      return row ? Array.from(row, String) : one.columns.map(() => "");
    });
    yield `${cells.join(",")}\n`;
  }
}

function quoted(name: string): string {
  return /[",\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}
