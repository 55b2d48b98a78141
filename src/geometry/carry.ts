/**
 * Features in other frames. Their values are in the frames of shapes; contacts want them in the frames of bodies:
 *   point R p + t,  direction R d,  offset o + (R n)·t,  support R M Rᵀ,  scalars as they are.
 */
import {
  type ContactFeature,
  type FeatureList,
  featureAt,
  featureFields,
  featureKinds,
  featureStride,
} from "./features.ts";
import { placeDirection, placeDirectionBack, placePoint } from "./pose.ts";

/** Fields of a kind with their places, one program per kind and carrier. */
interface Move {
  readonly type: "point" | "direction" | "offset" | "support";
  readonly at: number;
}

function movesOf(carrier: "body" | "other"): readonly (readonly Move[])[] {
  return featureKinds.map((kind) =>
    featureFields[kind].flatMap(({ name, type, carrier: owner }) =>
      owner === carrier && type !== "scalar" ? [{ type, at: featureAt[kind][name] }] : [],
    ),
  );
}

const bodyMoves = movesOf("body");
const otherMoves = movesOf("other");

/**
 * Takes feature `i` from the frames of its shapes into those of their bodies. Placements (12 numbers) are the shapes' frames in
 * their bodies; undefined where shape and body share a frame.
 */
export function carryFeature(
  list: FeatureList,
  i: number,
  bodyPlacement: Float64Array | undefined,
  otherPlacement: Float64Array | undefined,
): void {
  const kind = list.kind[i];
  if (bodyPlacement) move(list.values, i * featureStride, bodyMoves[kind], bodyPlacement);
  if (otherPlacement) move(list.values, i * featureStride, otherMoves[kind], otherPlacement);
}

function move(values: Float64Array, start: number, moves: readonly Move[], placement: Float64Array): void {
  for (let k = 0; k < moves.length; k++) {
    const at = start + moves[k].at;
    switch (moves[k].type) {
      case "point":
        placePoint(values, at, placement, values, at);
        break;
      case "direction":
        placeDirection(values, at, placement, values, at);
        break;
      case "offset":
        // the normal stands before its offset and has been turned already
        values[at] += values[at - 3] * placement[0] + values[at - 2] * placement[1] + values[at - 1] * placement[2];
        break;
      case "support":
        turnSupport(values, at, placement);
        break;
    }
  }
}

const rows = new Float64Array(9);

/** R M Rᵀ of the matrix xx, yy, zz, xy, xz, yz at `values[at]`, in place. */
function turnSupport(values: Float64Array, at: number, m: Float64Array): void {
  const xx = values[at];
  const yy = values[at + 1];
  const zz = values[at + 2];
  const xy = values[at + 3];
  const xz = values[at + 4];
  const yz = values[at + 5];
  for (let r = 0; r < 3; r++) {
    const x = m[3 + 3 * r];
    const y = m[4 + 3 * r];
    const z = m[5 + 3 * r];
    rows[3 * r] = x * xx + y * xy + z * xz;
    rows[3 * r + 1] = x * xy + y * yy + z * yz;
    rows[3 * r + 2] = x * xz + y * yz + z * zz;
  }
  values[at] = rows[0] * m[3] + rows[1] * m[4] + rows[2] * m[5];
  values[at + 1] = rows[3] * m[6] + rows[4] * m[7] + rows[5] * m[8];
  values[at + 2] = rows[6] * m[9] + rows[7] * m[10] + rows[8] * m[11];
  values[at + 3] = rows[0] * m[6] + rows[1] * m[7] + rows[2] * m[8];
  values[at + 4] = rows[0] * m[9] + rows[1] * m[10] + rows[2] * m[11];
  values[at + 5] = rows[3] * m[9] + rows[4] * m[10] + rows[5] * m[11];
}

/** Kinds whose two sides carry the same things. */
const symmetric: readonly ContactFeature[] = ["pointPoint", "lineLine", "roundRound"];

const saved = new Float64Array(featureStride);

/**
 * Exchanges body and other of a feature whose sides carry the same things. `placement` is b's frame in a's, of the pair of shapes, and
 * the values are still in the frames of shapes. Returns whether it could.
 */
export function swapFeature(list: FeatureList, i: number, placement: Float64Array): boolean {
  const kind = featureKinds[list.kind[i]];
  if (!symmetric.includes(kind)) return false;
  const { values } = list;
  const start = i * featureStride;
  for (let k = 0; k < featureStride; k++) saved[k] = values[start + k];
  const places = featureAt[kind];
  const size = kind === "pointPoint" ? 4 : kind === "lineLine" ? 7 : 10;
  for (let k = 0; k < size; k++) {
    values[start + k] = saved[size + k];
    values[start + size + k] = saved[k];
  }
  // directions in other's frame go into that of the new other
  const turn = list.side[i] === 0 ? placeDirection : placeDirectionBack;
  turn(values, start + places.tangent, placement, values, start + places.tangent);
  if (kind === "roundRound") {
    turn(values, start + places.normal, placement, values, start + places.normal);
    for (let k = 0; k < 3; k++) values[start + places.normal + k] *= -1;
  }
  list.side[i] = 1 - list.side[i];
  return true;
}
