/**
 * Default classes: nested sets of attributes that elements start from. An element takes the attributes of the root class, then
 * those of its class from the outermost inwards, then its own. As in MuJoCo,
 *   - a class has what its parent has when it is made: what a later <default> section adds to the parent is not for it,
 *   - short lists fill up from what they override: size="0.05" over size="0.04 0.1" is 0.05 0.1,
 *   - a quat is not looked at beside a turn that is given otherwise, be it inherited.
 */
import { attributeError, elementError, readName, type XmlElement } from "../xml.ts";
import type { Ledger } from "./ledger.ts";

const overlaid = ["size", "friction", "gear", "gainprm", "biasprm", "dynprm", "polycoef"];
const turns = ["axisangle", "euler", "xyaxes", "zaxis"];
export const actuatorTags = [
  ...["general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion", "plugin"],
  "dcmotor",
];
const understood = [
  "joint",
  "geom",
  "site",
  "mesh",
  "material",
  "pair",
  "equality",
  "tendon",
  "default",
  ...actuatorTags,
];
export const rootClass = "main";
/** An attribute that no file can have: the name of the root class of an attached model, which has nothing of this file's. */
export const rootOfAttached = "/root";

export class Defaults {
  /** What elements of each class start from, outermost first. */
  readonly #classes = new Map<string, XmlElement[]>([[rootClass, []]]);

  constructor(sections: readonly XmlElement[], ledger: Ledger) {
    for (const section of sections) this.#read(section, undefined, ledger);
  }

  /** The element with all attributes it inherits. `inherited` is the class of its surroundings. */
  merged(element: XmlElement, inherited: string | undefined, tag = element.name): XmlElement {
    const attributes = new Map<string, string>();
    for (const source of this.chain(element, inherited, [tag])) overlayInto(attributes, source.attributes);
    overlayInto(attributes, element.attributes);
    return { ...element, attributes };
  }

  /** Elements of these tags that this one starts from, outermost first. */
  chain(element: XmlElement, inherited: string | undefined, tags: readonly string[]): XmlElement[] {
    const own = this.#classes.get(element.attributes.get("class") ?? inherited ?? rootClass);
    if (!own) throw attributeError(element, "class", "is no default class of the file; add it");
    return own.filter(({ name: tag }) => tags.includes(tag));
  }

  /** The class that a body's or frame's childclass sets for what it contains. */
  childClass(element: XmlElement, inherited: string | undefined): string | undefined {
    const name = readName(element, "childclass");
    if (name === undefined) return inherited;
    if (!this.#classes.has(name))
      throw attributeError(element, "childclass", "is no default class of the file; add it");
    return name;
  }

  #read(element: XmlElement, parent: readonly XmlElement[] | undefined, ledger: Ledger): void {
    const root = element.attributes.get(rootOfAttached) ?? rootClass;
    const name = readName(element, "class") ?? (parent === undefined ? root : undefined);
    if (name === undefined) throw elementError(element, 'a nested class needs a name; write class="…"');
    if (parent && this.#classes.has(name)) throw attributeError(element, "class", "is defined already; rename one");
    // the root class may go by another name
    const own = parent ? [...parent] : (this.#classes.get(name) ?? this.#classes.get(root) ?? []);
    this.#classes.set(name, own);
    if (!parent && !this.#classes.has(root)) this.#classes.set(root, own);
    const [nested, elements] = [true, false].map((inner) =>
      element.children.filter((child) => (child.name === "default") === inner),
    );
    own.push(...elements);
    for (const child of elements) {
      if (!understood.includes(child.name)) ledger.add("ignored", child, "defaults of these have no effect here");
    }
    for (const child of nested) this.#read(child, own, ledger);
  }
}

function overlayInto(attributes: Map<string, string>, over: ReadonlyMap<string, string>): void {
  if (turns.some((name) => over.has(name))) for (const name of turns) attributes.delete(name);
  for (const [name, value] of over) {
    if (name === "class" || name === "childclass") continue;
    attributes.set(name, overlaid.includes(name) ? overlay(attributes.get(name), value) : value);
  }
}

function overlay(under: string | undefined, over: string): string {
  const words = (text: string): string[] => (text.trim() === "" ? [] : text.trim().split(/\s+/));
  const top = words(over);
  return [...top, ...words(under ?? "").slice(top.length)].join(" ");
}
