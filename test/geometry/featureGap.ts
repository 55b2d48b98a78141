/** Gaps of features, written apart from the engine: from the definitions, with placements of 12 numbers. */
import { type FeatureList, featureAt, featureKinds, featureStride } from "../../src/geometry/index.ts";
import { type Vector3, vector } from "../../src/math/index.ts";

/** The gap of feature i where b has `placement` in a's frame, which need not be the one at which it was found. */
export function featureGap(list: FeatureList, i: number, placement: ArrayLike<number>): number {
  const kind = featureKinds[list.kind[i]];
  const places = featureAt[kind];
  const value = (name: string): number => list.values[i * featureStride + places[name]];
  const triple = (name: string): Vector3 => {
    const at = i * featureStride + places[name];
    return [list.values[at], list.values[at + 1], list.values[at + 2]];
  };
  // everything in a's frame: b's things are turned and moved
  const turned = (v: Vector3): Vector3 => [0, 1, 2].map((k) => vector.dot(row(placement, k), v)) as unknown as Vector3;
  const moved = (v: Vector3): Vector3 => vector.add(turned(v), [placement[0], placement[1], placement[2]]);
  const isBodyB = list.side[i] === 1;
  const bodyPoint = (v: Vector3): Vector3 => (isBodyB ? moved(v) : v);
  const bodyDirection = (v: Vector3): Vector3 => (isBodyB ? turned(v) : v);
  const otherPoint = (v: Vector3): Vector3 => (isBodyB ? v : moved(v));
  const otherDirection = (v: Vector3): Vector3 => (isBodyB ? v : turned(v));
  switch (kind) {
    case "pointPlane": {
      const n = triple("normal");
      const q = otherPoint(vector.scale(n, value("offset")));
      return vector.dot(otherDirection(n), vector.sub(bodyPoint(triple("point")), q)) - value("radius");
    }
    case "pointPoint":
      return (
        vector.norm(vector.sub(bodyPoint(triple("point")), otherPoint(triple("otherPoint")))) -
        value("radius") -
        value("otherRadius")
      );
    case "pointLine": {
      const r = vector.sub(bodyPoint(triple("point")), otherPoint(triple("otherPoint")));
      return (
        vector.norm(vector.cross(r, otherDirection(triple("otherDirection")))) - value("radius") - value("otherRadius")
      );
    }
    case "lineLine": {
      const r = vector.sub(bodyPoint(triple("point")), otherPoint(triple("otherPoint")));
      const c = vector.cross(bodyDirection(triple("direction")), otherDirection(triple("otherDirection")));
      return (value("sign") * vector.dot(r, c)) / vector.norm(c) - value("radius") - value("otherRadius");
    }
    default:
      throw new RangeError(`the gap of a ${kind} is not a closed form`);
  }
}

function row(m: ArrayLike<number>, k: number): Vector3 {
  return [m[3 + 3 * k], m[4 + 3 * k], m[5 + 3 * k]];
}
