/** Geoms: the shapes of a body, which give it mass, looks and contacts. */
import { quaternion, vector } from "../../math/index.ts";
import type { Shape, Vector3 } from "../../mechanism/index.ts";
import { composePoses, type Pose } from "../pose.ts";
import {
  attributeError,
  elementError,
  readBoolean,
  readChoice,
  readName,
  readNonNegative,
  readNumber,
  readNumberList,
  readNumbers,
  readPositive,
  type XmlElement,
} from "../xml.ts";
import type { MjcfDocument } from "./document.ts";
import { fittedShape } from "./fittedShape.ts";
import type { Ledger } from "./ledger.ts";
import type { MeshAsset, MeshTable } from "./meshes.ts";
import { type Dimensions, type GeomType, geomTypes, type MjBody, type MjGeom } from "./model.ts";
import { placementAttributes, readPlacement, turnFromZ } from "./placement.ts";

const geomAttributes = [
  ...placementAttributes,
  ...["type", "size", "fromto", "mass", "density", "contype", "conaffinity", "condim", "priority", "friction"],
  ...["rgba", "material", "mesh", "group", "fitscale", "hfield", "shellinertia"],
];
const readGeomType = readChoice(geomTypes);
const elongated: readonly GeomType[] = ["capsule", "cylinder", "ellipsoid", "box"];

export interface GeomSources {
  readonly document: MjcfDocument;
  readonly meshes: MeshTable;
  readonly ledger: Ledger;
}

/** The element has its defaults already. */
export function readGeom(
  element: XmlElement,
  body: MjBody,
  frame: Pose,
  { document, meshes, ledger }: GeomSources,
): MjGeom {
  ledger.addAttributes(element, geomAttributes);
  const meshName = readName(element, "mesh");
  const type = readGeomType(element, "type") ?? "sphere";
  const size = readNumberList(element, "size") ?? [];
  let placement = readPlacement(element, document.compilerOf(element));
  const mesh = meshName === undefined ? undefined : meshes.named(element, meshName);
  const isMesh = type === "mesh" || type === "sdf";
  if (type === "mesh" && meshName === undefined) throw elementError(element, 'a mesh geom needs mesh="…"');
  const fitted = !isMesh && mesh ? fitTo(mesh, element, type, document) : undefined;
  const ends = readNumbers(element, "fromto", 6);
  if (fitted) placement = composePoses(placement, fitted.pose);
  else if (ends) {
    if (!elongated.includes(type)) throw attributeError(element, "fromto", `is not for a ${type}; use pos and size`);
    const [from, to] = [ends.slice(0, 3), ends.slice(3)] as unknown as [Vector3, Vector3];
    const along = vector.sub(from, to);
    const half = vector.norm(along) / 2;
    if (!(half > 1e-14)) throw attributeError(element, "fromto", "has both ends at one point; use a sphere");
    placement = { position: vector.scale(vector.add(from, to), 0.5), orientation: turnFromZ(along) };
    if (type === "capsule" || type === "cylinder") size[1] = half;
    else {
      size[1] = size[0];
      size[2] = half;
    }
  }
  const priority = readNumber(element, "priority") ?? 0;
  const shell = readBoolean(element, "shellinertia") ?? false;
  if (shell && isMesh)
    throw attributeError(element, "shellinertia", 'is not for a mesh; write inertia="shell" in its <mesh>');
  if (element.attributes.get("fluidshape") === "ellipsoid") {
    ledger.add("adjusted", element, "the body drags as the box of its inertia, not as this ellipsoid");
  }
  return {
    element,
    name: readName(element, "name"),
    body,
    type,
    placement: composePoses(frame, placement),
    dimensions:
      fitted?.dimensions ?? (!isMesh && meshName !== undefined ? undefined : dimensionsOf(element, type, size)),
    mesh: isMesh ? mesh : undefined,
    unread: meshName === undefined ? undefined : meshes.whyUnread(meshName),
    mass: readNonNegative(element, "mass"),
    density: readNonNegative(element, "density") ?? 1000,
    shell,
    group: readNumber(element, "group") ?? 0,
    contactType: readNumber(element, "contype") ?? 1,
    contactAffinity: readNumber(element, "conaffinity") ?? 1,
    contactDimension: readNumber(element, "condim") ?? 3,
    priority,
    ...readFrictions(element),
    color: readColor(element, document),
  };
}

/** A shape of the given type about a mesh. */
function fitTo(mesh: MeshAsset, element: XmlElement, type: GeomType, { compilerOf }: MjcfDocument) {
  const factor = readPositive(element, "fitscale") ?? 1;
  return fittedShape(element, type, mesh, compilerOf(element).fitBoundingBoxes, factor);
}

function readFrictions(element: XmlElement): Pick<MjGeom, "friction" | "otherFrictions"> {
  const [sliding = 1, torsional = 0.005, rolling = 0.0001] = readNumberList(element, "friction") ?? [];
  if (sliding < 0) throw attributeError(element, "friction", "must not be negative");
  return { friction: sliding, otherFrictions: [torsional, rolling] };
}

const sizesNeeded: Readonly<Record<string, number>> = { sphere: 1, capsule: 2, cylinder: 2, box: 3, ellipsoid: 3 };

function dimensionsOf(element: XmlElement, type: GeomType, size: readonly number[]): Dimensions | undefined {
  const count = sizesNeeded[type];
  if (count === undefined) return undefined;
  const given = Array.from(size).slice(0, count);
  if (given.length < count || !given.every((entry) => entry > 0)) {
    const wayOut = `give ${count === 1 ? "one number" : `${count} numbers`} above 0, half-sizes in metres`;
    throw elementError(element, `a ${type} needs size="…" with ${count} sizes; ${wayOut}`);
  }
  const [a, b, c] = given;
  switch (type) {
    case "sphere":
      return { kind: "sphere", radius: a };
    case "capsule":
    case "cylinder":
      return { kind: type, radius: a, length: 2 * b };
    case "box":
      return { kind: "box", size: [2 * a, 2 * b, 2 * c] };
    default:
      return { kind: "ellipsoid", radii: [a, b, c] };
  }
}

/** Flat meshes are shown as thick as this fraction of their length. */
const THINNEST = 1e-3;

/** What is shown of a geom: a mesh as its bounding box. Undefined if it has no extent. */
function visibleShape({
  dimensions,
  placement,
  mesh,
}: MjGeom): { dimensions: Dimensions; placement: Pose } | undefined {
  if (dimensions) return { dimensions, placement };
  if (!mesh) return undefined;
  const { center, size } = mesh.box;
  const thinnest = THINNEST * Math.max(...size);
  return {
    dimensions: { kind: "box", size: size.map((edge) => Math.max(edge, thinnest)) as unknown as Vector3 },
    placement: composePoses(placement, { position: center, orientation: quaternion.identity }),
  };
}

/** The geom as a shape in the body's frame shifted by −center; undefined if it has no extent or cannot be seen. */
export function shapeOf(geom: MjGeom, place: Pose, center: Vector3): Shape | undefined {
  const shown = geom.color === invisible ? undefined : visibleShape(geom);
  if (!shown) return undefined;
  const { position, orientation } = composePoses(place, shown.placement);
  const turned = orientation.some((entry, i) => entry !== quaternion.identity[i]);
  return {
    ...shown.dimensions,
    position: vector.sub(position, center),
    ...(turned && { orientation: quaternion.normalize(orientation) }),
    ...(geom.color !== undefined && { color: geom.color }),
  };
}

const invisible = "#00000000";

/** rgba, or that of the material, as #rrggbb with the opacity where it is not full. */
function readColor(element: XmlElement, document: MjcfDocument): string | undefined {
  let numbers = readNumbers(element, "rgba", 4);
  if (!numbers) {
    const name = element.attributes.get("material");
    if (name === undefined) return undefined;
    const material = document
      .section("asset")
      .find((one) => one.name === "material" && one.attributes.get("name") === name);
    numbers = material && readNumbers(material, "rgba", 4);
    if (!numbers) return undefined;
  }
  const digits = numbers.map((entry) =>
    Math.round(255 * Math.min(1, Math.max(0, entry)))
      .toString(16)
      .padStart(2, "0"),
  );
  if (digits[3] === "00") return invisible;
  return `#${digits.slice(0, digits[3] === "ff" ? 3 : 4).join("")}`;
}
