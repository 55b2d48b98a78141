/**
 * Rims and ellipsoids that have gone into a plane by the end of a step. Against a plane they count with the half that was low where the step
 * began (equations/roundFeature.ts). Where the other half is met at the end, the point that is lowest there is held instead:
 *   round part of matrix M about c, plane n·x = o      the point c − M n/√(nᵀM n) against n·x ≥ o
 */
import {
  type FeatureList,
  featureAt,
  featureNumber,
  featureStride,
  placeDirection,
  placeDirectionBack,
} from "../../geometry/index.ts";

/** Part of the radius by which a rim must lean at the start of a step to have a lower half. */
const LEANING = 0.05;

const round = featureAt.roundPlane;
const point = featureAt.pointPlane;
const running = featureAt.rimPlane;
const normal = new Float64Array(3);
/** M n. */
const image = new Float64Array(3);
const kept = new Float64Array(featureStride);

/** Whether the lowest point of round part i, in the placement of now, is in the half that was low at the start; `…` are b's frame in a's. */
export function isSameHalf(list: FeatureList, i: number, atStart: Float64Array, now: Float64Array): boolean {
  imageInto(list, i, atStart);
  normalInto(list, i, now);
  return image[0] * normal[0] + image[1] * normal[1] + image[2] * normal[2] > 0;
}

/** Whether rim i leans so far, in this placement, that it has a lower half. */
export function leans(list: FeatureList, i: number, between: Float64Array): boolean {
  const { values } = list;
  const s = i * featureStride + round.support;
  const radius = Math.sqrt(Math.max(values[s], values[s + 1], values[s + 2]));
  return imageInto(list, i, between) >= LEANING * radius;
}

/** Turns feature i, a round part against a plane in the frames of its shapes, into its lowest point; `between` is b's frame in a's. */
export function holdRim(list: FeatureList, i: number, between: Float64Array): void {
  const { values } = list;
  const at = i * featureStride;
  const root = imageInto(list, i, between) || 1;
  for (let k = 0; k < featureStride; k++) kept[k] = values[at + k];
  values[at + point.radius] = kept[round.radius];
  values[at + point.offset] = kept[round.offset];
  for (let k = 0; k < 3; k++) {
    values[at + point.point + k] = kept[round.centre + k] - image[k] / root;
    values[at + point.normal + k] = kept[round.normal + k];
    values[at + point.tangent + k] = kept[round.tangent + k];
  }
  list.kind[i] = featureNumber.pointPlane;
}

/** Turns feature i, a point that runs with the pose in which a step begins, into one that stays where it is: it was found in another pose. */
export function holdPoint(list: FeatureList, i: number): void {
  const { values } = list;
  const at = i * featureStride;
  for (let k = 0; k < featureStride; k++) kept[k] = values[at + k];
  values[at + point.offset] = kept[running.offset];
  for (let k = 0; k < 3; k++) {
    values[at + point.normal + k] = kept[running.normal + k];
    values[at + point.tangent + k] = kept[running.tangent + k];
  }
  list.kind[i] = featureNumber.pointPlane;
}

/** Writes M n, in the frame of its shape, and returns √(nᵀM n). */
function imageInto(list: FeatureList, i: number, between: Float64Array): number {
  normalInto(list, i, between);
  const [x, y, z] = normal;
  const { values } = list;
  const s = i * featureStride + round.support;
  image[0] = values[s] * x + values[s + 3] * y + values[s + 4] * z;
  image[1] = values[s + 3] * x + values[s + 1] * y + values[s + 5] * z;
  image[2] = values[s + 4] * x + values[s + 5] * y + values[s + 2] * z;
  return Math.sqrt(Math.max(0, image[0] * x + image[1] * y + image[2] * z));
}

/** The plane's normal in the frame of its shape. */
function normalInto(list: FeatureList, i: number, between: Float64Array): void {
  const at = i * featureStride + round.normal;
  if (list.side[i] === 0) placeDirection(normal, 0, between, list.values, at);
  else placeDirectionBack(normal, 0, between, list.values, at);
}
