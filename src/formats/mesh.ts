/**
 * Triangle meshes: STL (ASCII and binary), OBJ, COLLADA and MuJoCo's MSH. Vertices and triangles, which give mass, bounding boxes and contact
 * points; no normals, colours or materials.
 */
import { parseCollada } from "./collada.ts";
import { FormatError } from "./formatError.ts";
import type { Mesh } from "./triangleMesh.ts";

const readers: Readonly<Record<string, (content: string | ArrayBuffer | Uint8Array, fileName: string) => Mesh>> = {
  stl: parseStl,
  obj: parseObj,
  dae: (content, fileName) => parseCollada(asText(content), fileName),
  msh: parseMsh,
};

/** Whether `parseMesh` reads files with this ending: .stl, .obj, .dae and .msh. */
export function isMeshFile(fileName: string): boolean {
  return Object.hasOwn(readers, endingOf(fileName));
}

/** Why a mesh is not there, as far as its name tells. */
export function whyNoMesh(fileName: string): string {
  return isMeshFile(fileName) ? "its file was not found" : notRead(fileName);
}

const endingOf = (fileName: string): string => fileName.toLowerCase().split(".").pop() ?? "";
const notRead = (fileName: string): string =>
  `.${endingOf(fileName).slice(0, 20)} meshes are not read; convert it to .stl or .obj`;

/** Reads by the file's ending, .stl, .obj, .dae or .msh. */
export function parseMesh(content: string | ArrayBuffer | Uint8Array, fileName: string): Mesh {
  if (!isMeshFile(fileName)) throw meshError(fileName, 1, notRead(fileName));
  const mesh = readers[endingOf(fileName)](content, fileName);
  if (mesh.positions.length === 0) throw meshError(fileName, 1, "no vertex; is the file complete?");
  for (let i = 0; i < mesh.positions.length; i++) {
    if (!Number.isFinite(mesh.positions[i])) throw meshError(fileName, 1, `vertex ${Math.floor(i / 3)} is not finite`);
  }
  return mesh;
}

/** 80 bytes of header, a count, then 50 bytes per triangle: normal, three corners, two spare bytes. */
function parseStl(content: string | ArrayBuffer | Uint8Array, fileName: string): Mesh {
  if (typeof content === "string") return parseAsciiStl(content, fileName);
  const { bytes, view } = asBytes(content);
  // some binary files begin with "solid" too: the length decides
  const count = bytes.length >= 84 ? view.getUint32(80, true) : undefined;
  if (count === undefined || bytes.length !== 84 + 50 * count) {
    if (asText(bytes.subarray(0, 5)).toLowerCase() === "solid") return parseAsciiStl(asText(bytes), fileName);
    const held = count === undefined ? ", too few for a header" : ` for ${count} triangles`;
    throw meshError(fileName, 1, `neither ASCII nor binary STL: ${bytes.length} bytes${held}`);
  }
  const positions = new Float64Array(9 * count);
  for (let triangle = 0; triangle < count; triangle++) {
    for (let i = 0; i < 9; i++) {
      positions[9 * triangle + i] = view.getFloat32(84 + 50 * triangle + 12 + 4 * i, true);
    }
  }
  return { positions, triangles: inOrder(3 * count) };
}

function parseAsciiStl(text: string, fileName: string): Mesh {
  const read = (words: readonly string[], fail: Fail) => threeNumbers(words, fail);
  const positions = readLines(text, { vertex: read, VERTEX: read }, fileName);
  if (positions.length % 9 !== 0) throw meshError(fileName, 1, "a facet has not three vertices; is the file complete?");
  return { positions, triangles: inOrder(positions.length / 3) };
}

/** Faces of more than three corners are fans of triangles; corners count from 1, or backwards from the last vertex. */
function parseObj(content: string | ArrayBuffer | Uint8Array, fileName: string): Mesh {
  const positions: number[] = [];
  const triangles: number[] = [];
  let begun = false;
  let firstObject: number | undefined;
  const begin = () => {
    begun = triangles.length > 0;
    return [];
  };
  const read = {
    o: begin,
    g: begin,
    v: (words: readonly string[], fail: Fail) => {
      positions.push(...threeNumbers(words, fail));
      return [];
    },
    f: (words: readonly string[], fail: Fail) => {
      const count = positions.length / 3;
      const corners = words.map((word) => {
        const index = Number(word.split("/", 1)[0]);
        const corner = index < 0 ? count + index : index - 1;
        if (Number.isInteger(index) && corner >= 0 && corner < count) return corner;
        throw fail(`has a corner "${word.slice(0, 20)}" that is no vertex above it`);
      });
      if (corners.length < 3) throw fail("needs three corners");
      if (begun) firstObject ??= triangles.length / 3;
      for (let i = 2; i < corners.length; i++) triangles.push(corners[0], corners[i - 1], corners[i]);
      return [];
    },
  };
  readLines(asText(content), read, fileName);
  if (triangles.length === 0) return { positions };
  return firstObject === undefined ? { positions, triangles } : { positions, triangles, firstObject };
}

/** Counts of vertices, normals, texture coordinates and triangles as 32-bit integers, then the four of them. */
function parseMsh(content: string | ArrayBuffer | Uint8Array, fileName: string): Mesh {
  if (typeof content === "string") throw meshError(fileName, 1, "an MSH file is binary; hand over its bytes");
  const { bytes, view } = asBytes(content);
  const counts = bytes.length < 16 ? [] : [0, 4, 8, 12].map((at) => view.getInt32(at, true));
  const [vertices = -1, normals = 0, textures = 0, faces = 0] = counts;
  const size = 16 + 12 * vertices + 12 * normals + 8 * textures + 12 * faces;
  if (counts.some((count) => count < 0) || bytes.length !== size) {
    throw meshError(fileName, 1, `no MSH file: ${bytes.length} bytes, not as many as its head says`);
  }
  const positions = Float64Array.from({ length: 3 * vertices }, (_, i) => view.getFloat32(16 + 4 * i, true));
  const first = size - 12 * faces;
  const triangles = Array.from({ length: 3 * faces }, (_, i) => view.getInt32(first + 4 * i, true));
  const wrong = triangles.findIndex((corner) => corner < 0 || corner >= vertices);
  if (wrong >= 0) throw meshError(fileName, 1, `triangle ${Math.floor(wrong / 3)} has a corner that is no vertex`);
  return faces > 0 ? { positions, triangles } : { positions };
}

type Fail = (problem: string) => FormatError;

/** What the readers make of the words after their keyword, line by line. */
function readLines(
  text: string,
  readers: Readonly<Record<string, (words: readonly string[], fail: Fail) => readonly number[]>>,
  fileName: string,
): number[] {
  const numbers: number[] = [];
  let begun = "";
  for (const [i, part] of text.split("\n").entries()) {
    // a backslash at its end joins a line to the next
    const line = begun + part.trim();
    begun = line.endsWith("\\") ? `${line.slice(0, -1)} ` : "";
    if (begun !== "") continue;
    const [keyword, ...words] = line.trim().split(/\s+/);
    if (!Object.hasOwn(readers, keyword)) continue;
    const fail: Fail = (problem) => meshError(fileName, i + 1, `"${line.trim().slice(0, 60)}" ${problem}`);
    for (const number of readers[keyword](words, fail)) numbers.push(number);
  }
  return numbers;
}

function threeNumbers(words: readonly string[], fail: Fail): number[] {
  const numbers = words.slice(0, 3).map(Number);
  if (numbers.length === 3 && numbers.every(Number.isFinite)) return numbers;
  throw fail("needs three numbers");
}

function inOrder(count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, i) => i);
}

function asBytes(content: ArrayBuffer | Uint8Array): { readonly bytes: Uint8Array; readonly view: DataView } {
  const bytes = content instanceof Uint8Array ? content : new Uint8Array(content);
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
}

function asText(content: string | ArrayBuffer | Uint8Array): string {
  return typeof content === "string" ? content : new TextDecoder().decode(content);
}

function meshError(file: string, line: number, problem: string): FormatError {
  return new FormatError({ file, line, column: 1 }, problem);
}
