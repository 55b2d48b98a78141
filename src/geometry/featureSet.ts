/** Finishing touches to the features of one pair. */
import { addPointPlane } from "./addFeature.ts";
import { type FeatureList, featureStride } from "./features.ts";

/** Drops features from `first` on whose identity an earlier one of them has. */
export function dropRepeated(out: FeatureList, first: number): void {
  let kept = first;
  for (let i = first; i < out.count; i++) {
    let isNew = true;
    for (let j = first; j < kept && isNew; j++) isNew = out.key[j] !== out.key[i];
    if (!isNew) continue;
    if (kept < i) {
      out.kind[kept] = out.kind[i];
      out.side[kept] = out.side[i];
      out.key[kept] = out.key[i];
      out.distance[kept] = out.distance[i];
      out.tentative[kept] = out.tentative[i];
      out.values.copyWithin(kept * featureStride, i * featureStride, (i + 1) * featureStride);
    }
    kept++;
  }
  out.count = kept;
}

/** Parts of the supporting plane at the nearest points: more than any shape has. */
const PLANE_PART = 2 ** 24;

const p = new Float64Array(3);
const q = new Float64Array(3);
const n = new Float64Array(3);

/**
 * Sees to it that the nearest points are held apart: where no feature from `first` on has their distance, b's nearest point is held
 * above the plane through a's. That is rare (parts between which a search could not decide), and tentative.
 */
export function keepNearest(
  out: FeatureList,
  first: number,
  m: Float64Array,
  witness: Float64Array,
  distance: number,
  size: number,
): void {
  const enough = distance + 1e-7 * size;
  for (let i = first; i < out.count; i++) if (out.distance[i] <= enough) return;
  for (let k = 0; k < 3; k++) {
    q[k] = witness[k];
    p[k] = witness[3 + k];
    n[k] = witness[6 + k];
  }
  addPointPlane(out, m, 1, PLANE_PART, PLANE_PART, p, 0, q, n);
  out.tentative[out.count - 1] = 1;
}
