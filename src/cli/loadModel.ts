/** A model's name or a file → a description. URDF, MJCF and JSON are told apart by their ending and first element. */
import { readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import {
  bodyContactModels,
  type FormatWarning,
  fromJson,
  importMjcf,
  importUrdf,
  type MechanismDescription,
  type Mesh,
  type ModelName,
  modelNames,
  models,
  parseMesh,
} from "../index.ts";
import { InputError, suggestion } from "./inputError.ts";
import { endingOf, reason } from "./outputs/outputFile.ts";

export interface LoadOptions {
  /** URDF files only: see `importUrdf`. */
  readonly base?: "floating" | "fixed" | undefined;
  /** Robots of the library only: see `bodyContacts` of their options. */
  readonly contacts?: "feet" | "all" | undefined;
}

export interface LoadedModel {
  readonly name: string;
  readonly description: MechanismDescription;
  readonly warnings: readonly FormatWarning[];
}

const fileEndings = [".urdf", ".xml", ".mjcf", ".json"];
/** No robot's description is larger. */
const mostBytes = 200e6;

export function loadModel(what: string, options: LoadOptions = {}): LoadedModel {
  const looksLikeFile = /[\\/]/.test(what) || fileEndings.includes(endingOf(what));
  const model = modelNames.find((name) => plain(name) === plain(what));
  if (model !== undefined && !looksLikeFile) {
    if (options.base !== undefined) throw new InputError(`--base is for URDF files; ${model} has its base already`);
    return { name: model, description: libraryModel(model, options), warnings: [] };
  }
  if (!looksLikeFile && statSync(what, { throwIfNoEntry: false }) === undefined) {
    const meant = suggestion(what, modelNames);
    throw new InputError(
      `there is no model "${what}"${meant || "; `dojo list` shows all, files end in .urdf, .xml or .json"}`,
    );
  }
  if (options.contacts !== undefined) {
    throw new InputError(`--contacts is for the library's robots; the contacts of ${what} stand in the file`);
  }
  return loadFile(what, options);
}

function libraryModel(name: ModelName, { contacts }: LoadOptions): MechanismDescription {
  if (contacts === undefined) return models[name]();
  const robot = bodyContactModels.find((one) => one === name);
  if (robot !== undefined) return models[robot]({ bodyContacts: contacts === "all" });
  throw new InputError(
    `--contacts: ${name} has one set of contacts; those with two are ${bodyContactModels.join(", ")}`,
  );
}

/** half-cheetah and HalfCheetah are halfCheetah. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, "");
}

function loadFile(path: string, options: LoadOptions): LoadedModel {
  const ending = endingOf(path);
  if (ending === ".xacro") throw new InputError(`${path}: expand it first, with: xacro ${path} > robot.urdf`);
  if (!fileEndings.includes(ending)) {
    throw new InputError(`${path}: "${ending}" files are not read; have: ${fileEndings.join(", ")}`);
  }
  const text = readText(path);
  const name = basename(path).replace(/\.[^.]*$/, "");
  const isUrdf = ending === ".urdf" || (ending !== ".json" && firstElement(text) === "robot");
  if (options.base !== undefined && !isUrdf) throw new InputError(`--base is for URDF files, and ${path} is none`);
  if (ending === ".json") return { name, description: fromJson(text, path), warnings: [] };
  const readMesh = (file: string): Mesh | undefined => meshBeside(path, file);
  if (isUrdf) {
    const { description, warnings } = importUrdf(text, {
      fileName: path,
      readMesh,
      ...(options.base && { base: options.base }),
    });
    return { name: description.name ?? name, description, warnings };
  }
  const readFile = (file: string): string => readText(resolve(dirname(path), file));
  const { description, warnings } = importMjcf(text, { fileName: path, readMesh, readFile });
  return { name: description.name ?? name, description, warnings };
}

export function readText(path: string): string {
  try {
    const { size } = statSync(path);
    if (size > mostBytes) throw new InputError(`${path}: ${(size / 1e6).toFixed(0)} MB is too large for a robot`);
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`cannot read ${path}: ${reason(error)}`);
  }
}

/** Name of the outermost element of an XML text, as far as a look can tell. */
function firstElement(text: string): string | undefined {
  return /<([A-Za-z_][\w.-]*)/.exec(text.replace(/<!--[\s\S]*?-->/g, ""))?.[1];
}

/** A mesh named in a robot file: relative to it, or "package://name/path" in a folder above it. None if it cannot be found. */
function meshBeside(robotFile: string, mesh: string): Mesh | undefined {
  if (!/\.(stl|obj)$/i.test(mesh)) return undefined;
  const relative = mesh.replace(/^file:\/\//, "");
  const inPackage = /^package:\/\/([^/]+)\/(.*)$/.exec(relative);
  const places: string[] = [];
  let folder = dirname(resolve(robotFile));
  for (let up = 0; up < 5; up++) {
    if (inPackage) places.push(join(folder, inPackage[2]), join(folder, inPackage[1], inPackage[2]));
    else places.push(resolve(folder, relative));
    folder = dirname(folder);
  }
  const found = places.find((place) => statSync(place, { throwIfNoEntry: false })?.isFile());
  return found === undefined ? undefined : parseMesh(readFileSync(found), found);
}
