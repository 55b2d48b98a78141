/**
 * Contact features with a round part, a set whose support function is n·c + √(nᵀM n) + ρ: ellipsoids, and rims of discs. Its gap is
 *   φ = max over n of  n·d − √(nᵀA n) − √(nᵀO n) − ρ − ρ_o
 * with n of length 1 in the frame of `other`, d between the centres, A the body's matrix turned into that frame and O that of `other`. n is
 * given where a plane is met; it is across the direction of a line; else it is free (largestSeparation.ts).
 */
import {
  add,
  derivativeAlong,
  div,
  dot,
  matVec,
  min,
  mul,
  type Scalar,
  sqrt,
  sub,
  vadd,
  vscale,
  vsub,
} from "../symbolic/index.ts";
import { type Core, type FeatureGeometry, type PosePair, seenFrom, unit, type ValueReader } from "./featureGeometry.ts";
import { allowedNormal, largestSeparation, type Maximum, type Separation, turnOfMaximum } from "./largestSeparation.ts";
import { type Pose, symmetric, turned, turnedBack } from "./pose.ts";
import { type RoundSet, rootOf, roundSet } from "./roundSet.ts";

/** A round part as it is given. */
type RoundPart = RoundSet & { readonly centre: readonly Scalar[] };

function readRound(read: ValueReader): RoundPart {
  const centre = read.vector();
  return { centre, ...roundSet(symmetric(read.numbers(6))) };
}

/**
 * φ = n·c − offset − √(nᵀA n) − ρ. Within a step only the half of the part counts that is on the side of the witness point w of its start,
 *   √(nᵀA n − min(0, n·w)²)  instead of the root.
 * Impulses act at w. A flat part that swings over in a step, so that its other side is met, needs a contact there: held to this one, the step
 * would have no solution.
 */
export function roundPlane(read: ValueReader): FeatureGeometry {
  const [part, radius] = [readRound(read), read.number()];
  const normal = unit(read.vector());
  const [offset, tangent] = [read.number(), read.vector()];
  const seenBy = ({ body, other }: PosePair): Scalar[] => turnedBack(body, turned(other, normal));
  return {
    gap: (body, other, start) => {
      const inBody = turnedBack(body, turned(other, normal));
      const height = sub(dot(normal, seenFrom(other, body, part.centre)), offset);
      const whole = dot(inBody, matVec(part.matrix, inBody));
      if (!start) return sub(sub(height, rootOf(part, whole)), radius);
      const before = turnedBack(start.body, turned(start.other, normal));
      const image = matVec(part.matrix, before);
      const away = min(0, div(dot(inBody, image), rootOf(part, dot(before, image))));
      return sub(sub(height, rootOf(part, sub(whole, mul(away, away)))), radius);
    },
    normal: () => normal,
    core: (body, other) => coreOf(part, radius, seenBy({ body, other })),
    middle: (start, end) => ({ point: middlePoint(part, seenBy(start), seenBy(end)), normal }),
    tangent,
  };
}

export function roundRound(read: ValueReader): FeatureGeometry {
  const [part, radius] = [readRound(read), read.number()];
  const [otherPart, otherRadius] = [readRound(read), read.number()];
  const [start, tangent] = [unit(read.vector()), read.vector()];
  return maximised(part, [radius, otherRadius], { start, tangent }, (body, other) => ({
    between: vsub(seenFrom(other, body, part.centre), otherPart.centre),
    sets: [seen(part, body, other), otherPart],
  }));
}

export function roundLine(read: ValueReader): FeatureGeometry {
  const [part, radius] = [readRound(read), read.number()];
  const otherPoint = read.vector();
  const along = unit(read.vector());
  const [otherRadius, normal, tangent] = [read.number(), read.vector(), read.vector()];
  const start = allowedNormal({ along }, normal);
  return maximised(part, [radius, otherRadius], { start, tangent }, (body, other) => ({
    between: vsub(seenFrom(other, body, part.centre), otherPoint),
    sets: [seen(part, body, other)],
    along,
  }));
}

/** Round against round or a line: the normal is found, from one near by. */
function maximised(
  part: RoundPart,
  [radius, otherRadius]: readonly [Scalar, Scalar],
  { start: near, tangent }: { readonly start: readonly Scalar[]; readonly tangent: readonly Scalar[] },
  problem: (body: Pose, other: Pose) => Separation,
): FeatureGeometry {
  const found = (body: Pose, other: Pose): Maximum => largestSeparation(problem(body, other), near);
  const seenBy = ({ body, other }: PosePair, normal: readonly Scalar[]): Scalar[] =>
    turnedBack(body, turned(other, normal));
  return {
    gap: (body, other) => sub(found(body, other).value, add(radius, otherRadius)),
    normal: (body, other) => found(body, other).normal,
    core: (body, other, normal = found(body, other).normal) => coreOf(part, radius, seenBy({ body, other }, normal)),
    middle: (start, end) => {
      const { normal } = found(start.body, start.other);
      const turn = turnOfMaximum(problem(end.body, end.other), normal);
      return {
        point: middlePoint(part, seenBy(start, normal), seenBy(end, vadd(normal, turn))),
        normal: vadd(normal, vscale(turn, 0.5)),
      };
    },
    tangent,
  };
}

/**
 * A point above the witness point w = c − M n/√(nᵀM n), at the height of the centre c: so what turns about the witness point hardly slips, and what rolls
 * does so as spheres do, whose centre this is.
 */
function coreOf(part: RoundPart, radius: Scalar, n: readonly Scalar[]): Core {
  const root = rootAlong(part, n);
  return { point: vadd(witness(part, n), vscale(n, root)), radius: add(radius, root) };
}

function witness(part: RoundPart, n: readonly Scalar[]): Scalar[] {
  return vsub(part.centre, vscale(matVec(part.matrix, n), div(1, rootAlong(part, n))));
}

function rootAlong(part: RoundPart, n: readonly Scalar[]): Scalar {
  return rootOf(part, dot(n, matVec(part.matrix, n)));
}

/**
 * The point of `coreOf` half-way from a normal n, seen from the body, to one that is farther by t across n, to first order, at the distance
 * r = √(nᵀM n) from the witness point that it has at n: with q = tᵀM t/r²
 *   p(n) + ½ s p'(n) t,      p(n) = w(n) + r n,      s = (1 + q²)^(−1/4)
 * What rolls touches with it in the middle of the step: the slip of the point that touches at its start is off by the order of h, and a coin that
 * rolls on its rim gained energy from friction. s holds what w moves along a rim that swings down flat to half of its radius; of a sphere w' t is −r t.
 */
function middlePoint(part: RoundPart, n: readonly Scalar[], end: readonly Scalar[]): Scalar[] {
  const turn = vsub(end, vscale(n, dot(n, end)));
  const root = rootAlong(part, n);
  const above = (normal: readonly Scalar[]): Scalar[] => vadd(witness(part, normal), vscale(normal, root));
  const ratio = div(dot(turn, matVec(part.matrix, turn)), mul(root, root));
  const half = div(0.5, sqrt(sqrt(add(1, mul(ratio, ratio)))));
  return vadd(above(n), vscale(derivativeAlong(above, n, turn), half));
}

/** R M Rᵀ. */
function seen(part: RoundPart, body: Pose, other: Pose): RoundSet {
  const columns = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ].map((axis) => turnedBack(other, turned(body, axis)));
  const rows = [0, 1, 2].map((i) => columns.map((column) => column[i]));
  const half = rows.map((row) => matVec(part.matrix, row));
  const entry = (i: number, j: number): Scalar => dot(rows[i], half[j]);
  return {
    ...part,
    matrix: symmetric([entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)]),
    axisNear: (n) => matVec(rows, part.axisNear(matVec(columns, n))),
  };
}
