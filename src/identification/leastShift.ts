/**
 * The smallest change d, in the metric of W, with A d ≥ b:
 *   min ½ dᵀ W d   subject to A d ≥ b          d = W⁻¹ Aᵀ y,   y ≥ 0
 * by the active sets of Lawson and Hanson [1974] on the multipliers y. A row that is a sum of active ones, as that of the fourth corner of a face
 * that lies on a plane, takes the place of one of them, so what is active has full rank.
 */
import { cholesky, choleskySolve, dot } from "../math/index.ts";

/** Rows that turn less than this part of their length out of the active ones depend on them. */
const rankTolerance = 1e-10;
/** A row counts as satisfied from here on, as a part of the most that is asked for. */
const satisfied = 1e-12;

export interface LeastShift {
  readonly shift: Float64Array;
  /** Rows that hold with equality and push. */
  readonly active: readonly number[];
}

/** `spread` is the diagonal of W⁻¹. */
export function leastShift(
  rows: readonly Float64Array[],
  asked: readonly number[],
  spread: ArrayLike<number>,
): LeastShift {
  const shift = new Float64Array(spread.length);
  const spreadRows = rows.map((row) => row.map((entry, i) => entry * spread[i]));
  const enough = satisfied * Math.max(0, ...asked);
  let active: number[] = [];
  let multipliers: number[] = [];
  // by rounding alone, a row could leave and come back for ever
  for (let round = 0; round < 10 * rows.length; round++) {
    let next = -1;
    let most = enough;
    rows.forEach((row, i) => {
      const left = asked[i] - dot(row, shift);
      if (left <= most || active.includes(i)) return;
      [next, most] = [i, left];
    });
    if (next < 0) break;
    const parts = partsOf(next);
    if (parts) {
      // a sum of active rows: it takes over from the one whose multiplier ends first
      const part = Math.min(...parts.map((each, k) => (each > 0 ? multipliers[k] / each : Number.POSITIVE_INFINITY)));
      if (!Number.isFinite(part)) break;
      multipliers = multipliers.map((each, k) => each - part * parts[k]);
      keep((k) => multipliers[k] > satisfied * part);
      multipliers.push(part);
    } else multipliers.push(0);
    active.push(next);
    for (;;) {
      const wanted = solved(active, asked);
      if (!wanted) break;
      let part = 1;
      wanted.forEach((each, k) => {
        if (each <= 0) part = Math.min(part, multipliers[k] / (multipliers[k] - each));
      });
      multipliers = multipliers.map((each, k) => each + part * (wanted[k] - each));
      if (part === 1) break;
      keep((k) => multipliers[k] > 0 && !(wanted[k] <= 0 && multipliers[k] <= satisfied * Math.abs(wanted[k])));
    }
    shift.fill(0);
    active.forEach((row, k) => {
      for (let i = 0; i < shift.length; i++) shift[i] += multipliers[k] * spreadRows[row][i];
    });
  }
  return { shift, active };

  function keep(stays: (k: number) => boolean): void {
    const kept = [...active.keys()].filter(stays);
    active = kept.map((k) => active[k]);
    multipliers = kept.map((k) => multipliers[k]);
  }

  /** The active rows' parts in this one, where it is a sum of them. */
  function partsOf(row: number): Float64Array | undefined {
    if (solved([...active, row], asked)) return undefined;
    return solved(
      active,
      rows.map((each) => dot(each, spreadRows[row])),
    );
  }

  /** y with A W⁻¹ Aᵀ y = b of these rows; undefined where they depend on each other. */
  function solved(some: readonly number[], right: readonly number[]): Float64Array | undefined {
    const n = some.length;
    const G = Float64Array.from({ length: n * n }, (_, at) =>
      dot(rows[some[Math.floor(at / n)]], spreadRows[some[at % n]]),
    );
    const b = Float64Array.from(some, (row) => right[row]);
    if (cholesky(G, n, rankTolerance) >= 0) return undefined;
    choleskySolve(G, b, n, 1);
    return b;
  }
}
