/**
 * Geometry of a joint between a parent and a child: what is constrained, and the coordinates of what is free.
 *
 * Frames: the joint frame sits at an anchor in the parent (orientation Qₐ) and at an anchor in the child (Q_b), and
 *   d = Qₐᵀ Rₐᵀ (x_b + R_b p_b − x_a − R_a p_a),      r = Qₐ⁻¹ qₐ⁻¹ q_b Q_b
 * are the child's displacement and rotation seen from the parent's joint frame. The axis of the joint is its z axis:
 * one constrained direction is the axis itself, two are the directions across it.
 *
 * Constraints: entries of d, and of 2·vec(r) (which is the rotation vector to first order). Of two hinges that do not meet, d is
 * from the foot of their common perpendicular on the first axis to that on the second: d − offset·n(r) is held at zero.
 * Coordinates: entries of d; the angle 2·atan2(r_z, r_w) about the axis; entries of the rotation vector where two or
 * three rotations are free; serial angles (x, then y, then z of the joint frame) where hinges follow one another.
 *
 * Every coordinate has a value θ(z), its change θ(z₊) − θ(z), which does not jump where the angle wraps, and an increment
 * Δ(z, z₊) whose rate is its velocity and along whose gradient at z₊ = z its forces act. Change and increment are one
 * but for rotation vectors, whose velocity is the relative angular velocity: Δ = 2·vec(r⁻¹ r₊). What has a potential
 * (springs, servos, limits, gears) goes by the change and acts along the gradient of the value.
 *
 * A pose knows an angle only up to its period: 4π about an axis, where the sign of r counts, and 2π of serial angles. Whoever
 * needs angles over any number of turns adds `turns`, a multiple of the period that a run carries along.
 */
import {
  add,
  atan2,
  div,
  ifLess,
  matVec,
  min,
  mul,
  neg,
  quaternionConjugate,
  quaternionMultiply,
  rotate,
  rotateInverse,
  rotationMatrix,
  type Scalar,
  sqrt,
  square,
  sub,
  transpose,
  vadd,
  vsub,
} from "../symbolic/index.ts";
import { type Pose, turned, turnedBack } from "./pose.ts";
import { rotationVectorFactor } from "./rotationVector.ts";

export interface JointType {
  /** Constrained translations, 0 to 3. */
  readonly translation: 0 | 1 | 2 | 3;
  /** Constrained rotations, 0 to 3. */
  readonly rotation: 0 | 1 | 2 | 3;
  /** True when the free rotations are serial angles: two (rotation = 1) or three (rotation = 0). */
  readonly serial: boolean;
  /** Three serial angles about x, y and −z of the joint frame instead of z. */
  readonly mirrored: boolean;
}

export interface JointFrames {
  readonly parentAnchor: readonly Scalar[];
  readonly parentFrame: readonly Scalar[];
  readonly childAnchor: readonly Scalar[];
  readonly childFrame: readonly Scalar[];
  /** Two serial angles: sine of the skew that keeps the second axis from being perpendicular to the first. */
  readonly skew: Scalar;
  /** Two serial angles: how far the second axis passes the first, along (first × second). */
  readonly axisOffset: Scalar;
}

export interface RelativePose {
  readonly displacement: readonly Scalar[];
  readonly rotation: readonly Scalar[];
}

const constrainedAxes = [[], [2], [0, 1], [0, 1, 2]] as const;
const freeAxes = [[0, 1, 2], [0, 1], [2], []] as const;

export function relativePose(frames: JointFrames, parent: Pose, child: Pose): RelativePose {
  const childPoint = vadd(child.position, turned(child, frames.childAnchor));
  const inParent = vsub(turnedBack(parent, vsub(childPoint, parent.position)), frames.parentAnchor);
  const parentToChild = quaternionMultiply(quaternionConjugate(parent.orientation), child.orientation);
  const rotation = matVec(frameProduct(frames), parentToChild);
  return {
    displacement: matVec(transpose(rotationMatrix(frames.parentFrame)), inParent),
    rotation: tiltedBetween(frames, parent, rotation, child),
  };
}

/** (1, −Qₐᵀθₐ/2) · r · (1, Q_bᵀθ_b/2): small rotations of parent and child, brought into the joint's frame. */
function tiltedBetween(frames: JointFrames, parent: Pose, rotation: readonly Scalar[], child: Pose): readonly Scalar[] {
  const inFrame = (frame: readonly Scalar[], tilt: readonly Scalar[], half: number): Scalar[] => [
    1,
    ...matVec(transpose(rotationMatrix(frame)), tilt).map((entry) => mul(half, entry)),
  ];
  const fromParent = parent.tilt
    ? quaternionMultiply(inFrame(frames.parentFrame, parent.tilt, -0.5), rotation)
    : rotation;
  return child.tilt ? quaternionMultiply(fromParent, inFrame(frames.childFrame, child.tilt, 0.5)) : fromParent;
}

/** Qₐ⁻¹ · q · Q_b as a matrix on q, which does not change during a step. */
function frameProduct({ parentFrame, childFrame }: JointFrames): Scalar[][] {
  const columns = [0, 1, 2, 3].map((k) => {
    const unit = [0, 1, 2, 3].map((i) => (i === k ? 1 : 0));
    return quaternionMultiply(quaternionConjugate(parentFrame), quaternionMultiply(unit, childFrame));
  });
  return transpose(columns);
}

/** The rows that a joint of this type holds at zero. Lengths, and radians to first order. */
export function constraintRows(type: JointType, frames: JointFrames, relative: RelativePose): Scalar[] {
  const { displacement, rotation: r } = relative;
  const reached = hasAxisOffset(type) ? vsub(displacement, axisPassing(frames, r)) : displacement;
  const translational = constrainedAxes[type.translation].map((i) => reached[i]);
  if (type.serial) {
    // x axis of the parent's frame against y axis of the child's: their angle never changes
    const skewRow = sub(mul(2, sub(mul(r[1], r[2]), mul(r[0], r[3]))), frames.skew);
    return type.rotation === 1 ? [...translational, skewRow] : translational;
  }
  return [...translational, ...constrainedAxes[type.rotation].map((i) => mul(2, r[1 + i]))];
}

/** Two hinges need not meet: the second axis may pass the first at a distance. */
export function hasAxisOffset(type: JointType): boolean {
  return type.serial && type.rotation === 1;
}

/** The way from the first axis to the second: the offset along n = x × R y / |x × R y|, their common perpendicular. */
function axisPassing(frames: JointFrames, r: readonly Scalar[]): Scalar[] {
  const y = rotate(r, [0, 1, 0]);
  const scale = div(frames.axisOffset, sqrt(sub(1, square(frames.skew))));
  return [0, neg(mul(scale, y[2])), mul(scale, y[1])];
}

export interface Coordinate {
  /** The number of radians after which the value repeats; 0 where it does not. */
  readonly period: number;
  readonly value: (relative: RelativePose) => Scalar;
  readonly change: (relative: RelativePose, next: RelativePose) => Scalar;
  readonly increment: (relative: RelativePose, next: RelativePose) => Scalar;
  /** The increment as hinges have it: where three in a row pass their lock, angles jump and hinges do not. As seen from the first pose. */
  readonly onward: (relative: RelativePose, next: RelativePose) => Scalar;
  /** The same as seen from the second pose. */
  readonly sofar: (before: RelativePose, relative: RelativePose) => Scalar;
}

/** Free coordinates, translations first, then rotations. */
export function coordinates(type: JointType): Coordinate[] {
  return [...freeAxes[type.translation].map(translationAlong), ...rotationCoordinates(type)];
}

function rotationCoordinates(type: JointType): Coordinate[] {
  if (type.serial)
    return type.rotation === 1
      ? twoAngles.map((angle) => serialAngle(angle, 2 * Math.PI))
      : (type.mirrored ? mirroredAngles : threeAngles).map(lockingAngle);
  if (type.rotation === 2) return [angleAboutAxis];
  return freeAxes[type.rotation].map(rotationVectorEntry);
}

/**
 * Coordinates of a joint whose values do not simply follow from their rates: entries of rotation vectors. Of all others
 * θ₊ = θ + h θ̇₊, whatever the poses, so that the derivatives of the rate are those of the value.
 */
export function turningCoordinates(type: JointType): number[] {
  return coordinates(type).flatMap(({ change, increment }, i) => (change === increment ? [] : [i]));
}

/** Three hinges in a row, of which the middle one can line up the others. */
export function canLock({ serial, rotation }: JointType): boolean {
  return serial && rotation === 0;
}

/** The cosine of the middle one of three angles over that at which their lock begins to be felt; 1 elsewhere. */
export function lockRoom({ rotation }: RelativePose): Scalar {
  const [, cosine] = threeAngles[1](rotation);
  return min(1, div(cosine, lockWidth));
}

/** Radians. */
const lockWidth = 0.05;

/** A coordinate whose velocity is the rate of its value. */
function holonomic(value: Coordinate["value"], change: Coordinate["change"], period = 0): Coordinate {
  return { period, value, change, increment: change, onward: change, sofar: change };
}

function translationAlong(i: number): Coordinate {
  return holonomic(
    ({ displacement }) => displacement[i],
    (z, next) => sub(next.displacement[i], z.displacement[i]),
  );
}

const angleAboutAxis = holonomic(
  ({ rotation: r }) => mul(2, atan2(r[3], r[0])),
  ({ rotation: r }, { rotation: s }) =>
    mul(2, atan2(sub(mul(s[3], r[0]), mul(s[0], r[3])), add(mul(s[0], r[0]), mul(s[3], r[3])))),
  4 * Math.PI,
);

function rotationVectorEntry(i: number): Coordinate {
  const value: Coordinate["value"] = ({ rotation }) => mul(rotationVectorFactor(rotation), rotation[1 + i]);
  const increment: Coordinate["increment"] = (z, next) =>
    mul(2, quaternionMultiply(quaternionConjugate(z.rotation), next.rotation)[1 + i]);
  const change: Coordinate["change"] = (z, next) => sub(value(next), value(z));
  return { period: 0, value, change, increment, onward: increment, sofar: increment };
}

/** An angle given by its (sine, cosine) up to a common positive factor. The middle one of three turns by a quarter at most, and back. */
type AngleOf = (r: readonly Scalar[]) => SineAndCosine;
type SineAndCosine = readonly [Scalar, Scalar];

/** Rotation Rx(θ₁) C Ry(θ₂), C a constant turn about z: angles from y of the child seen in the parent, x of the parent seen in the child. */
const twoAngles: readonly AngleOf[] = [
  (r) => {
    const y = rotate(r, [0, 1, 0]);
    return [y[2], y[1]];
  },
  (r) => {
    const x = rotateInverse(r, [1, 0, 0]);
    return [x[2], x[0]];
  },
];

/** Rotation Rx(θ₁) Ry(θ₂) Rz(θ₃). */
const threeAngles: readonly AngleOf[] = [
  (r) => {
    const z = rotate(r, [0, 0, 1]);
    return [neg(z[1]), z[2]];
  },
  (r) => {
    const z = rotate(r, [0, 0, 1]);
    return [z[0], sqrt(add(square(z[1]), square(z[2])))];
  },
  (r) => {
    const x = rotateInverse(r, [1, 0, 0]);
    return [neg(x[1]), x[0]];
  },
];

const mirroredAngles: readonly AngleOf[] = [
  threeAngles[0],
  threeAngles[1],
  (r) => {
    const [sine, cosine] = threeAngles[2](r);
    return [neg(sine), cosine];
  },
];

function serialAngle(angle: AngleOf, period: number): Coordinate {
  return holonomic(
    ({ rotation }) => atan2(...angle(rotation)),
    (z, next) => between(angle(z.rotation), angle(next.rotation)),
    period,
  );
}

/** The way from one angle to another. */
function between([s, c]: SineAndCosine, [sNext, cNext]: SineAndCosine): Scalar {
  return atan2(sub(mul(sNext, c), mul(cNext, s)), add(mul(cNext, c), mul(sNext, s)));
}

/**
 * One of three angles. (θ₁, θ₂, θ₃) and (θ₁ + π, π − θ₂, θ₃ + π) are one attitude, and the cosine of the middle one is taken as
 * positive. Hinges that swing through their lock, θ₂ = π/2, go on to the other side: θ₁ and θ₃ turn by less than a quarter in a step, and
 * θ₂ is where this makes it.
 */
function lockingAngle(angle: AngleOf, i: number): Coordinate {
  const plain = serialAngle(angle, i === 1 ? 0 : 2 * Math.PI);
  /** The angle at one pose on the side that the other is on. */
  const beside = (there: RelativePose, here: RelativePose): SineAndCosine => {
    const [s, c] = threeAngles[0](there.rotation);
    const [sHere, cHere] = threeAngles[0](here.rotation);
    const side = ifLess(add(mul(c, cHere), mul(s, sHere)), 0, -1, 1);
    const [sine, cosine] = angle(there.rotation);
    return [i === 1 ? sine : mul(side, sine), mul(side, cosine)];
  };
  return {
    ...plain,
    onward: (z, next) => between(angle(z.rotation), beside(next, z)),
    sofar: (before, z) => between(beside(before, z), angle(z.rotation)),
  };
}

/** cos of half the rotation angle: what a tilt limit bounds from below. */
export const halfAngleCosine = holonomic(
  ({ rotation }) => rotation[0],
  (z, next) => sub(next.rotation[0], z.rotation[0]),
);
