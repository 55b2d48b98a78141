/** Visual and collision elements, and the materials that colour them. */
import type { PrimitiveShape, Vector3 } from "../../mechanism/index.ts";
import {
  attributeError,
  childrenNamed,
  elementError,
  onlyChild,
  readName,
  readNumber,
  readNumbers,
  readString,
  readVector3,
  required,
  requiredChild,
  type WarningList,
  type XmlElement,
} from "../xml.ts";
import { readOrigin } from "./readOrigin.ts";
import type { UrdfGeometry } from "./urdfModel.ts";

/** CSS colours by the names of the materials, wherever in the file they are defined. */
export function readMaterials(root: XmlElement, warnings: WarningList): Map<string, string> {
  const materials = new Map<string, string>();
  for (const element of childrenNamed(root, "material")) {
    const name = required(readString, element, "name");
    const color = readColor(element, warnings);
    if (color === undefined) continue;
    if (materials.has(name)) warnings.add("ignored", element, "a second material of this name; the first counts");
    else materials.set(name, color);
  }
  // a material may also be defined where it is first used
  for (const link of childrenNamed(root, "link")) {
    for (const visual of childrenNamed(link, "visual")) {
      for (const element of childrenNamed(visual, "material")) {
        const name = readString(element, "name") ?? "";
        const color = childrenNamed(element, "color")[0];
        if (name !== "" && color && !materials.has(name)) materials.set(name, cssColor(color) ?? "");
      }
    }
  }
  return materials;
}

export function readGeometries(
  link: XmlElement,
  role: "visual" | "collision",
  materials: ReadonlyMap<string, string>,
  warnings: WarningList,
): UrdfGeometry[] {
  const found: UrdfGeometry[] = [];
  for (const element of childrenNamed(link, role)) {
    warnings.addUnknown(element, {
      attributes: ["name"],
      ignoredAttributes: ["group"],
      children: role === "visual" ? ["origin", "geometry", "material"] : ["origin", "geometry"],
      ignoredChildren: ["material", "verbose", "contact_coefficients", "surface"],
    });
    const geometry = requiredChild(element, "geometry", warnings);
    warnings.addUnknown(geometry, { children: geometryNames });
    const shapeElement = geometry.children.find((child) => geometryNames.includes(child.name));
    const name = readString(element, "name");
    if (!shapeElement) {
      warnings.add("ignored", geometry, `has no shape and is left out; give one of ${geometryNames.join(", ")}`);
      continue;
    }
    const shape = readShape(shapeElement, warnings);
    if (!shape) continue;
    found.push({
      element,
      name: name === "" ? undefined : name,
      pose: readOrigin(element, warnings),
      shape,
      color: role === "visual" ? readMaterial(element, materials, warnings) : undefined,
    });
  }
  return found;
}

const geometryNames = ["box", "sphere", "cylinder", "capsule", "ellipsoid", "mesh"];

/** Undefined, with a warning, for one without extent. */
function readShape(element: XmlElement, warnings: WarningList): UrdfGeometry["shape"] | undefined {
  const lengths = (name: string, count: number): number[] | undefined => {
    const values = readNumbers(element, name, count);
    if (values === undefined) throw elementError(element, `attribute ${name} is missing; write ${name}="…"`);
    if (values.some((value) => value < 0)) throw attributeError(element, name, "must not be negative");
    if (values.every((value) => value > 0)) return values;
    warnings.add("ignored", element, `a shape with ${name} 0 has no extent`);
    return undefined;
  };
  switch (element.name) {
    case "box":
    case "ellipsoid": {
      const name = element.name === "box" ? "size" : "radii";
      warnings.addUnknown(element, { attributes: [name] });
      const size = lengths(name, 3) as Vector3 | undefined;
      if (!size) return undefined;
      return element.name === "box" ? { kind: "box", size } : { kind: "ellipsoid", radii: size };
    }
    case "sphere": {
      warnings.addUnknown(element, { attributes: ["radius"] });
      const radius = lengths("radius", 1);
      return radius && { kind: "sphere", radius: radius[0] };
    }
    case "mesh": {
      warnings.addUnknown(element, { attributes: ["filename", "scale"] });
      return {
        kind: "mesh",
        fileName: required(readName, element, "filename"),
        scale: readVector3(element, "scale") ?? [1, 1, 1],
      };
    }
    default: {
      warnings.addUnknown(element, { attributes: ["radius", "length"] });
      const kind = element.name as "cylinder" | "capsule";
      const radius = lengths("radius", 1);
      // a capsule of length 0 is a sphere
      const length = kind === "capsule" && readNumber(element, "length") === 0 ? [0] : lengths("length", 1);
      return radius && length && ({ kind, radius: radius[0], length: length[0] } as PrimitiveShape);
    }
  }
}

function readMaterial(
  visual: XmlElement,
  materials: ReadonlyMap<string, string>,
  warnings: WarningList,
): string | undefined {
  const element = onlyChild(visual, "material", warnings);
  if (!element) return undefined;
  const own = readColor(element, warnings);
  if (own !== undefined) return own;
  const name = readString(element, "name") ?? "";
  const known = materials.get(name);
  if (known === undefined && childrenNamed(element, "texture").length === 0) {
    warnings.add("ignored", element, "no material of this name has a colour");
  }
  return known || undefined;
}

function readColor(material: XmlElement, warnings: WarningList): string | undefined {
  warnings.addUnknown(material, { attributes: ["name"], children: ["color"], ignoredChildren: ["texture"] });
  const color = onlyChild(material, "color", warnings);
  if (!color) return undefined;
  warnings.addUnknown(color, { attributes: ["rgba"] });
  return cssColor(color);
}

/** #rrggbb, with two more digits when it is not opaque. */
function cssColor(color: XmlElement): string | undefined {
  const rgba = readNumbers(color, "rgba", 4);
  if (!rgba) throw elementError(color, 'attribute rgba is missing; write rgba="0.5 0.5 0.5 1"');
  const bytes = rgba.map((entry) => Math.round(255 * Math.min(1, Math.max(0, entry))));
  const shown = bytes[3] === 255 ? bytes.slice(0, 3) : bytes;
  return `#${shown.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
