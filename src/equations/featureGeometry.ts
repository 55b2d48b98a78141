/** What every kind of contact feature is made of (contactFeature.ts), and the vectors that it takes. */
import { div, dot, type Scalar, sqrt, vadd, vscale, vsub } from "../symbolic/index.ts";
import { type Pose, turned, turnedBack } from "./pose.ts";

/** Functions of the poses of the two bodies of a feature. */
export interface FeatureGeometry {
  /** `start`: where the step begins, if the gap is one within it. */
  readonly gap: (body: Pose, other: Pose, start?: PosePair) => Scalar;
  readonly normal: (body: Pose, other: Pose) => Scalar[];
  /** `normal`: what the function of that name gives, where it is known. */
  readonly core: (body: Pose, other: Pose, normal?: readonly Scalar[]) => Core;
  /** Where the contact moves along the body within a step: what touches in its middle. Left out, it is what touches at its start. */
  readonly middle?: (start: PosePair, end: PosePair) => Middle;
  /** A direction off the normal, in the frame of `other`. */
  readonly tangent: readonly Scalar[];
}

export interface PosePair {
  readonly body: Pose;
  readonly other: Pose;
}

/** A point of the body, in its frame, and how far the contact lies from it against the normal. */
export interface Core {
  readonly point: readonly Scalar[];
  readonly radius: Scalar;
}

/** The feature to first order in what a step moves: the point of the core, at the distance that it has at the start, and the normal. */
export interface Middle {
  readonly point: readonly Scalar[];
  readonly normal: readonly Scalar[];
}

/** Takes the values of a feature one field at a time. */
export class ValueReader {
  private readonly values: readonly Scalar[];
  private at = 0;

  constructor(values: readonly Scalar[]) {
    this.values = values;
  }

  number(): Scalar {
    return this.values[this.at++];
  }

  numbers(count: number): readonly Scalar[] {
    this.at += count;
    return this.values.slice(this.at - count, this.at);
  }

  vector(): readonly Scalar[] {
    return this.numbers(3);
  }
}

/** x + R p: a point of a body in the world. */
export function placed(pose: Pose, point: readonly Scalar[]): Scalar[] {
  return vadd(pose.position, turned(pose, point));
}

/** A point of `body` in the frame of `other`. */
export function seenFrom(other: Pose, body: Pose, point: readonly Scalar[]): Scalar[] {
  return turnedBack(other, vsub(placed(body, point), other.position));
}

export function norm(v: readonly Scalar[]): Scalar {
  return sqrt(dot(v, v));
}

export function unit(v: readonly Scalar[]): Scalar[] {
  return vscale(v, div(1, norm(v)));
}
