/**
 * The parts of an MJCF file that come before its bodies: includes, attached models, compiler settings and physics options.
 */
import type { Vector3 } from "../../mechanism/index.ts";
import { baseName, folderOf, joinPath, relativeFolder } from "../filePaths.ts";
import {
  attributeError,
  elementError,
  parseXml,
  readName,
  readNonNegative,
  readNumberList,
  readPositive,
  readVector3,
  required,
  type XmlElement,
} from "../xml.ts";
import { MAX_CHARACTERS, MAX_DEPTH } from "../xmlGuard.ts";
import { labelOfAttached, withAttachments } from "./attachments.ts";
import { type CompilerOf, last, type MjcfCompiler, readCompiler } from "./compiler.ts";
import type { Ledger } from "./ledger.ts";
import { withReplicas } from "./replicas.ts";

export interface MjcfOption {
  readonly timestep: number;
  readonly gravity: Vector3;
  readonly density: number;
  readonly viscosity: number;
  readonly wind: Vector3;
  readonly disabled: ReadonlySet<string>;
  /** Groups of actuators that do nothing. */
  readonly disabledGroups: ReadonlySet<number>;
}

export interface MjcfDocument {
  readonly root: XmlElement;
  readonly modelName: string | undefined;
  /** Settings of the main file. */
  readonly compiler: MjcfCompiler;
  readonly option: MjcfOption;
  readonly compilerOf: CompilerOf;
  /** Children of all sections of that name. */
  section(name: string): XmlElement[];
}

/** Returns the text of a file that an <include> names, seen from the main file; throws or returns undefined where there is none. */
export type ReadFile = (file: string) => string | undefined;

const sections = ["worldbody", "actuator", "equality", "tendon", "contact", "keyframe", "default", "asset"];
const settings = ["compiler", "option"];
const cosmetic: Readonly<Record<string, string>> = {
  visual: "looks only",
  statistic: "looks only",
  size: "memory is sized by what the file has",
  sensor: "sensors are not read; imu, touch, jointWrench and jointStates measure the same",
  custom: "user data is not kept",
  deformable: "flexible bodies and skins are not simulated",
  extension: "plugins are not simulated",
};

export function readDocument(
  text: string,
  fileName: string,
  ledger: Ledger,
  readFile: ReadFile | undefined,
): MjcfDocument {
  const folder = folderOf(fileName);
  const seen = new Set([baseName(fileName)]);
  const includes: Includes = { folder, ledger, readFile, seen, characters: text.length };
  const main = withIncludes(parseXml(text, fileName), "", includes, 1);
  if (main.name !== "mujoco") {
    const wayOut = main.name === "robot" ? "this is URDF: use importUrdf" : "an MJCF file starts with <mujoco>";
    throw elementError(main, `is no MJCF root; ${wayOut}`);
  }
  const readModel = (element: XmlElement): XmlElement => {
    const model: Includes = { ...includes, seen: new Set() };
    const opened = openedFile(element, relativeFolder(folder, element.file), model);
    includes.characters = model.characters;
    return opened;
  };
  const { root, compilers } = withAttachments(main, readModel, folder, ledger);
  for (const child of root.children) {
    if (sections.includes(child.name) || settings.includes(child.name)) continue;
    const reason = cosmetic[child.name];
    if (reason !== undefined) ledger.add("ignored", child, reason);
    else ledger.add("unknown", child, "unknown section; it has no effect");
  }
  const named = (name: string): XmlElement[] => root.children.filter((child) => child.name === name);
  const compiler = readCompiler(named("compiler"), folder, ledger);
  const compilerOf: CompilerOf = (element) => compilers.get(element.attributes.get(labelOfAttached) ?? "") ?? compiler;
  const whole = withReplicas(root, compilerOf, ledger);
  const all = (name: string): XmlElement[] => whole.children.filter((child) => child.name === name);
  return {
    root: whole,
    modelName: root.attributes.get("model"),
    compiler,
    compilerOf,
    option: readOption(all("option"), ledger),
    section: (name) => all(name).flatMap((child) => child.children),
  };
}

/** What has been read so far, of all files together. */
interface Includes {
  /** Folder of the main file, for messages. */
  readonly folder: string;
  readonly ledger: Ledger;
  readonly readFile: ReadFile | undefined;
  readonly seen: Set<string>;
  characters: number;
}

/**
 * Replaces every <include> by the children of the file's root, and leaves out attributes without a value, which count as absent. All
 * files together are bounded as one is. `inFolder` is the folder of the file, seen from the main one.
 */
function withIncludes(element: XmlElement, inFolder: string, includes: Includes, depth: number): XmlElement {
  if (depth > MAX_DEPTH) throw elementError(element, `nests deeper than ${MAX_DEPTH} with its includes; include less`);
  const attributes = new Map([...element.attributes].filter(([, value]) => value.trim() !== ""));
  const children = element.children.flatMap((child) => {
    if (child.name !== "include") return [withIncludes(child, inFolder, includes, depth + 1)];
    includes.ledger.addAttributes(child, ["file"]);
    return openedFile(child, inFolder, includes, depth + 1).children;
  });
  return { ...element, attributes, children };
}

/** The root of the file that an element names, with its includes. */
function openedFile(element: XmlElement, inFolder: string, includes: Includes, depth = 1): XmlElement {
  const { file, text } = includedText(element, inFolder, includes);
  includes.characters += text.length;
  if (includes.characters > MAX_CHARACTERS) {
    throw elementError(element, `more than ${MAX_CHARACTERS} characters with all includes; is this a model?`);
  }
  return withIncludes(parseXml(text, joinPath(includes.folder, file)), folderOf(file), includes, depth);
}

/** Files are named as seen from the main file; failing that, from the one that includes them. */
function includedText(
  element: XmlElement,
  inFolder: string,
  { readFile, seen }: Includes,
): { readonly file: string; readonly text: string } {
  const named = required(readName, element, "file");
  if (!readFile) throw elementError(element, `"${named}" is another file; pass readFile, or paste its elements here`);
  const places = [...new Set([joinPath("", named), joinPath(inFolder, named)])];
  const problems: string[] = [];
  for (const file of places) {
    if (seen.has(file)) throw elementError(element, `"${file}" is included already; a file can be included once`);
    let text: unknown;
    try {
      text = readFile(file);
    } catch (error) {
      problems.push((error instanceof Error ? error.message : String(error)).slice(0, 200));
      continue;
    }
    if (text === undefined) continue;
    if (typeof text !== "string") throw elementError(element, `readFile gave no text for "${file}"; return a string`);
    seen.add(file);
    return { file, text };
  }
  throw elementError(element, `"${named}" cannot be read (${problems[0] ?? "readFile has nothing for it"})`);
}

const solverOptions = [
  ...["integrator", "cone", "jacobian", "solver", "iterations", "tolerance", "ls_iterations", "ls_tolerance"],
  ...["noslip_iterations", "noslip_tolerance", "ccd_iterations", "ccd_tolerance", "mpr_iterations", "mpr_tolerance"],
  ...["impratio", "o_margin", "o_solref", "o_solimp", "o_friction", "sdf_iterations", "sdf_initpoints", "apirate"],
  ...["sleep_tolerance"],
];
/** Flags that take physics away, and those that are about MuJoCo's own workings. */
const physicsFlags = [
  ...["contact", "constraint", "equality", "limit", "frictionloss", "gravity", "actuation", "passive"],
  ...["spring", "damper", "filterparent"],
];

function readOption(elements: readonly XmlElement[], ledger: Ledger): MjcfOption {
  const disabled = new Set<string>();
  for (const element of elements) {
    for (const name of solverOptions) {
      if (element.attributes.has(name)) ledger.add("ignored", element, `${name} is for MuJoCo's solver`);
    }
    if (element.attributes.has("magnetic")) ledger.add("ignored", element, "magnetic is for sensors");
    ledger.addAttributes(element, [
      ...["timestep", "gravity", "density", "viscosity", "wind", "magnetic", "actuatorgroupdisable"],
      ...solverOptions,
    ]);
    for (const child of element.children) {
      if (child.name !== "flag") {
        ledger.add("unknown", child, "unknown option; it has no effect");
        continue;
      }
      for (const [name, value] of child.attributes) {
        if (physicsFlags.includes(name)) {
          if (value === "disable") disabled.add(name);
          else disabled.delete(name);
        } else ledger.add("ignored", child, `${name} is for MuJoCo's solver`);
      }
    }
  }
  if (disabled.has("constraint"))
    for (const name of ["contact", "equality", "limit", "frictionloss"]) disabled.add(name);
  if (disabled.has("passive")) for (const name of ["spring", "damper"]) disabled.add(name);
  const gravity = last(elements, readVector3)("gravity", [0, 0, -9.81]);
  return {
    timestep: last(elements, readPositive)("timestep", 0.002),
    gravity: disabled.has("gravity") ? [0, 0, 0] : gravity,
    density: last(elements, readNonNegative)("density", 0),
    viscosity: last(elements, readNonNegative)("viscosity", 0),
    wind: last(elements, readVector3)("wind", [0, 0, 0]),
    disabled,
    disabledGroups: new Set(last(elements, readNumberList)("actuatorgroupdisable", [])),
  };
}

/** Names of one kind, each once. */
export class NameTable<T> {
  readonly #entries = new Map<string, T>();
  readonly #what: string;

  constructor(what: string) {
    this.#what = what;
  }

  add(element: XmlElement, name: string, value: T): void {
    if (name === "__proto__") throw elementError(element, `"${name}" cannot be a name; rename it`);
    if (this.#entries.has(name)) throw elementError(element, `a second ${this.#what} "${name}"; rename one`);
    this.#entries.set(name, value);
  }

  get(name: string): T | undefined {
    return this.#entries.get(name);
  }

  /** The one that an attribute names. */
  named(element: XmlElement, attribute: string): T {
    const name = required(readName, element, attribute);
    const found = this.#entries.get(name);
    if (found !== undefined) return found;
    const names = [...this.#entries.keys()];
    const shown = names.length === 0 ? "none" : names.slice(0, 12).join(", ") + (names.length > 12 ? ", …" : "");
    throw attributeError(element, attribute, `is no ${this.#what} of the file (have: ${shown})`);
  }

  entries(): IterableIterator<[string, T]> {
    return this.#entries.entries();
  }
}
