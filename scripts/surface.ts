/**
 * The public surface as text: every name that the package exports, with its declaration and without comments, from the built
 * declarations. docs/surface.txt is kept equal to it, so that a change of the surface is seen where changes are read.
 *   tsx scripts/surface.ts     writes docs/surface.txt; expects dist/ to be built
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { dist } from "./built.ts";

const entries = {
  "dojo-sim": "index.d.ts",
  "dojo-sim/node": "node/index.d.ts",
  "dojo-sim/tools": "tools.d.ts",
} as const;

export const surfaceFile: string = join(import.meta.dirname, "../docs/surface.txt");

/** Where a name is declared. */
interface Place {
  readonly file: string;
  readonly name: string;
}

interface Module {
  /** Declarations by name, their text without `export` and `declare`. */
  readonly declarations: ReadonlyMap<string, string>;
  /** What comes from other modules by name. */
  readonly named: ReadonlyMap<string, Place>;
  /** What others offer as a whole under a name of its own: `export * as name`. */
  readonly spaces: ReadonlyMap<string, string>;
  /** Files of which all is passed on, or all types. */
  readonly passed: readonly { readonly file: string; readonly onlyTypes: boolean }[];
}

const modules = new Map<string, Module>();

function moduleOf(file: string): Module {
  let found = modules.get(file);
  if (!found) {
    found = read(file);
    modules.set(file, found);
  }
  return found;
}

function read(file: string): Module {
  const text = readFileSync(file, "utf8")
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/^\s*\/\/.*$/gm, "");
  const declarations = new Map<string, string>();
  const named = new Map<string, Place>();
  const spaces = new Map<string, string>();
  const passed: { file: string; onlyTypes: boolean }[] = [];
  const other = (path: string): string => join(dirname(file), path.replace(/\.(ts|js)$/, ".d.ts"));
  // a statement begins at the beginning of a line
  for (const statement of text.split(/\n(?=(?:export|declare|import)\b)/)) {
    const from = /^export (type )?(\*(?: as (\w+))?|\{[\s\S]*?\}) from "(\.[^"]+)"/.exec(statement);
    const declared = /^export (?:declare )?(?:abstract )?(?:function|class|const|let|interface|type|enum) (\w+)/.exec(
      statement,
    );
    if (from) {
      const [, type, what, space, path] = from;
      if (space) spaces.set(space, other(path));
      else if (what === "*") passed.push({ file: other(path), onlyTypes: type !== undefined });
      else for (const { name, as } of namesOf(what)) named.set(as, { file: other(path), name });
    } else if (declared) {
      const shown = statement.replace(/^export (declare )?/, "").replace(/\n\s*\n/g, "\n");
      const before = declarations.get(declared[1]);
      // overloads
      declarations.set(declared[1], before ? `${before}\n${shown.trim()}` : shown.trim());
    }
  }
  return { declarations, named, spaces, passed };
}

/** The names of `{ a, type B, c as d }`. */
function namesOf(list: string): { name: string; as: string }[] {
  return [...list.matchAll(/(?:type )?(\w+)(?: as (\w+))?\s*[,}]/g)].map(([, name, as]) => ({ name, as: as ?? name }));
}

function isType({ file, name }: Place): boolean {
  return /^(abstract class|class|interface|type|enum)\b/.test(moduleOf(file).declarations.get(name) ?? "");
}

/** Every name that a module offers, with where it is declared. */
function namesIn(file: string): Map<string, Place> {
  const { declarations, named, passed } = moduleOf(file);
  const all = new Map<string, Place>();
  for (const { file: where, onlyTypes } of passed) {
    for (const [name, place] of namesIn(where)) if (!onlyTypes || isType(place)) all.set(name, place);
  }
  for (const [name, { file: where, name: own }] of named) {
    const place = namesIn(where).get(own);
    if (place) all.set(name, place);
  }
  for (const name of declarations.keys()) all.set(name, { file, name });
  return all;
}

/** What users cannot reach is no part of it. */
function withoutPrivate(declaration: string): string {
  return declaration
    .split("\n")
    .filter((line) => !/^\s+private\b/.test(line))
    .join("\n");
}

function report(title: string, file: string): string {
  const lines = [`# ${title}`, ""];
  const names = [...namesIn(file)].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [name, place] of names) {
    const declaration = moduleOf(place.file).declarations.get(place.name) ?? "";
    const other = name === place.name ? "" : `${name} is `;
    lines.push(`${other}${withoutPrivate(declaration)}`, "");
  }
  for (const [name, space] of moduleOf(file).spaces) lines.push(report(`${title}: ${name}`, space));
  return lines.join("\n");
}

/** The surface of the package that is built in this folder. */
export function surface(folder: string = dist): string {
  const parts = Object.entries(entries).map(([name, file]) => report(name, join(folder, file)));
  return `${parts.join("\n").trim()}\n`;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(surfaceFile, surface());
}
