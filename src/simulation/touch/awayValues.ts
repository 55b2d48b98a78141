/**
 * Values of a slot that no feature is in: parts of the two bodies that are a long way apart, whatever happens in the step. They act on
 * nothing, and their equations are as sound as any.
 */
import {
  type ContactFeature,
  featureAt,
  featureKinds,
  featureNumber,
  featureSizes,
  featureStride,
} from "../../geometry/index.ts";

/** How far, m. Impulses at this distance vanish below any tolerance; squares of it are far from rounding. */
const AWAY = 1e3;

const scratch = new Float64Array(featureStride);
const noPose: ArrayLike<number> = [0, 0, 0, 1, 0, 0, 0];

/** For two bodies of the same pose. */
export function awayValues(feature: ContactFeature): number[] {
  awayInto(scratch, 0, featureNumber[feature], noPose, 0, noPose, 0);
  return Array.from(scratch.subarray(0, featureSizes[featureNumber[feature]]));
}

/** For bodies of these poses: 7 numbers each. */
export function awayInto(
  out: Float64Array,
  start: number,
  kind: number,
  body: ArrayLike<number>,
  atBody: number,
  other: ArrayLike<number>,
  atOther: number,
): void {
  const feature = featureKinds[kind];
  const at = featureAt[feature];
  for (let k = 0; k < featureSizes[kind]; k++) out[start + k] = 0;
  // the body's centre seen from the other one; what is met lies from there along −x of its frame
  const [w, x, y, z] = [other[atOther + 3], -other[atOther + 4], -other[atOther + 5], -other[atOther + 6]];
  const along = turnedX(
    ...[w, x, y, z],
    body[atBody] - other[atOther],
    body[atBody + 1] - other[atOther + 1],
    body[atBody + 2] - other[atOther + 2],
  );
  out[start + at.tangent + 1] = 1;
  switch (feature) {
    case "pointPlane":
      out[start + at.normal] = 1;
      out[start + at.offset] = along - AWAY;
      return;
    case "roundPlane":
      identityInto(out, start + at.support);
      out[start + at.normal] = 1;
      out[start + at.offset] = along - AWAY;
      return;
    case "pointPoint":
      out[start + at.otherPoint] = along - AWAY;
      return;
    case "pointLine":
      out[start + at.otherPoint] = along - AWAY;
      out[start + at.otherDirection + 2] = 1;
      return;
    case "lineLine": {
      // lines along z of the other one and across it, however the bodies stand
      out[start + at.otherDirection + 2] = 1;
      out[start + at.sign] = 1;
      out[start + at.otherRadius] = -AWAY;
      const across = acrossInBody(body, atBody, other, atOther);
      for (let k = 0; k < 3; k++) out[start + at.direction + k] = across[k];
      out[start + at.otherPoint] = along;
      return;
    }
    case "roundRound":
      identityInto(out, start + at.support);
      identityInto(out, start + at.otherSupport);
      out[start + at.otherCentre] = along - AWAY;
      out[start + at.normal] = 1;
      return;
    case "roundLine":
      identityInto(out, start + at.support);
      out[start + at.otherPoint] = along - AWAY;
      out[start + at.otherDirection + 2] = 1;
      out[start + at.normal] = 1;
      return;
  }
}

function identityInto(out: Float64Array, at: number): void {
  for (let k = 0; k < 6; k++) out[at + k] = k < 3 ? 1 : 0;
}

/** x of a vector turned by a quaternion. */
function turnedX(w: number, x: number, y: number, z: number, a: number, b: number, c: number): number {
  return (1 - 2 * (y * y + z * z)) * a + 2 * (x * y - w * z) * b + 2 * (x * z + w * y) * c;
}

const found = new Float64Array(3);

/** The other body's y axis in the body's frame: at right angles to its z axis. */
function acrossInBody(
  body: ArrayLike<number>,
  atBody: number,
  other: ArrayLike<number>,
  atOther: number,
): Float64Array {
  const [w, x, y, z] = [other[atOther + 3], other[atOther + 4], other[atOther + 5], other[atOther + 6]];
  const a = 2 * (x * y - w * z);
  const b = 1 - 2 * (x * x + z * z);
  const c = 2 * (y * z + w * x);
  const [bw, bx, by, bz] = [body[atBody + 3], -body[atBody + 4], -body[atBody + 5], -body[atBody + 6]];
  found[0] = turnedX(bw, bx, by, bz, a, b, c);
  found[1] = 2 * (bx * by + bw * bz) * a + (1 - 2 * (bx * bx + bz * bz)) * b + 2 * (by * bz - bw * bx) * c;
  found[2] = 2 * (bx * bz - bw * by) * a + 2 * (by * bz + bw * bx) * b + (1 - 2 * (bx * bx + by * by)) * c;
  return found;
}
