/** Contact features of points, lines and planes, with radii. */
import { cross, div, dot, mul, type Scalar, sub, vadd, vscale, vsub } from "../symbolic/index.ts";
import { type FeatureGeometry, norm, placed, seenFrom, unit, type ValueReader } from "./featureGeometry.ts";
import { type Pose, turned, turnedBack } from "./pose.ts";

/** φ = n·p − offset − ρ in the frame of the plane. */
export function pointPlane(read: ValueReader): FeatureGeometry {
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
    core: () => ({ point, radius }),
    tangent,
  };
}

/** φ = |w| − ρ − ρ_o,  w = p − p_o. */
export function pointPoint(read: ValueReader): FeatureGeometry {
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
    core: () => ({ point, radius }),
    tangent,
  };
}

/** φ = |w × d_o| − ρ − ρ_o; the normal is the part of w across the line. */
export function pointLine(read: ValueReader): FeatureGeometry {
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
    core: () => ({ point, radius }),
    tangent,
  };
}

/** φ = sign w·c/|c| − ρ − ρ_o,  c = d × d_o; the core's point is where the lines are nearest. */
export function lineLine(read: ValueReader): FeatureGeometry {
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
      return { point: vadd(point, vscale(direction, s)), radius };
    },
    tangent,
  };
}
