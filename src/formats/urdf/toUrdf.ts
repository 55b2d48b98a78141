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
  entriesOf,
  isPrimitive,
  type MechanismDescription,
  optionNamesOf,
  type PrimitiveShape,
  requireOptionNames,
  type Shape,
  type Vector3,
  visibleText,
} from "../../mechanism/index.ts";
import type { FormatWarning } from "../formatError.ts";
import { type Markup, markup, writeMarkup } from "../markup.ts";
import { identityPose, movedPose, type Pose } from "../pose.ts";
import { POINT_RADIUS } from "./collisionPoints.ts";
import { originElement, rgba } from "./exportAttributes.ts";
import { jointElement, loopElement, mimicsOf } from "./exportJoints.ts";
import { isDriven, listLosses, type Warn } from "./exportLosses.ts";
import { towardsChildren } from "./exportTree.ts";

export interface UrdfExportOptions {
  /** What becomes collision geometry: contact spheres and shapes with `contact`, or all shapes of bodies. Default "contacts". */
  readonly collisions?: "contacts" | "shapes" | "none";
}

const optionNames = optionNamesOf<UrdfExportOptions>()("collisions");

export interface UrdfExport {
  readonly xml: string;
  /** SRDF text with the bodies that do not touch each other; undefined where there is nothing to say. */
  readonly srdf: string | undefined;
  /** What it does not say. */
  readonly warnings: readonly FormatWarning[];
}

/** Throws `DescriptionError` on an invalid description, and `ArgumentError` where no URDF comes near it. */
export function toUrdf(description: MechanismDescription, options: UrdfExportOptions = {}): UrdfExport {
  requireOptionNames("options", options, optionNames);
  assertDescription(description);
  const warnings: FormatWarning[] = [];
  const warn = (path: string, message: string): void => {
    warnings.push({ code: "not-expressible", message: visibleText(`${path}: ${message}`), file: "", line: 0 });
  };
  const { tree, loops } = towardsChildren(description);
  const mimics = mimicsOf(description, tree, warn);
  // each link's frame is at the anchor of the joint that carries it
  const origins = new Map<string, Vector3>([["world", vector.zero]]);
  for (const joint of tree.values()) origins.set(joint.child, joint.childAnchor ?? vector.zero);

  const inWorld = (description.shapes ?? []).filter(isPrimitive);
  const touched = options.collisions === "none" ? [] : inWorld.filter(isTouching);
  const children: Markup[] = [
    markup("link", { name: "world" }, [
      ...visualElements(
        inWorld.filter((shape) => !isTouching(shape)),
        "world",
        "shapes",
        vector.zero,
        warn,
      ),
      ...touched.map((shape) => collisionElement(shape, vector.zero)),
    ]),
  ];
  for (const [name, body] of entriesOf(description, "bodies")) {
    const origin = origins.get(name) ?? vector.zero;
    const contacts = (description.contacts ?? []).filter((contact) => contact.body === name);
    children.push(linkElement(name, body, origin, contacts, options, warn));
  }
  for (const [name, joint] of tree) children.push(jointElement(name, joint, origins, mimics.get(name), warn));
  for (const [name, joint] of loops) children.push(loopElement(name, joint, origins, warn));
  for (const [name, joint] of entriesOf(description, "joints")) {
    if (!isDriven(joint)) continue;
    children.push(
      markup("transmission", { name: `${name}_transmission` }, [
        markup("type", {}, ["transmission_interface/SimpleTransmission"]),
        markup("joint", { name }),
        markup("actuator", { name: `${name}_motor` }),
      ]),
    );
  }
  listLosses(description, options.collisions ?? "contacts", warn);
  const name = description.name ?? "mechanism";
  const apart = (description.collisions?.exclude ?? []).map(([link1, link2]) =>
    markup("disable_collisions", { link1, link2, reason: "User" }),
  );
  const text = (parts: readonly Markup[]): string =>
    `<?xml version="1.0"?>\n${writeMarkup(markup("robot", { name }, parts))}`;
  return { xml: text(children), srdf: apart.length > 0 ? text(apart) : undefined, warnings };
}

function visualElements(
  shapes: readonly PrimitiveShape[],
  link: string,
  path: string,
  origin: Vector3,
  warn: Warn,
): Markup[] {
  return shapes.map((shape, i) => {
    const color = rgba(shape.color);
    if (shape.color !== undefined && color === undefined) {
      warn(`${path}[${i}].color`, `"${shape.color}" is no #rrggbb or rgb(…); left out`);
    }
    const material = color && markup("material", { name: `${link}_color${i}` }, [markup("color", { rgba: color })]);
    return markup("visual", {}, [
      originElement(shapePose(shape, origin)),
      geometryElement(shape),
      ...(material ? [material] : []),
    ]);
  });
}

function linkElement(
  name: string,
  body: BodyDescription,
  origin: Vector3,
  contacts: readonly ContactDescription[],
  options: UrdfExportOptions,
  warn: Warn,
): Markup {
  const [[ixx, ixy, ixz], [, iyy, iyz], [, , izz]] = body.inertia;
  const from = options.collisions ?? "contacts";
  const all = body.shapes ?? [];
  const shapes = all.filter(isPrimitive);
  for (const [i, { kind }] of all.entries()) {
    if (!shapes.includes(all[i] as PrimitiveShape)) warn(`bodies.${name}.shapes[${i}]`, `a ${kind} is left out`);
  }
  const visuals = visualElements(shapes, name, `bodies.${name}.shapes`, origin, warn);
  const spheres = contacts.map((contact) => {
    const pose = movedPose({ ...identityPose, position: contact.point }, origin);
    const sphere: PrimitiveShape = { kind: "sphere", radius: contact.radius || POINT_RADIUS };
    return markup("collision", { name: contact.name }, [originElement(pose), geometryElement(sphere)]);
  });
  const touching = shapes.filter(isTouching).map((shape) => collisionElement(shape, origin));
  const solids = shapes.map((shape) => collisionElement(withoutName(shape), origin));
  return markup("link", { name }, [
    markup("inertial", {}, [
      originElement(movedPose(identityPose, origin)),
      markup("mass", { value: body.mass }),
      markup("inertia", { ixx, ixy, ixz, iyy, iyz, izz }),
    ]),
    ...visuals,
    ...(from === "contacts" ? [...spheres, ...touching] : from === "shapes" ? solids : []),
  ]);
}

function withoutName({ name: _, ...shape }: PrimitiveShape): PrimitiveShape {
  return shape;
}

function isTouching({ contact }: Shape): boolean {
  return contact !== undefined && contact !== false;
}

function shapePose(shape: Shape, origin: Vector3): Pose {
  const { position = vector.zero, orientation = quaternion.identity } = shape;
  return movedPose({ position, orientation }, origin);
}

function collisionElement(shape: PrimitiveShape, origin: Vector3): Markup {
  return markup("collision", { name: shape.name }, [originElement(shapePose(shape, origin)), geometryElement(shape)]);
}

function geometryElement(shape: PrimitiveShape): Markup {
  switch (shape.kind) {
    case "box":
      return markup("geometry", {}, [markup("box", { size: shape.size })]);
    case "ellipsoid":
      return markup("geometry", {}, [markup("ellipsoid", { radii: shape.radii })]);
    case "sphere":
      return markup("geometry", {}, [markup("sphere", { radius: shape.radius })]);
    default:
      return markup("geometry", {}, [markup(shape.kind, { radius: shape.radius, length: shape.length })]);
  }
}
