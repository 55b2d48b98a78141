/**
 * Corner points of meshes: STL (ASCII and binary) and the vertices of OBJ. Enough for bounding boxes, from which the
 * importers make contact points; no faces, normals or materials.
 */
import type { Vector3 } from "../mechanism/index.ts";
import { FormatError } from "./formatError.ts";

/** x, y, z of each vertex, one after another. */
export interface Mesh {
  readonly positions: ArrayLike<number>;
}

/** Reads by the file's ending, .stl or .obj. */
export function parseMesh(content: string | ArrayBuffer | Uint8Array, fileName: string): Mesh {
  const ending = fileName.toLowerCase().split(".").pop();
  const mesh =
    ending === "obj" ? parseObj(asText(content), fileName) : ending === "stl" ? parseStl(content, fileName) : undefined;
  if (!mesh) throw meshError(fileName, 1, `.${ending} meshes are not read; convert it to .stl or .obj`);
  if (mesh.positions.length === 0) throw meshError(fileName, 1, "no vertex; is the file complete?");
  return mesh;
}

/** Smallest box along the axes, of points that are first scaled. */
export function boundingBox(
  mesh: Mesh,
  scale: Vector3 = [1, 1, 1],
): { readonly center: Vector3; readonly size: Vector3 } {
  const lower = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const upper = lower.map((bound) => -bound);
  for (let i = 0; i < mesh.positions.length; i++) {
    const axis = i % 3;
    const value = mesh.positions[i] * scale[axis];
    if (value < lower[axis] || Number.isNaN(value)) lower[axis] = value;
    if (value > upper[axis] || Number.isNaN(value)) upper[axis] = value;
  }
  return {
    center: [(lower[0] + upper[0]) / 2, (lower[1] + upper[1]) / 2, (lower[2] + upper[2]) / 2],
    size: [upper[0] - lower[0], upper[1] - lower[1], upper[2] - lower[2]],
  };
}

/** 80 bytes of header, a count, then 50 bytes a triangle: normal, three corners, two spare bytes. */
function parseStl(content: string | ArrayBuffer | Uint8Array, fileName: string): Mesh {
  if (typeof content === "string") return parseAsciiStl(content, fileName);
  const bytes = content instanceof Uint8Array ? content : new Uint8Array(content);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // some binary files begin with "solid" too: the length decides
  const count = bytes.length >= 84 ? view.getUint32(80, true) : -1;
  if (bytes.length !== 84 + 50 * count) {
    if (asText(bytes.subarray(0, 5)) === "solid") return parseAsciiStl(asText(bytes), fileName);
    throw meshError(fileName, 1, `neither ASCII nor binary STL: ${bytes.length} bytes for ${count} triangles`);
  }
  const positions = new Float64Array(9 * count);
  for (let triangle = 0; triangle < count; triangle++) {
    for (let i = 0; i < 9; i++) {
      positions[9 * triangle + i] = view.getFloat32(84 + 50 * triangle + 12 + 4 * i, true);
    }
  }
  return checked(positions, fileName);
}

function parseAsciiStl(text: string, fileName: string): Mesh {
  return checked(vertexLines(text, "vertex", fileName), fileName);
}

function parseObj(text: string, fileName: string): Mesh {
  return checked(vertexLines(text, "v", fileName), fileName);
}

/** The three numbers after `keyword` on each line that starts with it. */
function vertexLines(text: string, keyword: string, fileName: string): number[] {
  const positions: number[] = [];
  for (const [i, line] of text.split("\n").entries()) {
    const words = line.trim().split(/\s+/, 4);
    if (words[0] !== keyword) continue;
    const numbers = words.slice(1).map(Number);
    if (numbers.length < 3 || numbers.some((number) => !Number.isFinite(number))) {
      throw meshError(fileName, i + 1, `"${line.trim().slice(0, 60)}" needs three numbers`);
    }
    positions.push(...numbers);
  }
  return positions;
}

function checked(positions: ArrayLike<number>, fileName: string): Mesh {
  for (let i = 0; i < positions.length; i++) {
    if (!Number.isFinite(positions[i])) throw meshError(fileName, 1, `vertex ${Math.floor(i / 3)} is not finite`);
  }
  return { positions };
}

function asText(content: string | ArrayBuffer | Uint8Array): string {
  return typeof content === "string" ? content : new TextDecoder().decode(content);
}

function meshError(file: string, line: number, problem: string): FormatError {
  return new FormatError({ file, line, column: 1 }, problem);
}
