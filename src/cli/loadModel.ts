/** The name of a model or of a scene, or a file → a description. URDF, MJCF and JSON are told apart by their ending and first element. */
import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import {
  bodyContactModels,
  type FormatWarning,
  fromJson,
  importMjcf,
  importUrdf,
  isMeshFile,
  type MechanismDescription,
  type Mesh,
  type ModelName,
  modelNames,
  models,
  parseMesh,
  sceneNames,
  scenes,
  selfCollisionModels,
} from "../index.ts";
import { inFile } from "./inFile.ts";
import { InputError, suggestion } from "./inputError.ts";
import { endingOf } from "./outputs/outputFile.ts";
import { readBytes, readText } from "./readFile.ts";

export interface LoadOptions {
  /** URDF files only: see `importUrdf`. */
  readonly base?: "floating" | "fixed" | undefined;
  /** Robots of the library only: see `bodyContacts` of their options. */
  readonly contacts?: "feet" | "all" | undefined;
  /** Robots of the library only: see `selfCollisions` of their options. */
  readonly selfCollisions?: boolean | undefined;
  /** MJCF files only: a floor at z = 0 where the file has no plane. */
  readonly floor?: boolean;
  /** Robot files only: see `importUrdf` and `importMjcf`. */
  readonly collisions?: "floor" | "shapes" | undefined;
  /** URDF files only: the path of an SRDF file. */
  readonly srdf?: string | undefined;
  /** URDF files only: see `importUrdf`. */
  readonly density?: number | undefined;
  readonly repair?: boolean | undefined;
  readonly xacroArgs?: Readonly<Record<string, string>> | undefined;
  /** MJCF files only: see `importMjcf`. */
  readonly dampratio?: "coupled" | "alone" | undefined;
}

export interface LoadedModel {
  readonly name: string;
  readonly description: MechanismDescription;
  readonly warnings: readonly FormatWarning[];
  /** Where it comes from a file. */
  readonly file?: string;
}

const fileEndings = [".urdf", ".xacro", ".xml", ".mjcf", ".json"];

/** Loads a model. With a `text`, `what` is the file's name, and the file need not be there. */
export function loadModel(what: string, options: LoadOptions = {}, text?: string): LoadedModel {
  if (text !== undefined) return { ...inFile(what, () => loadFile(what, options, text)), file: what };
  const looksLikeFile = /[\\/]/.test(what) || fileEndings.includes(endingOf(what));
  const model = modelNames.find((name) => plain(name) === plain(what));
  if (model !== undefined && !looksLikeFile) {
    if (options.base !== undefined) throw new InputError(`--base is for URDF files; ${model} has its base already`);
    refuseFileOptions(model, options);
    return { name: model, description: libraryModel(model, options), warnings: [] };
  }
  const scene = sceneNames.find((name) => plain(name) === plain(what));
  if (scene !== undefined && !looksLikeFile) {
    const given = (["base", "contacts"] as const).find((option) => options[option] !== undefined);
    if (given) throw new InputError(`--${given} is for robots, and ${scene} is a scene`);
    if (options.selfCollisions) throw new InputError(`--self-collisions is for robots, and ${scene} is a scene`);
    refuseFileOptions(scene, options);
    return { name: scene, description: scenes[scene](), warnings: [] };
  }
  if (!looksLikeFile && !existsSync(what)) {
    const meant = suggestion(what, [...modelNames, ...sceneNames]);
    throw new InputError(
      `there is no model "${what}"${meant || "; `dojo list` shows all, files end in .urdf, .xml or .json"}`,
    );
  }
  if (options.contacts !== undefined) {
    throw new InputError(`--contacts is for the library's robots; the contacts of ${what} stand in the file`);
  }
  if (options.selfCollisions) {
    throw new InputError("--self-collisions is for the library's robots; files have --collisions shapes");
  }
  return { ...inFile(what, () => loadFile(what, options)), file: what };
}

/** Refuses options of files for what is no robot file. */
function refuseFileOptions(
  what: string,
  { collisions, srdf, dampratio, density, repair, xacroArgs }: LoadOptions,
): void {
  if (collisions !== undefined) {
    const own = selfCollisionModels.some((name) => plain(name) === plain(what));
    const hint = own ? "; its limbs touch each other with --self-collisions" : "";
    throw new InputError(`--collisions is for URDF and MJCF files, and ${what} is none${hint}`);
  }
  if (srdf !== undefined) throw new InputError(`--srdf is for URDF files, and ${what} is none`);
  if (dampratio !== undefined) throw new InputError(`--dampratio is for MJCF files, and ${what} is none`);
  const given = density !== undefined ? "density" : repair ? "repair" : xacroArgs ? "xacro-arg" : undefined;
  if (given) throw new InputError(`--${given} is for URDF files, and ${what} is none`);
}

function libraryModel(name: ModelName, { contacts, selfCollisions = false }: LoadOptions): MechanismDescription {
  if (contacts !== undefined && !isIn(bodyContactModels, name)) {
    throw new InputError(
      `--contacts: ${name} has one set of contacts; those with two are ${bodyContactModels.join(", ")}`,
    );
  }
  if (selfCollisions && !isIn(selfCollisionModels, name)) {
    throw new InputError(`--self-collisions: ${name} cannot; those that can are ${selfCollisionModels.join(", ")}`);
  }
  const options = { ...(contacts && { bodyContacts: contacts === "all" }), ...(selfCollisions && { selfCollisions }) };
  return models[name](options);
}

function isIn(names: readonly ModelName[], name: ModelName): boolean {
  return names.includes(name);
}

/** half-cheetah and HalfCheetah are halfCheetah. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, "");
}

function loadFile(path: string, options: LoadOptions, given?: string): LoadedModel {
  const ending = endingOf(path);
  if (!fileEndings.includes(ending)) {
    const isFolder = given === undefined && statSync(path, { throwIfNoEntry: false })?.isDirectory();
    const fault = isFolder ? "it is a folder; give a file in it" : `"${ending}" files are not read`;
    throw new InputError(`${path}: ${fault}; have: ${fileEndings.join(", ")}`);
  }
  const text = given ?? readText(path);
  const name = basename(path).replace(/\.[^.]*$/, "");
  const isUrdf = ending === ".urdf" || ending === ".xacro" || (ending !== ".json" && firstElement(text) === "robot");
  if (options.base !== undefined && !isUrdf) throw new InputError(`--base is for URDF files, and ${path} is none`);
  if (ending === ".json") refuseFileOptions(path, options);
  for (const name of ["srdf", "density", "repair", "xacroArgs"] as const) {
    if (isUrdf || options[name] === undefined || options[name] === false) continue;
    throw new InputError(`--${name === "xacroArgs" ? "xacro-arg" : name} is for URDF files, and ${path} is none`);
  }
  if (options.srdf !== undefined && options.collisions !== "shapes") {
    throw new InputError("--srdf says which links do not touch: give --collisions shapes too");
  }
  if (ending === ".json") {
    const description = fromJson(text, path);
    return { name: description.name ?? name, description, warnings: [] };
  }
  if (isUrdf) {
    if (options.dampratio !== undefined) throw new InputError(`--dampratio is for MJCF files, and ${path} is none`);
    const { description, warnings } = importUrdf(text, {
      fileName: path,
      readMesh: (file) => meshAt(placesOfMesh(path, file)),
      ...(options.base && { base: options.base }),
      ...(options.collisions && { collisions: options.collisions }),
      ...(options.density !== undefined && { density: options.density }),
      ...(options.repair && { repair: true }),
      ...(options.xacroArgs && { xacroArgs: options.xacroArgs }),
      readFile: (file) => {
        const place = placesOfMesh(path, file).find((one) => existsSync(one));
        return place === undefined ? undefined : readText(place);
      },
      ...(options.srdf !== undefined && { srdf: readText(options.srdf), srdfName: options.srdf }),
    });
    return { name: description.name ?? name, description, warnings };
  }
  // the importer names files as seen from this one
  const { description, warnings } = importMjcf(text, {
    fileName: path,
    floor: options.floor ?? false,
    ...(options.collisions && { collisions: options.collisions }),
    ...(options.dampratio && { dampratio: options.dampratio }),
    readMesh: (file) => meshAt([resolve(dirname(path), file)]),
    readFile: (file) => readText(resolve(dirname(path), file)),
  });
  return { name: description.name ?? name, description, warnings };
}

/** Name of the outermost element of an XML text, as far as a look can tell. */
function firstElement(text: string): string | undefined {
  let at = text.indexOf("<");
  while (at >= 0) {
    const isComment = text.startsWith("<!--", at);
    // sticky: no look further than the element's name
    const name = /<([A-Za-z_][\w.-]{0,100})/y;
    name.lastIndex = at;
    const found = isComment ? null : name.exec(text);
    if (found) return found[1];
    const end = isComment ? text.indexOf("-->", at + 4) : at + 1;
    at = end < 0 ? -1 : text.indexOf("<", end);
  }
  return undefined;
}

/** Where a mesh of a URDF file may be: under its name, also where %20 stands for a blank and \ for /. */
function placesOfMesh(robotFile: string, mesh: string): string[] {
  const plain = mesh.replaceAll("\\", "/");
  const names = new Set([mesh, plain, unescaped(plain)]);
  return [...names].flatMap((name) => placesBeside(robotFile, name));
}

function unescaped(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Relative to it, or "package://name/path" in a folder above it. */
function placesBeside(robotFile: string, mesh: string): string[] {
  const relative = mesh.replace(/^file:\/\//, "");
  const inPackage = /^package:\/\/([^/]+)\/(.*)$/.exec(relative);
  const places: string[] = [];
  // this file's own package may have another name
  const unnamed: string[] = [];
  let folder = dirname(resolve(robotFile));
  for (let up = 0; up < 5; up++) {
    if (inPackage) {
      places.push(join(folder, inPackage[1], inPackage[2]));
      unnamed.push(join(folder, inPackage[2]));
    } else places.push(resolve(folder, relative));
    folder = dirname(folder);
  }
  return [...places, ...unnamed];
}

/** The mesh in the first of these files that is there. */
function meshAt(places: readonly string[]): Mesh | undefined {
  // a place that cannot be looked at, such as one with too long a name, holds no mesh
  const found = places.find((place) => existsSync(place) && statSync(place, { throwIfNoEntry: false })?.isFile());
  if (found === undefined || !isMeshFile(found)) return undefined;
  return parseMesh(readBytes(found), found);
}
