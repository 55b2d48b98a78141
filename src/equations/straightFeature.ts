/**
 * Contact features of points, lines and planes, with radii. Where the normal turns within a step, as it does on what is round, the slip goes by
 * the mean of those of its start and its end: with that of the start, what rolls and spins about the normal lost energy of the order of h.
 */
import { add, cross, div, dot, min, mul, type Scalar, sub, vadd, vscale, vsub } from "../symbolic/index.ts";
import {
  type FeatureGeometry,
  norm,
  type PosePair,
  placed,
  seenFrom,
  unit,
  type ValueReader,
} from "./featureGeometry.ts";
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

/**
 * The same of a point that runs along t with the pose, as where a rim is lowest or crosses an edge: p = p₀ + t (a·(m − p₀) + b n·t), m the place of a
 * point of the other part that was at p₀, n the plane's normal. It runs with the pose in which the step begins, and stays where it is within it.
 */
export function rimPlane(read: ValueReader): FeatureGeometry {
  const [point, radius, along, shift, turn] = [
    read.vector(),
    read.number(),
    read.vector(),
    read.vector(),
    read.number(),
  ];
  const [given, offset, met, tangent] = [read.vector(), read.number(), read.vector(), read.vector()];
  const normal = unit(given);
  const runAt = ({ body, other }: PosePair): Scalar[] => {
    const shifted = dot(shift, vsub(seenFrom(body, other, met), point));
    const turns = dot(along, turnedBack(body, turned(other, normal)));
    return vadd(point, vscale(along, add(shifted, mul(turn, turns))));
  };
  return {
    gap: (body, other, start) =>
      sub(sub(dot(normal, seenFrom(other, body, start ? runAt(start) : point)), offset), radius),
    normal: () => normal,
    core: (body, other) => ({ point: runAt({ body, other }), radius }),
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
  const between = betweenPoints(point, otherPoint);
  const normal = (body: Pose, other: Pose): Scalar[] => unit(turnedBack(other, between(body, other)));
  return {
    gap: (body, other) => sub(sub(norm(between(body, other)), radius), otherRadius),
    normal,
    core: () => ({ point, radius }),
    middle: (start, end) => ({ point, normal: meanNormal(normal, start, end) }),
    tangent,
  };
}

/** φ = |w × d_o| − ρ − ρ_o; the normal is the part of w across the line. */
export function pointLine(read: ValueReader): FeatureGeometry {
  const [point, radius, otherPoint] = [read.vector(), read.number(), read.vector()];
  const direction = unit(read.vector());
  const [otherRadius, tangent] = [read.number(), read.vector()];
  const between = betweenPoints(point, otherPoint);
  const normal = (body: Pose, other: Pose): Scalar[] => {
    const w = turnedBack(other, between(body, other));
    return unit(vsub(w, vscale(direction, dot(w, direction))));
  };
  return {
    gap: (body, other) => {
      const across = cross(between(body, other), turned(other, direction));
      return sub(sub(norm(across), radius), otherRadius);
    },
    normal,
    core: () => ({ point, radius }),
    middle: (start, end) => ({ point, normal: meanNormal(normal, start, end) }),
    tangent,
  };
}

/**
 * φ = sign w·c/|c| − ρ − ρ_o,  c = d × d_o; the core's point is where the lines are nearest. w + s d − t d_o ⟂ both has the solution
 *   s = (d·d_o (w·d_o) − d_o·d_o (w·d))/D,   t = (d·d (w·d_o) − d·d_o (w·d))/D,   D = |c|²
 * In the middle of a step it is half as far along d as it comes, to first order: the same formula with the w of the end from these two points, and
 * the D of the start. Of lines that are nearly parallel, where the point may come far, it stays.
 */
export function lineLine(read: ValueReader): FeatureGeometry {
  const [point, direction, radius] = [read.vector(), read.vector(), read.number()];
  const [otherPoint, otherDirection, otherRadius] = [read.vector(), read.vector(), read.number()];
  const [sign, tangent] = [read.number(), read.vector()];
  const between = betweenPoints(point, otherPoint);
  const normalInWorld = (body: Pose, other: Pose): Scalar[] => {
    const c = cross(turned(body, direction), turned(other, otherDirection));
    return vscale(c, div(sign, norm(c)));
  };
  const normal = (body: Pose, other: Pose): Scalar[] => turnedBack(other, normalInWorld(body, other));
  const products = (body: Pose, other: Pose) => {
    const [d, e] = [turned(body, direction), turned(other, otherDirection)];
    return { d, e, dd: dot(d, d), de: dot(d, e), ee: dot(e, e) };
  };
  const nearest = (body: Pose, other: Pose) => {
    const w = between(body, other);
    const { d, e, dd, de, ee } = products(body, other);
    const D = sub(mul(dd, ee), mul(de, de));
    const s = div(sub(mul(de, dot(w, e)), mul(ee, dot(w, d))), D);
    const t = div(sub(mul(dd, dot(w, e)), mul(de, dot(w, d))), D);
    return { s, t, D, crossing: div(D, mul(dd, ee)) };
  };
  const moved = (start: PosePair, end: PosePair): Scalar => {
    const { s, t, D, crossing } = nearest(start.body, start.other);
    const { d, e, de, ee } = products(end.body, end.other);
    const w = vsub(vadd(between(end.body, end.other), vscale(d, s)), vscale(e, t));
    return mul(min(1, div(crossing, crossed)), div(sub(mul(de, dot(w, e)), mul(ee, dot(w, d))), D));
  };
  return {
    gap: (body, other) => sub(sub(dot(between(body, other), normalInWorld(body, other)), radius), otherRadius),
    normal,
    core: (body, other) => ({ point: vadd(point, vscale(direction, nearest(body, other).s)), radius }),
    middle: (start, end) => ({
      point: vadd(
        vadd(point, vscale(direction, nearest(start.body, start.other).s)),
        vscale(direction, mul(0.5, moved(start, end))),
      ),
      normal: meanNormal(normal, start, end),
    }),
    tangent,
  };
}

/** The vector from a point of the other part to one of the body's, in the world. */
function betweenPoints(point: readonly Scalar[], otherPoint: readonly Scalar[]) {
  return (body: Pose, other: Pose): Scalar[] => vsub(placed(body, point), placed(other, otherPoint));
}

/** sin² of the angle from which on lines cross. */
const crossed = 0.1;

function meanNormal(normal: (body: Pose, other: Pose) => Scalar[], start: PosePair, end: PosePair): Scalar[] {
  return vscale(vadd(normal(start.body, start.other), normal(end.body, end.other)), 0.5);
}
