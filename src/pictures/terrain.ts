/**
 * Where a ray meets terrain: heights over a grid, each cell two triangles. The ray walks over the cells below it, from where it enters the
 * box around the terrain, and takes the first triangle that it meets. Below the terrain is solid, down to its lowest height.
 */
import type { Shape } from "../mechanism/index.ts";
import type { Solid } from "./solid.ts";

const none = Number.POSITIVE_INFINITY;

export function terrain({ size, heights }: Extract<Shape, { kind: "heightField" }>): {
  readonly solid: Solid;
  readonly radius: number;
} {
  const cells = [heights[0].length - 1, heights.length - 1] as const;
  const pitch = [size[0] / cells[0], size[1] / cells[1]] as const;
  const all = heights.flat();
  const bottom = all.reduce((least, height) => Math.min(least, height));
  const top = all.reduce((most, height) => Math.max(most, height));
  const half = [size[0] / 2, size[1] / 2] as const;
  const deepest = Math.max(Math.abs(bottom), Math.abs(top));
  const radius = Math.sqrt(half[0] ** 2 + half[1] ** 2 + deepest ** 2);

  const solid: Solid = (o, d, normal) => {
    // where the ray is above the terrain's rectangle and within its heights
    let [enter, leave, side] = [0, none, -1];
    for (let k = 0; k < 3; k++) {
      const [low, high] = k < 2 ? [-half[k], half[k]] : [bottom, top];
      if (d[k] === 0) {
        if (o[k] < low || o[k] > high) return none;
        continue;
      }
      const [a, b] = [(low - o[k]) / d[k], (high - o[k]) / d[k]];
      if (Math.min(a, b) > enter) [enter, side] = [Math.min(a, b), k];
      leave = Math.min(leave, Math.max(a, b));
    }
    if (enter > leave) return none;
    const cellAt = (k: 0 | 1, t: number): number =>
      Math.min(cells[k] - 1, Math.max(0, Math.floor((o[k] + t * d[k] + half[k]) / pitch[k])));
    let [i, j] = [cellAt(0, enter), cellAt(1, enter)];
    if (side >= 0 && isBelow(o, d, enter, i, j)) {
      normal.fill(0);
      normal[side] = -Math.sign(d[side]);
      return enter;
    }
    for (let walked = 0; walked <= cells[0] + cells[1] + 1; walked++) {
      const t = inCell(o, d, i, j, normal);
      if (t < none) return t;
      // on to the cell whose border comes first
      const next = (k: 0 | 1, cell: number): number => {
        if (d[k] === 0) return none;
        return ((cell + (d[k] > 0 ? 1 : 0)) * pitch[k] - half[k] - o[k]) / d[k];
      };
      const [x, y] = [next(0, i), next(1, j)];
      if (Math.min(x, y) > leave) return none;
      if (x < y) i += Math.sign(d[0]);
      else j += Math.sign(d[1]);
      if (i < 0 || j < 0 || i >= cells[0] || j >= cells[1]) return none;
    }
    return none;
  };
  return { solid, radius };

  /** Whether the ray is in the ground at t, over this cell. */
  function isBelow(o: Float64Array, d: Float64Array, t: number, i: number, j: number): boolean {
    const u = (o[0] + t * d[0] + half[0]) / pitch[0] - i;
    const v = (o[1] + t * d[1] + half[1]) / pitch[1] - j;
    const [corner, across] = [heights[j][i], heights[j + 1][i + 1]];
    const [along, beside] = [heights[j][i + 1], heights[j + 1][i]];
    const height =
      u >= v
        ? corner + (along - corner) * u + (across - along) * v
        : corner + (across - beside) * u + (beside - corner) * v;
    return o[2] + t * d[2] < height;
  }

  /** The first of a cell's two triangles; the diagonal goes from (i, j) to (i + 1, j + 1). */
  function inCell(o: Float64Array, d: Float64Array, i: number, j: number, normal: Float64Array): number {
    const [x, y] = [i * pitch[0] - half[0], j * pitch[1] - half[1]];
    const corner = heights[j][i];
    const across = heights[j + 1][i + 1];
    let first = none;
    for (const below of [true, false]) {
      // z = corner + a u + b v with u, v in cells from the corner, on the side u ≥ v or on the other
      const a = below ? heights[j][i + 1] - corner : across - heights[j + 1][i];
      const b = below ? across - heights[j][i + 1] : heights[j + 1][i] - corner;
      const [du, dv] = [d[0] / pitch[0], d[1] / pitch[1]];
      const [u0, v0] = [(o[0] - x) / pitch[0], (o[1] - y) / pitch[1]];
      const rate = d[2] - a * du - b * dv;
      if (rate === 0) continue;
      const t = (corner + a * u0 + b * v0 - o[2]) / rate;
      const [u, v] = [u0 + t * du, v0 + t * dv];
      const isInside = u >= 0 && v >= 0 && u <= 1 && v <= 1 && (below ? u >= v : v >= u);
      if (!(t > 0) || t >= first || !isInside) continue;
      first = t;
      normal[0] = -a / pitch[0];
      normal[1] = -b / pitch[1];
      normal[2] = 1;
    }
    return first;
  }
}
