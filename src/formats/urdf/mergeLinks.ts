/**
 * Links → rigid groups: a link that hangs on another by a fixed joint moves with it, so the two are one body. The group
 * of the root link may be the world.
 */
import { matrix3 } from "../../math/index.ts";
import type { Matrix3, Vector3 } from "../../mechanism/index.ts";
import { combinedMass, nearestInertia, repairInertia } from "../inertia.ts";
import { composePoses, identityPose, type Pose } from "../pose.ts";
import { elementError } from "../xml.ts";
import type { MeshReader } from "./collisionPoints.ts";
import type { UrdfReading } from "./readUrdf.ts";
import { inertiaOfShapes } from "./shapeInertia.ts";
import type { UrdfJoint, UrdfLink, UrdfModel } from "./urdfModel.ts";

export interface LinkGroup {
  /** Its topmost link: the body has this link's name and directions. */
  readonly top: UrdfLink;
  /** The joint by which it hangs; undefined for the root. */
  readonly joint: UrdfJoint | undefined;
  /** All its links, with their frames in the top link's. */
  readonly members: { readonly link: UrdfLink; readonly pose: Pose }[];
}

/** Groups from the root down, each after the one it hangs on. Throws on what is no tree. */
export function linkGroups(model: UrdfModel): LinkGroup[] {
  const root = rootLink(model);
  const jointsBelow = new Map<string, UrdfJoint[]>();
  for (const joint of model.joints.values()) {
    const siblings = jointsBelow.get(joint.parent);
    if (siblings) siblings.push(joint);
    else jointsBelow.set(joint.parent, [joint]);
  }
  const groups: LinkGroup[] = [{ top: root, joint: undefined, members: [{ link: root, pose: identityPose }] }];
  let reached = 1;
  // both lists grow while we walk them
  for (const group of groups) {
    for (const { link, pose } of group.members) {
      for (const joint of jointsBelow.get(link.name) ?? []) {
        const child = model.links.get(joint.child) as UrdfLink;
        reached++;
        if (joint.kind === "fixed") group.members.push({ link: child, pose: composePoses(pose, joint.pose) });
        else groups.push({ top: child, joint, members: [{ link: child, pose: identityPose }] });
      }
    }
  }
  if (reached < model.links.size) {
    const seen = new Set(groups.flatMap((group) => group.members.map((member) => member.link.name)));
    const lost = [...model.links.values()].find((link) => !seen.has(link.name)) as UrdfLink;
    throw elementError(lost.element, "joints run in a circle here; close the loop with a <loop_joint> instead");
  }
  return groups;
}

/** The one link that is nobody's child. */
function rootLink(model: UrdfModel): UrdfLink {
  const jointAbove = new Map<string, UrdfJoint>();
  for (const joint of model.joints.values()) {
    const other = jointAbove.get(joint.child);
    if (other) {
      throw elementError(
        joint.element,
        `link "${joint.child}" is already the child of joint "${other.name}"; close the loop with a <loop_joint> instead`,
      );
    }
    jointAbove.set(joint.child, joint);
  }
  const roots = [...model.links.values()].filter((link) => !jointAbove.has(link.name));
  if (roots.length === 1) return roots[0];
  if (roots.length === 0)
    throw elementError(model.element, "every link is a child: joints run in a circle; remove one");
  const names = roots.slice(0, 5).map((link) => `"${link.name}"`);
  throw elementError(
    roots[1].element,
    `${roots.length} links hang on nothing (${names.join(", ")}…); join all but one of them, with a fixed joint perhaps`,
  );
}

export interface GroupMass {
  readonly mass: number;
  /** Centre of mass in the top link's frame. */
  readonly centerOfMass: Vector3;
  readonly inertia: Matrix3;
}

/** Mass of a group that has any. A link may add inertia without mass. */
export function groupMass(group: LinkGroup, { warnings, repair, readMesh }: UrdfReading): GroupMass {
  const massive = group.members.filter(({ link }) => (link.inertial?.mass ?? 0) > 0);
  const parts = group.members.flatMap(({ link, pose }) => {
    const { inertial } = link;
    if (!inertial) return [];
    const { mass, inertia, pose: own } = inertial;
    if (mass === 0 && hasInertia(link))
      warnings.add("assumed", inertial.element, `has inertia without mass; it counts in body "${group.top.name}"`);
    return [{ mass, inertia, pose: composePoses(pose, own) }];
  });
  const { mass, centerOfMass, inertia } = combinedMass(parts);
  const checked = repairInertia(inertia);
  const { element } = massive[0].link.inertial as NonNullable<UrdfLink["inertial"]>;
  const name = `link "${group.top.name}"`;
  if (checked.status === "hopeless") {
    const problem = `${name} cannot have this inertia, ${checked.message}`;
    const wayOut = "correct it, or repair: true (--repair) takes the nearest that a body can have";
    if (!repair) throw elementError(element, `${problem}; ${wayOut}`);
    const nearest = nearestInertia(inertia);
    warnings.add("adjusted", element, `${problem}; ${nearest ? "the nearest possible one" : substituteName} is taken`);
    return { mass, centerOfMass, inertia: nearest ?? substitute(group, mass, readMesh) };
  }
  if (checked.status === "repaired") warnings.add("adjusted", element, `inertia of ${name}: ${checked.message}`);
  return { mass, centerOfMass, inertia: checked.inertia };
}

const substituteName = "that of its shapes, or of a ball of 1 cm where they have no volume,";

/** The inertia of a mass that gives none. */
function substitute({ top }: LinkGroup, mass: number, readMesh: MeshReader | undefined): Matrix3 {
  const found = inertiaOfShapes(top.collisions, mass, readMesh) ?? inertiaOfShapes(top.visuals, mass, readMesh);
  const moment = 0.4 * mass * 0.01 ** 2;
  return found?.inertia ?? matrix3.diagonal(moment, moment, moment);
}

export function hasInertia({ inertial }: UrdfLink): boolean {
  return inertial?.inertia.some((row) => row.some((entry) => entry !== 0)) ?? false;
}
