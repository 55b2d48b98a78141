/**
 * Joints and loop joints. Beyond the standard (fixed, revolute, continuous, prismatic, planar, floating) every kind of
 * description joint is a type, by its name in any case: ball or spherical, orbital, planaraxis, cylindrical, …; serial
 * and universal joints have one <axis> a hinge.
 */
import { quaternion, vector } from "../../math/index.ts";
import {
  isSerial,
  type JointKind,
  jointFreedom,
  jointKinds,
  nearestName,
  type Vector3,
} from "../../mechanism/index.ts";
import { composePoses } from "../pose.ts";
import {
  attributeError,
  childrenNamed,
  elementError,
  onlyChild,
  readDirection,
  readName,
  readNonNegative,
  readNumber,
  required,
  requiredChild,
  type WarningList,
  type XmlElement,
} from "../xml.ts";
import { readOrigin, readPose } from "./readOrigin.ts";
import type { UrdfJoint, UrdfLoop, UrdfLoopEnd, UrdfMotion } from "./urdfModel.ts";

/** Bounds, efforts and velocities from here on mean "none": files write 1e9, 1e16 and the like. */
export const UNBOUNDED = 1e9;

export interface JointReading {
  readonly warnings: WarningList;
  readonly repair: boolean;
}

const motionChildren = ["axis", "limit", "dynamics"];
const withoutEffect = ["safety_controller", "calibration", "hardwareInterface"];

export function readJoint(element: XmlElement, reading: JointReading): UrdfJoint {
  const { warnings } = reading;
  warnings.addUnknown(element, {
    attributes: ["name", "type"],
    children: [...motionChildren, "parent", "child", "origin", "mimic"],
    ignoredChildren: withoutEffect,
  });
  const motion = readMotion(element, reading);
  const pose = readOrigin(element, warnings);
  const mimic = onlyChild(element, "mimic", warnings);
  const joint: UrdfJoint = {
    ...motion,
    parent: readEnd(element, "parent", warnings),
    child: readEnd(element, "child", warnings),
    pose,
    mimic: mimic && readMimic(mimic, warnings),
  };
  return withoutRange(joint, warnings);
}

export function readLoop(element: XmlElement, reading: JointReading): UrdfLoop {
  const { warnings } = reading;
  warnings.addUnknown(element, {
    attributes: ["name", "type"],
    children: [...motionChildren, "link1", "link2"],
    ignoredChildren: withoutEffect,
  });
  const end = (name: string): UrdfLoopEnd => {
    const child = requiredChild(element, name, warnings);
    warnings.addUnknown(child, { attributes: ["link", "xyz", "rpy"] });
    return { link: required(readName, child, "link"), pose: readPose(child) };
  };
  return { ...readMotion(element, reading), ends: [end("link1"), end("link2")] };
}

function readEnd(element: XmlElement, role: string, warnings: WarningList): string {
  const child = requiredChild(element, role, warnings);
  warnings.addUnknown(child, { attributes: ["link"] });
  return required(readName, child, "link");
}

function readMimic(element: XmlElement, warnings: WarningList): UrdfJoint["mimic"] {
  warnings.addUnknown(element, { attributes: ["joint", "multiplier", "offset"] });
  return {
    element,
    joint: required(readName, element, "joint"),
    multiplier: readNumber(element, "multiplier") ?? 1,
    offset: readNumber(element, "offset") ?? 0,
  };
}

function readMotion(element: XmlElement, reading: JointReading): UrdfMotion {
  const { warnings } = reading;
  const type = required(readName, element, "type");
  const kind = jointKind(element, type);
  if (type === "planar") {
    warnings.add(
      "assumed",
      element,
      'planar slides in a plane and does not turn; for one that turns write "planaraxis"',
    );
  }
  const axes = readAxes(element, kind, warnings);
  const [dynamics, limit] = ["dynamics", "limit"].map((name) => onlyChild(element, name, warnings));
  if (dynamics) warnings.addUnknown(dynamics, { attributes: ["damping", "friction"] });
  const shared = {
    element,
    name: required(readName, element, "name"),
    kind,
    axes,
    damping: dynamics && readNonNegative(dynamics, "damping"),
    friction: dynamics && readNonNegative(dynamics, "friction"),
  };
  if (kind === "fixed") return { ...shared, limits: undefined, effort: undefined };
  if (!limit) {
    if (type === "revolute" || type === "prismatic")
      warnings.add("assumed", element, "has no <limit>; it moves freely");
    return { ...shared, limits: undefined, effort: undefined };
  }
  warnings.addUnknown(limit, { attributes: ["lower", "upper", "effort", "velocity"] });
  return { ...shared, limits: readLimits(limit, type, kind, axes, reading), effort: readEffort(limit, warnings) };
}

function jointKind(element: XmlElement, type: string): JointKind {
  const plain = (name: string): string => name.toLowerCase().replace(/[_\- ]/g, "");
  if (plain(type) === "continuous") return "revolute";
  if (plain(type) === "ball") return "spherical";
  const kind = jointKinds.find((known) => plain(known) === plain(type));
  if (kind) return kind;
  const names = ["continuous", "ball", ...jointKinds.map(plain)];
  const nearest = nearestName(plain(type), names);
  const hint = nearest === undefined ? `have: ${names.join(", ")}` : `did you mean ${nearest}?`;
  throw attributeError(element, "type", `is no type of joint; ${hint}`);
}

/** The default axis of URDF is x. */
function readAxes(element: XmlElement, kind: JointKind, warnings: WarningList): readonly Vector3[] {
  const elements = childrenNamed(element, "axis");
  for (const axis of elements) warnings.addUnknown(axis, { attributes: ["xyz"] });
  if (isSerial(kind)) {
    const wrongCount = kind === "universal" ? elements.length !== 2 : elements.length < 1 || elements.length > 3;
    if (wrongCount) throw elementError(element, `a ${kind} joint needs one <axis> for each of its hinges`);
    return elements.map((axis) => required(readDirection, axis, "xyz"));
  }
  const axis = onlyChild(element, "axis", warnings);
  // fixed joints often carry 0 0 0
  if (!axis || !axisMatters(kind)) return [vector.unitX];
  return [required(readDirection, axis, "xyz")];
}

function axisMatters(kind: JointKind): boolean {
  const { constrainedTranslations, constrainedRotations } = jointFreedom({ kind });
  return [constrainedTranslations, constrainedRotations].some((count) => count === 1 || count === 2);
}

function readLimits(
  element: XmlElement,
  type: string,
  kind: JointKind,
  axes: readonly Vector3[],
  { warnings, repair }: JointReading,
): UrdfMotion["limits"] {
  const [lower, upper] = [readNumber(element, "lower"), readNumber(element, "upper")];
  if (lower === undefined && upper === undefined) {
    if (type === "revolute" || type === "prismatic") {
      warnings.add("assumed", element, "has neither lower nor upper; the joint moves freely");
    }
    return undefined;
  }
  const oneAxis = jointFreedom(isSerial(kind) ? { kind, axes } : { kind }).freeAxes.length === 1;
  if (type.toLowerCase() === "continuous" || !oneAxis) {
    const bounded = [lower, upper].some((bound) => bound !== undefined && bound !== 0 && Math.abs(bound) < UNBOUNDED);
    if (bounded) warnings.add("ignored", element, `lower and upper have no effect on a ${type} joint`);
    return undefined;
  }
  // the standard's default for one that is missing is 0
  const [given, other] = [lower ?? 0, upper ?? 0];
  if (given > other) {
    const problem = `lower ${given} is above upper ${other}`;
    if (!repair) throw elementError(element, `${problem}; exchange them, or repair: true (--repair) does`);
    warnings.add("adjusted", element, `${problem}: they are exchanged`);
  }
  const [from, to] = [Math.min(given, other), Math.max(given, other)];
  return [from <= -UNBOUNDED ? null : from, to >= UNBOUNDED ? null : to];
}

function readEffort(element: XmlElement, warnings: WarningList): number | undefined {
  const velocity = readNumber(element, "velocity");
  if (velocity !== undefined && velocity > 0 && velocity < UNBOUNDED) {
    warnings.add("ignored", element, `velocity="${velocity}": speeds are not limited`);
  }
  const effort = readNumber(element, "effort");
  if (effort === undefined || effort >= UNBOUNDED) return undefined;
  if (effort > 0) return effort;
  warnings.add("assumed", element, `effort="${effort}" is read as no limit`);
  return undefined;
}

/** A range without width is a fixed joint at that coordinate. */
function withoutRange(joint: UrdfJoint, warnings: WarningList): UrdfJoint {
  const [lower, upper] = joint.limits ?? [null, null];
  if (lower === null || lower !== upper) return joint;
  warnings.add("adjusted", joint.element, `lower and upper are both ${lower}: it is a fixed joint at that coordinate`);
  const axis = joint.axes[0];
  const move =
    joint.kind === "prismatic"
      ? { position: vector.scale(axis, lower), orientation: quaternion.identity }
      : { position: vector.zero, orientation: quaternion.fromAxisAngle(axis, lower) };
  return { ...joint, kind: "fixed", pose: composePoses(joint.pose, move), limits: undefined };
}
