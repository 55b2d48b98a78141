/** Joints, loop joints and mimics of a URDF model → joints and gears between bodies. */
import { quaternion, vector } from "../../math/index.ts";
import {
  type GearDescription,
  isSerial,
  type JointDescription,
  jointFreedom,
  nearestName,
} from "../../mechanism/index.ts";
import { compoundJoint, type MotionStep } from "../compoundJoint.ts";
import { composePoses, type Pose } from "../pose.ts";
import { elementError, type WarningList } from "../xml.ts";
import { type HangingGroup, MasslessLinkError } from "./masslessLinks.ts";
import type { LinkFrame, UrdfJoint, UrdfLoop, UrdfModel, UrdfMotion } from "./urdfModel.ts";

export type ActuatedJoints = "all" | "transmissions" | "none";

/** Directions in which the joint slides. */
export function slideCount(joint: UrdfMotion): number {
  if (isSerial(joint.kind)) return 0;
  return jointFreedom({ kind: joint.kind }).freeAxes.filter((axis) => axis.motion === "translation").length;
}

/** What became of the joints of a file: the joint here, its coordinate, and whether that has the other sign. */
export interface JointPlace {
  readonly joint: string;
  readonly axis: number;
  readonly sign: 1 | -1;
}

export function treeJoint(
  joint: UrdfJoint,
  model: UrdfModel,
  frames: ReadonlyMap<string, LinkFrame>,
  actuated: ActuatedJoints | undefined,
): JointDescription {
  const parent = frames.get(joint.parent) as LinkFrame;
  const child = frames.get(joint.child) as LinkFrame;
  return {
    ...jointBetween(joint, parent.body, composePoses(parent, joint.pose), child.body, child),
    ...(isActuated(joint, model, parent, actuated) && { actuated: true }),
  };
}

/** Joints in a row with links without mass between them, as one. */
export function chainJoint(
  chain: HangingGroup["chain"],
  model: UrdfModel,
  frames: ReadonlyMap<string, LinkFrame>,
  actuated: ActuatedJoints | undefined,
): { readonly joint: JointDescription; readonly places: readonly Omit<JointPlace, "joint">[] } {
  const refuse = (problem: string, step = 0): Error => {
    const { joint, carrier } = chain[Math.max(1, step)];
    const { name } = carrier.top;
    const what = `link "${name}" has no mass, so its joints are one here: ${problem}; or repair: true (--repair) gives it 1 g`;
    return new MasslessLinkError(carrier.top, joint.element, what);
  };

  // walk from the body that carries the first to the one that hangs on the last, all at zero
  const parent = frames.get(chain[0].joint.parent) as LinkFrame;
  const child = frames.get(chain[chain.length - 1].joint.child) as LinkFrame;
  let pose: Pose = parent;
  const steps = chain.map(({ joint, carrier }, i): MotionStep => {
    const type = stepTypes[joint.kind];
    if (!type) throw refuse(`a ${joint.kind} joint cannot be part of a row; give the link an <inertial>`, i);
    const member = carrier.members.find(({ link }) => link.name === joint.parent);
    if (i > 0 && member) pose = composePoses(pose, member.pose);
    pose = composePoses(pose, joint.pose);
    return { type, axis: quaternion.rotate(pose.orientation, joint.axes[0] ?? vector.unitX), point: pose.position };
  });
  const { frame, freeAxes, first, second, offset, place } = compoundJoint(steps, refuse);

  // the child's anchor: where the last joint's frame is in the body and in the parent
  const turn = quaternion.normalize(quaternion.multiply(pose.orientation, quaternion.conjugate(child.orientation)));
  const childAnchor = vector.add(child.position, quaternion.rotateInverse(turn, vector.sub(second, pose.position)));
  const places = chain.map((_, i) => place(i));
  const each = <T>(none: T, value: (joint: UrdfJoint, sign: 1 | -1) => T): T[] => {
    const values = freeAxes.map(() => none);
    chain.forEach(({ joint }, i) => {
      const { axis, sign } = places[i];
      const count = joint.kind === "spherical" ? 3 : 1;
      for (let k = 0; k < count; k++) values[axis + k] = value(joint, sign);
    });
    return values;
  };
  const limits = each<readonly [number | null, number | null]>([null, null], ({ limits: own }, sign) => {
    const [lower, upper] = own ?? [null, null];
    return sign > 0 ? [lower, upper] : [upper === null ? null : -upper, lower === null ? null : -lower];
  });
  const [damping, friction] = (["damping", "friction"] as const).map((name) => each(0, (joint) => joint[name] ?? 0));
  const efforts = each<number | null>(null, ({ effort }) => effort ?? null);
  const driven = each(false, (joint) => isActuated(joint, model, parent, actuated));
  const joint: JointDescription = {
    ...frame,
    parent: parent.body,
    child: child.body,
    parentAnchor: first,
    childAnchor,
    orientation: turn,
    ...(offset !== 0 && { axisOffset: offset }),
    ...(limits.some((pair) => pair.some((bound) => bound !== null)) && { limits }),
    ...(damping.some((value) => value > 0) && { damping }),
    ...(friction.some((value) => value > 0) && { friction }),
    ...(efforts.some((value) => value !== null) && { effortLimit: efforts }),
    ...(driven.some(Boolean) && { actuated: driven }),
  };
  return { joint, places };
}

const stepTypes: Readonly<Partial<Record<JointDescription["kind"], MotionStep["type"]>>> = {
  revolute: "hinge",
  prismatic: "slide",
  spherical: "ball",
};

/** The joint's frame is `inParent` in one body and, at zero coordinates, `inChild` in the other. */
function jointBetween(
  motion: UrdfMotion,
  parent: string,
  inParent: Pose,
  child: string,
  inChild: Pose,
  sign = 1,
): JointDescription {
  const axes = motion.axes.map((axis) => vector.scale(quaternion.rotate(inParent.orientation, axis), sign));
  const { limits = [null, null], damping = 0, friction = 0, effort } = motion;
  return {
    kind: motion.kind,
    parent,
    child,
    parentAnchor: inParent.position,
    childAnchor: inChild.position,
    ...(isSerial(motion.kind) ? { axes } : { axis: axes[0] }),
    orientation: quaternion.normalize(
      quaternion.multiply(inParent.orientation, quaternion.conjugate(inChild.orientation)),
    ),
    ...(limits.some((bound) => bound !== null) && { limits }),
    ...(damping > 0 && { damping }),
    ...(friction > 0 && { friction }),
    ...(effort !== undefined && { effortLimit: effort }),
  };
}

export function loopJoint(loop: UrdfLoop, frames: ReadonlyMap<string, LinkFrame>): JointDescription {
  const [first, second] = loop.ends.map(({ link, pose }) => {
    const frame = frames.get(link) as LinkFrame;
    return { body: frame.body, pose: composePoses(frame, pose) };
  });
  if (first.body === second.body) {
    throw elementError(loop.element, `both ends are on "${first.body}", which moves as one; remove it`);
  }
  // the world can only be a parent; seen from the other side, the axis points the other way
  if (second.body === "world") return jointBetween(loop, second.body, second.pose, first.body, first.pose, -1);
  return jointBetween(loop, first.body, first.pose, second.body, second.pose);
}

function isActuated(
  joint: UrdfJoint,
  model: UrdfModel,
  parent: LinkFrame,
  actuated: ActuatedJoints | undefined,
): boolean {
  const from = actuated ?? (model.driven ? "transmissions" : "all");
  if (from === "none") return false;
  if (from === "transmissions") return model.driven?.has(joint.name) ?? false;
  const isBase = parent.body === "world" && slideCount(joint) >= 2;
  return !isBase && !joint.mimic;
}

/** q = multiplier·q_leader + offset for each <mimic> that makes sense, and no chain of them that closes. */
export function mimicGears(
  model: UrdfModel,
  places: ReadonlyMap<string, JointPlace>,
  named: (name: string) => string,
  warnings: WarningList,
): Map<string, GearDescription> {
  const gears = new Map<string, GearDescription>();
  // the joint at the head of each chain; paths are shortened as they are walked
  const leaders = new Map<string, string>();
  const headOf = (name: string): string => {
    let at = name;
    for (let next = leaders.get(at); next !== undefined; next = leaders.get(at)) {
      leaders.set(at, leaders.get(next) ?? next);
      at = next;
    }
    return at;
  };
  for (const joint of model.joints.values()) {
    if (!joint.mimic || joint.kind === "fixed") continue;
    const { element, joint: leaderName, multiplier, offset } = joint.mimic;
    const leader = model.joints.get(leaderName);
    const own = places.get(joint.name);
    if (!own) continue;
    const lead = places.get(leaderName);
    const problem = !leader
      ? `no joint is called "${leaderName.slice(0, 60)}"${hint(leaderName, model)}`
      : leader.kind !== "fixed" && !lead
        ? `joint "${leaderName}" is left out`
        : axisCount(joint) !== 1 || (leader.kind !== "fixed" && axisCount(leader) !== 1)
          ? "only joints with one coordinate can follow each other"
          : headOf(leaderName) === joint.name
            ? "the joints follow each other in a circle"
            : undefined;
    if (!leader || problem !== undefined) {
      warnings.add("ignored", element, `${problem}; joint "${joint.name}" moves freely`);
      continue;
    }
    leaders.set(joint.name, leaderName);
    const follows = multiplier !== 0 && leader.kind !== "fixed";
    const term = ({ joint: name, axis, sign }: JointPlace, ratio: number) => ({
      joint: name,
      ...(axis > 0 && { axis }),
      ratio: sign * ratio,
    });
    gears.set(named(`${joint.name}_mimic`), {
      terms: [term(own, 1), ...(follows && lead ? [term(lead, -multiplier)] : [])],
      ...(offset !== 0 && { offset }),
    });
  }
  return gears;
}

function hint(name: string, model: UrdfModel): string {
  const nearest = nearestName(name, [...model.joints.keys()]);
  return nearest === undefined ? "" : `, did you mean "${nearest}"?`;
}

function axisCount({ kind, axes }: UrdfMotion): number {
  return jointFreedom(isSerial(kind) ? { kind, axes } : { kind }).freeAxes.length;
}
