/**
 * Links: bodies that move as one. A body without joints is welded to its parent, and their masses join; what is welded to the
 * world stands still. Links keep the directions of their first body's frame, with the origin at the centre of mass.
 */
import { matrix3, quaternion, vector } from "../../math/index.ts";
import { type BodyDescription, type Shape, shapeInertia, type Vector3, volume } from "../../mechanism/index.ts";
import { combinedMass, type MassPart, repairInertia } from "../inertia.ts";
import { boundingBox, type Mesh } from "../mesh.ts";
import { composePoses, identityPose, movedPose, type Pose } from "../pose.ts";
import { elementError, readNumbers } from "../xml.ts";
import type { Defaults } from "./defaults.ts";
import type { MjcfCompiler, MjcfDocument } from "./document.ts";
import { shapeOf } from "./geoms.ts";
import type { Ledger } from "./ledger.ts";
import type { Dimensions, MjBody, MjGeom, MjTree } from "./model.ts";

export interface Link {
  /** "world" for what stands still. */
  readonly name: string;
  readonly root: MjBody;
  readonly parent: Link | undefined;
  /** Poses in the root's frame. */
  readonly members: Map<MjBody, Pose>;
  /** Of mass, in the root's frame. */
  readonly center: Vector3;
  readonly description: BodyDescription | undefined;
}

export interface LinkTable {
  /** The world first. */
  readonly links: readonly Link[];
  /** The link of a body, and the body's pose in the link's frame (origin at the centre of mass). */
  place(body: MjBody): { readonly link: Link; readonly pose: Pose };
}

/** Returns the corner points of a mesh file, or undefined. */
export type ReadMesh = (file: string) => Mesh | undefined;

export interface LinkSources {
  readonly document: MjcfDocument;
  readonly defaults: Defaults;
  readonly ledger: Ledger;
  readonly readMesh: ReadMesh | undefined;
}

/** The boxes that stand for meshes, by geom. */
export type MeshBoxes = Map<MjGeom, { readonly dimensions: Dimensions; readonly pose: Pose }>;

export function makeLinks(tree: MjTree, sources: LinkSources, boxes: MeshBoxes): LinkTable {
  const { document, ledger } = sources;
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
    tree.bodies.slice(1).map((body) => [body, bounded(bodyMass(body, sources, boxes), document.compiler)]),
  );
  const sum = [...masses.values()].reduce((total, part) => total + part.mass, 0);
  const { totalMass } = document.compiler;
  const scale = totalMass !== undefined && sum > 0 ? totalMass / sum : 1;

  const made = new Map<MjBody, Link>();
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
      return { name: "world", root, parent, members, center: vector.zero, description: undefined };
    }
    const parts = [...members].map(([body, pose]): MassPart => {
      const { mass, inertia, pose: own } = masses.get(body) as MassPart;
      const scaled = matrix3.multiply(inertia, matrix3.diagonal(scale, scale, scale));
      return { mass: mass * scale, inertia: scaled, pose: composePoses(pose, own) };
    });
    const { mass, centerOfMass, inertia } = combinedMass(parts);
    const shapes: Shape[] = [];
    for (const [body, pose] of members) {
      for (const geom of body.geoms) {
        const box = boxes.get(geom);
        const shape = shapeOf(
          box ? { ...geom, dimensions: box.dimensions, placement: box.pose } : geom,
          pose,
          centerOfMass,
        );
        if (shape) shapes.push(shape);
      }
    }
    if (!(mass > 0)) {
      const meshes = [...members.keys()].some((body) => body.geoms.some(({ type }) => type === "mesh"));
      const wayOut = meshes ? "add <inertial>, or pass readMesh for its meshes" : "add <inertial> or geoms with mass";
      throw elementError(root.element, `the body moves but has no mass; ${wayOut}, or remove its joints`);
    }
    const repaired = repairInertia(inertia);
    if (repaired.status === "hopeless") throw elementError(root.element, `its inertia cannot be: ${repaired.message}`);
    if (repaired.status === "repaired") ledger.add("adjusted", root.element, `inertia: ${repaired.message}`);
    const description: BodyDescription = {
      mass,
      inertia: repaired.inertia,
      ...(shapes.length > 0 && { shapes }),
    };
    return { name: root.name, root, parent, members, center: centerOfMass, description };
  }
}

const massless: MassPart = { mass: 0, inertia: matrix3.diagonal(0, 0, 0), pose: identityPose };

/** In the body's own frame. */
function bodyMass(body: MjBody, sources: LinkSources, boxes: MeshBoxes): MassPart {
  const { compiler } = sources.document;
  for (const geom of body.geoms) findMeshBox(geom, sources, boxes);
  const explicit = body.inertial && { ...body.inertial, pose: { ...identityPose, position: body.inertial.center } };
  if (compiler.inertiaFromGeom === "false" || (compiler.inertiaFromGeom === "auto" && explicit)) {
    return explicit ?? massless;
  }
  const [first, last] = compiler.inertiaGroups;
  const parts: MassPart[] = [];
  for (const geom of body.geoms) {
    if (geom.type === "plane" || geom.type === "hfield" || geom.group < first || geom.group > last) continue;
    const { dimensions, pose } = boxes.get(geom) ?? { dimensions: geom.dimensions, pose: geom.placement };
    if (!dimensions) {
      if (geom.mass !== 0) {
        sources.ledger.add("not-expressible", geom.element, `a ${geom.type} whose file is not read has no mass`);
      }
      continue;
    }
    const mass = geom.mass ?? geom.density * volume(dimensions);
    if (mass > 0) parts.push({ mass, inertia: shapeInertia(dimensions, mass), pose });
  }
  if (parts.length === 0) return explicit ?? massless;
  const { mass, centerOfMass, inertia } = combinedMass(parts);
  return { mass, inertia, pose: { ...identityPose, position: centerOfMass } };
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

/** A mesh that can be read is taken for its bounding box. */
function findMeshBox(geom: MjGeom, { document, defaults, ledger, readMesh }: LinkSources, boxes: MeshBoxes): void {
  if (geom.type !== "mesh" || geom.mesh === undefined || boxes.has(geom)) return;
  if (!readMesh) {
    ledger.add("ignored", geom.element, "mesh files are not read: no looks, mass or contacts from them");
    return;
  }
  const asset = document
    .section("asset")
    .filter(({ name }) => name === "mesh")
    .map((element) => defaults.merged(element, undefined))
    .find(({ attributes }) => (attributes.get("name") ?? stem(attributes.get("file") ?? "")) === geom.mesh);
  const file = asset?.attributes.get("file");
  if (!asset || file === undefined) throw elementError(geom.element, `mesh "${geom.mesh}" has no <mesh> with a file`);
  const mesh = readMesh(file);
  if (!mesh) {
    ledger.add("ignored", geom.element, "its mesh file was not found: no looks, mass or contacts from it");
    return;
  }
  const scale = readNumbers(asset, "scale", 3) as Vector3 | undefined;
  const { center, size } = boundingBox(mesh, scale);
  if (!size.every((entry) => entry > 0)) throw elementError(geom.element, `mesh "${geom.mesh}" is flat or empty`);
  ledger.add("adjusted", geom.element, "a mesh is taken for its bounding box");
  boxes.set(geom, {
    dimensions: { kind: "box", size },
    pose: composePoses(geom.placement, { ...identityPose, position: center }),
  });
}

const stem = (file: string): string => (file.split(/[\\/]/).pop() ?? "").replace(/\.[^.]*$/, "");
