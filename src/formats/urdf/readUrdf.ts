/** URDF text → `UrdfModel`: every element is checked by itself, and whatever is not understood becomes a warning. */
import { matrix3 } from "../../math/index.ts";
import { nearestName } from "../../mechanism/index.ts";
import { identityPose } from "../pose.ts";
import {
  childrenNamed,
  elementError,
  onlyChild,
  parseXml,
  readName,
  readNonNegative,
  readNumber,
  required,
  type WarningList,
  type XmlElement,
} from "../xml.ts";
import type { MeshReader } from "./collisionPoints.ts";
import { mendedXml } from "./lenientXml.ts";
import { readGeometries, readMaterials } from "./readGeometry.ts";
import { readJoint, readLoop } from "./readJoint.ts";
import { readOrigin } from "./readOrigin.ts";
import { inertiaOfShapes } from "./shapeInertia.ts";
import type { UrdfGeometry, UrdfInertial, UrdfJoint, UrdfLink, UrdfLoop, UrdfModel } from "./urdfModel.ts";
import { expandXacro, type XacroOptions } from "./xacro.ts";

/** What tools add to URDF and physics does not need. */
const foreignElements = [
  "gazebo",
  "collision_filter_group",
  "frame",
  "sensor",
  "ros2_control",
  "group",
  "disable_collisions",
  "mujoco",
];

/** The largest published robots have a few hundred; validation takes a second for this many. */
const MAX_LINKS = 2000;

/** What elements are read with. */
export interface UrdfReading {
  readonly warnings: WarningList;
  readonly readMesh: MeshReader | undefined;
  /** kg/m³ of links that give no mass. */
  readonly density: number | undefined;
  readonly repair: boolean;
  readonly xacro: XacroOptions;
}

export function readUrdf(text: string, fileName: string, reading: UrdfReading): UrdfModel {
  const { warnings } = reading;
  const root = expandXacro(parseXml(mendedXml(text, fileName, warnings), fileName), reading.xacro, warnings);
  if (root.name !== "robot") {
    const wayOut = root.name === "mujoco" ? "use importMjcf" : "is this a URDF file?";
    throw elementError(root, `the root element of URDF is <robot>; ${wayOut}`);
  }
  warnings.addUnknown(root, {
    attributes: ["name", "version"],
    children: ["link", "joint", "loop_joint", "material", "transmission"],
    ignoredChildren: foreignElements,
  });
  if (root.text.trim() !== "") warnings.add("ignored", root, `text "${root.text.trim().slice(0, 60)}" is no element`);

  const materials = readMaterials(root, warnings);
  const links = new Map<string, UrdfLink>();
  const linkCount = childrenNamed(root, "link").length;
  if (linkCount > MAX_LINKS) {
    throw elementError(root, `has ${linkCount} links, more than ${MAX_LINKS}; make a description by a program instead`);
  }
  for (const element of childrenNamed(root, "link")) {
    const link = readLink(element, materials, reading);
    addOnce(links, link, "link");
  }
  const joints = new Map<string, UrdfJoint>();
  const loops = new Map<string, UrdfLoop>();
  for (const element of childrenNamed(root, "joint")) addOnce(joints, readJoint(element, reading), "joint");
  for (const element of childrenNamed(root, "loop_joint")) {
    const loop = readLoop(element, reading);
    if (joints.has(loop.name)) throw elementError(element, "a <joint> has this name already; choose another");
    addOnce(loops, loop, "loop_joint");
  }
  if (links.size === 0) throw elementError(root, "has no <link>; a robot needs one");
  checkEnds(links, joints, loops);
  return {
    element: root,
    name: readName(root, "name") ?? "robot",
    links,
    joints,
    loops,
    driven: readTransmissions(root, joints, warnings),
  };
}

function addOnce<T extends { readonly name: string; readonly element: XmlElement }>(
  into: Map<string, T>,
  entry: T,
  noun: string,
): void {
  const first = into.get(entry.name);
  if (first)
    throw elementError(entry.element, `a <${noun}> in line ${first.element.line} has this name; choose another`);
  into.set(entry.name, entry);
}

function readLink(element: XmlElement, materials: ReadonlyMap<string, string>, reading: UrdfReading): UrdfLink {
  const { warnings, readMesh } = reading;
  warnings.addUnknown(element, {
    attributes: ["name"],
    ignoredAttributes: ["type"],
    children: ["inertial", "visual", "collision"],
    ignoredChildren: ["sensor", "contact", "frame", "self_collision_checking"],
  });
  const inertial = onlyChild(element, "inertial", warnings);
  const visuals = readGeometries(element, "visual", materials, warnings);
  const collisions = readGeometries(element, "collision", materials, warnings);
  const given =
    inertial &&
    (inertialOfShapes(inertial, collisions.length > 0 ? collisions : visuals, warnings, readMesh) ??
      readInertial(inertial, warnings));
  const dense = given && given.mass > 0 ? undefined : inertialOfDensity(element, collisions, visuals, reading);
  return { element, name: required(readName, element, "name"), inertial: dense ?? given, visuals, collisions };
}

/** Of a link without mass: its collision shapes, or where they have no volume its visual ones, filled evenly. */
function inertialOfDensity(
  element: XmlElement,
  collisions: readonly UrdfGeometry[],
  visuals: readonly UrdfGeometry[],
  { density, readMesh, warnings }: UrdfReading,
): UrdfInertial | undefined {
  if (density === undefined) return undefined;
  const found = inertiaOfShapes(collisions, undefined, readMesh) ?? inertiaOfShapes(visuals, undefined, readMesh);
  if (!found) return undefined;
  const mass = density * found.mass;
  warnings.add(
    "assumed",
    element,
    `has no mass: its shapes have "${Number(mass.toPrecision(3))}" kg at ${density} kg/m³`,
  );
  const inertia = matrix3.multiply(found.inertia, matrix3.diagonal(density, density, density));
  return { element, mass, assumed: true, pose: { ...identityPose, position: found.center }, inertia };
}

/** Where a mass comes without an inertia, and there are shapes with a volume. */
function inertialOfShapes(
  element: XmlElement,
  geometries: readonly UrdfGeometry[],
  warnings: WarningList,
  readMesh: MeshReader | undefined,
): UrdfInertial | undefined {
  const massElement = childrenNamed(element, "mass")[0];
  if (!massElement || childrenNamed(element, "inertia").length > 0) return undefined;
  const mass = readNonNegative(massElement, "value") ?? 0;
  const found = mass > 0 ? inertiaOfShapes(geometries, mass, readMesh) : undefined;
  if (!found) return undefined;
  warnings.add("assumed", element, "has a mass but no <inertia>: that of its shapes, filled evenly, is taken");
  const placed = childrenNamed(element, "origin").length > 0;
  const pose = placed ? readOrigin(element, warnings) : { ...identityPose, position: found.center };
  return { element, mass, pose: { ...pose, orientation: identityPose.orientation }, inertia: found.inertia };
}

function readInertial(element: XmlElement, warnings: WarningList): UrdfInertial {
  warnings.addUnknown(element, { children: ["origin", "mass", "inertia"] });
  const massElement = onlyChild(element, "mass", warnings);
  const inertiaElement = onlyChild(element, "inertia", warnings);
  if (massElement) warnings.addUnknown(massElement, { attributes: ["value"] });
  const mass = massElement ? required(readNonNegative, massElement, "value") : 0;
  if (inertiaElement) {
    warnings.addUnknown(inertiaElement, { attributes: ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"] });
  } else if (mass > 0) {
    throw elementError(element, "has a mass but no <inertia>, and no shapes to take it from; add ixx, iyy and izz");
  }
  const moment = (name: string): number => (inertiaElement ? required(readNumber, inertiaElement, name) : 0);
  const product = (name: string): number => (inertiaElement && readNumber(inertiaElement, name)) ?? 0;
  const [ixx, iyy, izz] = ["ixx", "iyy", "izz"].map(moment);
  const [ixy, ixz, iyz] = ["ixy", "ixz", "iyz"].map(product);
  return {
    element,
    pose: readOrigin(element, warnings),
    mass,
    inertia: [
      [ixx, ixy, ixz],
      [ixy, iyy, iyz],
      [ixz, iyz, izz],
    ],
  };
}

/** Every link that a joint names must exist. */
function checkEnds(
  links: ReadonlyMap<string, UrdfLink>,
  joints: ReadonlyMap<string, UrdfJoint>,
  loops: ReadonlyMap<string, UrdfLoop>,
): void {
  const check = (element: XmlElement, role: string, link: string): void => {
    if (links.has(link)) return;
    const nearest = nearestName(link, [...links.keys()]);
    const wayOut = nearest === undefined ? "add it" : `did you mean "${nearest}"?`;
    throw elementError(element, `its ${role} "${link.slice(0, 60)}" is no link of this file; ${wayOut}`);
  };
  for (const joint of joints.values()) {
    check(joint.element, "parent", joint.parent);
    check(joint.element, "child", joint.child);
    if (joint.parent === joint.child) throw elementError(joint.element, "parent and child are the same link");
  }
  for (const loop of loops.values()) {
    check(loop.element, "link1", loop.ends[0].link);
    check(loop.element, "link2", loop.ends[1].link);
  }
}

/** Inputs are torques at the joint, so reductions have no effect. */
function readTransmissions(
  root: XmlElement,
  joints: ReadonlyMap<string, UrdfJoint>,
  warnings: WarningList,
): ReadonlySet<string> | undefined {
  const transmissions = childrenNamed(root, "transmission");
  if (transmissions.length === 0) return undefined;
  const driven = new Set<string>();
  for (const element of transmissions) {
    warnings.addUnknown(element, {
      attributes: ["name", "type"],
      children: ["type", "joint", "actuator", "mechanicalReduction"],
      ignoredChildren: [
        "leftActuator",
        "rightActuator",
        "flexJoint",
        "rollJoint",
        "compensator",
        "simulated_reduction",
      ],
    });
    const reductions = [element, ...childrenNamed(element, "actuator")].flatMap((parent) =>
      childrenNamed(parent, "mechanicalReduction"),
    );
    for (const reduction of reductions) {
      if (reduction.text.trim() !== "" && Number(reduction.text) !== 1) {
        warnings.add("ignored", reduction, "inputs are torques at the joint, whatever the reduction");
      }
    }
    for (const joint of childrenNamed(element, "joint")) {
      const name = required(readName, joint, "name");
      if (joints.get(name)?.kind === "fixed" || !joints.has(name)) {
        const what = joints.has(name) ? "a fixed joint" : "no joint of this file";
        warnings.add("ignored", joint, `"${name.slice(0, 60)}" is ${what}, so nothing drives it`);
      } else {
        driven.add(name);
      }
    }
  }
  return driven;
}
