/**
 * The joints of one body → one joint (compoundJoint.ts), or several with carriages between them (carriages.ts). Coordinates are the file's own (a slide's may have the other sign): at zero
 * the joint is turned back by its ref.
 */
import { quaternion, vector } from "../../math/index.ts";
import type { Vector3 } from "../../mechanism/index.ts";
import { identityPose, inversePose, type Pose, posedPoint } from "../pose.ts";
import type { JointGroup } from "./carriages.ts";
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

/** Joints from the parent's side to the body's. `names` gives each a name of its own. */
export function linkJoints(
  link: Link,
  freeName: (name: string) => string,
  disabled: ReadonlySet<string>,
  ledger: Ledger,
): LinkJoint[] {
  const { root, parent, hanging } = link;
  if (!hanging) return [freeJoint(link, freeName(root.joints[0].name ?? link.name), disabled)];
  const { groups, carriages, zero } = hanging;
  const ends = [
    { name: (parent as Link).name, frame: identityPose, center: (parent as Link).center },
    ...carriages.map(({ name, center }) => ({ name, frame: identityPose, center })),
    { name: link.name, frame: zero, center: link.center },
  ];
  return groups.map((group, i) => {
    // several joints in one go by their body's name
    const own = group.steps.length === 1 ? group.steps[0].joint.name : undefined;
    return groupJoint(group, freeName(own ?? link.name), ends[i], ends[i + 1], disabled, ledger);
  });
}

/** A body that a joint ends at; its frame at zero coordinates is seen from the root of the link that all of it hangs on. */
interface JointEnd {
  readonly name: string;
  readonly frame: Pose;
  /** Centre of mass, in the frame. */
  readonly center: Vector3;
}

/** A point of that root's frame as the body sees it. */
function anchorAt({ frame, center }: JointEnd, point: Vector3): Vector3 {
  return vector.sub(posedPoint(inversePose(frame), point), center);
}

function groupJoint(
  { steps, compound }: JointGroup,
  name: string,
  parent: JointEnd,
  child: JointEnd,
  disabled: ReadonlySet<string>,
  ledger: Ledger,
): LinkJoint {
  const { frame, freeAxes, first, second, offset } = compound;
  const joints = steps.map(({ joint }) => joint);
  const ball = joints.find(({ type }) => type === "ball");
  const turns = joints.filter(({ type }) => type !== "slide");
  const builder: JointBuilder = {
    name,
    frame: {
      ...frame,
      parent: parent.name,
      child: child.name,
      parentAnchor: anchorAt(parent, first),
      childAnchor: anchorAt(child, second),
      ...(offset !== 0 && { axisOffset: offset }),
      orientation: quaternion.normalize(child.frame.orientation),
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

/**
 * Absolute position of the body's origin and rotation vector of its orientation. With a spring both are zero where the file draws the
 * body: the torque −k θ is along the turn θ from there, not along the difference of two rotation vectors.
 */
function freeJoint(link: Link, name: string, disabled: ReadonlySet<string>): LinkJoint {
  const { root } = link;
  const [joint] = root.joints;
  const anchored = vector.norm(link.center) > 0;
  const isSprung = joint.stiffness > 0 && !disabled.has("spring");
  const zero = isSprung ? root.world : identityPose;
  const builder: JointBuilder = {
    name,
    frame: {
      kind: "floating",
      parent: "world",
      child: link.name,
      ...(anchored && { childAnchor: vector.scale(link.center, -1) }),
      ...(isSprung && { parentAnchor: zero.position, orientation: quaternion.normalize(zero.orientation) }),
    },
    axes: Array.from({ length: 6 }, noForces),
  };
  for (const axis of builder.axes) {
    fillForces(axis, joint, 1, disabled);
    axis.rest = 0;
  }
  const entries: (ScalarEntry | RotationEntry)[] = [0, 1, 2].map((i) => ({
    kind: "scalar",
    coordinate: i,
    qpos: joint.qpos + i,
    dof: joint.dof + i,
    sign: 1,
    offset: zero.position[i],
  }));
  entries.push({ ...rotationEntry(joint, 3), qpos: joint.qpos + 3, dof: joint.dof + 3, left: zero.orientation });
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
