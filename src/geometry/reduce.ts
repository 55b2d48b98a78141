/**
 * Fewer points for one face: the deepest, then those that span most. A candidate has a place in the plane of contact and a gap; gaps
 * that differ by rounding, and spans that do, must not decide, so that the same points are chosen from step to step: candidates are
 * offered in the order of their numbers, and a later one must be better by a margin.
 */

/** As many points as one face of contact keeps: enough to carry any moment. */
const MOST_POINTS = 4;

/** Candidates: place (x, y), gap, and whether they stay. Grown when short. */
export class Candidates {
  count = 0;
  x = new Float64Array(64);
  y = new Float64Array(64);
  gap = new Float64Array(64);
  kept = new Uint8Array(64);
  /** Three numbers each for whoever offers them. */
  parts = new Int32Array(192);

  clear(): void {
    this.count = 0;
  }

  add(x: number, y: number, gap: number, type: number, first: number, second: number): void {
    if (this.count === this.x.length) this.grow();
    this.replace(this.count++, x, y, gap, type, first, second);
  }

  replace(i: number, x: number, y: number, gap: number, type: number, first: number, second: number): void {
    this.x[i] = x;
    this.y[i] = y;
    this.gap[i] = gap;
    this.kept[i] = 1;
    this.parts[3 * i] = type;
    this.parts[3 * i + 1] = first;
    this.parts[3 * i + 2] = second;
  }

  /** Whether a candidate lies within `tolerance` of a place. */
  hasNear(x: number, y: number, tolerance: number): boolean {
    for (let i = 0; i < this.count; i++) {
      if (Math.abs(this.x[i] - x) <= tolerance && Math.abs(this.y[i] - y) <= tolerance) return true;
    }
    return false;
  }

  /** Drops those that are not kept; returns the least gap of the others, ∞ of none. */
  dropUnkept(): number {
    const { x, y, gap, kept, parts, count } = this;
    let least = Number.POSITIVE_INFINITY;
    this.count = 0;
    for (let i = 0; i < count; i++) {
      if (!kept[i]) continue;
      this.add(x[i], y[i], gap[i], parts[3 * i], parts[3 * i + 1], parts[3 * i + 2]);
      least = Math.min(least, gap[i]);
    }
    return least;
  }

  private grow(): void {
    const size = 2 * this.x.length;
    const { x, y, gap, kept, parts } = this;
    this.x = new Float64Array(size);
    this.y = new Float64Array(size);
    this.gap = new Float64Array(size);
    this.kept = new Uint8Array(size);
    this.parts = new Int32Array(3 * size);
    this.x.set(x);
    this.y.set(y);
    this.gap.set(gap);
    this.kept.set(kept);
    this.parts.set(parts);
  }
}

/** Spans and gaps must be better by these fractions of the spread of the candidates. */
const SPAN_MARGIN = 1e-4;
const GAP_MARGIN = 1e-8;

/** Marks the candidates that stay, at most MOST_POINTS of them. */
export function reduce(c: Candidates): void {
  const { count, x, y, gap, kept } = c;
  if (count <= MOST_POINTS) return;
  let [least, most] = [0, 0];
  for (let i = 0; i < count; i++) {
    kept[i] = 0;
    least = Math.min(least, x[i] - x[0], y[i] - y[0]);
    most = Math.max(most, x[i] - x[0], y[i] - y[0]);
  }
  const spread = most - least;
  const margin = SPAN_MARGIN * spread;
  let first = 0;
  for (let i = 1; i < count; i++) if (gap[i] < gap[first] - GAP_MARGIN * spread) first = i;
  // how far a candidate may be from touching counts against its span
  const deepest = gap[first];
  let second = -1;
  let best = 0;
  for (let i = 0; i < count; i++) {
    if (i === first) continue;
    const span = Math.sqrt((x[i] - x[first]) ** 2 + (y[i] - y[first]) ** 2) - (gap[i] - deepest);
    if (second < 0 || span > best + margin) {
      second = i;
      best = span;
    }
  }
  // the widest triangle, and then the point that adds most to it
  const dx = x[second] - x[first];
  const dy = y[second] - y[first];
  const length = Math.sqrt(dx * dx + dy * dy);
  let third = -1;
  let side = 0;
  best = 0;
  for (let i = 0; i < count; i++) {
    if (i === first || i === second) continue;
    const across = length > 0 ? (dx * (y[i] - y[first]) - dy * (x[i] - x[first])) / length : 0;
    const span = Math.abs(across) - (gap[i] - deepest);
    if (third < 0 || span > best + margin) {
      third = i;
      best = span;
      side = across;
    }
  }
  kept[first] = 1;
  kept[second] = 1;
  kept[third] = 1;
  let fourth = -1;
  best = 0;
  for (let i = 0; i < count; i++) {
    if (kept[i]) continue;
    const span = outsideTriangle(c, first, second, third, side, i) - (gap[i] - deepest);
    if (fourth < 0 || span > best + margin) {
      fourth = i;
      best = span;
    }
  }
  kept[fourth] = 1;
}

/** How far candidate i is outside of the triangle, at most over its sides; negative inside. */
function outsideTriangle({ x, y }: Candidates, a: number, b: number, c: number, side: number, i: number): number {
  const turn = side < 0 ? -1 : 1;
  let most = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < 3; k++) {
    const p = k === 0 ? a : k === 1 ? b : c;
    const q = k === 0 ? b : k === 1 ? c : a;
    const dx = x[q] - x[p];
    const dy = y[q] - y[p];
    const length = Math.sqrt(dx * dx + dy * dy);
    if (length > 0) most = Math.max(most, (-turn * (dx * (y[i] - y[p]) - dy * (x[i] - x[p]))) / length);
  }
  return most;
}
