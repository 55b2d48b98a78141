/**
 * Description → URDF. Bodies become links whose frame is at the joint that carries them, with the body's directions; the
 * world is the root link. Loops become <loop_joint>, contact spheres collision spheres, gears of two joints <mimic>.
 * `importUrdf` reads the result back to the same mechanism; what URDF cannot say is listed in the warnings.
 */
import { quaternion, vector } from "../../math/index.ts";
import {
  assertDescription,
  type BodyDescription,
  type ContactDescription,
  type MechanismDescription,
  type Shape,
  type Vector3,
} from "../../mechanism/index.ts";
import type { FormatWarning } from "../formatError.ts";
import { identityPose, movedPose, type Pose } from "../pose.ts";
import { POINT_RADIUS } from "./collisionPoints.ts";
import { jointElement, loopElement, mimicsOf } from "./exportJoints.ts";
import { isDriven, listLosses, type Warn } from "./exportLosses.ts";
import { towardsChildren } from "./exportTree.ts";
import { element, numbers, originElement, rgba, type XmlText } from "./xmlText.ts";

export interface UrdfExportOptions {
  /** What becomes collision geometry: the contact spheres, or the shapes of bodies. Default "contacts". */
  readonly collisions?: "contacts" | "shapes" | "none";
}

export interface UrdfExport {
  readonly text: string;
  /** What the text does not say. */
  readonly warnings: readonly FormatWarning[];
}

/** Throws `DescriptionError` on an invalid description, and `ArgumentError` where no URDF comes near it. */
export function exportUrdf(description: MechanismDescription, options: UrdfExportOptions = {}): UrdfExport {
  assertDescription(description);
  const warnings: FormatWarning[] = [];
  const warn = (path: string, message: string): void => {
    warnings.push({ code: "not-expressible", message: `${path}: ${message}`, file: "", line: 0 });
  };
  const { tree, loops } = towardsChildren(description);
  const mimics = mimicsOf(description, tree, warn);
  // each link's frame is at the anchor of the joint that carries it
  const origins = new Map<string, Vector3>([["world", vector.zero]]);
  for (const joint of tree.values()) origins.set(joint.child, joint.childAnchor ?? vector.zero);

  const children: XmlText[] = [element("link", { name: "world" })];
  for (const [name, body] of Object.entries(description.bodies)) {
    const origin = origins.get(name) ?? vector.zero;
    const contacts = (description.contacts ?? []).filter((contact) => contact.body === name);
    children.push(linkElement(name, body, origin, contacts, options, warn));
  }
  for (const [name, joint] of tree) children.push(jointElement(name, joint, origins, mimics.get(name), warn));
  for (const [name, joint] of loops) children.push(loopElement(name, joint, origins, warn));
  for (const [name, joint] of Object.entries(description.joints ?? {})) {
    if (!isDriven(joint)) continue;
    children.push(
      element("transmission", { name: `${name}_transmission` }, [
        element("type", {}, ["transmission_interface/SimpleTransmission"]),
        element("joint", { name }),
        element("actuator", { name: `${name}_motor` }),
      ]),
    );
  }
  listLosses(description, options.collisions ?? "contacts", warn);
  const robot = element("robot", { name: description.name ?? "mechanism" }, children);
  return { text: `<?xml version="1.0"?>\n${robot.join("\n")}\n`, warnings };
}

function linkElement(
  name: string,
  body: BodyDescription,
  origin: Vector3,
  contacts: readonly ContactDescription[],
  options: UrdfExportOptions,
  warn: Warn,
): XmlText {
  const [[ixx, ixy, ixz], [, iyy, iyz], [, , izz]] = body.inertia;
  const from = options.collisions ?? "contacts";
  const shapes = body.shapes ?? [];
  const shapePose = (shape: Shape): Pose =>
    movedPose(
      { position: shape.position ?? vector.zero, orientation: shape.orientation ?? quaternion.identity },
      origin,
    );
  const visuals = shapes.map((shape, i) => {
    const color = rgba(shape.color);
    if (shape.color !== undefined && color === undefined) {
      warn(`bodies.${name}.shapes[${i}].color`, `"${shape.color}" is no #rrggbb or rgb(…); left out`);
    }
    const material = color && element("material", { name: `${name}_color${i}` }, [element("color", { rgba: color })]);
    return element("visual", {}, [
      originElement(shapePose(shape)),
      geometryElement(shape),
      ...(material ? [material] : []),
    ]);
  });
  const spheres = contacts.map((contact) => {
    const pose = movedPose({ ...identityPose, position: contact.point }, origin);
    const sphere: Shape = { kind: "sphere", radius: contact.radius || POINT_RADIUS };
    return element("collision", { name: contact.name }, [originElement(pose), geometryElement(sphere)]);
  });
  const solids = shapes.map((shape) =>
    element("collision", {}, [originElement(shapePose(shape)), geometryElement(shape)]),
  );
  return element("link", { name }, [
    element("inertial", {}, [
      originElement(movedPose(identityPose, origin)),
      element("mass", { value: body.mass }),
      element("inertia", { ixx, ixy, ixz, iyy, iyz, izz }),
    ]),
    ...visuals,
    ...(from === "contacts" ? spheres : from === "shapes" ? solids : []),
  ]);
}

function geometryElement(shape: Shape): XmlText {
  switch (shape.kind) {
    case "box":
      return element("geometry", {}, [element("box", { size: numbers(shape.size) })]);
    case "ellipsoid":
      return element("geometry", {}, [element("ellipsoid", { radii: numbers(shape.radii) })]);
    case "sphere":
      return element("geometry", {}, [element("sphere", { radius: shape.radius })]);
    default:
      return element("geometry", {}, [element(shape.kind, { radius: shape.radius, length: shape.length })]);
  }
}
