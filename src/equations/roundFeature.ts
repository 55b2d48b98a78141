/**
 * Contact features with a round part, a set whose support function is n·c + √(nᵀM n) + ρ: ellipsoids, and rims of discs. Its gap is
 *   φ = max over n of  n·d − √(nᵀA n) − √(nᵀO n) − ρ − ρ_o
 * with n of length 1 in the frame of `other`, d between the centres, A the body's matrix turned into that frame and O that of `other`. n is
 * given where a plane is met; it is across the direction of a line; else it is free (largestSeparation.ts).
 */
import { add, div, dot, matVec, min, mul, type Scalar, sub, vadd, vscale, vsub } from "../symbolic/index.ts";
import { type Core, type FeatureGeometry, seenFrom, unit, type ValueReader } from "./featureGeometry.ts";
import { allowedNormal, largestSeparation, type Maximum } from "./largestSeparation.ts";
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
    core: (body, other) => coreOf(part, radius, turnedBack(body, turned(other, normal))),
    tangent,
  };
}

export function roundRound(read: ValueReader): FeatureGeometry {
  const [part, radius] = [readRound(read), read.number()];
  const [otherPart, otherRadius] = [readRound(read), read.number()];
  const [start, tangent] = [unit(read.vector()), read.vector()];
  return maximised(part, radius, tangent, (body, other) => {
    const between = vsub(seenFrom(other, body, part.centre), otherPart.centre);
    const sets = [seen(part, body, other), otherPart];
    return { found: largestSeparation({ between, sets }, start), radii: add(radius, otherRadius) };
  });
}

export function roundLine(read: ValueReader): FeatureGeometry {
  const [part, radius] = [readRound(read), read.number()];
  const otherPoint = read.vector();
  const along = unit(read.vector());
  const [otherRadius, normal, tangent] = [read.number(), read.vector(), read.vector()];
  const start = allowedNormal({ along }, normal);
  return maximised(part, radius, tangent, (body, other) => {
    const between = vsub(seenFrom(other, body, part.centre), otherPoint);
    return {
      found: largestSeparation({ between, sets: [seen(part, body, other)], along }, start),
      radii: add(radius, otherRadius),
    };
  });
}

function maximised(
  part: RoundPart,
  radius: Scalar,
  tangent: readonly Scalar[],
  at: (body: Pose, other: Pose) => { found: Maximum; radii: Scalar },
): FeatureGeometry {
  return {
    gap: (body, other) => {
      const { found, radii } = at(body, other);
      return sub(found.value, radii);
    },
    normal: (body, other) => at(body, other).found.normal,
    core: (body, other) => coreOf(part, radius, turnedBack(body, turned(other, at(body, other).found.normal))),
    tangent,
  };
}

/**
 * Above the witness point c − M n/√(nᵀM n), at the height of the centre c: so what turns about the witness point hardly slips, and what rolls
 * does so as spheres do, whose centre this is.
 */
function coreOf(part: RoundPart, radius: Scalar, n: readonly Scalar[]): Core {
  const image = matVec(part.matrix, n);
  const root = rootOf(part, dot(n, image));
  const level = vsub(vscale(n, root), vscale(image, div(1, root)));
  return { point: vadd(part.centre, level), radius: add(radius, root) };
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
