/**
 * Adders of features with round sets: ellipsoids, rims of cylinders, and points. Planes, lines and normals are handed over in a's frame;
 * a round set is given in the frame of the shape that carries it, in which its matrix is diagonal.
 */
import { directionInto, pointInto, tangentInto } from "./addFeature.ts";
import { type FeatureList, featureAt, featureKey, featureNumber } from "./features.ts";
import { placeDirectionBack, placePoint } from "./pose.ts";

const { roundPlane, roundRound, roundLine } = featureNumber;
const planeAt = featureAt.roundPlane;
const roundAt = featureAt.roundRound;
const lineAt = featureAt.roundLine;

/** A round set in its shape's frame: support function n·c + √(n·(s n)) + radius |n|. */
export class RoundPart {
  /** 0 where shape a carries it, 1 where b does. */
  side = 0;
  readonly centre = new Float64Array(3);
  /** Diagonal of the matrix of the set. */
  readonly squares = new Float64Array(3);
  radius = 0;

  setEllipsoid(side: number, radii: ArrayLike<number>): this {
    this.side = side;
    this.radius = 0;
    for (let k = 0; k < 3; k++) {
      this.centre[k] = 0;
      this.squares[k] = radii[k] * radii[k];
    }
    return this;
  }

  /** The rim at height z of a cylinder. */
  setRim(side: number, radius: number, z: number): this {
    this.side = side;
    this.radius = 0;
    this.centre.fill(0);
    this.centre[2] = z;
    this.squares[0] = radius * radius;
    this.squares[1] = radius * radius;
    this.squares[2] = 0;
    return this;
  }

  /**
   * A ball of radius ρ about the point x, y, z. The root in the support function has no derivative at a matrix of zeros, so a point is a ball
   * that is small beside `size`, less its radius: of a large one less its radius the gap would be one of sets that overlap.
   */
  setBall(side: number, x: number, y: number, z: number, radius: number, size: number): this {
    const ball = Math.max(radius, smallBall * size);
    this.side = side;
    this.centre[0] = x;
    this.centre[1] = y;
    this.centre[2] = z;
    this.squares.fill(ball * ball);
    this.radius = radius - ball;
    return this;
  }
}

const smallBall = 1e-3;
const local = new Float64Array(3);
const place = new Float64Array(3);

/** The least height of a round set along a unit vector n, all in a's frame. */
function leastAlong(round: RoundPart, m: Float64Array, n: Float64Array): number {
  const { centre, squares: s } = round;
  if (round.side === 1) {
    placeDirectionBack(local, 0, m, n, 0);
    placePoint(place, 0, m, centre, 0);
  } else {
    local.set(n);
    place.set(centre);
  }
  const root = s[0] * local[0] * local[0] + s[1] * local[1] * local[1] + s[2] * local[2] * local[2];
  return n[0] * place[0] + n[1] * place[1] + n[2] * place[2] - Math.sqrt(root) - round.radius;
}

/** A round set above a plane through q with unit normal n. Returns the gap. */
export function roundPlaneGap(round: RoundPart, m: Float64Array, q: Float64Array, n: Float64Array): number {
  return leastAlong(round, m, n) - (n[0] * q[0] + n[1] * q[1] + n[2] * q[2]);
}

/** A round set of one shape and a plane of the other, through q with unit normal n, which points to the set. */
export function addRoundPlane(
  out: FeatureList,
  m: Float64Array,
  partOfA: number,
  partOfB: number,
  round: RoundPart,
  q: Float64Array,
  n: Float64Array,
): void {
  const { side } = round;
  const gap = roundPlaneGap(round, m, q, n);
  const at = out.add(roundPlane, side, featureKey(roundPlane, partOfA, partOfB), gap);
  const { values } = out;
  roundInto(values, at, round);
  const normalAt = at + planeAt.normal;
  directionInto(values, normalAt, m, 1 - side, n);
  const pointAt = at + planeAt.tangent;
  pointInto(values, pointAt, m, 1 - side, q);
  values[at + planeAt.offset] =
    values[normalAt] * values[pointAt] +
    values[normalAt + 1] * values[pointAt + 1] +
    values[normalAt + 2] * values[pointAt + 2];
  tangentInto(values, pointAt, values, normalAt);
}

/** A round set of one shape and a line of the other, through q along d; n is the unit vector of the gap, from the line to the set. */
export function addRoundLine(
  out: FeatureList,
  m: Float64Array,
  partOfA: number,
  partOfB: number,
  round: RoundPart,
  q: Float64Array,
  d: Float64Array,
  otherRadius: number,
  n: Float64Array,
): void {
  const { side } = round;
  const gap = roundPlaneGap(round, m, q, n) - otherRadius;
  const at = out.add(roundLine, side, featureKey(roundLine, partOfA, partOfB), gap);
  const { values } = out;
  roundInto(values, at, round);
  pointInto(values, at + lineAt.otherPoint, m, 1 - side, q);
  directionInto(values, at + lineAt.otherDirection, m, 1 - side, d);
  values[at + lineAt.otherRadius] = otherRadius;
  directionInto(values, at + lineAt.normal, m, 1 - side, n);
  // the line itself is off every normal
  directionInto(values, at + lineAt.tangent, m, 1 - side, d);
}

const back = new Float64Array(3);

/** Two round sets; n is the unit vector of the gap, from the other to the body's. */
export function addRoundRound(
  out: FeatureList,
  m: Float64Array,
  partOfA: number,
  partOfB: number,
  round: RoundPart,
  other: RoundPart,
  n: Float64Array,
): void {
  for (let k = 0; k < 3; k++) back[k] = -n[k];
  const gap = leastAlong(round, m, n) + leastAlong(other, m, back);
  const at = out.add(roundRound, round.side, featureKey(roundRound, partOfA, partOfB), gap);
  const { values } = out;
  roundInto(values, at, round);
  roundInto(values, at + roundAt.otherCentre, other);
  directionInto(values, at + roundAt.normal, m, other.side, n);
  tangentInto(values, at + roundAt.tangent, values, at + roundAt.normal);
}

/** Centre, matrix and radius, as all three kinds begin and roundRound goes on. */
function roundInto(values: Float64Array, at: number, { centre, squares, radius }: RoundPart): void {
  for (let k = 0; k < 3; k++) {
    values[at + k] = centre[k];
    values[at + 3 + k] = squares[k];
    values[at + 6 + k] = 0;
  }
  values[at + 9] = radius;
}
