/**
 * The joints of one body → one joint. A body's joints are applied one after another, from the parent's side, each about an axis
 * and a point that the ones before it carry along:
 *   slides, then hinges through one point, or a ball      prismatic … floating, by how many there are
 *   two hinges whose axes do not meet                     universal, with the distance at which they pass
 *   three hinges                                          serial, when they are perpendicular and meet
 * Coordinates are the file's own (a slide's may have the other sign): at zero the joint is turned back by its ref.
 */
import { quaternion, vector } from "../../math/index.ts";
import { type JointKind, jointFreedom, type Vector3 } from "../../mechanism/index.ts";
import { composePoses, inversePose, type Pose, posedPoint } from "../pose.ts";
import { elementError } from "../xml.ts";
import { type AxisForces, type JointBuilder, type JointFrame, noForces } from "./jointBuilder.ts";
import type { Ledger } from "./ledger.ts";
import type { Link } from "./links.ts";
import type { MjJoint } from "./model.ts";
import { boundsOf } from "./ranges.ts";
import type { RotationEntry, ScalarEntry } from "./stateMap.ts";

/** Lengths in metres and sines of angles below this are zero: files have six to eight digits. */
const TOLERANCE = 1e-7;

/** Which coordinate of which joint a hinge or slide is; `axis` of a ball or free joint is the first. */
export interface CoordinateOf {
  readonly builder: JointBuilder;
  readonly axis: number;
  readonly sign: 1 | -1;
}

export interface LinkJoint {
  readonly builder: JointBuilder;
  readonly coordinates: ReadonlyMap<MjJoint, CoordinateOf>;
  /** Coordinates count from the joint's first. */
  readonly entries: readonly (ScalarEntry | RotationEntry)[];
}

/** One joint of the file at zero coordinates, seen from the parent's frame. */
interface Step {
  readonly joint: MjJoint;
  readonly axis: Vector3;
  readonly point: Vector3;
}

export function linkJoint(link: Link, name: string, disabled: ReadonlySet<string>, ledger: Ledger): LinkJoint {
  const { root, parent } = link;
  const joints = root.joints;
  const refuse = (problem: string, at = 0) => elementError(joints[at].element, problem);
  if (joints[0].type === "free") return freeJoint(link, name, disabled);

  const above = (parent as Link).members.get(root.parent as NonNullable<typeof root.parent>) as Pose;
  const { zero, steps } = walk(composePoses(above, root.placement), joints);
  const slides = steps.filter(({ joint }) => joint.type === "slide");
  const turns = steps.filter(({ joint }) => joint.type !== "slide");
  const ball = turns.find(({ joint }) => joint.type === "ball");
  if (steps.length > 6 || slides.length > 3) throw refuse("a body has at most three slides; remove the others");
  if (ball && turns.length > 1) throw refuse("a ball and hinges in one body; give each a body with mass", 1);
  if (slides.length > 0 && turns.length > 1) {
    throw refuse("slides with several hinges in one body; put the hinges in a child body with mass, or use a ball");
  }

  // kind, axis and the order of the coordinates
  const kind = kindOf(slides.length, turns.length, ball !== undefined);
  const frame = axesOf(kind, slides, turns, refuse);
  const freeAxes = jointFreedom(frame).freeAxes;
  const slideFirst = steps.slice(0, slides.length).every(({ joint }) => joint.type === "slide");
  if (!slideFirst && kind !== "cylindrical") {
    throw refuse(
      "a slide after a hinge turns with it; put the slide in a child body with mass, or before the hinge",
      1,
    );
  }

  // where
  const { first, second, offset } = anchorsOf(steps, turns, refuse);
  const parentCenter = (parent as Link).center;
  const childAnchor = vector.sub(posedPoint(inversePose(zero), second), link.center);
  const builder: JointBuilder = {
    name,
    frame: {
      ...frame,
      parent: (parent as Link).name,
      child: link.name,
      parentAnchor: vector.sub(first, parentCenter),
      childAnchor,
      ...(offset !== 0 && { axisOffset: offset }),
      orientation: quaternion.normalize(zero.orientation),
      ...(ball?.joint.range && { tiltLimit: Math.min(ball.joint.range[1], Math.PI) }),
    },
    axes: freeAxes.map(noForces),
  };

  // coordinates
  const coordinates = new Map<MjJoint, CoordinateOf>();
  const entries: (ScalarEntry | RotationEntry)[] = [];
  for (const { joint, axis } of steps) {
    if (joint.type === "ball") {
      const at = freeAxes.length - 3;
      coordinates.set(joint, { builder, axis: at, sign: 1 });
      entries.push(rotationEntry(joint, at));
      continue;
    }
    const motion = joint.type === "slide" ? "translation" : "rotation";
    const nth = turns.findIndex((turn) => turn.joint === joint);
    const index =
      motion === "rotation"
        ? freeAxes.length - turns.length + nth
        : freeAxes.findIndex((free) => free.motion === motion && alignment(free.direction, axis) !== 0);
    if (index < 0) {
      const shown = freeAxes.filter((free) => free.motion === motion).map(({ direction }) => direction.map(round));
      const wayOut = `its slides must lie along ${shown.map((one) => one.join(" ")).join(" or ")}, or the other way`;
      throw elementError(joint.element, `several slides off the axes of a ${kind} joint; ${wayOut}: turn the bodies`);
    }
    const sign = motion === "rotation" ? 1 : (alignment(freeAxes[index].direction, axis) as 1 | -1);
    coordinates.set(joint, { builder, axis: index, sign });
    entries.push({ kind: "scalar", coordinate: index, qpos: joint.qpos, dof: joint.dof, sign, offset: 0 });
  }
  for (const [joint, { axis, sign }] of coordinates) {
    const count = joint.type === "ball" ? 3 : 1;
    for (let i = 0; i < count; i++) fillForces(builder.axes[axis + i], joint, sign, disabled);
  }
  if (turns.length === 3) checkMiddleAngle(turns[1].joint, ledger);
  return { builder, coordinates, entries };
}

function kindOf(slides: number, turns: number, ball: boolean): JointKind {
  if (ball) return (["spherical", "cylindricalFree", "planarFree", "floating"] as const)[slides];
  if (turns === 0) return (["fixed", "prismatic", "planar", "fixedOrientation"] as const)[slides];
  if (slides === 0) return (["fixed", "revolute", "universal", "serial"] as const)[turns] ?? "serial";
  return (["revolute", "cylindrical", "planarAxis", "freeRevolute"] as const)[slides];
}

type Refuse = (problem: string, at?: number) => Error;

function axesOf(
  kind: JointKind,
  slides: readonly Step[],
  turns: readonly Step[],
  refuse: Refuse,
): Pick<JointFrame, "kind" | "axis" | "axes"> {
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

/** The pose at zero coordinates, and each joint's axis and point on the way there. */
function walk(start: Pose, joints: readonly MjJoint[]): { readonly zero: Pose; readonly steps: Step[] } {
  let pose = start;
  const steps = joints.map((joint): Step => {
    const axis = vector.normalize(quaternion.rotate(pose.orientation, joint.axis));
    const point = posedPoint(pose, joint.position);
    if (joint.type === "slide") {
      pose = { ...pose, position: vector.sub(pose.position, vector.scale(axis, joint.ref)) };
    } else if (joint.type === "hinge" && joint.ref !== 0) {
      const back = quaternion.fromAxisAngle(joint.axis, -joint.ref);
      const orientation = quaternion.normalize(quaternion.multiply(pose.orientation, back));
      pose = { orientation, position: vector.sub(point, quaternion.rotate(orientation, joint.position)) };
    }
    return { joint, axis, point };
  });
  return { zero: pose, steps };
}

/** The parent's and the child's anchor, both in the parent's frame at zero coordinates. */
function anchorsOf(
  steps: readonly Step[],
  turns: readonly Step[],
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

function fillForces(axis: AxisForces, joint: MjJoint, sign: 1 | -1, disabled: ReadonlySet<string>): void {
  if (!disabled.has("spring") && joint.stiffness > 0) {
    axis.stiffness = joint.stiffness;
    // a ball's spring rests where the file puts the body
    axis.rest = joint.type === "ball" ? 0 : sign * joint.springRef || 0;
  }
  if (!disabled.has("damper")) axis.damping = joint.damping;
  axis.armature = joint.armature;
  if (!disabled.has("frictionloss")) axis.friction = joint.friction;
  if (joint.range && joint.type !== "ball") {
    const [lower, upper] = boundsOf(sign > 0 ? joint.range : [-joint.range[1], -joint.range[0]]);
    axis.lower = lower;
    axis.upper = upper;
  }
}

/** Absolute position of the body's origin and rotation vector of its orientation. */
function freeJoint(link: Link, name: string, disabled: ReadonlySet<string>): LinkJoint {
  const { root } = link;
  const [joint] = root.joints;
  const anchored = vector.norm(link.center) > 0;
  const builder: JointBuilder = {
    name,
    frame: {
      kind: "floating",
      parent: "world",
      child: link.name,
      ...(anchored && { childAnchor: vector.scale(link.center, -1) }),
    },
    axes: Array.from({ length: 6 }, noForces),
  };
  const start = [...root.world.position, ...quaternion.toRotationVector(root.world.orientation)];
  builder.axes.forEach((axis, i) => {
    fillForces(axis, joint, 1, disabled);
    axis.rest = axis.stiffness > 0 ? start[i] : 0;
  });
  const entries: (ScalarEntry | RotationEntry)[] = [0, 1, 2].map((i) => ({
    kind: "scalar",
    coordinate: i,
    qpos: joint.qpos + i,
    dof: joint.dof + i,
    sign: 1,
    offset: 0,
  }));
  entries.push({ ...rotationEntry(joint, 3), qpos: joint.qpos + 3, dof: joint.dof + 3 });
  return { builder, coordinates: new Map([[joint, { builder, axis: 0, sign: 1 }]]), entries };
}

/** Its frames are known when the mechanism is compiled. */
function rotationEntry(joint: MjJoint, coordinate: number): RotationEntry {
  const { identity } = quaternion;
  return {
    kind: "rotation",
    coordinate,
    qpos: joint.qpos,
    dof: joint.dof,
    left: identity,
    right: identity,
    rates: identity,
    inverted: false,
  };
}

/** Three serial angles cannot pass the point where the first and the third axis are parallel. */
function checkMiddleAngle(middle: MjJoint, ledger: Ledger): void {
  const reach = middle.range ? Math.max(-middle.range[0], middle.range[1]) : Number.POSITIVE_INFINITY;
  if (reach < Math.PI / 2) return;
  ledger.add("adjusted", middle.element, "the middle one of three hinges keeps within ±90 degrees here");
}

const round = (value: number): number => Number(value.toPrecision(6));
