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
    // where it was found, the point has not run
    case "rimPlane":
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
    case "roundPlane": {
      const n = triple("normal");
      const q = otherPoint(vector.scale(n, value("offset")));
      return reach(otherDirection(n)) - vector.dot(otherDirection(n), q);
    }
    case "roundLine": {
      const [q, d] = [otherPoint(triple("otherPoint")), otherDirection(triple("otherDirection"))];
      const height = (n: Vector3): number => reach(n) - vector.dot(n, q) - value("otherRadius");
      return highest(height, otherDirection(triple("normal")), d);
    }
    case "roundRound": {
      const height = (n: Vector3): number => reach(n) + otherReach(vector.scale(n, -1));
      return highest(height, otherDirection(triple("normal")), undefined);
    }
  }

  /** The least n·x over the body's round set; n in a's frame. */
  function reach(n: Vector3): number {
    const centre = bodyPoint(triple("centre"));
    return vector.dot(n, centre) - root("support", isBodyB ? back(n) : n) - value("radius");
  }

  /** The same over the other's. */
  function otherReach(n: Vector3): number {
    const centre = otherPoint(triple("otherCentre"));
    return vector.dot(n, centre) - root("otherSupport", isBodyB ? n : back(n)) - value("otherRadius");
  }

  function root(name: string, n: Vector3): number {
    const at = i * featureStride + places[name];
    const [xx, yy, zz, xy, xz, yz] = Array.from(list.values.subarray(at, at + 6));
    const [x, y, z] = n;
    const square = xx * x * x + yy * y * y + zz * z * z + 2 * (xy * x * y + xz * x * z + yz * y * z);
    return Math.sqrt(Math.max(0, square));
  }

  function back(n: Vector3): Vector3 {
    const at = (k: number): Vector3 => [placement[3 + k], placement[6 + k], placement[9 + k]];
    return [vector.dot(at(0), n), vector.dot(at(1), n), vector.dot(at(2), n)];
  }
}

/** The largest value near a unit vector, across `line` where there is one: a search by shorter and shorter steps, without derivatives. */
function highest(height: (n: Vector3) => number, start: Vector3, line: Vector3 | undefined): number {
  const project = (n: Vector3): Vector3 =>
    vector.normalize(line ? vector.sub(n, vector.scale(line, vector.dot(n, line))) : n);
  let n = project(start);
  let best = height(n);
  for (let step = 0.1; step > 1e-8; step /= 3) {
    for (let moved = true; moved; ) {
      moved = false;
      const [u, v] = vector.perpendicularBasis(n);
      for (let turn = 0; turn < 8; turn++) {
        const [c, s] = [Math.cos((turn * Math.PI) / 4), Math.sin((turn * Math.PI) / 4)];
        const trial = project(vector.add(n, vector.add(vector.scale(u, step * c), vector.scale(v, step * s))));
        const value = height(trial);
        if (!(value > best)) continue;
        best = value;
        n = trial;
        moved = true;
        break;
      }
    }
  }
  return best;
}

function row(m: ArrayLike<number>, k: number): Vector3 {
  return [m[3 + 3 * k], m[4 + 3 * k], m[5 + 3 * k]];
}
