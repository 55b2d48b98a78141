/**
 * The <mesh> assets of a file: vertices from files or from the element itself, moved and turned by refpos and refquat and scaled, with
 * the mass that their `inertia` says. Files are in `meshdir`, seen from the main file or from the one that names them.
 */
import { quaternion, vector } from "../../math/index.ts";
import type { Vector3 } from "../../mechanism/index.ts";
import { baseName, joinPath, relativeFolder, stemOf } from "../filePaths.ts";
import { isMeshFile, whyNoMesh } from "../mesh.ts";
import { type MeshInertia, type MeshMass, meshMass } from "../meshMass.ts";
import { meshPoints } from "../meshPoints.ts";
import { boundingBox, type Mesh } from "../triangleMesh.ts";
import { attributeError, readChoice, readNumberList, readQuaternion, readVector3, type XmlElement } from "../xml.ts";
import { builtinKinds, builtinMesh } from "./builtinMesh.ts";
import type { Defaults } from "./defaults.ts";
import type { MjcfDocument } from "./document.ts";
import type { Ledger } from "./ledger.ts";

/** Returns the vertices and triangles of a mesh file, or undefined. */
export type ReadMesh = (file: string) => Mesh | undefined;

export interface MeshAsset {
  readonly element: XmlElement;
  /** The mesh in the frame of the geoms that use it. */
  readonly mesh: Mesh;
  /** The mass at density 1; undefined without volume. */
  readonly mass: MeshMass | undefined;
  readonly box: { readonly center: Vector3; readonly size: Vector3 };
  readonly contactPoints: readonly Vector3[];
}

const attributes = [
  ...["file", "vertex", "face", "scale", "refpos", "refquat", "inertia", "normal", "texcoord", "smoothnormal"],
  ...["content_type", "material", "maxhullvert", "builtin", "params"],
];
const readInertiaMode = readChoice(["convex", "exact", "legacy", "shell"]);

export class MeshTable {
  readonly #elements = new Map<string, XmlElement>();
  readonly #read = new Map<string, MeshAsset | undefined>();
  readonly #unread = new Map<string, string>();
  readonly #document: MjcfDocument;
  readonly #ledger: Ledger;
  readonly #readMesh: ReadMesh | undefined;

  constructor(document: MjcfDocument, defaults: Defaults, ledger: Ledger, readMesh: ReadMesh | undefined) {
    this.#document = document;
    this.#ledger = ledger;
    this.#readMesh = readMesh;
    for (const child of document.section("asset")) {
      if (child.name !== "mesh") continue;
      const element = defaults.merged(child, undefined);
      const name = element.attributes.get("name") ?? stemOf(element.attributes.get("file") ?? "");
      if (name !== "") this.#elements.set(name, element);
    }
  }

  /** Undefined, with a warning, where its file is not there; an error where the file has no such mesh. */
  named(geom: XmlElement, name: string): MeshAsset | undefined {
    const element = this.#elements.get(name);
    if (!element) throw attributeError(geom, "mesh", "is no <mesh> of the file; add it to <asset>");
    if (!this.#read.has(name)) this.#read.set(name, this.#load(element, name));
    return this.#read.get(name);
  }

  /** Why there is no mesh of that name, and what to do about it. */
  whyUnread(name: string): string | undefined {
    return this.#unread.get(name);
  }

  #load(element: XmlElement, name: string): MeshAsset | undefined {
    this.#ledger.addAttributes(element, attributes);
    const raw = this.#vertices(element, name);
    if (!raw) return undefined;
    const mesh = moved(element, raw);
    const mode = readInertiaMode(element, "inertia") ?? "legacy";
    return {
      element,
      mesh,
      mass: meshMass(mesh, mode satisfies MeshInertia),
      box: boundingBox(mesh),
      contactPoints: meshPoints(mesh),
    };
  }

  #vertices(element: XmlElement, name: string): Mesh | undefined {
    const positions = readNumberList(element, "vertex");
    if (positions) {
      const triangles = readNumberList(element, "face");
      if (positions.length < 12 || positions.length % 3 !== 0) {
        throw attributeError(element, "vertex", "needs three numbers for each of four vertices or more");
      }
      const fits = (corner: number): boolean =>
        Number.isInteger(corner) && corner >= 0 && 3 * corner < positions.length;
      if (triangles && (triangles.length % 3 !== 0 || !triangles.every(fits))) {
        throw attributeError(element, "face", "needs three vertices for each triangle, counted from 0");
      }
      return triangles ? { positions, triangles } : { positions };
    }
    const builtin = element.attributes.get("builtin") ?? "none";
    if (builtinKinds.includes(builtin)) return builtinMesh(element, builtin);
    const file = element.attributes.get("file");
    if (file === undefined) {
      this.#ledger.add("not-expressible", element, "has neither a file nor vertices; its geoms have no extent");
      return undefined;
    }
    if (!this.#readMesh) {
      this.#ledger.add(
        "ignored",
        element,
        "mesh files are not read without readMesh: no looks, mass or contacts from them",
      );
      this.#unread.set(name, "give the files of its meshes too (readMesh)");
      return undefined;
    }
    const { meshFolder, stripPath, folder } = this.#document.compilerOf(element).files;
    const inFolder = joinPath(meshFolder, stripPath ? baseName(file) : file);
    const beside = joinPath(relativeFolder(folder, element.file), inFolder);
    const mesh = this.#readMesh(inFolder) ?? (beside === inFolder ? undefined : this.#readMesh(beside));
    if (mesh) return this.#firstObject(element, inFolder, mesh);
    const isRead = isMeshFile(inFolder);
    const reason = isRead ? `"${inFolder}" was not found` : `"${inFolder}": ${whyNoMesh(inFolder)}`;
    this.#ledger.add("ignored", element, `${reason}: no looks, mass or contacts from it`);
    this.#unread.set(
      name,
      isRead ? `put its mesh "${inFolder}" there, which was not found` : `convert ${inFolder} to .stl or .obj`,
    );
    return undefined;
  }

  /** All vertices, with the triangles of the first object: MuJoCo's reading of a file with several. */
  #firstObject(element: XmlElement, file: string, { firstObject, ...mesh }: Mesh): Mesh {
    if (firstObject === undefined || !mesh.triangles) return mesh;
    const share = `${firstObject} of ${mesh.triangles.length / 3}`;
    const message = `"${file}" has several objects; mass and looks are those of the first ("${share}" triangles), as in MuJoCo. Join them in the file, or make a <mesh> of each`;
    this.#ledger.add("ignored", element, message);
    return { ...mesh, triangles: Array.from(mesh.triangles).slice(0, 3 * firstObject) };
  }
}

/** p ← scale · R(refquat)ᵀ (p − refpos), with the triangles turned back where the scale mirrors. */
function moved(element: XmlElement, mesh: Mesh): Mesh {
  const shift = readVector3(element, "refpos") ?? vector.zero;
  const turn = readQuaternion(element, "refquat") ?? quaternion.identity;
  const scale = readVector3(element, "scale") ?? [1, 1, 1];
  const positions = Float64Array.from(mesh.positions);
  for (let p = 0; p < positions.length; p += 3) {
    const from: Vector3 = [positions[p] - shift[0], positions[p + 1] - shift[1], positions[p + 2] - shift[2]];
    const turned = quaternion.rotateInverse(turn, from);
    for (let k = 0; k < 3; k++) positions[p + k] = scale[k] * turned[k];
  }
  if (!mesh.triangles) return { positions };
  const mirrored = scale[0] * scale[1] * scale[2] < 0;
  const triangles = Array.from(mesh.triangles);
  if (mirrored)
    for (let t = 0; t < triangles.length; t += 3) [triangles[t], triangles[t + 1]] = [triangles[t + 1], triangles[t]];
  return { positions, triangles };
}
