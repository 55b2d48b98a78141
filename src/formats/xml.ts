/**
 * XML as a light element tree with line numbers, and checked readers of attributes. Text comes in as a string, so that
 * this runs in browsers too; xmldom parses, strictly: whatever it merely warns about is an error here.
 *
 * Hostile files: document types (and with them entities) are refused, and size, count and depth are bounded before
 * the parser sees the text (xmlGuard.ts). Nothing here recurses over the document.
 */
import { DOMParser, type Element } from "@xmldom/xmldom";
import { quaternion, vector } from "../math/index.ts";
import { nearestName, type Quaternion, type Vector3, visibleText } from "../mechanism/index.ts";
import { type FilePlace, FormatError, type FormatWarning, type FormatWarningCode } from "./formatError.ts";
import { guardXml, notWellFormed, wayOut } from "./xmlGuard.ts";

export interface XmlElement extends FilePlace {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Its own text, without that of its children. */
  readonly text: string;
}

/** The root element. `fileName` is for messages only. */
export function parseXml(text: string, fileName: string): XmlElement {
  // a byte-order mark is no content
  const document = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  guardXml(document, fileName);
  // xmldom wraps what the callback throws, so the first report is kept here
  let reported: FormatError | undefined;
  const onError = (_level: string, message: string, context: unknown): never => {
    const locator = (context as { locator?: { lineNumber?: number; columnNumber?: number } } | undefined)?.locator;
    reported ??= new FormatError(
      { file: fileName, line: locator?.lineNumber || 1, column: locator?.columnNumber || 1 },
      `${notWellFormed}: ${oneLine(message)}; ${wayOut}`,
    );
    throw reported;
  };
  let root: Element | null;
  try {
    root = new DOMParser({ onError }).parseFromString(document, "text/xml").documentElement;
  } catch (error) {
    if (reported) throw reported;
    throw new FormatError({ file: fileName, line: 1, column: 1 }, `${notWellFormed}: ${oneLine(String(error))}`);
  }
  if (!root) throw new FormatError({ file: fileName, line: 1, column: 1 }, "no element; is the file empty?");
  return lightTree(root, fileName);
}

/** `<joint name="knee">`, as it stands at the head of messages. */
export function showElement(element: XmlElement): string {
  const id = ["name", "link", "joint", "reference"].find((key) => element.attributes.has(key));
  return id === undefined
    ? `<${element.name}>`
    : `<${element.name} ${id}=${JSON.stringify(cut(element.attributes.get(id) ?? ""))}>`;
}

export function elementError(element: XmlElement, problem: string): FormatError {
  return new FormatError(element, problem, showElement(element));
}

/** Lines listed of a warning that holds in many places. */
const LISTED_LINES = 6;

/** Collects warnings, one per kind: what is said of forty elements is said once, with the places. */
export class WarningList {
  readonly #entries = new Map<string, { code: FormatWarningCode; message: string; places: XmlElement[] }>();

  add(code: FormatWarningCode, element: XmlElement, message: string): void {
    // names and values in quotes make no kind of their own, but for changes, which are listed one by one
    const kind = code === "adjusted" ? message : message.replace(/"[^"]*"/g, '""');
    const key = `${code} ${element.name} ${kind}`;
    const entry = this.#entries.get(key);
    if (entry) entry.places.push(element);
    else this.#entries.set(key, { code, message, places: [element] });
  }

  get warnings(): FormatWarning[] {
    return [...this.#entries.values()].map(({ code, message, places }) => {
      const [{ file, line }] = places;
      const more = places.length > 1 ? ` (and ${places.length - 1} more: ${otherPlaces(places)})` : "";
      const text = visibleText(`${file}:${line}: ${showElement(places[0])}: ${message}${more}`);
      return { code, message: text, file, line };
    });
  }

  /** Every attribute and child that is in neither list; `ignored` ones are said to be without effect. */
  addUnknown(element: XmlElement, known: KnownNames): void {
    for (const [name, value] of element.attributes) {
      if (known.attributes?.includes(name) || name === "xmlns" || name.startsWith("xmlns:")) continue;
      if (known.ignoredAttributes?.includes(name)) {
        this.add("ignored", element, `${name}="${cut(value)}" has no effect here`);
      } else {
        this.add(
          "unknown",
          element,
          `unknown attribute ${name}="${cut(value)}"${hint(name, known.attributes)}; ignored`,
        );
      }
    }
    for (const child of element.children) {
      if (known.children?.includes(child.name)) continue;
      if (known.ignoredChildren?.includes(child.name)) {
        this.add("ignored", child, "has no effect here");
      } else {
        this.add("unknown", child, `unknown element in <${element.name}>${hint(child.name, known.children)}; ignored`);
      }
    }
  }
}

/** Lines of all places but the first, each once, with their file where it is another one. */
function otherPlaces([first, ...others]: readonly XmlElement[]): string {
  const byFile = new Map<string, Set<number>>();
  for (const { file, line } of others) byFile.set(file, (byFile.get(file) ?? new Set()).add(line));
  let left = LISTED_LINES - 1;
  const shown = [...byFile].flatMap(([file, all]) => {
    const lines = [...all].slice(0, left);
    left -= lines.length;
    const where = file === first.file ? "" : ` of ${file}`;
    return lines.length === 0 ? [] : [`${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}${where}`];
  });
  const count = [...byFile.values()].reduce((sum, { size }) => sum + size, 0);
  return shown.join("; ") + (count >= LISTED_LINES ? ", …" : "");
}

export interface KnownNames {
  readonly attributes?: readonly string[];
  readonly children?: readonly string[];
  readonly ignoredAttributes?: readonly string[];
  readonly ignoredChildren?: readonly string[];
}

export function childrenNamed(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child) => child.name === name);
}

/** The first child of that name; later ones get a warning. */
export function onlyChild(element: XmlElement, name: string, warnings: WarningList): XmlElement | undefined {
  const [first, ...others] = childrenNamed(element, name);
  for (const other of others) {
    warnings.add(
      "ignored",
      other,
      `a second <${name}> in ${showElement(element)}; the one in line ${first.line}${first.file === other.file ? "" : ` of ${first.file}`} counts`,
    );
  }
  return first;
}

export function requiredChild(element: XmlElement, name: string, warnings: WarningList): XmlElement {
  const child = onlyChild(element, name, warnings);
  if (child) return child;
  throw elementError(element, `has no <${name}>; add one`);
}

// readers of attributes: undefined when the attribute is absent, an error when it is wrong

export type AttributeReader<T> = (element: XmlElement, name: string) => T | undefined;

/** The value of a reader, or an error when the attribute is absent: `required(readNumber, element, "radius")`. */
export function required<T>(read: AttributeReader<T>, element: XmlElement, name: string): T {
  const value = read(element, name);
  if (value !== undefined) return value;
  const nearest = nearestName(name, [...element.attributes.keys()]);
  throw elementError(
    element,
    `attribute ${name} is missing; ${nearest === undefined ? `write ${name}="…"` : `is ${nearest} a slip?`}`,
  );
}

export function readString(element: XmlElement, name: string): string | undefined {
  return element.attributes.get(name);
}

/** A string of at least one character. */
export function readName(element: XmlElement, name: string): string | undefined {
  const value = element.attributes.get(name);
  if (value !== "") return value;
  throw attributeError(element, name, "is empty; give a name");
}

/** Any count of finite numbers between blanks. */
export function readNumberList(element: XmlElement, name: string): number[] | undefined {
  const value = element.attributes.get(name);
  if (value === undefined) return undefined;
  const words = value.trim() === "" ? [] : value.trim().split(/\s+/);
  return words.map((word) => parseNumber(element, name, word));
}

/** Exactly `count` finite numbers. */
export function readNumbers(element: XmlElement, name: string, count: number): number[] | undefined {
  const numbers = readNumberList(element, name);
  if (numbers === undefined || numbers.length === count) return numbers;
  throw attributeError(element, name, `has ${numbers.length} numbers; give ${count} between blanks`);
}

export function readNumber(element: XmlElement, name: string): number | undefined {
  return readNumbers(element, name, 1)?.[0];
}

export function readPositive(element: XmlElement, name: string): number | undefined {
  const value = readNumber(element, name);
  if (value === undefined || value > 0) return value;
  throw attributeError(element, name, "must be above 0");
}

export function readNonNegative(element: XmlElement, name: string): number | undefined {
  const value = readNumber(element, name);
  if (value === undefined || value >= 0) return value;
  throw attributeError(element, name, "must not be negative");
}

export function readVector3(element: XmlElement, name: string): Vector3 | undefined {
  return readNumbers(element, name, 3) as Vector3 | undefined;
}

/** A unit vector; any length but 0 is normalised. */
export function readDirection(element: XmlElement, name: string): Vector3 | undefined {
  const direction = readVector3(element, name);
  if (direction === undefined) return undefined;
  if (direction.every((entry) => entry === 0)) {
    throw attributeError(element, name, "has no direction; give an axis such as 0 0 1");
  }
  return normalized(direction) as Vector3;
}

/** A unit quaternion, scalar first; any length but 0 is normalised. */
export function readQuaternion(element: XmlElement, name: string): Quaternion | undefined {
  const numbers = readNumbers(element, name, 4);
  if (numbers === undefined) return undefined;
  if (numbers.every((entry) => entry === 0)) {
    throw attributeError(element, name, "is no rotation; the identity is 1 0 0 0");
  }
  return normalized(numbers) as unknown as Quaternion;
}

/** Roll, pitch, yaw about the fixed axes x, y, z, in that order: R = Rz(yaw) Ry(pitch) Rx(roll). */
export function readRollPitchYaw(element: XmlElement, name: string): Quaternion | undefined {
  const angles = readVector3(element, name);
  if (angles === undefined) return undefined;
  const about = (axis: Vector3, angle: number): Quaternion => quaternion.fromAxisAngle(axis, angle);
  const [roll, pitch, yaw] = angles;
  const yawPitch = quaternion.multiply(about(vector.unitZ, yaw), about(vector.unitY, pitch));
  return quaternion.normalize(quaternion.multiply(yawPitch, about(vector.unitX, roll)));
}

/** true, false, 1 or 0. */
export function readBoolean(element: XmlElement, name: string): boolean | undefined {
  const value = element.attributes.get(name)?.trim();
  if (value === undefined) return undefined;
  if (value === "true" || value === "1") return true;
  if (value === "false" || value === "0") return false;
  throw attributeError(element, name, "is neither true nor false");
}

/** A reader of one of these words. */
export function readChoice<T extends string>(choices: readonly T[]): AttributeReader<T> {
  return (element, name) => {
    const value = element.attributes.get(name)?.trim();
    if (value === undefined) return undefined;
    const found = choices.find((choice) => choice === value);
    if (found !== undefined) return found;
    throw attributeError(element, name, `is none of ${choices.join(", ")}${hint(value, choices)}`);
  };
}

export function attributeError(element: XmlElement, name: string, problem: string): FormatError {
  return elementError(element, `${name}="${cut(element.attributes.get(name) ?? "")}" ${problem}`);
}

function parseNumber(element: XmlElement, name: string, word: string): number {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word)) {
    const wayOut = word.includes(",") ? "separate numbers by blanks, not commas, and write 0.5" : "write 0.5 or 1e-3";
    throw attributeError(element, name, `has "${cut(word)}", which is no number; ${wayOut}`);
  }
  const value = Number(word);
  if (Number.isFinite(value)) return value;
  throw attributeError(element, name, `has ${cut(word)}, which is too large for a number; leave out what has no bound`);
}

/** Divided by its length, unless that is 1 to the last digits: 0.6 0.8 0 stays what it is. */
function normalized(numbers: readonly number[]): readonly number[] {
  const length = vector.norm(numbers);
  return Math.abs(length - 1) <= 4 * Number.EPSILON ? numbers : numbers.map((entry) => entry / length);
}

/** Walks the tree with a stack instead of recursion. */
function lightTree(root: Element, file: string): XmlElement {
  type Mutable = { -readonly [K in keyof XmlElement]: XmlElement[K] } & { children: XmlElement[] };
  const convert = (node: Element): Mutable => {
    const attributes = new Map<string, string>();
    for (const attribute of node.attributes) attributes.set(attribute.name, attribute.value);
    const { lineNumber: line = 1, columnNumber: column = 1 } = node as { lineNumber?: number; columnNumber?: number };
    return { name: node.tagName, attributes, children: [], text: "", line, column, file };
  };
  const top = convert(root);
  const open: { node: Element; element: Mutable }[] = [{ node: root, element: top }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, element } = next;
    for (let child = node.firstChild; child; child = child.nextSibling) {
      if (child.nodeType === child.ELEMENT_NODE) {
        const converted = convert(child as Element);
        element.children.push(converted);
        open.push({ node: child as Element, element: converted });
      } else if (child.nodeType === child.TEXT_NODE || child.nodeType === child.CDATA_SECTION_NODE) {
        element.text += child.nodeValue ?? "";
      }
    }
  }
  return top;
}

function hint(name: string, known: readonly string[] = []): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? "" : `, did you mean ${nearest}?`;
}

function cut(text: string, length = 60): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

function oneLine(text: string): string {
  return cut(text.replace(/\s+/g, " ").trim(), 200);
}
