/** Largest distance that a body's centre has moved between two states. */
export function largestMove(before: Float64Array, after: Float64Array): number {
  let most = 0;
  for (let at = 0; at < before.length; at += 13)
    most = Math.max(
      most,
      Math.hypot(after[at] - before[at], after[at + 1] - before[at + 1], after[at + 2] - before[at + 2]),
    );
  return most;
}
