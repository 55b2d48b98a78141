/**
 * <replicate>: what it contains, several times over, each in a frame of its own, and with it the actuators, tendons, equalities and contacts that
 * name nothing else. Copy k stands at
 *   R_k = R(k·euler)      p_k = p_{k−1} + R_{k−1} offset      p_0 = 0
 * and its names end in `sep` and the number k, written with as many digits as the count has. An element that names things inside and outside stays as it is, and then names what is not there, as in MuJoCo.
 * Inner ones are taken first.
 */
import { quaternion, vector } from "../../math/index.ts";
import { elementError, readNumber, readVector3, required, type XmlElement } from "../xml.ts";
import type { CompilerOf } from "./compiler.ts";
import type { Ledger } from "./ledger.ts";
import { readOrientation } from "./placement.ts";

/** Elements that all copies may have together. */
const MAX_ELEMENTS = 100_000;

export type Kind = "body" | "joint" | "geom" | "site" | "tendon";
export type Names = Readonly<Record<Kind, Set<string>>>;

/** What elements in the tree of bodies are, and what attributes of others name. */
const kindOfElement: ReadonlyMap<string, Kind> = new Map([
  ["body", "body"],
  ["joint", "joint"],
  ["freejoint", "joint"],
  ["geom", "geom"],
  ["site", "site"],
]);
export const kindOfReference: ReadonlyMap<string, Kind> = new Map([
  ...["body", "body1", "body2"].map((name) => [name, "body"] as const),
  ...["joint", "jointinparent", "joint1", "joint2"].map((name) => [name, "joint"] as const),
  ...["geom", "geom1", "geom2"].map((name) => [name, "geom"] as const),
  ...["site", "site1", "site2", "refsite", "cranksite", "slidersite", "sidesite"].map(
    (name) => [name, "site"] as const,
  ),
  ...["tendon", "tendon1", "tendon2"].map((name) => [name, "tendon"] as const),
]);
/** Sections whose elements name others; tendons come before what names them. */
export const referring = ["tendon", "actuator", "equality", "contact"];

/** The file with all copies written out. */
export function withReplicas(root: XmlElement, compilerOf: CompilerOf, ledger: Ledger): XmlElement {
  const replicas = new Replicas(compilerOf, ledger);
  const bodies = root.children.map((child) => (child.name === "worldbody" ? replicas.expanded(child) : child));
  return replicas.isUsed ? { ...root, children: replicas.referring(bodies) } : root;
}

/** Names of the original, and what is added to them in every copy. */
interface Replication {
  readonly names: Names;
  readonly suffixes: readonly string[];
}

class Replicas {
  private readonly compilerOf: CompilerOf;
  private readonly ledger: Ledger;
  private readonly made: Replication[] = [];
  private elements = 0;

  constructor(compilerOf: CompilerOf, ledger: Ledger) {
    this.compilerOf = compilerOf;
    this.ledger = ledger;
  }

  get isUsed(): boolean {
    return this.made.length > 0;
  }

  expanded(element: XmlElement): XmlElement {
    const children = element.children.flatMap((child) => {
      const inner = this.expanded(child);
      return child.name === "replicate" ? this.copies(inner) : [inner];
    });
    return { ...element, children };
  }

  /** Frames with the contents of a <replicate>. */
  private copies(element: XmlElement): XmlElement[] {
    this.ledger.addAttributes(element, ["count", "sep", "offset", "euler"]);
    const count = required(readNumber, element, "count");
    if (!Number.isInteger(count) || count < 1) throw elementError(element, "count is how many there are, 1 or more");
    this.count(element, count);
    const names = namesIn(element.children);
    const separator = element.attributes.get("sep") ?? "";
    const digits = String(count).length;
    const suffixes = Array.from({ length: count }, (_, k) => separator + String(k).padStart(digits, "0"));
    this.made.push({ names, suffixes });
    const offset = readVector3(element, "offset") ?? vector.zero;
    const euler = readVector3(element, "euler") ?? vector.zero;
    const childClass = element.attributes.get("childclass");
    let position = vector.zero;
    return suffixes.map((suffix, k) => {
      const attributes = new Map([
        ...[...element.attributes].filter(([name]) => name.startsWith("/")),
        ["pos", position.join(" ")],
        ["euler", vector.scale(euler, k).join(" ")],
        ...(childClass === undefined ? [] : [["childclass", childClass] as const]),
      ]);
      const turn = readOrientation({ ...element, attributes }, this.compilerOf(element)) ?? quaternion.identity;
      position = vector.add(position, quaternion.rotate(turn, offset));
      return {
        ...element,
        name: "frame",
        attributes,
        children: element.children.map((child) => renamed(child, suffix)),
      };
    });
  }

  private count(element: XmlElement, count: number): void {
    this.elements += count * sizeOf(element);
    if (this.elements <= MAX_ELEMENTS) return;
    throw elementError(element, `makes more than ${MAX_ELEMENTS} elements with all others; take a smaller count`);
  }

  /** Sections, with copies of what names things that were copied at the end of their kind. */
  referring(sections: readonly XmlElement[]): XmlElement[] {
    let all = [...sections];
    for (const { names, suffixes } of this.made) {
      for (const name of referring) {
        const moved: XmlElement[] = [];
        const isCopied = (element: XmlElement): boolean => {
          const found = referencesOf(element);
          return found.length > 0 && found.every(([kind, wanted]) => names[kind].has(wanted));
        };
        all = all.map((section) => {
          if (section.name !== name) return section;
          moved.push(...section.children.filter(isCopied));
          return { ...section, children: section.children.filter((child) => !isCopied(child)) };
        });
        if (moved.length === 0) continue;
        if (name === "tendon") {
          for (const { attributes } of moved)
            if (attributes.has("name")) names.tendon.add(attributes.get("name") as string);
        }
        for (const element of moved) this.count(element, suffixes.length);
        const at = all.map((section) => section.name).lastIndexOf(name);
        const copies = suffixes.flatMap((suffix) => moved.map((element) => referringTo(element, suffix)));
        all[at] = { ...all[at], children: [...all[at].children, ...copies] };
      }
    }
    return all;
  }
}

export function namesIn(elements: readonly XmlElement[]): Names {
  const names: Names = { body: new Set(), joint: new Set(), geom: new Set(), site: new Set(), tendon: new Set() };
  const visit = ({ name: tag, attributes, children }: XmlElement): void => {
    const kind = kindOfElement.get(tag);
    const name = attributes.get("name");
    if (kind && name !== undefined) names[kind].add(name);
    for (const child of children) visit(child);
  };
  for (const element of elements) visit(element);
  return names;
}

const sizeOf = (element: XmlElement): number => element.children.reduce((sum, child) => sum + sizeOf(child), 1);

/** An element of the tree of bodies under another name, with all that it contains. */
function renamed(element: XmlElement, suffix: string): XmlElement {
  const attributes = new Map(element.attributes);
  const name = attributes.get("name");
  if (name !== undefined) attributes.set("name", name + suffix);
  return { ...element, attributes, children: element.children.map((child) => renamed(child, suffix)) };
}

/** All that an element names. */
export function referencesOf({ attributes, children }: XmlElement): (readonly [Kind, string])[] {
  const own = [...attributes].flatMap(([name, value]) => {
    const kind = kindOfReference.get(name);
    return kind ? [[kind, value] as const] : [];
  });
  return [...own, ...children.flatMap(referencesOf)];
}

/** An element that names copies, and has a name of its own. */
function referringTo(element: XmlElement, suffix: string): XmlElement {
  const attributes = new Map(
    [...element.attributes].map(([name, value]) => [
      name,
      name === "name" || kindOfReference.has(name) ? value + suffix : value,
    ]),
  );
  return { ...element, attributes, children: element.children.map((child) => referringTo(child, suffix)) };
}
