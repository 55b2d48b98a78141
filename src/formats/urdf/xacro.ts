/**
 * xacro files, the common subset: properties (values and blocks), arguments, includes, macros with parameters and blocks, conditions, and
 * ${expressions} and $(arg …), $(find …), $(optenv …), $(eval …), $(dirname) in attributes and texts. Properties are evaluated when they are
 * used, where they were defined. $(find package) is package://package, as in the names of meshes. Nothing outside of the files and of
 * the arguments is read: no environment, no Python, no YAML.
 */
import { folderOf, joinPath, relativeFolder } from "../filePaths.ts";
import { elementError, parseXml, readName, readString, required, type WarningList, type XmlElement } from "../xml.ts";
import { mendedXml } from "./lenientXml.ts";
import { ExpressionError, evaluate, isTrue, textOf, type XacroValue } from "./xacroExpression.ts";
import { closingOf, literal, type Parameter, parametersOf } from "./xacroWords.ts";

export interface XacroOptions {
  /** Values of `<xacro:arg>`, by name. */
  readonly args: Readonly<Record<string, string>>;
  /** Text of an included file. */
  readonly readFile: ((file: string) => string | undefined) | undefined;
}

/** Macros and includes inside each other. */
const DEEPEST = 100;
/** Elements that are looked at, copies counted. */
const MOST_ELEMENTS = 200_000;
const LONGEST_TEXT = 100_000;

export function expandXacro(root: XmlElement, options: XacroOptions, warnings: WarningList): XmlElement {
  if (!usesXacro(root)) return root;
  return new Expansion(options, warnings, hasXacro(root), folderOf(root.file)).root(root);
}

function hasXacro(element: XmlElement): boolean {
  return element.name.startsWith("xacro:") || element.children.some(hasXacro);
}

function usesXacro(element: XmlElement): boolean {
  if (element.name.startsWith("xacro:") || /\$[({]/.test(element.text)) return true;
  for (const value of element.attributes.values()) if (/\$[({]/.test(value)) return true;
  return element.children.some(usesXacro);
}

interface Property {
  /** Before it is evaluated. */
  readonly raw?: string;
  readonly place: XmlElement;
  value?: XacroValue;
  isOpen?: boolean;
}

class Scope {
  readonly properties = new Map<string, Property>();
  readonly blocks = new Map<string, readonly XmlElement[]>();
  readonly parent: Scope | undefined;

  constructor(parent?: Scope) {
    this.parent = parent;
  }

  find(name: string): { readonly scope: Scope; readonly property: Property } | undefined {
    for (let scope: Scope | undefined = this; scope; scope = scope.parent) {
      const property = scope.properties.get(name);
      if (property) return { scope, property };
    }
    return undefined;
  }

  block(name: string): readonly XmlElement[] | undefined {
    return this.blocks.get(name) ?? this.parent?.block(name);
  }

  get outermost(): Scope {
    return this.parent?.outermost ?? this;
  }
}

interface Macro {
  readonly element: XmlElement;
  readonly parameters: readonly Parameter[];
}

class Expansion {
  private readonly args: Map<string, string>;
  private readonly macros = new Map<string, Macro>();
  private readonly options: XacroOptions;
  private readonly warnings: WarningList;
  /** Leftovers in a file that is no xacro file are left, with a warning. */
  private readonly isStrict: boolean;
  /** Folder of the main file. */
  private readonly main: string;
  private depth = 0;
  private elements = 0;

  constructor(options: XacroOptions, warnings: WarningList, isStrict: boolean, main: string) {
    this.main = main;
    this.options = options;
    this.args = new Map(Object.entries(options.args));
    this.warnings = warnings;
    this.isStrict = isStrict;
  }

  root(element: XmlElement): XmlElement {
    return this.copied(element, new Scope());
  }

  private copied(element: XmlElement, scope: Scope): XmlElement {
    const attributes = new Map<string, string>();
    for (const [name, value] of element.attributes) {
      if (!name.startsWith("xmlns")) attributes.set(name, this.text(value, element, scope));
    }
    const children = this.all(element.children, scope);
    return { ...element, attributes, children, text: this.text(element.text, element, scope) };
  }

  private all(elements: readonly XmlElement[], scope: Scope): XmlElement[] {
    return elements.flatMap((element) => this.expanded(element, scope));
  }

  private expanded(element: XmlElement, scope: Scope): readonly XmlElement[] {
    if (++this.elements > MOST_ELEMENTS)
      throw elementError(element, `xacro makes more than ${MOST_ELEMENTS} elements; is a macro without an end?`);
    switch (element.name) {
      case "xacro:property":
        this.define(element, scope);
        return [];
      case "xacro:arg": {
        const name = required(readName, element, "name");
        const value = readString(element, "default");
        if (!this.args.has(name) && value !== undefined) this.args.set(name, this.text(value, element, scope));
        return [];
      }
      case "xacro:macro": {
        const name = required(readName, element, "name").replace(/^xacro:/, "");
        this.macros.set(name, { element, parameters: parametersOf(element) });
        return [];
      }
      case "xacro:include":
        return this.deeper(element, () => this.included(element, scope));
      case "xacro:if":
      case "xacro:unless": {
        const holds = this.condition(element, scope) === (element.name === "xacro:if");
        return holds ? this.all(element.children, scope) : [];
      }
      case "xacro:insert_block": {
        const name = this.text(required(readName, element, "name"), element, scope);
        const block = scope.block(name);
        if (!block)
          throw elementError(element, `there is no block "${name.slice(0, 60)}"; name a *parameter or a property`);
        this.elements += block.length;
        return block;
      }
      case "xacro:call":
        return this.deeper(element, () =>
          this.called(element, this.text(required(readName, element, "macro"), element, scope), scope),
        );
      case "xacro:element":
      case "xacro:attribute":
        throw elementError(element, "is not read; expand the file first: `xacro robot.xacro > robot.urdf`");
      default:
    }
    if (!element.name.startsWith("xacro:")) return [this.copied(element, scope)];
    return this.deeper(element, () => this.called(element, element.name.slice("xacro:".length), scope));
  }

  private deeper(element: XmlElement, expand: () => readonly XmlElement[]): readonly XmlElement[] {
    if (++this.depth > DEEPEST)
      throw elementError(element, `xacro nests deeper than ${DEEPEST}; does a macro or a file include itself?`);
    const found = expand();
    this.depth--;
    return found;
  }

  private define(element: XmlElement, scope: Scope): void {
    const name = required(readName, element, "name");
    const where = readString(element, "scope");
    const owner = where === "global" ? scope.outermost : where === "parent" ? (scope.parent ?? scope) : scope;
    const [value, fallback] = [readString(element, "value"), readString(element, "default")];
    if (value === undefined && fallback === undefined) {
      owner.blocks.set(name, this.all(element.children, scope));
      return;
    }
    if (value === undefined && scope.find(name)) return;
    const raw = value ?? fallback ?? "";
    // what goes to another scope cannot be looked up there
    const own = owner === scope ? { raw, place: element } : { place: element, value: this.value(raw, element, scope) };
    owner.properties.set(name, own);
  }

  private condition(element: XmlElement, scope: Scope): boolean {
    const value = literal(this.value(required(readString, element, "value"), element, scope));
    if (typeof value !== "string") return isTrue(value);
    throw elementError(element, `value "${value.slice(0, 60)}" is neither true nor false`);
  }

  private included(element: XmlElement, scope: Scope): XmlElement[] {
    if (element.attributes.has("ns")) throw elementError(element, "ns is not read; expand the file first with xacro");
    const name = this.text(required(readName, element, "filename"), element, scope);
    const file = fileBeside(this.main, element.file, name);
    const text = this.options.readFile?.(file);
    if (text === undefined) {
      if (readString(element, "optional") === "true") return [];
      const wayOut = this.options.readFile ? "put it there" : "pass readFile";
      throw elementError(element, `"${file.slice(0, 100)}" was not found; ${wayOut}`);
    }
    return this.all(parseXml(mendedXml(text, file, this.warnings), file).children, scope);
  }

  private called(element: XmlElement, name: string, scope: Scope): readonly XmlElement[] {
    const macro = this.macros.get(name);
    if (!macro) {
      this.warnings.add(
        "unknown",
        element,
        `no macro "${name.slice(0, 60)}" is defined; what it would make is missing`,
      );
      return [];
    }
    const blocks = this.all(element.children, scope);
    const inner = new Scope(scope);
    const given = new Set(element.attributes.keys());
    given.delete("macro");
    for (const parameter of macro.parameters) {
      if (parameter.stars !== "") {
        const block = blocks.shift();
        if (!block) throw elementError(element, `its block "${parameter.name}" is missing; put an element inside`);
        inner.blocks.set(parameter.name, parameter.stars === "*" ? [block] : block.children);
        continue;
      }
      given.delete(parameter.name);
      inner.properties.set(parameter.name, { place: element, value: this.argument(element, parameter, scope, inner) });
    }
    for (const unknown of given)
      throw elementError(
        element,
        `macro "${name}" has no parameter "${unknown}"; have: ${macro.parameters.map((one) => one.name).join(", ")}`,
      );
    return this.all(macro.element.children, inner);
  }

  private argument(
    element: XmlElement,
    { name, fallback, inherits }: Parameter,
    scope: Scope,
    inner: Scope,
  ): XacroValue {
    const raw = element.attributes.get(name);
    if (raw !== undefined) return literal(this.value(raw, element, scope));
    const outside = inherits ? this.lookup(name, scope, element) : undefined;
    if (outside !== undefined) return outside;
    if (fallback !== undefined) return literal(this.value(fallback, element, inner));
    throw elementError(element, `parameter "${name}" of the macro is missing`);
  }

  private lookup(name: string, scope: Scope, place: XmlElement): XacroValue | undefined {
    const found = scope.find(name);
    if (!found) return undefined;
    const { property } = found;
    if (property.value === undefined) {
      if (property.isOpen || property.raw === undefined) throw elementError(place, `property "${name}" names itself`);
      property.isOpen = true;
      property.value = literal(this.value(property.raw, property.place, found.scope));
      property.isOpen = false;
    }
    return property.value;
  }

  private text(raw: string, place: XmlElement, scope: Scope): string {
    return raw.includes("$") ? textOf(this.value(raw, place, scope)) : raw;
  }

  /** What a text with ${…} and $(…) in it stands for: of one alone its value, else a text. */
  private value(raw: string, place: XmlElement, scope: Scope): XacroValue {
    const parts: XacroValue[] = [];
    let at = 0;
    while (at < raw.length) {
      const dollar = raw.indexOf("$", at);
      if (dollar < 0) break;
      if (dollar > at) parts.push(raw.slice(at, dollar));
      const opening = raw[dollar + 1];
      if (opening === "$" && /[({]/.test(raw[dollar + 2] ?? "")) {
        parts.push(raw.slice(dollar + 1, dollar + 3));
        at = dollar + 3;
      } else if (opening === "{" || opening === "(") {
        const end = closingOf(raw, dollar + 1);
        if (end < 0) throw elementError(place, `"${raw.slice(0, 60)}" misses a "${opening === "{" ? "}" : ")"}"`);
        parts.push(this.substituted(opening, raw.slice(dollar + 2, end), raw.slice(dollar, end + 1), place, scope));
        at = end + 1;
      } else {
        parts.push("$");
        at = dollar + 1;
      }
    }
    if (at < raw.length) parts.push(raw.slice(at));
    if (parts.length === 1) return parts[0];
    const text = parts.map(textOf).join("");
    if (text.length > LONGEST_TEXT) throw elementError(place, `a text of more than ${LONGEST_TEXT} characters`);
    return text;
  }

  private substituted(opening: string, inside: string, whole: string, place: XmlElement, scope: Scope): XacroValue {
    try {
      if (opening === "{") return evaluate(inside, (name) => this.lookup(name, scope, place));
      return this.command(this.text(inside, place, scope), place, scope);
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      const problem = `"${whole.slice(0, 100)}" ${error.message}`;
      if (this.isStrict) throw elementError(place, problem);
      this.warnings.add("unknown", place, `${problem}; it is left as it is`);
      return whole;
    }
  }

  private command(text: string, place: XmlElement, scope: Scope): XacroValue {
    const [name, first = "", ...rest] = text.trim().split(/\s+/);
    switch (name) {
      case "find":
        return `package://${first}`;
      case "arg": {
        const value = this.args.get(first);
        if (value !== undefined) return value;
        throw new ExpressionError(`names the argument "${first}", which has no value; give it one, or a default`);
      }
      case "optenv":
        return rest.join(" ");
      case "dirname":
        return folderOf(place.file) || ".";
      case "eval": {
        const argument = (key: string): XacroValue | undefined => {
          const value = this.args.get(key);
          return value === undefined ? this.lookup(key, scope, place) : literal(value);
        };
        return evaluate(text.trim().slice("eval".length), (key) => (key === "arg" ? undefined : argument(key)));
      }
      default:
        throw new ExpressionError(`is not read here; have: arg, find, optenv (its default), eval, dirname`);
    }
  }
}

/** A file that another one names, as the main file sees it. */
function fileBeside(main: string, file: string, name: string): string {
  const folder = relativeFolder(main, file);
  const [scheme] = /^\w+:\/\//.exec(folder) ?? [""];
  const found = joinPath(folder.slice(scheme.length), name);
  return scheme === "" || /^\w+:\/\/|^[\\/]/.test(found) ? found : scheme + found;
}
