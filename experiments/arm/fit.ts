/** Fits the unprinted numbers of the push to distances that were measured. */
import { directSearch, Random } from "dojo-sim";
import { type Pusher, type PushNumbers, starts } from "./push.ts";

/** What became of the real box [table:sim-to-real]: distances in metres, by start; it flipped in all but the last. */
export const realDistances = [0.469, 0.527, 0.551, 0.612, 0.5] as const;
export const realFlips = [true, true, true, true, false] as const;

export interface Fit {
  readonly numbers: PushNumbers;
  /** Mean gap to the distances that were fitted, m; more than 1 where a flip is wrong or a run is not sound. */
  readonly gap: number;
}

const bounds: Readonly<Record<keyof PushNumbers, readonly [number, number]>> = {
  height: [0.13, 0.2],
  speed: [0.2, 1],
  friction: [0.2, 1],
};
const names = ["height", "speed", "friction"] as const;

/** Mean gap over the rows. A wrong flip or an unsound run ends it, with what a row costs at most. */
export function gapOf(pusher: Pusher, numbers: PushNumbers, rows: readonly number[]): number {
  let sum = 0;
  for (const [done, row] of rows.entries()) {
    const { distance, flipped, sound } = pusher.push(numbers, starts[row]);
    if (!sound || flipped !== realFlips[row]) return 1 + (rows.length - done) / rows.length;
    sum += Math.abs(distance - realDistances[row]);
  }
  return sum / rows.length;
}

/** Searches of one fit, each from a start of its own. */
const searches = 5;

/**
 * Direct searches from several random starts: the gap jumps where the box just tips or does not, so that no derivative would do.
 * `onProgress` hears of the part that is done.
 */
export async function fitPush(
  pusher: Pusher,
  rows: readonly number[],
  evaluations: number,
  onProgress: (part: number) => void,
): Promise<Fit> {
  const random = new Random(1);
  const lower = Float64Array.from(names, (name) => bounds[name][0]);
  const upper = Float64Array.from(names, (name) => bounds[name][1]);
  const steps = lower.map((value, i) => 0.3 * (upper[i] - value));
  const numbersOf = ([height, speed, friction]: Float64Array): PushNumbers => ({ height, speed, friction });
  let best: Fit | undefined;
  let done = 0;
  for (let k = 0; k < searches; k++) {
    const start = lower.map((value, i) => random.uniform(value, upper[i]));
    const cost = async (theta: Float64Array): Promise<number> => {
      onProgress(done++ / evaluations);
      return gapOf(pusher, numbersOf(theta), rows);
    };
    const maxEvaluations = Math.ceil(evaluations / searches);
    const found = await directSearch({ start, lower, upper, steps, cost }, { maxEvaluations, tolerance: 1e-3 });
    if (!best || found.cost < best.gap) best = { numbers: numbersOf(found.theta), gap: found.cost };
  }
  return best as Fit;
}
