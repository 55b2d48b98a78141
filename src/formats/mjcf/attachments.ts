/**
 * <attach>: a body or frame of another model, or all of its world, in a frame of this one, with its keyframes and the actuators, tendons,
 * equalities and contacts that name nothing else. Names and classes get the prefix; its default classes stay apart from this file's, and its <compiler> holds for it.
 */
import { stemOf } from "../filePaths.ts";
import { attributeError, elementError, readName, required, type XmlElement } from "../xml.ts";
import { idOfAttached, withAttachedKeys } from "./attachedKeys.ts";
import { type MjcfCompiler, readCompiler } from "./compiler.ts";
import { rootClass, rootOfAttached } from "./defaults.ts";
import type { Ledger } from "./ledger.ts";
import { kindOfReference, type Names, namesIn, referencesOf, referring } from "./replicas.ts";

export interface Attached {
  readonly root: XmlElement;
  /** Settings of attached models, by the labels of their elements; all others have the main file's. */
  readonly compilers: Map<string, MjcfCompiler>;
}

/** Reads the root of the file that an element names, with its includes. */
export type ReadModel = (element: XmlElement) => XmlElement;

/** An attribute that no file can have: of which model an element is. Files do not tell, since several models may include one. */
export const labelOfAttached = "/model";

/** Elements that all attached models may have together. */
const MAX_ELEMENTS = 100_000;
const MAX_DEPTH = 20;
const assets = ["mesh", "hfield"];

export function withAttachments(root: XmlElement, readModel: ReadModel, folder: string, ledger: Ledger): Attached {
  const attachments = new Attachments(readModel, folder, ledger);
  return { root: attachments.whole(root, 0), compilers: attachments.compilers };
}

class Attachments {
  readonly compilers = new Map<string, MjcfCompiler>();
  private readonly readModel: ReadModel;
  private readonly folder: string;
  private readonly ledger: Ledger;
  private elements = 0;

  constructor(readModel: ReadModel, folder: string, ledger: Ledger) {
    this.readModel = readModel;
    this.folder = folder;
    this.ledger = ledger;
  }

  /** A model with all that it attaches. */
  whole(root: XmlElement, depth: number): XmlElement {
    const models = new Map<string, XmlElement>();
    for (const section of root.children) {
      for (const child of section.name === "asset" ? section.children : []) {
        if (child.name === "model")
          models.set(readName(child, "name") ?? stemOf(child.attributes.get("file") ?? ""), child);
      }
    }
    const read = new Map<XmlElement, XmlElement>();
    const added: XmlElement[] = [];
    const modelOf = (element: XmlElement): XmlElement => {
      const found = models.get(required(readName, element, "model"));
      if (!found) throw attributeError(element, "model", "is no <model> of the file; add it to <asset>");
      if (depth >= MAX_DEPTH) throw elementError(element, "attaches models in each other without an end");
      let model = read.get(found);
      if (!model) {
        this.ledger.addAttributes(found, ["file"]);
        const label = String(this.compilers.size);
        model = withAttachedKeys(this.whole(this.opened(found, label), depth + 1), label, this.ledger);
        read.set(found, model);
      }
      return model;
    };
    const expanded = (element: XmlElement): XmlElement => ({
      ...element,
      children: element.children.map((child) => {
        if (child.name !== "attach") return expanded(child);
        const { frame, sections } = this.attached(child, modelOf(child));
        added.push(...sections);
        return frame;
      }),
    });
    const own = root.children.map((child) => (child.name === "worldbody" ? expanded(child) : child));
    return added.length === 0 ? root : { ...root, children: [...own, ...added] };
  }

  /** The root of a model's file, whose own settings hold for all of it. */
  private opened(element: XmlElement, label: string): XmlElement {
    const root = this.readModel(element);
    if (root.name !== "mujoco") throw elementError(element, "only MJCF files can be attached; convert it");
    const compilers = root.children.filter(({ name }) => name === "compiler");
    this.compilers.set(label, readCompiler(compilers, this.folder, this.ledger));
    for (const child of root.children) {
      if (child.name === "option") this.ledger.add("ignored", child, "options of an attached model count for nothing");
    }
    return labelled(root, label);
  }

  private attached(element: XmlElement, model: XmlElement): { frame: XmlElement; sections: XmlElement[] } {
    this.ledger.addAttributes(element, ["model", "body", "frame", "prefix"]);
    const prefix = element.attributes.get("prefix");
    if (prefix === undefined) throw elementError(element, 'needs a prefix for its names; write prefix="left_"');
    const { content, inherited } = contentOf(element, model);
    this.elements += sizeOf(model);
    if (this.elements > MAX_ELEMENTS)
      throw elementError(element, `makes more than ${MAX_ELEMENTS} elements with all others`);
    const attributes = new Map([["childclass", prefix + inherited]]);
    const frame = { ...element, name: "frame", attributes, children: content.map((child) => prefixed(child, prefix)) };
    return { frame, sections: sectionsOf(model, namesIn(content), prefix) };
  }
}

/** What is attached, and the class that its surroundings give it. */
function contentOf(element: XmlElement, model: XmlElement): { content: readonly XmlElement[]; inherited: string } {
  const worlds = model.children.filter(({ name }) => name === "worldbody");
  const [body, frame] = [readName(element, "body"), readName(element, "frame")];
  if (body !== undefined && frame !== undefined) throw elementError(element, "takes a body or a frame, not both");
  const [kind, wanted] = body === undefined ? ["frame", frame] : ["body", body];
  if (wanted === undefined) return { content: worlds.flatMap(({ children }) => children), inherited: rootClass };
  const find = (inside: XmlElement, above: string): { content: XmlElement[]; inherited: string } | undefined => {
    const inherited = inside.attributes.get("childclass") ?? above;
    for (const child of inside.children) {
      if (child.name === kind && child.attributes.get("name") === wanted) return { content: [child], inherited };
      const found = child.name === "body" || child.name === "frame" ? find(child, inherited) : undefined;
      if (found) return found;
    }
    return undefined;
  };
  for (const world of worlds) {
    const found = find(world, rootClass);
    if (found) return found;
  }
  throw attributeError(element, kind, `is no ${kind} of the model`);
}

/** The sections of a model as far as they are about the names, with its classes and meshes. */
function sectionsOf(model: XmlElement, names: Names, prefix: string): XmlElement[] {
  const sections: XmlElement[] = [];
  const named = (name: string): XmlElement[] => model.children.filter((child) => child.name === name);
  const classed = (child: XmlElement): XmlElement => {
    const { attributes, ...rest } = prefixed(child, prefix);
    return { ...rest, attributes: new Map([["class", prefix + rootClass], ...attributes]) };
  };
  for (const section of named("asset")) {
    const children = section.children
      .filter(({ name }) => assets.includes(name))
      .map((child) => {
        const name = child.attributes.get("name") ?? stemOf(child.attributes.get("file") ?? "");
        return classed({ ...child, attributes: new Map([...child.attributes, ["name", name]]) });
      });
    sections.push({ ...section, children });
  }
  for (const name of referring) {
    for (const section of named(name)) {
      const children = section.children.filter((child) => {
        const found = referencesOf(child);
        return found.length > 0 && found.every(([kind, wanted]) => wanted === "world" || names[kind].has(wanted));
      });
      if (name === "tendon") for (const { attributes } of children) names.tendon.add(attributes.get("name") ?? "");
      sections.push({ ...section, children: children.map(classed) });
    }
  }
  for (const section of named("keyframe")) sections.push(prefixed(section, prefix));
  const root = (section: XmlElement): string => prefix + (section.attributes.get(rootOfAttached) ?? rootClass);
  const none: XmlElement = { ...model, name: "default", attributes: new Map(), children: [] };
  for (const section of [none, ...named("default")]) {
    const { attributes, ...rest } = prefixed(section, prefix);
    sections.push({ ...rest, attributes: new Map([...attributes, [rootOfAttached, root(section)]]) });
  }
  return sections;
}

const prefixedAttributes = new Set([
  ...[...kindOfReference.keys(), "name", "class", "childclass", "mesh", "hfield"],
  idOfAttached,
]);

function prefixed(element: XmlElement, prefix: string): XmlElement {
  const attributes = new Map(
    [...element.attributes].map(([name, value]) => [
      name,
      prefixedAttributes.has(name) && value !== "world" ? prefix + value : value,
    ]),
  );
  return { ...element, attributes, children: element.children.map((child) => prefixed(child, prefix)) };
}

/** Defaults go without: what starts from them has a label of its own. */
function labelled(element: XmlElement, label: string): XmlElement {
  if (element.name === "default") return element;
  const attributes = new Map([...element.attributes, [labelOfAttached, label]]);
  return { ...element, attributes, children: element.children.map((child) => labelled(child, label)) };
}

const sizeOf = (element: XmlElement): number => element.children.reduce((sum, child) => sum + sizeOf(child), 1);
