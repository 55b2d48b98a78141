/** Gaps of round features by a search over directions that knows no derivatives, and random round features. */
import { type ContactFeature, featureAt } from "../../src/geometry/index.ts";
import type { Random } from "../../src/index.ts";
import { type Matrix3, matrix3, quaternion, type Vector3, vector } from "../../src/math/index.ts";
import {
  type Placement,
  placed,
  randomFeature,
  randomPlacement,
  randomVector,
  straightGap,
  triple,
} from "./featureScenes.ts";

/** Entries xx, yy, zz, xy, xz, yz of R S² Rᵀ. */
export function supportOf(radii: Vector3, orientation: Placement["orientation"]): number[] {
  const r = quaternion.toMatrix(orientation);
  const entry = (i: number, j: number): number =>
    radii.reduce((sum, radius, k) => sum + radius * radius * r[i][k] * r[j][k], 0);
  return [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)];
}

function matrixOf([xx, yy, zz, xy, xz, yz]: readonly number[]): Matrix3 {
  return [
    [xx, xy, xz],
    [xy, yy, yz],
    [xz, yz, zz],
  ];
}

/** √(nᵀM n) of a part, with n in the world. */
function reachOf(feature: ContactFeature, values: readonly number[], name: string, at: Placement) {
  const start = featureAt[feature][name];
  if (start === undefined) return () => 0;
  const m = matrixOf(values.slice(start, start + 6));
  return (n: Vector3): number => {
    const own = quaternion.rotateInverse(at.orientation, n);
    return Math.sqrt(Math.max(0, vector.dot(own, matrix3.transform(m, own))));
  };
}

export interface Found {
  readonly gap: number;
  /** In the world. */
  readonly normal: Vector3;
}

/** What a feature is made of, in the world: between the centres, how far the parts reach along n, and which n there are. */
function partsOf(feature: ContactFeature, values: readonly number[], body: Placement, other: Placement) {
  const number = (name: string): number => values[featureAt[feature][name]] ?? 0;
  const centre = placed(body, triple(feature, values, "centre"));
  const own = reachOf(feature, values, "support", body);
  const across = reachOf(feature, values, "otherSupport", other);
  const reach = (n: Vector3): number => own(n) + across(n);
  if (feature === "roundPlane") {
    const normal = quaternion.rotate(other.orientation, vector.normalize(triple(feature, values, "normal")));
    const d = vector.sub(vector.sub(centre, other.position), vector.scale(normal, number("offset")));
    return { d, reach, radii: number("radius"), allowed: () => normal, isGiven: true };
  }
  const from = placed(other, triple(feature, values, feature === "roundLine" ? "otherPoint" : "otherCentre"));
  const along =
    feature === "roundLine"
      ? vector.normalize(quaternion.rotate(other.orientation, triple(feature, values, "otherDirection")))
      : undefined;
  const allowed = (n: Vector3): Vector3 =>
    vector.normalize(along ? vector.sub(n, vector.scale(along, vector.dot(along, n))) : n);
  const radii = number("radius") + number("otherRadius");
  return { d: vector.sub(centre, from), reach, radii, allowed, isGiven: false };
}

/** How far a plane across n can keep the two apart. */
export function separation(
  feature: ContactFeature,
  values: readonly number[],
  body: Placement,
  other: Placement,
  n: Vector3,
): number {
  const { d, reach, radii, allowed } = partsOf(feature, values, body, other);
  const unit = allowed(n);
  return vector.dot(unit, d) - reach(unit) - radii;
}

/** The gap as the largest separation over directions, and the direction. */
export function roundGap(
  feature: ContactFeature,
  values: readonly number[],
  body: Placement,
  other: Placement,
  near?: Vector3,
): Found {
  const { d, reach, radii, allowed, isGiven } = partsOf(feature, values, body, other);
  const value = (n: Vector3): number => vector.dot(n, d) - reach(n);
  if (isGiven) return { gap: value(allowed(d)) - radii, normal: allowed(d) };
  // the best of many directions, or the one given, then ever smaller turns of it
  let best = allowed(near ?? vector.add(d, [1e-3, 2e-3, -1e-3]));
  if (!near) {
    for (let i = 0; i < 400; i++) {
      const z = 1 - (2 * i + 1) / 400;
      const angle = i * Math.PI * (3 - Math.sqrt(5));
      const r = Math.sqrt(1 - z * z);
      const n = allowed([r * Math.cos(angle), r * Math.sin(angle), z]);
      if (value(n) > value(best)) best = n;
    }
  }
  for (let size = near ? 0.5 : 0.2; size > 1e-9; size *= 0.7) {
    for (let improves = true; improves; ) {
      improves = false;
      const [t, s] = vector.perpendicularBasis(best);
      for (let k = 0; k < 8; k++) {
        const turn = vector.add(
          vector.scale(t, size * Math.cos((k * Math.PI) / 4)),
          vector.scale(s, size * Math.sin((k * Math.PI) / 4)),
        );
        const n = allowed(vector.add(best, turn));
        if (value(n) > value(best)) {
          best = n;
          improves = true;
        }
      }
    }
  }
  return { gap: value(best) - radii, normal: best };
}

/** A random round feature at two placements, `gap` apart; discs have one axis of length 0. */
export function randomRound(
  random: Random,
  feature: ContactFeature,
  body: Placement,
  other: Placement,
  gap: number,
  isDisc = false,
): number[] {
  const at = featureAt[feature];
  const size = Object.entries(at).reduce(
    (most, [name, start]) => Math.max(most, start + (/upport/.test(name) ? 6 : 3)),
    0,
  );
  const values = Array.from({ length: size }, () => random.normal());
  const radii = (): Vector3 => [0.3 + random.uniform(), 0.3 + random.uniform(), isDisc ? 0 : 0.3 + random.uniform()];
  for (const name of ["support", "otherSupport"]) {
    if (at[name] !== undefined) {
      supportOf(radii(), randomPlacement(random).orientation).forEach((entry, k) => {
        values[at[name] + k] = entry;
      });
    }
  }
  for (const name of ["radius", "otherRadius"]) if (at[name] !== undefined) values[at[name]] = 0.05;
  // what is met lies far away first, and comes along the normal, which stays
  values.fill(0, at.centre, at.centre + 3);
  const away = vector.normalize(randomVector(random));
  const part = at.otherCentre ?? at.otherPoint;
  const add = (v: Vector3): void => {
    quaternion.rotateInverse(other.orientation, v).forEach((entry, k) => {
      values[part + k] += entry;
    });
  };
  if (part !== undefined) {
    values.fill(0, part, part + 3);
    add(vector.add(vector.sub(body.position, other.position), vector.scale(away, 8)));
  }
  const found = roundGap(feature, values, body, other);
  if (part === undefined) values[at.offset] += found.gap - gap;
  else add(vector.scale(found.normal, found.gap - gap));
  if (feature !== "roundPlane") {
    quaternion.rotateInverse(other.orientation, found.normal).forEach((entry, k) => {
      values[at.normal + k] = entry;
    });
  }
  return values;
}

/** The gap of a feature of any kind. */
export function gapOracle(
  feature: ContactFeature,
  values: readonly number[],
  body: Placement,
  other: Placement,
): number {
  if (!isRound(feature)) return straightGap(feature, values, body, other);
  // found again from where it was
  const { normal } = featureAt[feature];
  const start = values.slice(normal, normal + 3) as unknown as Vector3;
  const near = feature === "roundPlane" ? undefined : quaternion.rotate(other.orientation, start);
  return roundGap(feature, values, body, other, near).gap;
}

export function isRound(feature: ContactFeature): boolean {
  return feature.startsWith("round");
}

/** Random values of a feature of any kind. */
export function anyFeature(
  random: Random,
  feature: ContactFeature,
  body: Placement,
  other: Placement,
  gap: number,
): number[] {
  return isRound(feature)
    ? randomRound(random, feature, body, other, gap)
    : randomFeature(random, feature, body, other, gap);
}

/**
 * How far a contact of rims is from places where its normal jumps: the least of the sines between the normal and the rims' axes and, of two
 * rims, between their directions where they meet.
 */
export function straightness(
  feature: ContactFeature,
  values: readonly number[],
  body: Placement,
  other: Placement,
): number {
  const { normal } = roundGap(feature, values, body, other);
  const axisOf = (name: string, { orientation }: Placement): Vector3 => {
    const start = featureAt[feature][name];
    const { values: squares, vectors } = matrix3.symmetricEigen(matrixOf(values.slice(start, start + 6)));
    const least = squares.indexOf(Math.min(...squares)) as 0 | 1 | 2;
    return quaternion.rotate(orientation, matrix3.column(vectors, least));
  };
  const along = vector.cross(normal, axisOf("support", body));
  if (feature !== "roundRound") return vector.norm(along);
  const across = vector.cross(normal, axisOf("otherSupport", other));
  const angle = vector.norm(vector.cross(vector.normalize(along), vector.normalize(across)));
  return Math.min(vector.norm(along), vector.norm(across), angle);
}
