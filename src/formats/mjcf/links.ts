/**
 * Links: bodies that move as one. A body without joints is welded to its parent, and their masses join; what is welded to the
 * world stands still. Links keep the directions of their first body's frame, with the origin at the centre of mass.
 */
import { matrix3, quaternion, vector } from "../../math/index.ts";
import { type BodyDescription, type Shape, shapeInertia, type Vector3, volume } from "../../mechanism/index.ts";
import { combinedMass, type MassPart, repairInertia } from "../inertia.ts";
import { composePoses, identityPose, movedPose, type Pose } from "../pose.ts";
import { elementError } from "../xml.ts";
import { type JointGroup, splitJoints, walkJoints } from "./carriages.ts";
import type { MjcfCompiler } from "./compiler.ts";
import type { MjcfDocument } from "./document.ts";
import { shapeOf } from "./geoms.ts";
import type { Ledger } from "./ledger.ts";
import type { MassProperties, MjBody, MjGeom, MjTree } from "./model.ts";
import { shellMass } from "./shellMass.ts";

export interface Link {
  /** "world" for what stands still. */
  readonly name: string;
  readonly root: MjBody;
  readonly parent: Link | undefined;
  /** Poses in the root's frame. */
  readonly members: Map<MjBody, Pose>;
  /** Centre of mass, in the root's frame. */
  readonly center: Vector3;
  readonly description: BodyDescription | undefined;
  /** All of it, with what carriages took; in the root's frame. */
  readonly whole: MassProperties | undefined;
  /** What hangs it on its parent; undefined for the world and what is free. */
  readonly hanging: Hanging | undefined;
}

/** Joints from the parent to the body, and the carriages between them. */
export interface Hanging {
  readonly groups: readonly JointGroup[];
  readonly carriages: readonly {
    readonly name: string;
    readonly center: Vector3;
    readonly description: BodyDescription;
  }[];
  /** The root's pose at zero coordinates, seen from the parent's root. */
  readonly zero: Pose;
}

export interface LinkTable {
  /** The world first. */
  readonly links: readonly Link[];
  /** The link of a body, and the body's pose in the link's frame (origin at the centre of mass). */
  place(body: MjBody): { readonly link: Link; readonly pose: Pose };
}

export function makeLinks(tree: MjTree, document: MjcfDocument, ledger: Ledger): LinkTable {
  const linkOf = new Map<MjBody, { root: MjBody; pose: Pose }>();
  const groups = new Map<MjBody, Map<MjBody, Pose>>();
  for (const body of tree.bodies) {
    const above = body.parent && linkOf.get(body.parent);
    const welded = above && body.joints.length === 0;
    const place = welded
      ? { root: above.root, pose: composePoses(above.pose, body.placement) }
      : { root: body, pose: identityPose };
    linkOf.set(body, place);
    const members = groups.get(place.root) ?? new Map<MjBody, Pose>();
    members.set(body, place.pose);
    groups.set(place.root, members);
  }

  const masses = new Map(
    tree.bodies.slice(1).map((body) => {
      const compiler = document.compilerOf(body.element);
      return [body, bounded(bodyMass(body, compiler, ledger), compiler)];
    }),
  );
  const sum = [...masses.values()].reduce((total, part) => total + part.mass, 0);
  const { totalMass } = document.compiler;
  const scale = totalMass !== undefined && sum > 0 ? totalMass / sum : 1;

  // MuJoCo looks at gravcomp only where a body has one above 0
  const isCompensated = tree.bodies.some(({ gravityCompensation }) => gravityCompensation > 0);
  for (const { element, gravityCompensation } of tree.bodies)
    if (!isCompensated && gravityCompensation !== 0) ledger.add("ignored", element, withoutCompensation);

  const made = new Map<MjBody, Link>();
  const carriageNames = new Set<string>();
  for (const [root, members] of groups) {
    const parent = root.parent && made.get((linkOf.get(root.parent) as { root: MjBody }).root);
    made.set(root, makeLink(root, members, parent));
  }
  return {
    links: [...made.values()],
    place: (body) => {
      const { root, pose } = linkOf.get(body) as { root: MjBody; pose: Pose };
      const link = made.get(root) as Link;
      return { link, pose: movedPose(pose, link.center) };
    },
  };

  function makeLink(root: MjBody, members: Map<MjBody, Pose>, parent: Link | undefined): Link {
    if (!parent) {
      const none = { description: undefined, whole: undefined, hanging: undefined };
      return { name: "world", root, parent, members, center: vector.zero, ...none };
    }
    const parts = [...members].map(([body, pose]): MassPart => {
      const { mass, inertia, pose: own } = masses.get(body) as MassPart;
      const scaled = matrix3.multiply(inertia, matrix3.diagonal(scale, scale, scale));
      return { mass: mass * scale, inertia: scaled, pose: composePoses(pose, own) };
    });
    const { mass, centerOfMass, inertia } = combinedMass(parts);
    if (!(mass > 0)) {
      const wayOut = waysToMass([...members.keys()].flatMap(({ geoms }) => geoms));
      throw elementError(root.element, `the body moves but has no mass; ${wayOut}, or remove its joints`);
    }
    const gravityScale = 1 - compensation(root, parts, [...members.keys()]);
    const repaired = repairInertia(inertia);
    if (repaired.status === "hopeless") throw elementError(root.element, `its inertia cannot be: ${repaired.message}`);
    if (repaired.status === "repaired") ledger.add("adjusted", root.element, `inertia: ${repaired.message}`);
    const whole: MassProperties = { mass, center: centerOfMass, inertia: repaired.inertia };
    const { hanging, rest } = hang(root, parent, whole, gravityScale);
    const shapes: Shape[] = [];
    for (const [body, pose] of members) {
      for (const geom of body.geoms) {
        const shape = shapeOf(geom, pose, rest.center);
        if (shape) shapes.push(shape);
      }
    }
    const description: BodyDescription = {
      mass: rest.mass,
      inertia: rest.inertia,
      ...(gravityScale !== 1 && { gravityScale }),
      ...(shapes.length > 0 && { shapes }),
    };
    return { name: root.name, root, parent, members, center: rest.center, description, whole, hanging };
  }

  function hang(
    root: MjBody,
    parent: Link,
    whole: MassProperties,
    gravityScale: number,
  ): { readonly hanging: Hanging | undefined; readonly rest: MassProperties } {
    if (root.joints[0].type === "free") return { hanging: undefined, rest: whole };
    const above = parent.members.get(root.parent as MjBody) as Pose;
    const { density, viscosity } = document.option;
    const { zero, steps } = walkJoints(composePoses(above, root.placement), root.joints);
    const { groups, carriages, rest } = splitJoints(zero, steps, whole, density > 0 || viscosity > 0);
    if (carriages.length > 0) ledger.add("adjusted", root.element, splitReason);
    const named = carriages.map(({ center, mass, inertia }) => ({
      name: freeName(`${root.name}_carriage`),
      center,
      description: { mass, inertia, ...(gravityScale !== 1 && { gravityScale }) },
    }));
    return { hanging: { groups, carriages: named, zero }, rest };
  }

  function freeName(name: string): string {
    let free = name;
    while (tree.bodyNames.get(free) || carriageNames.has(free)) free += "_";
    carriageNames.add(free);
    return free;
  }

  /** Mean over the mass of what moves as one. */
  function compensation(root: MjBody, parts: readonly MassPart[], bodies: readonly MjBody[]): number {
    if (!isCompensated) return 0;
    const massive = bodies.filter((_, i) => parts[i].mass > 0);
    const [first] = massive;
    if (massive.every(({ gravityCompensation }) => gravityCompensation === first.gravityCompensation)) {
      return first.gravityCompensation;
    }
    ledger.add(
      "adjusted",
      root.element,
      "gravcomp of bodies welded together is their mean, at their common centre of mass",
    );
    const total = parts.reduce((sum, { mass }) => sum + mass, 0);
    return bodies.reduce((sum, body, i) => sum + (parts[i].mass / total) * body.gravityCompensation, 0);
  }
}

const splitReason =
  "no single joint is as its joints are: there are several, with bodies of a share of its mass between them";
const withoutCompensation =
  'gravcomp: none is above 0, and MuJoCo looks at them only where one is; <body gravcomp="1"/> in the world is enough';
const massless: MassPart = { mass: 0, inertia: matrix3.diagonal(0, 0, 0), pose: identityPose };

/** The mass in the body's own frame. */
function bodyMass(body: MjBody, compiler: MjcfCompiler, ledger: Ledger): MassPart {
  const explicit = body.inertial && { ...body.inertial, pose: { ...identityPose, position: body.inertial.center } };
  if (compiler.inertiaFromGeom === "false" || (compiler.inertiaFromGeom === "auto" && explicit)) {
    return explicit ?? massless;
  }
  const [first, last] = compiler.inertiaGroups;
  const parts = body.geoms
    .filter(({ group }) => group >= first && group <= last)
    .flatMap((geom) => geomMass(geom, ledger) ?? []);
  if (parts.length === 0) return explicit ?? massless;
  const { mass, centerOfMass, inertia } = combinedMass(parts);
  return { mass, inertia, pose: { ...identityPose, position: centerOfMass } };
}

function waysToMass(geoms: readonly MjGeom[]): string {
  const unread = geoms.find((geom) => geom.unread !== undefined);
  if (unread) return `add <inertial>, or ${unread.unread}`;
  const flat = geoms.find(({ mesh }) => mesh && !mesh.mass);
  if (flat) return 'its mesh has no volume: write inertia="shell" in its <mesh>, or add <inertial>';
  return "add <inertial> or geoms with mass";
}

/** The mass of a geom in the body's frame; undefined without mass. */
function geomMass(geom: MjGeom, ledger: Ledger): MassPart | undefined {
  const { type, dimensions, placement, mesh, density } = geom;
  if (type === "plane" || type === "hfield" || geom.mass === 0 || (geom.mass === undefined && density === 0)) {
    return undefined;
  }
  if (dimensions && geom.shell) {
    const { area, inertia } = shellMass(dimensions);
    const mass = geom.mass ?? density * area;
    return { mass, inertia: matrix3.multiply(inertia, matrix3.diagonal(mass, mass, mass)), pose: placement };
  }
  if (dimensions) {
    const mass = geom.mass ?? density * volume(dimensions);
    return { mass, inertia: shapeInertia(dimensions, mass), pose: placement };
  }
  if (!mesh?.mass) {
    const reason = mesh
      ? 'its mesh has no volume, and so no mass; write inertia="shell" in its <mesh>'
      : `a ${type} whose file is not read has no mass`;
    ledger.add("not-expressible", geom.element, reason);
    return undefined;
  }
  const mass = geom.mass ?? density * mesh.mass.volume;
  const scale = mass / mesh.mass.volume;
  return {
    mass,
    inertia: matrix3.multiply(mesh.mass.inertia, matrix3.diagonal(scale, scale, scale)),
    pose: composePoses(placement, { ...identityPose, position: mesh.mass.center }),
  };
}

/** Lower bounds and balance of the compiler settings. */
function bounded(part: MassPart, { boundMass, boundInertia, balanceInertia }: MjcfCompiler): MassPart {
  if (boundMass === 0 && boundInertia === 0 && !balanceInertia) return part;
  const { values, vectors } = matrix3.symmetricEigen(part.inertia);
  let moments = values.map((value) => Math.max(value, boundInertia)) as unknown as Vector3;
  if (balanceInertia && moments[0] + moments[1] < moments[2]) {
    const mean = (moments[0] + moments[1] + moments[2]) / 3;
    moments = [mean, mean, mean];
  }
  const turn = quaternion.fromMatrix(vectors);
  return {
    mass: Math.max(part.mass, boundMass),
    inertia: matrix3.rotateInertia(matrix3.diagonal(...moments), turn),
    pose: part.pose,
  };
}
