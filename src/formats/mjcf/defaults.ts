/**
 * Default classes: nested sets of attributes that elements start from. An element takes the attributes of the root class, then
 * those of its class from the outermost inwards, then its own. Short lists fill up from what they override, as in MuJoCo:
 * size="0.05" over size="0.04 0.1" is 0.05 0.1.
 */
import { attributeError, elementError, readName, type XmlElement } from "../xml.ts";
import type { Ledger } from "./ledger.ts";

const overlaid = ["size", "friction", "gear", "gainprm", "biasprm", "dynprm", "polycoef"];
const orientations = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];
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

interface DefaultClass {
  readonly parent: string | undefined;
  readonly elements: XmlElement[];
}

export class Defaults {
  readonly #classes = new Map<string, DefaultClass>([[rootClass, { parent: undefined, elements: [] }]]);

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
    const own = element.attributes.get("class");
    const name = own ?? inherited ?? rootClass;
    if (!this.#classes.has(name)) throw attributeError(element, "class", "is no default class of the file; add it");
    const names: string[] = [];
    for (let at: string | undefined = name; at !== undefined; at = this.#classes.get(at)?.parent) names.unshift(at);
    return names.flatMap((at) => this.#classes.get(at)?.elements.filter(({ name: tag }) => tags.includes(tag)) ?? []);
  }

  /** The class that a body's or frame's childclass sets for what it contains. */
  childClass(element: XmlElement, inherited: string | undefined): string | undefined {
    const name = readName(element, "childclass");
    if (name === undefined) return inherited;
    if (!this.#classes.has(name))
      throw attributeError(element, "childclass", "is no default class of the file; add it");
    return name;
  }

  #read(element: XmlElement, parent: string | undefined, ledger: Ledger): void {
    const root = element.attributes.get(rootOfAttached) ?? rootClass;
    if (!this.#classes.has(root)) this.#classes.set(root, { parent: undefined, elements: [] });
    const name = readName(element, "class") ?? (parent === undefined ? root : undefined);
    if (name === undefined) throw elementError(element, 'a nested class needs a name; write class="…"');
    let entry = this.#classes.get(name);
    if (parent === undefined && !entry) {
      // the root class may go by another name
      entry = this.#classes.get(root) as DefaultClass;
      this.#classes.set(name, { parent: root, elements: [] });
    } else if (entry && parent !== undefined) {
      throw attributeError(element, "class", "is defined already; rename one");
    }
    if (!entry) {
      entry = { parent, elements: [] };
      this.#classes.set(name, entry);
    }
    const own = parent === undefined ? root : name;
    for (const child of element.children) {
      if (child.name === "default") this.#read(child, own, ledger);
      else {
        entry.elements.push(child);
        if (!understood.includes(child.name)) ledger.add("ignored", child, "defaults of these have no effect here");
      }
    }
  }
}

function overlayInto(attributes: Map<string, string>, over: ReadonlyMap<string, string>): void {
  if (orientations.some((name) => over.has(name))) for (const name of orientations) attributes.delete(name);
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
