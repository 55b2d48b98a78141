/** Features of single pairs of shapes, carried into the frames of their bodies. */
import { gapParameter } from "../../equations/index.ts";
import {
  addKnown,
  carryFeature,
  FeatureList,
  featureAt,
  featureKinds,
  featureNumber,
  featureStride,
  findFeatures,
  sharePlane,
  swapFeature,
} from "../../geometry/index.ts";
import { worldIndex } from "../../mechanism/index.ts";
import type { FoundFeatures } from "./foundFeatures.ts";
import { holdCrossing } from "./heldCrossing.ts";
import { holdPoint, holdRim, isSameHalf, leans } from "./heldRim.ts";
import type { KeptCorners } from "./keptCorners.ts";
import type { ShapeTable } from "./shapeTable.ts";

/** Part of the smaller shape by which the crossing of two lines may move along them in a step. */
const RUNS = 0.25;

export class PairFeatures {
  /** Whether rims that have crossed a plane are held at their lowest points in any case. */
  holdsRims = false;

  private readonly table: ShapeTable;
  /** The placement of a pair at the other end of the step: where it began, of features that are found where it ends. */
  private readonly otherEnd: (a: number, b: number) => Float64Array;
  private readonly list = new FeatureList();

  constructor(table: ShapeTable, otherEnd: (a: number, b: number) => Float64Array) {
    this.table = table;
    this.otherEnd = otherEnd;
  }

  /**
   * Adds the features of a pair, by the placement of its second shape in the first, that are no farther than `reach`; `round` counts the
   * solves before, and with `onlyNew` those that were found at the start of the step are not added again. Returns the gap of the nearest, be
   * it tentative, or ∞.
   */
  find(
    a: number,
    b: number,
    between: Float64Array,
    reach: number,
    round: number,
    out: FoundFeatures,
    onlyNew = false,
  ): number {
    const { list } = this;
    const { shapes } = this.table;
    list.clear();
    findFeatures(shapes[a], shapes[b], between, reach, list);
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < list.count; i++) {
      least = Math.min(least, list.distance[i]);
      // planes between corners are bound only where the shapes have crossed: they would stop what passes by
      if (round === 0 && list.tentative[i] === 1) continue;
      this.take(i, a, b, between, round, out, onlyNew);
    }
    return least;
  }

  /** Adds those of a pair that rests which the step before had, as the pair is placed now (keptCorners.ts). */
  addKept(a: number, b: number, between: Float64Array, reach: number, kept: KeptCorners, out: FoundFeatures): void {
    const { list } = this;
    const { shapes } = this.table;
    list.clear();
    kept.ask();
    for (let k = 0; k < kept.count; k++) {
      if (kept.round[k] === 0 || !kept.isOf(k, a, b) || hasKey(list, kept.key[k])) continue;
      if (!addKnown(shapes[a], shapes[b], between, kept.key[k], reach, list)) continue;
      this.take(list.count - 1, a, b, between, kept.round[k], out);
    }
  }

  /** Adds vertices over planes that were just found of a pair that rests, if the step before had them too. */
  addMore(a: number, b: number, between: Float64Array, reach: number, kept: KeptCorners, out: FoundFeatures): void {
    const { list } = this;
    const { shapes } = this.table;
    const found = list.count;
    kept.ask();
    for (let k = 0; k < kept.count; k++) {
      const key = kept.key[k];
      if (!kept.isOf(k, a, b) || hasKey(list, key)) continue;
      let isOver = false;
      for (let i = 0; i < found && !isOver; i++) isOver = sharePlane(shapes[a], shapes[b], key, list.key[i]);
      if (!isOver || !addKnown(shapes[a], shapes[b], between, key, reach, list)) continue;
      this.take(list.count - 1, a, b, between, kept.round[k], out);
    }
  }

  /** Adds feature i of the list, in the frames of the bodies. */
  private take(
    i: number,
    a: number,
    b: number,
    between: Float64Array,
    round: number,
    out: FoundFeatures,
    onlyNew = false,
  ): void {
    const { list } = this;
    const { placements, body, margin, size } = this.table;
    if (round > 0 && list.kind[i] === featureNumber.roundPlane && !this.isRoundEnough(a, b, between, i, out))
      holdRim(list, i, between);
    if (round > 0 && list.kind[i] === featureNumber.rimPlane) holdPoint(list, i);
    if (list.kind[i] === featureNumber.lineLine)
      holdCrossing(list, i, between, this.otherEnd(a, b), RUNS * Math.min(size[a], size[b]));
    // where both sides carry the same, that of the body is the core
    if (body[list.side[i] === 0 ? a : b] === worldIndex) swapFeature(list, i, between);
    const isA = list.side[i] === 0;
    const [own, other] = isA ? [a, b] : [b, a];
    if (onlyNew && isThere(out, own, other, list.key[i])) return;
    carryFeature(list, i, placements[own], placements[other]);
    const at = out.add();
    out.kind[at] = list.kind[i];
    out.bodyShape[at] = own;
    out.otherShape[at] = other;
    out.body[at] = body[own];
    out.other[at] = body[other];
    out.key[at] = list.key[i];
    out.round[at] = round;
    out.distance[at] = list.distance[i];
    for (let k = 0; k < featureStride; k++) out.values[at * featureStride + k] = list.values[i * featureStride + k];
    const apart = Math.max(margin[a], margin[b]);
    if (apart > 0) keepApart(out, at, apart * Math.min(1, size[a], size[b]));
  }

  /**
   * Whether a round part that has gone into a plane will not do so if it is a feature: one that does not swing over (heldRim.ts). A rim must
   * lean besides, and have been none yet.
   */
  private isRoundEnough(a: number, b: number, between: Float64Array, i: number, out: FoundFeatures): boolean {
    const { list } = this;
    const [own, other] = list.side[i] === 0 ? [a, b] : [b, a];
    const atStart = this.otherEnd(a, b);
    if (!isSameHalf(list, i, atStart, between)) return false;
    if (this.table.shapes[own].kind !== "cylinder") return true;
    return !this.holdsRims && leans(list, i, atStart) && !isThere(out, own, other, list.key[i]);
  }
}

/** Takes this much away from the gap of a feature; round parts are what they are wherever they turn. */
export function widen(found: FoundFeatures, i: number, by: number): void {
  if (found.kind[i] !== featureNumber.roundPlane) keepApart(found, i, by);
}

function keepApart(found: FoundFeatures, i: number, by: number): void {
  const kind = featureKinds[found.kind[i]];
  found.values[i * featureStride + featureAt[kind][gapParameter(kind)]] += by;
}

function hasKey({ key, count }: FeatureList, wanted: number): boolean {
  for (let i = 0; i < count; i++) if (key[i] === wanted) return true;
  return false;
}

/** Whether a feature of this identity was found at the start of the step. */
function isThere(found: FoundFeatures, own: number, other: number, key: number): boolean {
  for (let i = 0; i < found.count; i++) {
    if (found.bodyShape[i] !== own || found.otherShape[i] !== other) continue;
    if (found.key[i] === key && found.round[i] === 0) return true;
  }
  return false;
}
