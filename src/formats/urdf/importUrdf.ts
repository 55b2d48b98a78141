/**
 * URDF → description. Each link becomes a body with the link's directions and its origin at the centre of mass; links
 * on fixed joints are merged into their parents. Anchors, shapes and contact points are shifted to match, and
 * `linkFrames` says where each link of the file went.
 *
 * The base. With "auto" (the default) the root link is the world itself if it is called "world", or it and all that is
 * fixed to it have no mass, or all that hangs on it does so by joints that slide in two directions or more (floating,
 * planar, planaraxis, …: such joints are the robot's own base). Otherwise it floats: a floating joint `floating_base`
 * is added, whose coordinates are the pose of the root link. Arms that stand on a base with mass need base: "fixed".
 */
import { vector } from "../../math/index.ts";
import {
  assertDescription,
  type BodyDescription,
  type ContactDescription,
  type JointDescription,
  type MechanismDescription,
  optionNamesOf,
  orderOf,
  requireOptionNames,
  type Shape,
  type Vector3,
} from "../../mechanism/index.ts";
import { FormatError, type FormatWarning } from "../formatError.ts";
import { composePoses, movedPose, type Pose, posedPoint } from "../pose.ts";
import { elementError, WarningList } from "../xml.ts";
import { contactSpheres, type MeshReader, primitives } from "./collisionPoints.ts";
import { flooredContact, initialState } from "./initialState.ts";
import {
  type ActuatedJoints,
  chainJoint,
  type JointPlace,
  loopJoint,
  mimicGears,
  slideCount,
  treeJoint,
} from "./makeJoints.ts";
import { type HangingGroup, MasslessLinkError, withoutMassless, withSpecks } from "./masslessLinks.ts";
import { groupMass, type LinkGroup, linkGroups } from "./mergeLinks.ts";
import { readUrdf, type UrdfReading } from "./readUrdf.ts";
import { type TouchingOptions, touchingShapes } from "./touchingShapes.ts";
import type { LinkFrame, UrdfJoint, UrdfLink, UrdfModel } from "./urdfModel.ts";

export interface UrdfOptions extends TouchingOptions {
  /** The file's name for messages. Default "urdf". */
  readonly fileName?: string;
  /** Default "auto": see the head of this file. */
  readonly base?: "auto" | "floating" | "fixed";
  /** Which joints get an input. Default "transmissions" where the file has any, else "all" but bases, followers and loops. */
  readonly actuated?: ActuatedJoints;
  /** Default 0.01 s. */
  readonly timestep?: number;
  /** Default [0, 0, -9.81]. */
  readonly gravity?: Vector3;
  /** kg/m³: links that give no mass have that of their collision shapes, or of their visual ones. Default: they have none. */
  readonly density?: number;
  /**
   * Mends what no mechanism can have, each with a warning: inertias (the nearest possible one), limits whose bounds are exchanged, links without
   * mass that no single joint stands for (a speck of 1 g). Default false: such files are refused.
   */
  readonly repair?: boolean;
  /** Text of a file that `<xacro:include>` names, by its path from this one, or as package://name/path. Default: includes are refused. */
  readonly readFile?: (file: string) => string | undefined;
  /** Values of `<xacro:arg>`. Default those of the file. */
  readonly xacroArgs?: Readonly<Record<string, string>>;
  /** Put before the name of every body, joint, gear and contact. Default none. */
  readonly namePrefix?: string;
}

const floorNames = optionNamesOf<NonNullable<UrdfOptions["floor"]>>()("contacts frictionCoefficient height");
const optionNames = optionNamesOf<UrdfOptions>()(
  "collisions floor srdf srdfName hullVertices readMesh fileName base actuated timestep gravity density repair readFile xacroArgs namePrefix",
);

export interface UrdfImport {
  readonly description: MechanismDescription;
  /** All that was left out, changed or assumed. */
  readonly warnings: readonly FormatWarning[];
  /** The body that each link of the file is part of, and the link's frame in it; none for a link without mass between joints. */
  readonly linkFrames: Readonly<Record<string, LinkFrame>>;
  /** The joint and coordinate that each joint of the file became; the file's is `sign` times ours. */
  readonly jointPlaces: Readonly<Record<string, JointPlace>>;
}

/** Throws `FormatError` on a file that cannot be read, and `DescriptionError` on figures that no mechanism can have. */
export function importUrdf(text: string, options: UrdfOptions = {}): UrdfImport {
  requireOptionNames("options", options, optionNames);
  if (options.floor) requireOptionNames("options.floor", options.floor, floorNames);
  const { density } = options;
  if (density !== undefined && !(Number.isFinite(density) && density > 0))
    throw new RangeError(`options.density is ${density}; give kg/m³ above 0, such as 1000`);
  // links that need a speck of mass are found one after another
  const specks = new Set<string>();
  for (;;) {
    try {
      return importWith(text, options, specks);
    } catch (error) {
      if (!(error instanceof MasslessLinkError) || options.repair !== true || specks.has(error.link)) throw error;
      specks.add(error.link);
    }
  }
}

function importWith(text: string, given: UrdfOptions, specks: ReadonlySet<string>): UrdfImport {
  const warnings = new WarningList();
  const options = { ...given, ...(given.readMesh && { readMesh: withoutBadMeshes(given.readMesh, warnings) }) };
  const reading: UrdfReading = {
    warnings,
    readMesh: options.readMesh,
    density: options.density,
    repair: options.repair ?? false,
    xacro: { args: options.xacroArgs ?? {}, readFile: options.readFile },
  };
  const model = withSpecks(readUrdf(text, options.fileName ?? "urdf", reading), specks, warnings);
  const { timestep = 0.01, gravity, namePrefix = "" } = options;
  const named = (name: string): string => namePrefix + name;

  const all = linkGroups(model);
  const fixedBase = isBaseFixed(model, all, options, warnings);
  const { groups, leftOut } = withoutMassless(all, model, fixedBase, warnings);
  const { bodies, frames, fixed } = makeBodies(groups, fixedBase, named, options, reading);
  if (bodies.size === 0) {
    const massless =
      "no link that moves has mass; give one an <inertial>, or option density (--density 1000), which takes it from shapes";
    const still = "nothing in the file moves; give a link an <inertial> and a joint that moves, or let the base float";
    throw elementError(model.element, leftOut.size > 0 ? massless : still);
  }
  const joints = new Map<string, JointDescription>();
  if (!fixedBase) {
    const { body, position, orientation } = frames.get(groups[0].top.name) as LinkFrame;
    const name = uniqueName("floating_base", model);
    joints.set(named(name), { kind: "floating", parent: "world", child: body, childAnchor: position, orientation });
  }
  const { order, places } = addTreeJoints(joints, groups, model, frames, named, options);
  for (const loop of model.loops.values()) joints.set(named(loop.name), loopJoint(loop, frames));
  const gears = mimicGears(model, places, named, warnings);
  if (options.srdf !== undefined && options.collisions !== "shapes") {
    warnings.add("ignored", model.element, 'the SRDF file has no effect without collisions: "shapes"');
  }
  const touching =
    options.collisions === "shapes" ? touchingShapes(model, groups, frames, options, warnings) : undefined;
  const contacts = touching ? [] : makeContacts(groups, frames, named, options, warnings);
  const floored = touching ? touching.floored : contacts.map(flooredContact);
  const initial = initialState(joints, order, gears.values(), floored);

  const description: MechanismDescription = {
    name: model.name,
    timestep,
    ...(gravity && { gravity }),
    bodies: touching ? touching.withShapes(bodies) : Object.fromEntries(bodies),
    ...(joints.size > 0 && { joints: Object.fromEntries(joints) }),
    ...(contacts.length > 0 && { contacts }),
    ...(fixed.length > 0 && { shapes: fixed }),
    ...touching?.world,
    ...(gears.size > 0 && { gears: Object.fromEntries(gears) }),
    states: { initial: initial.joints },
    ...orderOf({ bodies: bodies.keys(), joints: joints.keys(), gears: gears.keys() }),
  };
  assertDescription(description);
  const complete = touching ? touching.separated(description, initial.poses) : description;
  return {
    description: complete,
    warnings: warnings.warnings,
    linkFrames: Object.fromEntries(frames),
    jointPlaces: Object.fromEntries(places),
  };
}

/** A mesh that cannot be read is as good as one that is not there, with a warning. */
function withoutBadMeshes(readMesh: MeshReader, warnings: WarningList): MeshReader {
  const bad = new Set<string>();
  return (file) => {
    try {
      return readMesh(file);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      const place = { ...error, name: "mesh", attributes: new Map(), children: [], text: "" };
      if (!bad.has(file)) warnings.add("ignored", place, `is left out, since it cannot be read: ${error.problem}`);
      bad.add(file);
      return undefined;
    }
  };
}

/** Joints of the tree in the order of the file; several in a row go by the name of the link that hangs on them. */
function addTreeJoints(
  joints: Map<string, JointDescription>,
  groups: readonly HangingGroup[],
  model: UrdfModel,
  frames: ReadonlyMap<string, LinkFrame>,
  named: (name: string) => string,
  options: UrdfOptions,
): { readonly order: string[]; readonly places: Map<string, JointPlace> } {
  // from the world outwards
  const order = [...joints.keys()];
  const taken = new Set(order);
  const hung = new Map<UrdfJoint, { readonly name: string; readonly chain: HangingGroup["chain"] }>();
  for (const { chain, top } of groups) {
    if (chain.length === 0) continue;
    let name = named(chain.length === 1 ? chain[0].joint.name : uniqueName(top.name, model));
    while (taken.has(name)) name += "_";
    taken.add(name);
    order.push(name);
    for (const { joint } of chain) hung.set(joint, { name, chain });
  }
  const places = new Map<string, JointPlace>();
  for (const joint of model.joints.values()) {
    const found = hung.get(joint);
    if (!found || joints.has(found.name)) continue;
    const { name, chain } = found;
    if (chain.length === 1) {
      joints.set(name, treeJoint(joint, model, frames, options.actuated));
      places.set(joint.name, { joint: name, axis: 0, sign: 1 });
      continue;
    }
    const made = chainJoint(chain, model, frames, options.actuated);
    joints.set(name, made.joint);
    made.places.forEach((place, i) => {
      places.set(chain[i].joint.name, { joint: name, ...place });
    });
  }
  return { order, places };
}

function isBaseFixed(
  model: UrdfModel,
  groups: readonly LinkGroup[],
  options: UrdfOptions,
  warnings: WarningList,
): boolean {
  const { base = "auto" } = options;
  const [root] = groups;
  const members = new Set(root.members.map(({ link }) => link.name));
  const hanging = groups.filter(({ joint }) => joint && members.has(joint.parent));
  if (base === "fixed") {
    const free = hanging.find(({ joint }) => joint !== undefined && slideCount(joint) === 3)?.joint;
    if (free) {
      const message = `is held by base: "fixed", and joint "${free.name}" floats on it; make its type fixed to hold the robot`;
      warnings.add("ignored", root.top.element, message);
    }
    return true;
  }
  if (base === "floating") return false;
  const mass = root.members.some(({ link: { inertial } }) => inertial && inertial.mass > 0 && !inertial.assumed);
  if (root.top.name === "world" || !mass) return true;
  const isBaseJoint = ({ joint }: LinkGroup): boolean => joint !== undefined && slideCount(joint) >= 2;
  if (hanging.length > 0 && hanging.every(isBaseJoint)) {
    const names = hanging.map(({ joint }) => `"${joint?.name}"`).join(", ");
    warnings.add(
      "assumed",
      root.top.element,
      `is the world, because ${names} moves the robot on it; base: "floating" frees it`,
    );
    return true;
  }
  if (model.joints.size > 0) {
    warnings.add("assumed", root.top.element, 'the root link has mass, so the robot floats; base: "fixed" holds it');
  }
  return false;
}

function makeBodies(
  groups: readonly LinkGroup[],
  fixedBase: boolean,
  named: (name: string) => string,
  options: UrdfOptions,
  reading: UrdfReading,
): { bodies: Map<string, BodyDescription>; frames: Map<string, LinkFrame>; fixed: Shape[] } {
  const { warnings } = reading;
  const bodies = new Map<string, BodyDescription>();
  // shapes in the world, for show
  const fixed: Shape[] = [];
  const frames = new Map<string, LinkFrame>();
  for (const group of groups) {
    const isWorld = fixedBase && group === groups[0];
    if (isWorld) {
      for (const { link, pose } of group.members) {
        frames.set(link.name, { body: "world", ...pose });
        if (options.collisions === "shapes") continue;
        fixed.push(...makeShapes(link, pose, options, warnings));
        if (link.collisions.length > 0) {
          const message =
            'is fixed to the world: nothing touches it; collisions: "shapes" (--collisions shapes) has it touch';
          warnings.add("ignored", link.element, message);
        }
      }
      continue;
    }
    const mass = groupMass(group, reading);
    const body = named(group.top.name);
    for (const { link, pose } of group.members) {
      frames.set(link.name, { body, ...movedPose(pose, mass.centerOfMass) });
    }
    // shapes that touch are made for all bodies at once
    const members = options.collisions === "shapes" ? [] : group.members;
    const shapes = members.flatMap(({ link }) =>
      makeShapes(link, frames.get(link.name) as LinkFrame, options, warnings),
    );
    bodies.set(body, { mass: mass.mass, inertia: mass.inertia, ...(shapes.length > 0 && { shapes }) });
  }
  return { bodies, frames, fixed };
}

/** The visual primitives of a link, or where it has none (meshes only, say) its collision primitives. */
function makeShapes(link: UrdfLink, frame: Pose, options: UrdfOptions, warnings: WarningList): Shape[] {
  const visible = link.visuals.filter((geometry) => geometry.shape.kind !== "mesh");
  for (const geometry of link.visuals) {
    if (geometry.shape.kind === "mesh") {
      warnings.add("ignored", geometry.element, `mesh "${geometry.shape.fileName.slice(0, 60)}" is not shown`);
    }
  }
  const color = link.visuals.find((geometry) => geometry.color !== undefined)?.color;
  const shown =
    visible.length > 0
      ? primitives(visible, undefined, warnings)
      : primitives(link.collisions, options.readMesh, new WarningList()).map((shape) => ({ ...shape, color }));
  return shown.map((geometry) => ({
    ...geometry.shape,
    ...composePoses(frame, geometry.pose),
    ...(geometry.color !== undefined && { color: geometry.color }),
  }));
}

function makeContacts(
  groups: readonly LinkGroup[],
  frames: ReadonlyMap<string, LinkFrame>,
  named: (name: string) => string,
  options: UrdfOptions,
  warnings: WarningList,
): ContactDescription[] {
  const { contacts: from = "collision", frictionCoefficient = 0.8, height = 0 } = options.floor ?? {};
  if (from === "none") return [];
  const contacts: ContactDescription[] = [];
  const taken = new Set<string>();
  for (const { link } of groups.flatMap((group) => group.members)) {
    const frame = frames.get(link.name) as LinkFrame;
    if (frame.body === "world") continue;
    let count = 0;
    for (const geometry of primitives(link.collisions, options.readMesh, warnings)) {
      const { points, radius } = contactSpheres(geometry);
      for (const point of points) {
        const own = points.length === 1 ? geometry.name : undefined;
        let name = named(own ?? `${link.name}_contact${count++}`);
        while (taken.has(name)) name = named(`${link.name}_contact${count++}`);
        taken.add(name);
        contacts.push({
          name,
          body: frame.body,
          point: posedPoint(frame, point),
          ...(radius > 0 && { radius }),
          frictionCoefficient,
          ...(height !== 0 && { halfSpace: { normal: vector.unitZ, offset: height } }),
        });
      }
    }
  }
  return contacts;
}

function uniqueName(wanted: string, model: UrdfModel): string {
  let name = wanted;
  while (model.joints.has(name) || model.loops.has(name)) name += "_";
  return name;
}
