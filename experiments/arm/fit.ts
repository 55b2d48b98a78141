/** Fits the unprinted numbers of the push to distances that were measured. */
import { Random } from "dojo-sim";
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

/** Numbers from 0 to 1 to those within the bounds. */
const scaled = (point: readonly number[]): PushNumbers => {
  const [height, speed, friction] = names.map(
    (name, i) => bounds[name][0] + point[i] * (bounds[name][1] - bounds[name][0]),
  );
  return { height, speed, friction };
};

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

/**
 * Random search from several starts: steps are normal, grow by 1.3 where they help and shrink by 0.9 where not. The gap jumps where the
 * box just tips or does not, so that no derivative would do.
 */
export function* search(
  pusher: Pusher,
  rows: readonly number[],
  evaluations: number,
  seed: number,
): Generator<number, Fit> {
  const random = new Random(seed);
  const gap = (point: readonly number[]): number =>
    point.some((value) => value < 0 || value > 1) ? Number.POSITIVE_INFINITY : gapOf(pusher, scaled(point), rows);
  let best = { point: [0.5, 0.5, 0.5], gap: Number.POSITIVE_INFINITY };
  let done = 0;
  while (done < evaluations) {
    let here = { point: names.map(() => random.uniform(0, 1)), gap: Number.POSITIVE_INFINITY };
    for (let size = 0.3; size > 0.01 && done < evaluations; done++) {
      const point =
        here.gap === Number.POSITIVE_INFINITY ? here.point : here.point.map((value) => value + size * random.normal());
      const there = { point, gap: gap(point) };
      const better = there.gap < here.gap;
      if (better) here = there;
      size *= better ? 1.3 : 0.9;
      yield done / evaluations;
    }
    if (here.gap < best.gap) best = here;
  }
  return { numbers: scaled(best.point), gap: best.gap };
}
