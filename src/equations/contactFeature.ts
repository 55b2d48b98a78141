/**
 * What two bodies meet with at a contact, as expressions: a *feature* of each kind (geometry/features.ts has kinds, values and gaps), with
 * straight parts. `body` carries a core, a point, line or round set, thickened by a radius ρ; `other` is what it meets. Of two poses:
 *   gap       φ, by its closed form
 *   normal    unit, from other to body, in the frame of `other`
 *   core      the point of body's core that is nearest to `other`, in the frame of `body`; the contact is at core − ρ·normal
 * φ does not change when both bodies move as one, so impulses along its gradient are equal and opposite and have no net torque.
 */
import type { ContactFeature } from "../geometry/index.ts";
import { cross, div, dot, mul, type Scalar, sqrt, sub, vadd, vscale, vsub } from "../symbolic/index.ts";
import { type Pose, turned, turnedBack } from "./pose.ts";

export interface FeatureGeometry {
  readonly gap: (body: Pose, other: Pose) => Scalar;
  readonly normal: (body: Pose, other: Pose) => Scalar[];
  readonly core: (body: Pose, other: Pose) => Scalar[];
  /** ρ of the body's part. */
  readonly radius: Scalar;
  /** A direction off the normal, in the frame of `other`. */
  readonly tangent: readonly Scalar[];
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

/** `values` in the order of `featureFields`; directions may be of any length. */
export function featureGeometry(feature: ContactFeature, values: readonly Scalar[]): FeatureGeometry {
  const make = makers[feature];
  if (!make) throw new RangeError(`contacts of kind ${feature} have no equations`);
  return make(new ValueReader(values));
}

const makers: Readonly<Partial<Record<ContactFeature, (read: ValueReader) => FeatureGeometry>>> = {
  pointPlane,
  pointPoint,
  pointLine,
  lineLine,
};

/** φ = n·p − offset − ρ in the frame of the plane. */
function pointPlane(read: ValueReader): FeatureGeometry {
  const [point, radius, given, offset, tangent] = [
    read.vector(),
    read.number(),
    read.vector(),
    read.number(),
    read.vector(),
  ];
  const normal = unit(given);
  return {
    gap: (body, other) => sub(sub(dot(normal, seenFrom(other, body, point)), offset), radius),
    normal: () => normal,
    core: () => [...point],
    radius,
    tangent,
  };
}

/** φ = |w| − ρ − ρ_o,  w = p − p_o. */
function pointPoint(read: ValueReader): FeatureGeometry {
  const [point, radius, otherPoint, otherRadius, tangent] = [
    read.vector(),
    read.number(),
    read.vector(),
    read.number(),
    read.vector(),
  ];
  const between = (body: Pose, other: Pose): Scalar[] => vsub(placed(body, point), placed(other, otherPoint));
  return {
    gap: (body, other) => sub(sub(norm(between(body, other)), radius), otherRadius),
    normal: (body, other) => unit(turnedBack(other, between(body, other))),
    core: () => [...point],
    radius,
    tangent,
  };
}

/** φ = |w × d_o| − ρ − ρ_o; the normal is the part of w across the line. */
function pointLine(read: ValueReader): FeatureGeometry {
  const [point, radius, otherPoint] = [read.vector(), read.number(), read.vector()];
  const direction = unit(read.vector());
  const [otherRadius, tangent] = [read.number(), read.vector()];
  const between = (body: Pose, other: Pose): Scalar[] => vsub(placed(body, point), placed(other, otherPoint));
  return {
    gap: (body, other) => {
      const across = cross(between(body, other), turned(other, direction));
      return sub(sub(norm(across), radius), otherRadius);
    },
    normal: (body, other) => {
      const w = turnedBack(other, between(body, other));
      return unit(vsub(w, vscale(direction, dot(w, direction))));
    },
    core: () => [...point],
    radius,
    tangent,
  };
}

/** φ = sign w·c/|c| − ρ − ρ_o,  c = d × d_o; the core's point is where the lines are nearest. */
function lineLine(read: ValueReader): FeatureGeometry {
  const [point, direction, radius] = [read.vector(), read.vector(), read.number()];
  const [otherPoint, otherDirection, otherRadius] = [read.vector(), read.vector(), read.number()];
  const [sign, tangent] = [read.number(), read.vector()];
  const between = (body: Pose, other: Pose): Scalar[] => vsub(placed(body, point), placed(other, otherPoint));
  const normalInWorld = (body: Pose, other: Pose): Scalar[] => {
    const c = cross(turned(body, direction), turned(other, otherDirection));
    return vscale(c, div(sign, norm(c)));
  };
  return {
    gap: (body, other) => sub(sub(dot(between(body, other), normalInWorld(body, other)), radius), otherRadius),
    normal: (body, other) => turnedBack(other, normalInWorld(body, other)),
    core: (body, other) => {
      // w + s d − t d_o ⟂ both
      const w = between(body, other);
      const [d, e] = [turned(body, direction), turned(other, otherDirection)];
      const [dd, de, ee] = [dot(d, d), dot(d, e), dot(e, e)];
      const s = div(sub(mul(de, dot(w, e)), mul(ee, dot(w, d))), sub(mul(dd, ee), mul(de, de)));
      return vadd(point, vscale(direction, s));
    },
    radius,
    tangent,
  };
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
