/**
 * COLLADA (.dae): the triangles of all geometries that the scene shows, moved by their nodes and in metres, p = unit · M₁ M₂ … x.
 * Without a scene the geometries stand as they are. `up_axis` turns nothing, as in RViz: robot files place meshes by their own axes.
 */
import type { Mesh } from "./triangleMesh.ts";
import { elementError, parseXml, readPositive, type XmlElement } from "./xml.ts";
import { MAX_DEPTH } from "./xmlGuard.ts";

/** Rows of a 4 × 4 matrix, the last of which is 0 0 0 1. */
type Transform = readonly number[];

const identity: Transform = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
/** Nodes may show each other; a file that shows more than this means something else. */
const MAX_INSTANCES = 10_000;

export function parseCollada(text: string, fileName: string): Mesh {
  const root = parseXml(text, fileName);
  if (root.name !== "COLLADA") throw elementError(root, "the root element of a .dae file is <COLLADA>");
  const byId = new Map<string, XmlElement>();
  const index = [root];
  for (const element of index) {
    const id = element.attributes.get("id");
    if (id !== undefined) byId.set(id, element);
    for (const child of element.children) index.push(child);
  }
  const [unitElement] = descend(root, ["asset", "unit"]);
  const unit = (unitElement && readPositive(unitElement, "meter")) ?? 1;
  const positions: number[] = [];
  const triangles: number[] = [];
  const named = (element: XmlElement, attribute: string): XmlElement => {
    const url = element.attributes.get(attribute) ?? "";
    const found = byId.get(url.replace(/^#/, ""));
    if (found) return found;
    throw elementError(element, `${attribute}="${url.slice(0, 60)}" is nothing in this file`);
  };

  let instances = 0;
  const show = (node: XmlElement, outer: Transform, depth: number): void => {
    if (depth > MAX_DEPTH)
      throw elementError(node, `nodes show each other, deeper than ${MAX_DEPTH}; does one show itself?`);
    instances++;
    if (instances > MAX_INSTANCES)
      throw elementError(node, `more than ${MAX_INSTANCES} nodes are shown; is this a mesh?`);
    const own = node.children.reduce((transform, child) => moved(transform, child), outer);
    for (const child of node.children) {
      if (child.name === "node") show(child, own, depth + 1);
      else if (child.name === "instance_node") show(named(child, "url"), own, depth + 1);
      else if (child.name === "instance_geometry") addGeometry(named(child, "url"), own);
    }
  };
  const addGeometry = (geometry: XmlElement, transform: Transform): void => {
    const first = positions.length / 3;
    const mirrored = determinant(transform) < 0;
    for (const mesh of geometry.children.filter(({ name }) => name === "mesh")) {
      const points = meshPositions(mesh, named);
      for (let i = 0; i < points.length; i += 3) {
        for (let row = 0; row < 3; row++) {
          const [x, y, z, shift] = transform.slice(4 * row, 4 * row + 4);
          positions.push(unit * (x * points[i] + y * points[i + 1] + z * points[i + 2] + shift));
        }
      }
      for (const [a, b, c] of meshTriangles(mesh, points.length / 3)) {
        triangles.push(first + a, first + (mirrored ? c : b), first + (mirrored ? b : c));
      }
    }
  };

  const [scene] = descend(root, ["scene", "instance_visual_scene"]);
  if (scene)
    for (const child of named(scene, "url").children.filter(({ name }) => name === "node")) show(child, identity, 1);
  if (positions.length === 0) {
    for (const geometry of descend(root, ["library_geometries", "geometry"])) addGeometry(geometry, identity);
  }
  return triangles.length > 0 ? { positions, triangles } : { positions };
}

function descend(element: XmlElement, path: readonly string[]): XmlElement[] {
  let found = [element];
  for (const step of path) found = found.flatMap(({ children }) => children.filter(({ name }) => name === step));
  return found;
}

function numbersOf(element: XmlElement): number[] {
  const words = element.text.trim();
  const numbers = words === "" ? [] : words.split(/\s+/).map(Number);
  if (!numbers.every(Number.isFinite)) throw elementError(element, "holds something that is no number");
  return numbers;
}

/** A transform with that of a node's child after it; children that move nothing leave it. */
function moved(transform: Transform, element: XmlElement): Transform {
  const counts: Readonly<Record<string, number>> = { matrix: 16, translate: 3, rotate: 4, scale: 3 };
  const count = Object.hasOwn(counts, element.name) ? counts[element.name] : undefined;
  if (count === undefined) return transform;
  const numbers = numbersOf(element);
  if (numbers.length !== count) throw elementError(element, `needs ${count} numbers, and has ${numbers.length}`);
  const [x, y, z, degrees] = numbers;
  switch (element.name) {
    case "matrix":
      return product(transform, numbers);
    case "translate":
      return product(transform, [1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z, 0, 0, 0, 1]);
    case "scale":
      return product(transform, [x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1]);
    default:
      return product(transform, rotation([x, y, z], (degrees * Math.PI) / 180));
  }
}

/** R = cos 1 + sin [n]× + (1 − cos) n nᵀ. */
function rotation(axis: readonly number[], angle: number): Transform {
  const length = Math.hypot(...axis) || 1;
  const [x, y, z] = axis.map((entry) => entry / length);
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const t = 1 - c;
  return [
    ...[c + t * x * x, t * x * y - s * z, t * x * z + s * y, 0],
    ...[t * x * y + s * z, c + t * y * y, t * y * z - s * x, 0],
    ...[t * x * z - s * y, t * y * z + s * x, c + t * z * z, 0],
    ...[0, 0, 0, 1],
  ];
}

function product(a: Transform, b: Transform): Transform {
  return Array.from({ length: 16 }, (_, i) => {
    const [row, column] = [4 * Math.floor(i / 4), i % 4];
    return [0, 1, 2, 3].reduce((sum, k) => sum + a[row + k] * b[4 * k + column], 0);
  });
}

function determinant([a, b, c, , d, e, f, , g, h, i]: Transform): number {
  return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
}

/** x, y, z of all vertices of a mesh. */
function meshPositions(mesh: XmlElement, named: (element: XmlElement, attribute: string) => XmlElement): number[] {
  const [input] = descend(mesh, ["vertices", "input"]).filter(
    ({ attributes }) => attributes.get("semantic") === "POSITION",
  );
  if (!input) throw elementError(mesh, 'has no <vertices> with an <input semantic="POSITION">');
  const source = named(input, "source");
  const [array] = descend(source, ["float_array"]);
  if (!array) throw elementError(source, "has no <float_array>");
  const [accessor] = descend(source, ["technique_common", "accessor"]);
  const setting = (name: string, absent: number): number => Number(accessor?.attributes.get(name) ?? absent);
  const [stride, offset] = [setting("stride", 3), setting("offset", 0)];
  const numbers = numbersOf(array);
  const count = setting("count", Math.floor(numbers.length / stride));
  const fits = stride >= 3 && offset >= 0 && (count === 0 || offset + stride * (count - 1) + 3 <= numbers.length);
  if (!fits) throw elementError(source, `${numbers.length} numbers are fewer than its <accessor> reads`);
  return Array.from({ length: 3 * count }, (_, i) => numbers[offset + stride * Math.floor(i / 3) + (i % 3)]);
}

/** Faces of more than three corners are fans of triangles. */
function meshTriangles(mesh: XmlElement, vertexCount: number): [number, number, number][] {
  const triangles: [number, number, number][] = [];
  for (const part of mesh.children) {
    if (!["triangles", "polylist", "polygons", "trifans", "tristrips"].includes(part.name)) continue;
    const inputs = part.children.filter(({ name }) => name === "input");
    const offsetOf = ({ attributes }: XmlElement): number => Number(attributes.get("offset") ?? 0);
    const stride = Math.max(0, ...inputs.map(offsetOf)) + 1;
    const vertexInput = inputs.find(({ attributes }) => attributes.get("semantic") === "VERTEX");
    if (!vertexInput) throw elementError(part, 'has no <input semantic="VERTEX">');
    const lists = descend(part, ["p"]).map((p) => {
      const numbers = numbersOf(p);
      const corners = Array.from(
        { length: Math.floor(numbers.length / stride) },
        (_, i) => numbers[stride * i + offsetOf(vertexInput)],
      );
      const wrong = corners.find((corner) => !(Number.isInteger(corner) && corner >= 0 && corner < vertexCount));
      if (wrong !== undefined) throw elementError(p, `has a corner ${wrong}, and there are ${vertexCount} vertices`);
      return corners;
    });
    for (const face of facesOf(part, lists)) {
      for (let i = 2; i < face.length; i++) triangles.push([face[0], face[i - 1], face[i]]);
    }
  }
  return triangles;
}

function facesOf(part: XmlElement, lists: readonly (readonly number[])[]): (readonly number[])[] {
  if (part.name === "polygons" || part.name === "trifans") return [...lists];
  if (part.name === "tristrips") {
    return lists.flatMap((corners) =>
      corners.slice(2).map((corner, i) => [corners[i + (i % 2)], corners[i + 1 - (i % 2)], corner]),
    );
  }
  const corners = lists.flat();
  const [counts] = descend(part, ["vcount"]);
  const sizes = counts ? numbersOf(counts) : Array.from({ length: Math.floor(corners.length / 3) }, () => 3);
  let at = 0;
  return sizes.map((size) => {
    at += size;
    return corners.slice(at - size, at);
  });
}
