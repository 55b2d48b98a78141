/** How far one run is from another of the same fall. */
import type { Fall } from "./drop.ts";

/** A run is settled when its height stays this near to its last one, m, for at least this part of the run. */
const band = 0.005;
const quietPart = 0.1;

export interface Deviation {
  /** At any time, m; null where a run did not get to its end. */
  readonly largest: number | null;
  /** When both runs have settled, s. */
  readonly settledAt: number | null;
  /** From then on, m; null where one of the two never settles. */
  readonly settled: number | null;
}

export function deviation(run: Fall, finest: Fall): Deviation {
  const gaps = run.heights.map((height, k) => Math.abs(height - heightAt(finest, k / run.rate)));
  const times = [run, finest].map(settlingTime);
  const settledAt = times.some((time) => time === null) ? null : Math.max(...(times as number[]));
  const after = settledAt === null ? [] : gaps.slice(Math.ceil(settledAt * run.rate - 1e-9));
  return {
    largest: run.completed && finest.completed ? Math.max(...gaps) : null,
    settledAt,
    settled: after.length > 0 ? Math.max(...after) : null,
  };
}

function heightAt({ rate, heights }: Fall, time: number): number {
  const before = Math.min(Math.floor(time * rate + 1e-9), heights.length - 1);
  const after = Math.min(before + 1, heights.length - 1);
  const part = time * rate - before;
  return heights[before] + part * (heights[after] - heights[before]);
}

function settlingTime({ rate, heights, completed }: Fall): number | null {
  const last = heights[heights.length - 1];
  let k = heights.length - 1;
  while (k > 0 && Math.abs(heights[k - 1] - last) <= band) k--;
  const isQuiet = k <= (1 - quietPart) * (heights.length - 1);
  return completed && isQuiet ? k / rate : null;
}
