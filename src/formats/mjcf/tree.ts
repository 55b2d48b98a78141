/**
 * The tree of bodies as the file has it: joints, geoms, sites and inertias, with defaults and frames worked in. Positions are in
 * the frame of the body.
 */
import { matrix3, quaternion, vector } from "../../math/index.ts";
import type { Matrix3 } from "../../mechanism/index.ts";
import { composePoses, identityPose, type Pose, posedPoint } from "../pose.ts";
import {
  attributeError,
  elementError,
  readChoice,
  readDirection,
  readName,
  readNonNegative,
  readNumber,
  readNumbers,
  readVector3,
  required,
  type XmlElement,
} from "../xml.ts";
import type { Defaults } from "./defaults.ts";
import { type MjcfDocument, NameTable } from "./document.ts";
import { readGeom } from "./geoms.ts";
import { jointSizes, readJointType } from "./jointTypes.ts";
import type { Ledger } from "./ledger.ts";
import type { MeshTable } from "./meshes.ts";
import type { MassProperties, MjBody, MjGeom, MjJoint, MjSite, MjTree } from "./model.ts";
import { placementAttributes, readOrientation, readPlacement } from "./placement.ts";
import { readAuto, readLinear, readRange, widthOf } from "./ranges.ts";

const inertialAttributes = [...placementAttributes, "mass", "diaginertia", "fullinertia"];
const jointAttributes = [
  ...["type", "pos", "axis", "limited", "range", "ref", "stiffness", "springref", "damping", "springdamper"],
  ...["armature", "frictionloss", "actuatorfrcrange", "actuatorfrclimited", "group"],
];
const frameAttributes = [...placementAttributes];
const bodyAttributes = [...placementAttributes, "gravcomp"];
const notBodies: Readonly<Record<string, string>> = {
  camera: "looks only",
  light: "looks only",
  composite: "composite bodies are not made; write the bodies out",
  flexcomp: "flexible bodies are not simulated",
  plugin: "plugins are not simulated",
};

export function readTree(document: MjcfDocument, defaults: Defaults, meshes: MeshTable, ledger: Ledger): MjTree {
  const { compilerOf } = document;
  const bodies: MjBody[] = [];
  const joints: MjJoint[] = [];
  const bodyNames = new NameTable<MjBody>("body");
  const jointNames = new NameTable<MjJoint>("joint");
  const geomNames = new NameTable<MjGeom>("geom");
  const siteNames = new NameTable<MjSite>("site");
  let positionCount = 0;
  let velocityCount = 0;

  const makeBody = (element: XmlElement, parent: MjBody | undefined, placement: Pose): MjBody => {
    const name = parent ? (readName(element, "name") ?? freeName()) : "world";
    const body: MjBody = {
      element,
      name,
      parent,
      placement,
      world: parent ? composePoses(parent.world, placement) : identityPose,
      joints: [],
      geoms: [],
      sites: [],
      inertial: undefined,
      gravityCompensation: (parent && readNumber(element, "gravcomp")) ?? 0,
    };
    bodyNames.add(element, name, body);
    bodies.push(body);
    return body;
  };
  const freeName = (): string => {
    let name = `body${bodies.length}`;
    while (bodyNames.get(name)) name += "_";
    return name;
  };

  /** All that a body contains. Its inner bodies come last, wherever they stand: joints are numbered in the order of bodies. */
  const readBody = (element: XmlElement, body: MjBody, inherited: string | undefined): void => {
    const inner: (() => void)[] = [];
    readContents(element, body, identityPose, inherited, inner);
    for (const read of inner) read();
  };

  /** What a body or a frame in it contains; `inner` gets the readers of the bodies in it. */
  const readContents = (
    element: XmlElement,
    body: MjBody,
    frame: Pose,
    inherited: string | undefined,
    inner: (() => void)[],
  ): void => {
    for (const child of element.children) {
      switch (child.name) {
        case "body": {
          ledger.addAttributes(child, bodyAttributes);
          const placement = composePoses(frame, readPlacement(child, compilerOf(child)));
          const own = defaults.childClass(child, inherited);
          inner.push(() => readBody(child, makeBody(child, body, placement), own));
          break;
        }
        case "frame":
          ledger.addAttributes(child, frameAttributes);
          readContents(
            child,
            body,
            composePoses(frame, readPlacement(child, compilerOf(child))),
            defaults.childClass(child, inherited),
            inner,
          );
          break;
        case "inertial":
          body.inertial = readInertial(child, body, frame);
          break;
        case "joint":
        case "freejoint":
          readJoint(child, body, frame, inherited);
          break;
        case "geom": {
          const geom = readGeom(defaults.merged(child, inherited), body, frame, { document, meshes, ledger });
          body.geoms.push(geom);
          if (geom.name !== undefined) geomNames.add(child, geom.name, geom);
          break;
        }
        case "site": {
          const site = readSite(defaults.merged(child, inherited), body, frame);
          body.sites.push(site);
          if (site.name !== undefined) siteNames.add(child, site.name, site);
          break;
        }
        default: {
          const reason = notBodies[child.name];
          if (reason === looksOnly) ledger.add("ignored", child, reason);
          else if (reason !== undefined) ledger.add("not-expressible", child, reason);
          else ledger.add("unknown", child, "unknown element; it has no effect");
        }
      }
    }
  };

  const readInertial = (element: XmlElement, body: MjBody, frame: Pose): MassProperties => {
    if (!body.parent) throw elementError(element, "the world has no inertia; put it in a body");
    ledger.addAttributes(element, inertialAttributes);
    const mass = required(readNonNegative, element, "mass");
    const full = readNumbers(element, "fullinertia", 6);
    const diagonal = readVector3(element, "diaginertia");
    if (full && readOrientation(element, compilerOf(element))) {
      throw attributeError(element, "fullinertia", "goes without an orientation; use diaginertia with quat");
    }
    const placed = composePoses(frame, {
      position: required(readVector3, element, "pos"),
      orientation: readOrientation(element, compilerOf(element)) ?? quaternion.identity,
    });
    let inertia: Matrix3;
    if (full) {
      const [xx, yy, zz, xy, xz, yz] = full;
      inertia = [
        [xx, xy, xz],
        [xy, yy, yz],
        [xz, yz, zz],
      ];
    } else if (diagonal) inertia = matrix3.diagonal(diagonal[0], diagonal[1], diagonal[2]);
    else throw elementError(element, "has no inertia; add diaginertia or fullinertia, or leave <inertial> out");
    return { mass, center: placed.position, inertia: matrix3.rotateInertia(inertia, placed.orientation) };
  };

  const readSite = (element: XmlElement, body: MjBody, frame: Pose): MjSite => ({
    name: readName(element, "name"),
    body,
    placement: composePoses(frame, readPlacement(element, compilerOf(element))),
  });

  const readJoint = (element: XmlElement, body: MjBody, frame: Pose, inherited: string | undefined): void => {
    if (!body.parent) throw elementError(element, "the world does not move; put the joint in a body");
    const free = element.name === "freejoint";
    if (free) ledger.addAttributes(element, ["group", "align"]);
    const merged = free ? element : defaults.merged(element, inherited);
    if (!free) ledger.addAttributes(merged, jointAttributes);
    const type = free ? "free" : (readJointType(merged, "type") ?? "hinge");
    if (type === "free" && body.parent.parent) {
      throw elementError(element, "only a body of the world can be free; move it out, or use another joint");
    }
    if (body.joints.length > 0 && (type === "free" || body.joints[0].type === "free")) {
      throw elementError(element, "a free body has six degrees of freedom already; leave its other joints out");
    }
    if (type === "free" && isAligned(element, compilerOf(element))) ledger.add("adjusted", element, unaligned);
    const angular = type === "hinge" || type === "ball";
    const unit = angular ? compilerOf(element).angleUnit : 1;
    const axis = quaternion.rotate(frame.orientation, readDirection(merged, "axis") ?? vector.unitZ);
    const linear = (name: string): number => readLinear(merged, name, ledger);
    const joint: MjJoint = {
      element: merged,
      name: readName(element, "name"),
      body,
      type,
      position: posedPoint(frame, readVector3(merged, "pos") ?? vector.zero),
      axis,
      range: type === "free" ? undefined : readJointRange(merged, type, unit),
      ref: type === "hinge" || type === "slide" ? (readNumber(merged, "ref") ?? 0) * unit : 0,
      stiffness: linear("stiffness"),
      springRef: (readNumber(merged, "springref") ?? 0) * unit,
      damping: linear("damping"),
      springDamper: readSpringDamper(merged),
      armature: readNonNegative(merged, "armature") ?? 0,
      friction: readNonNegative(merged, "frictionloss") ?? 0,
      actuatorForce: readActuatorForce(merged),
      qpos: positionCount,
      dof: velocityCount,
    };
    const [positions, velocities] = jointSizes[type];
    positionCount += positions;
    velocityCount += velocities;
    body.joints.push(joint);
    joints.push(joint);
    if (joint.name !== undefined) jointNames.add(element, joint.name, joint);
  };

  const readJointRange = (element: XmlElement, type: string, unit: number): readonly [number, number] | undefined => {
    if (type === "ball" && !element.attributes.has("range") && readAuto(element, "limited") === "true") {
      // MuJoCo holds it, softly, at an angle of 0
      ledger.add("not-expressible", element, "a ball that is limited without a range turns freely here; add one");
      return undefined;
    }
    const range = readRange(element, document, ledger, unit);
    if (range && type === "ball" && range[0] !== 0)
      throw attributeError(element, "range", "of a ball joint starts at 0");
    return range;
  };

  const readSpringDamper = (element: XmlElement): readonly [number, number] | undefined => {
    const [timeConstant, dampingRatio] = readNumbers(element, "springdamper", 2) ?? [0, 0];
    return timeConstant > 0 && dampingRatio > 0 ? [timeConstant, dampingRatio] : undefined;
  };

  const readActuatorForce = (element: XmlElement): readonly [number, number] | undefined => {
    const range = readNumbers(element, "actuatorfrcrange", 2);
    const limited = readAuto(element, "actuatorfrclimited") ?? "auto";
    return range && limited !== "false" ? widthOf(element, "actuatorfrcrange", range, limited, ledger) : undefined;
  };

  const worldSections = document.root.children.filter(({ name }) => name === "worldbody");
  const world = makeBody(worldSections[0] ?? document.root, undefined, identityPose);
  for (const section of worldSections) {
    ledger.addAttributes(section, []);
    readBody(section, world, defaults.childClass(section, undefined));
  }
  return { bodies, bodyNames, jointNames, geomNames, siteNames, joints, positionCount, velocityCount };
}

const looksOnly = "looks only";
const readAlign = readChoice(["true", "false", "auto"]);
const unaligned =
  "align: the body keeps the file's frame; keyframes are read as poses of that one, not of its inertia's";

/** Whether MuJoCo puts the frame of the body, if it has no bodies in it, where its inertia is. */
function isAligned(element: XmlElement, compiler: MjcfDocument["compiler"]): boolean {
  const own = readAlign(element, "align") ?? "auto";
  return own === "auto" ? compiler.alignFree : own === "true";
}
