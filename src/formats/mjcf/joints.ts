/**
 * The joints of one body → one joint (compoundJoint.ts). Coordinates are the file's own (a slide's may have the other sign): at zero
 * the joint is turned back by its ref.
 */
import { quaternion, vector } from "../../math/index.ts";
import type { Vector3 } from "../../mechanism/index.ts";
import { compoundJoint, type MotionStep } from "../compoundJoint.ts";
import { composePoses, inversePose, type Pose, posedPoint } from "../pose.ts";
import { elementError } from "../xml.ts";
import { type AxisForces, type JointBuilder, noForces } from "./jointBuilder.ts";
import type { Ledger } from "./ledger.ts";
import type { Link } from "./links.ts";
import type { MjJoint } from "./model.ts";
import { boundsOf } from "./ranges.ts";
import type { RotationEntry, ScalarEntry } from "./stateMap.ts";

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
  const compound = compoundJoint(
    steps.map(({ joint, ...step }) => ({ ...step, type: joint.type as MotionStep["type"] })),
    refuse,
  );
  const { frame, freeAxes, first, second, offset } = compound;
  const ball = joints.find(({ type }) => type === "ball");
  const turns = joints.filter(({ type }) => type !== "slide");
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
      ...(ball?.range && { tiltLimit: Math.min(ball.range[1], Math.PI) }),
    },
    axes: freeAxes.map(noForces),
  };

  // coordinates
  const coordinates = new Map<MjJoint, CoordinateOf>();
  const entries: (ScalarEntry | RotationEntry)[] = [];
  joints.forEach((joint, i) => {
    const { axis, sign } = compound.place(i);
    coordinates.set(joint, { builder, axis, sign });
    if (joint.type === "ball") entries.push(rotationEntry(joint, axis));
    else entries.push({ kind: "scalar", coordinate: axis, qpos: joint.qpos, dof: joint.dof, sign, offset: 0 });
  });
  for (const [joint, { axis, sign }] of coordinates) {
    const count = joint.type === "ball" ? 3 : 1;
    for (let i = 0; i < count; i++) fillForces(builder.axes[axis + i], joint, sign, disabled);
  }
  if (turns.length === 3) checkMiddleAngle(turns[1], ledger);
  return { builder, coordinates, entries };
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
