/**
 * Several hinges, slides and balls in a row, with no body between them → one joint. They are applied one after another, from the
 * parent's side, each about an axis and a point that the ones before it carry along:
 *   slides, then a hinge or a ball                        prismatic … floating, by how many there are
 *   two hinges                                            universal, with the distance at which their axes pass
 *   three hinges                                          serial, when they are perpendicular and meet
 */
import { vector } from "../math/index.ts";
import {
  type FreeAxis,
  type JointDescription,
  type JointKind,
  jointFreedom,
  type Vector3,
} from "../mechanism/index.ts";

/** Lengths in metres and sines of angles below this are zero: files have six to eight digits. */
const TOLERANCE = 1e-7;

/** One of them at zero coordinates, seen from the parent's frame. */
export interface MotionStep {
  readonly type: "slide" | "hinge" | "ball";
  readonly axis: Vector3;
  readonly point: Vector3;
}

type JointAxes = Pick<JointDescription, "kind" | "axis" | "axes">;

export interface CompoundJoint {
  readonly frame: JointAxes;
  readonly freeAxes: readonly FreeAxis[];
  /** The parent's and the child's anchor, both in the parent's frame at zero coordinates; how far apart the axes of two hinges pass. */
  readonly first: Vector3;
  readonly second: Vector3;
  readonly offset: number;
  /** Which of the joint's coordinates a step is (a ball: the first of three), and whether it has the other sign. */
  place(step: number): { readonly axis: number; readonly sign: 1 | -1 };
}

/** What to throw: the problem with a way out, and the step that has it. */
export type Refuse = (problem: string, step?: number) => Error;

export function compoundJoint(steps: readonly MotionStep[], refuse: Refuse): CompoundJoint {
  const slides = steps.filter(({ type }) => type === "slide");
  const turns = steps.filter(({ type }) => type !== "slide");
  const ball = turns.find(({ type }) => type === "ball");
  if (steps.length > 6 || slides.length > 3) throw refuse("a body has at most three slides; remove the others");
  if (ball && turns.length > 1) throw refuse("a ball and hinges in one body; give each a body with mass", 1);
  if (slides.length > 0 && turns.length > 1) {
    throw refuse("slides with several hinges in one body; put the hinges in a child body with mass, or use a ball");
  }
  const kind = kindOf(slides.length, turns.length, ball !== undefined);
  const frame = axesOf(kind, slides, turns, refuse);
  const { freeAxes } = jointFreedom(frame);
  const slideFirst = steps.slice(0, slides.length).every(({ type }) => type === "slide");
  if (!slideFirst && kind !== "cylindrical") {
    throw refuse(
      "a slide after a hinge turns with it; put the slide in a child body with mass, or before the hinge",
      1,
    );
  }
  const places = steps.map((step, i) => placeOf(step, i));
  return { frame, freeAxes, ...anchorsOf(steps, turns, refuse), place: (step) => places[step] };

  function placeOf(step: MotionStep, i: number): { readonly axis: number; readonly sign: 1 | -1 } {
    if (step.type !== "slide")
      return { axis: freeAxes.length - (ball ? 3 : turns.length) + turns.indexOf(step), sign: 1 };
    const axis = freeAxes.findIndex(
      ({ motion, direction }) => motion === "translation" && alignment(direction, step.axis) !== 0,
    );
    if (axis >= 0) return { axis, sign: alignment(freeAxes[axis].direction, step.axis) as 1 | -1 };
    const shown = freeAxes
      .filter(({ motion }) => motion === "translation")
      .map(({ direction }) => direction.map(round));
    const wayOut = `its slides must lie along ${shown.map((one) => one.join(" ")).join(" or ")}, or the other way`;
    throw refuse(`several slides off the axes of a ${kind} joint; ${wayOut}: turn the bodies`, i);
  }
}

function kindOf(slides: number, turns: number, ball: boolean): JointKind {
  if (ball) return (["spherical", "cylindricalFree", "planarFree", "floating"] as const)[slides];
  if (turns === 0) return (["fixed", "prismatic", "planar", "fixedOrientation"] as const)[slides];
  if (slides === 0) return (["fixed", "revolute", "universal", "serial"] as const)[turns] ?? "serial";
  return (["revolute", "cylindrical", "planarAxis", "freeRevolute"] as const)[slides];
}

function axesOf(
  kind: JointKind,
  slides: readonly MotionStep[],
  turns: readonly MotionStep[],
  refuse: Refuse,
): JointAxes {
  const parallel = (a: Vector3, b: Vector3): boolean => vector.norm(vector.cross(a, b)) < TOLERANCE;
  const across = (a: Vector3, b: Vector3): boolean => Math.abs(vector.dot(a, b)) < TOLERANCE;
  for (const [i, a] of slides.entries()) {
    for (const b of slides.slice(i + 1)) {
      if (!across(a.axis, b.axis)) throw refuse("slides in one body must be perpendicular to each other", 1);
    }
  }
  switch (kind) {
    case "universal":
      if (parallel(turns[0].axis, turns[1].axis)) {
        throw refuse("two parallel hinges in one body; leave one out, or put it in a child body with mass", 1);
      }
      return { kind, axes: turns.map(({ axis }) => axis) };
    case "serial":
      if (turns.length > 3) throw refuse("more than three hinges in one body; remove the others", 3);
      for (const [i, j] of [
        [0, 1],
        [0, 2],
        [1, 2],
      ]) {
        if (!across(turns[i].axis, turns[j].axis)) {
          throw refuse("three hinges in one body must be perpendicular to each other; use a ball, or child bodies", j);
        }
      }
      return { kind, axes: perpendicular(turns.map(({ axis }) => axis)) };
    case "prismatic":
    case "cylindricalFree":
      return { kind, axis: slides[0].axis };
    case "planar":
    case "planarFree":
      return { kind, axis: vector.normalize(vector.cross(slides[0].axis, slides[1].axis)) };
    case "revolute":
      return { kind, axis: turns[0].axis };
    case "cylindrical":
      if (!parallel(slides[0].axis, turns[0].axis)) {
        throw refuse("a slide and a hinge in one body must be parallel; put one in a child body with mass", 1);
      }
      return { kind, axis: turns[0].axis };
    case "planarAxis":
      if (!slides.every(({ axis }) => across(axis, turns[0].axis))) {
        throw refuse("two slides and a hinge in one body: the hinge must be perpendicular to both", 1);
      }
      return { kind, axis: turns[0].axis };
    case "freeRevolute":
      return { kind, axis: turns[0].axis };
    default:
      return { kind };
  }
}

/** The same three axes, perpendicular to the last digit. */
function perpendicular([a, b, c]: readonly Vector3[]): Vector3[] {
  const second = vector.normalize(vector.sub(b, vector.scale(a, vector.dot(a, b))));
  const third = vector.cross(a, second);
  return [a, second, vector.dot(third, c) < 0 ? vector.scale(third, -1) : third];
}

/** The parent's and the child's anchor, both in the parent's frame at zero coordinates. */
function anchorsOf(
  steps: readonly MotionStep[],
  turns: readonly MotionStep[],
  refuse: Refuse,
): { readonly first: Vector3; readonly second: Vector3; readonly offset: number } {
  if (turns.length === 0) return { first: steps.at(-1)!.point, second: steps.at(-1)!.point, offset: 0 };
  const [a, b] = turns;
  if (turns.length === 1) return { first: a.point, second: a.point, offset: 0 };
  if (turns.length === 2) {
    // feet of the common perpendicular: a.point + s a.axis and b.point + t b.axis
    const between = vector.sub(b.point, a.point);
    const cosine = vector.dot(a.axis, b.axis);
    const [p, q] = [vector.dot(between, a.axis), vector.dot(between, b.axis)];
    const sine2 = 1 - cosine * cosine;
    const first = vector.add(a.point, vector.scale(a.axis, (p - cosine * q) / sine2));
    const second = vector.add(b.point, vector.scale(b.axis, (cosine * p - q) / sine2));
    const normal = vector.normalize(vector.cross(a.axis, b.axis));
    const offset = vector.dot(vector.sub(second, first), normal);
    // rounding of feet that meet
    if (Math.abs(offset) < 1e-12 * (1 + vector.norm(first))) return { first, second: first, offset: 0 };
    return { first, second, offset };
  }
  // the point nearest to three perpendicular lines: ½ Σ (1 − a aᵀ) p
  let meeting: Vector3 = vector.zero;
  for (const { axis, point } of turns) {
    const off = vector.sub(point, vector.scale(axis, vector.dot(axis, point)));
    meeting = vector.add(meeting, vector.scale(off, 0.5));
  }
  for (const [i, { axis, point }] of turns.entries()) {
    if (vector.norm(vector.cross(vector.sub(point, meeting), axis)) > TOLERANCE) {
      throw refuse("three hinges in one body must meet in a point; give them one pos, or child bodies with mass", i);
    }
  }
  return { first: meeting, second: meeting, offset: 0 };
}

/** 1 for the same direction, −1 for the opposite, 0 for any other. */
function alignment(a: Vector3, b: Vector3): 1 | -1 | 0 {
  if (vector.norm(vector.cross(a, b)) > TOLERANCE) return 0;
  return vector.dot(a, b) > 0 ? 1 : -1;
}

const round = (value: number): number => Number(value.toPrecision(6));
