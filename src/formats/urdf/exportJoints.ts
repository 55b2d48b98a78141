/** Joints of a description as <joint> and <loop_joint> elements. */
import { quaternion, vector } from "../../math/index.ts";
import {
  eachAxis,
  entriesOf,
  isSerial,
  type JointDescription,
  jointFreedom,
  limitsPerAxis,
  type MechanismDescription,
  type PerAxis,
  perAxis,
  type Quaternion,
  type Vector3,
} from "../../mechanism/index.ts";
import { type Markup, markup } from "../markup.ts";
import { originAttributes, originElement } from "./exportAttributes.ts";
import type { Warn } from "./exportLosses.ts";
import { UNBOUNDED } from "./readJoint.ts";

export function jointElement(
  name: string,
  joint: JointDescription,
  origins: ReadonlyMap<string, Vector3>,
  mimic: Mimic | undefined,
  warn: Warn,
): Markup {
  const orientation = joint.orientation ?? quaternion.identity;
  const position = vector.sub(joint.parentAnchor ?? vector.zero, origins.get(joint.parent) ?? vector.zero);
  return markup("joint", { name, type: urdfType(joint) }, [
    markup("parent", { link: joint.parent }),
    markup("child", { link: joint.child }),
    originElement({ position, orientation }),
    ...motionElements(name, joint, quaternion.conjugate(orientation), warn),
    ...(mimic ? [markup("mimic", { ...mimic })] : []),
  ]);
}

/** The joint's frame has the directions of its child at zero coordinates. */
export function loopElement(
  name: string,
  joint: JointDescription,
  origins: ReadonlyMap<string, Vector3>,
  warn: Warn,
): Markup {
  const orientation = joint.orientation ?? quaternion.identity;
  const end = (role: string, link: string, anchor: Vector3 | undefined, turn: Quaternion): Markup => {
    const position = vector.sub(anchor ?? vector.zero, origins.get(link) ?? vector.zero);
    return markup(role, { link, ...originAttributes({ position, orientation: turn }) });
  };
  return markup("loop_joint", { name, type: urdfType(joint) }, [
    end("link1", joint.parent, joint.parentAnchor, orientation),
    end("link2", joint.child, joint.childAnchor, quaternion.identity),
    ...motionElements(name, joint, quaternion.conjugate(orientation), warn),
  ]);
}

function urdfType(joint: JointDescription): string {
  const unlimited = limitsPerAxis(joint.limits, 1)[0].every((bound) => bound === null);
  return joint.kind === "revolute" && unlimited ? "continuous" : joint.kind.toLowerCase();
}

/** <axis>, <limit> and <dynamics>; `turn` takes directions of the parent to those of the joint's frame. */
function motionElements(name: string, joint: JointDescription, turn: Quaternion, warn: Warn): Markup[] {
  const { freeAxes, constrainedTranslations, constrainedRotations } = jointFreedom(joint);
  if (freeAxes.length === 0) return [];
  const axisMatters = [constrainedTranslations, constrainedRotations].some((count) => count === 1 || count === 2);
  const axes = isSerial(joint.kind) ? (joint.axes ?? []) : axisMatters ? [joint.axis ?? vector.unitZ] : [];
  const elements = axes.map((axis) => markup("axis", { xyz: quaternion.rotate(turn, axis) }));

  const limits = limitsPerAxis(joint.limits, freeAxes.length);
  const [lower, upper] = freeAxes.length === 1 ? limits[0] : [null, null];
  const efforts = eachAxis<number>(joint.effortLimit, freeAxes.length).map((effort) => effort ?? UNBOUNDED);
  const effort = one(efforts, `joints.${name}.effortLimit`, warn);
  const bounded = lower !== null || upper !== null || joint.kind === "prismatic";
  const range = bounded ? { lower: lower ?? -UNBOUNDED, upper: upper ?? UNBOUNDED } : {};
  // the standard wants all four on revolute and prismatic joints
  if (bounded || effort < UNBOUNDED) elements.push(markup("limit", { ...range, effort, velocity: UNBOUNDED }));

  const same = (value: PerAxis<number> | undefined, field: string): number =>
    one(perAxis<number>(value, freeAxes.length, 0), `joints.${name}.${field}`, warn);
  const damping = same(joint.damping, "damping");
  const friction = same(joint.friction, "friction");
  if (damping > 0 || friction > 0) elements.push(markup("dynamics", { damping, friction }));
  return elements;
}

/** The value of all axes, or the mean of those that are bounded with a warning. */
function one(values: readonly number[], path: string, warn: Warn): number {
  if (values.every((value) => value === values[0])) return values[0];
  const bounded = values.filter((value) => value < UNBOUNDED);
  const mean = bounded.reduce((sum, value) => sum + value, 0) / bounded.length;
  warn(path, `differs from axis to axis, and URDF has one value for all; written is the mean, ${mean}`);
  return mean;
}

export interface Mimic {
  readonly joint: string;
  readonly multiplier: number;
  readonly offset: number;
}

/** Gears of two joints with one coordinate each, by the joint that follows; others are reported. */
export function mimicsOf(
  description: MechanismDescription,
  tree: ReadonlyMap<string, JointDescription>,
  warn: Warn,
): Map<string, Mimic> {
  const mimics = new Map<string, Mimic>();
  const leadsTo = (start: string, end: string): boolean => {
    let at: string | undefined = start;
    while (at !== undefined && at !== end) at = mimics.get(at)?.joint;
    return at === end;
  };
  for (const [name, { terms, offset = 0, range, stiffness, damping }] of entriesOf(description, "gears")) {
    if ((range ?? stiffness ?? damping) !== undefined) {
      warn(`gears.${name}`, "URDF has no limits, springs and dampers on sums of coordinates; left out");
      continue;
    }
    const simple = terms.every(({ joint }) => {
      const found = tree.get(joint);
      return found !== undefined && jointFreedom(found).freeAxes.length === 1;
    });
    // the first term follows the second, or the other way round where it follows another already
    const orders = terms.length === 2 && simple ? [terms, [terms[1], terms[0]]] : [];
    const free = orders.find(([own, leader]) => !mimics.has(own.joint) && !leadsTo(leader.joint, own.joint));
    if (!free) {
      warn(
        `gears.${name}`,
        "only gears between two joints with one coordinate each can be written, as <mimic>; left out",
      );
      continue;
    }
    const [own, leader] = free;
    mimics.set(own.joint, { joint: leader.joint, multiplier: -leader.ratio / own.ratio, offset: offset / own.ratio });
  }
  return mimics;
}
