/** Points over planes that one flat contact may need, reduced to few before they become features. */
import { addPointPlane, addRimPlane, type Run } from "./addFeature.ts";
import type { FeatureList } from "./features.ts";
import { acrossInto } from "./overlay.ts";
import { Candidates, reduce } from "./reduce.ts";
import type { Region } from "./region.ts";

/** A round end needs no fewer than its four quarters, its lowest point and another. */
const mostPoints = 6;
const room = 128;

export class PlanePoints {
  private readonly candidates = new Candidates();
  private readonly across = new Float64Array(6);
  /** Point, foot and normal each, in a's frame. */
  private readonly places = new Float64Array(9 * room);
  private readonly radii = new Float64Array(room);
  /** How they run as their shapes' poses change: along, shift and turn. A direction of zero where they do not. */
  private readonly runs = new Float64Array(7 * room);
  private readonly run: Run = { along: new Float64Array(3), shift: new Float64Array(3), turn: 0 };
  private readonly p = new Float64Array(3);
  private readonly q = new Float64Array(3);
  private readonly n = new Float64Array(3);

  /** Begins a contact whose planes are about square to n. */
  clear(n: Float64Array): void {
    this.candidates.clear();
    acrossInto(this.across, n);
  }

  /** A point of radius `radius` of shape `side` over a region of the other, if it can touch within `reach`. */
  offer(
    p: Float64Array,
    radius: number,
    region: Region,
    side: number,
    partOfA: number,
    partOfB: number,
    reach: number,
    deepest: number,
    run?: Run,
  ): void {
    const gap = region.heightOf(p) - radius;
    const { candidates, across, places, radii, runs } = this;
    const i = candidates.count;
    if (gap > reach || gap < deepest || i === room) return;
    const x = across[0] * p[0] + across[1] * p[1] + across[2] * p[2];
    const y = across[3] * p[0] + across[4] * p[1] + across[5] * p[2];
    candidates.add(x, y, gap, side, partOfA, partOfB);
    radii[i] = radius;
    for (let k = 0; k < 3; k++) {
      runs[7 * i + k] = run ? run.along[k] : 0;
      runs[7 * i + 3 + k] = run ? run.shift[k] : 0;
    }
    runs[7 * i + 6] = run ? run.turn : 0;
    for (let k = 0; k < 3; k++) {
      places[9 * i + k] = p[k];
      places[9 * i + 3 + k] = p[k] - (gap + radius) * region.normal[k];
      places[9 * i + 6 + k] = region.normal[k];
    }
  }

  /** The least gap that was offered. */
  get leastGap(): number {
    const { gap, count } = this.candidates;
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < count; i++) if (gap[i] < least) least = gap[i];
    return least;
  }

  /** Whether a point within `tolerance` of a place, seen along the normal, was offered. */
  hasNear(p: Float64Array, tolerance: number): boolean {
    const { across } = this;
    const x = across[0] * p[0] + across[1] * p[1] + across[2] * p[2];
    const y = across[3] * p[0] + across[4] * p[1] + across[5] * p[2];
    return this.candidates.hasNear(x, y, tolerance);
  }

  emit(out: FeatureList, m: Float64Array): void {
    const { candidates, places, runs, run, p, q, n } = this;
    if (candidates.count > mostPoints) reduce(candidates);
    for (let i = 0; i < candidates.count; i++) {
      if (!candidates.kept[i]) continue;
      for (let k = 0; k < 3; k++) {
        p[k] = places[9 * i + k];
        q[k] = places[9 * i + 3 + k];
        n[k] = places[9 * i + 6 + k];
      }
      let isRunning = false;
      for (let k = 0; k < 3; k++) {
        run.along[k] = runs[7 * i + k];
        run.shift[k] = runs[7 * i + 3 + k];
        isRunning ||= run.along[k] !== 0;
      }
      run.turn = runs[7 * i + 6];
      const side = candidates.parts[3 * i];
      const partOfA = candidates.parts[3 * i + 1];
      const partOfB = candidates.parts[3 * i + 2];
      if (isRunning) addRimPlane(out, m, side, partOfA, partOfB, p, this.radii[i], q, n, run);
      else addPointPlane(out, m, side, partOfA, partOfB, p, this.radii[i], q, n);
    }
  }
}
