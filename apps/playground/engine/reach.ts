/** How large a robot is, as a length for springs and sliders. */

/** Farthest body from the middle, and no less than 0.1 m. */
export function reachOf(state: Float64Array): number {
  const count = state.length / 13;
  const middle = [0, 1, 2].map((axis) => {
    let sum = 0;
    for (let body = 0; body < count; body++) sum += state[13 * body + axis] / count;
    return sum;
  });
  let reach = 0.1;
  for (let body = 0; body < count; body++) {
    reach = Math.max(reach, Math.hypot(...middle.map((entry, axis) => state[13 * body + axis] - entry)));
  }
  return reach;
}
