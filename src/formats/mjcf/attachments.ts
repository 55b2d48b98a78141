/**
 * <attach>: a body or frame of another model, or all of its world, in a frame of this one, with its keyframes and the actuators, tendons,
 * equalities and contacts that name nothing else. Names and classes get the prefix; its default classes stay apart from this file's, and its <compiler> holds for it.
 * Without a model it is a body or frame of this one again, which keeps its classes and meshes.
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
    const assets = root.children.filter(({ name }) => name === "asset").flatMap(({ children }) => children);
    const models = assets.filter(({ name }) => name === "model");
    const roots = new Map<XmlElement, XmlElement>();
    const rootOf = (model: XmlElement): XmlElement => {
      const opened = roots.get(model) ?? this.readModel(model);
      roots.set(model, opened);
      return opened;
    };
    // without a name a model goes by that of its file's root, or else by its file
    const isNamed = (model: XmlElement, wanted: string): boolean =>
      (readName(model, "name") ?? readName(rootOf(model), "model") ?? stemOf(model.attributes.get("file") ?? "")) ===
      wanted;
    const read = new Map<XmlElement, XmlElement>();
    const added: XmlElement[] = [];
    const modelOf = (element: XmlElement): XmlElement => {
      const wanted = required(readName, element, "model");
      const found = models.find((model) => isNamed(model, wanted));
      if (!found) throw attributeError(element, "model", "is no <model> of the file; add it to <asset>");
      if (depth >= MAX_DEPTH) throw elementError(element, "attaches models in each other without an end");
      let model = read.get(found);
      if (!model) {
        this.ledger.addAttributes(found, ["file"]);
        const label = String(this.compilers.size);
        model = withAttachedKeys(this.whole(this.opened(found, rootOf(found), label), depth + 1), label, this.ledger);
        read.set(found, model);
      }
      return model;
    };
    const expanded = (element: XmlElement): XmlElement => ({
      ...element,
      children: element.children.map((child) => {
        if (child.name !== "attach" || !child.attributes.has("model")) return expanded(child);
        const { frame, sections } = this.attached(child, modelOf(child));
        added.push(...sections);
        return frame;
      }),
    });
    const own = root.children.map((child) => (child.name === "worldbody" ? expanded(child) : child));
    return this.withCopies(added.length === 0 ? root : { ...root, children: [...own, ...added] });
  }

  /** A model with what it attaches of itself. */
  private withCopies(root: XmlElement): XmlElement {
    const added: XmlElement[] = [];
    const without = (element: XmlElement): XmlElement => ({
      ...element,
      children: element.children.filter(({ name }) => name !== "attach").map(without),
    });
    const expanded = (element: XmlElement): XmlElement => ({
      ...element,
      children: element.children.map((child) => {
        if (child.name !== "attach") return expanded(child);
        const { frame, sections } = this.copied(child, root, without);
        added.push(...sections);
        return frame;
      }),
    });
    const own = root.children.map((child) => (child.name === "worldbody" ? expanded(child) : child));
    return { ...root, children: [...own, ...added] };
  }

  private copied(
    element: XmlElement,
    root: XmlElement,
    without: (content: XmlElement) => XmlElement,
  ): { frame: XmlElement; sections: XmlElement[] } {
    if (!element.attributes.has("body") && !element.attributes.has("frame"))
      throw elementError(element, "attaches nothing; name a model, or a body or frame of this one");
    const prefix = this.prefixOf(element);
    const { content, inherited } = contentOf(element, root);
    const kept = content.map(without);
    if (kept.some((one, i) => sizeOf(one) !== sizeOf(content[i])))
      this.ledger.add("not-expressible", element, "what it attaches attaches more of its own model; that is left out");
    this.count(element, root);
    const named = (child: XmlElement): XmlElement => prefixed(child, prefix, prefixedNames);
    const attributes = new Map([["childclass", inherited]]);
    return {
      frame: { ...element, name: "frame", attributes, children: kept.map(named) },
      sections: referringTo(root, namesIn(kept), named),
    };
  }

  private prefixOf(element: XmlElement): string {
    this.ledger.addAttributes(element, ["model", "body", "frame", "prefix"]);
    const prefix = element.attributes.get("prefix");
    if (prefix === undefined) throw elementError(element, 'needs a prefix for its names; write prefix="left_"');
    return prefix;
  }

  private count(element: XmlElement, model: XmlElement): void {
    this.elements += sizeOf(model);
    if (this.elements > MAX_ELEMENTS)
      throw elementError(element, `makes more than ${MAX_ELEMENTS} elements with all others`);
  }

  /** The root of a model's file, whose own settings hold for all of it. */
  private opened(element: XmlElement, root: XmlElement, label: string): XmlElement {
    if (root.name !== "mujoco") throw elementError(element, "only MJCF files can be attached; convert it");
    const compilers = root.children.filter(({ name }) => name === "compiler");
    this.compilers.set(label, readCompiler(compilers, this.folder, this.ledger));
    for (const child of root.children) {
      if (child.name === "option") this.ledger.add("ignored", child, "options of an attached model count for nothing");
    }
    return labelled(root, label);
  }

  private attached(element: XmlElement, model: XmlElement): { frame: XmlElement; sections: XmlElement[] } {
    const prefix = this.prefixOf(element);
    const { content, inherited } = contentOf(element, model);
    this.count(element, model);
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
  sections.push(...referringTo(model, names, classed));
  for (const section of named("keyframe")) sections.push(prefixed(section, prefix));
  const root = (section: XmlElement): string => prefix + (section.attributes.get(rootOfAttached) ?? rootClass);
  const none: XmlElement = { ...model, name: "default", attributes: new Map(), children: [] };
  for (const section of [none, ...named("default")]) {
    const { attributes, ...rest } = prefixed(section, prefix);
    sections.push({ ...rest, attributes: new Map([...attributes, [rootOfAttached, root(section)]]) });
  }
  return sections;
}

/** Actuators, tendons, equalities and contacts that are about these names alone, changed by `named`. */
function referringTo(model: XmlElement, names: Names, named: (child: XmlElement) => XmlElement): XmlElement[] {
  return referring.flatMap((name) =>
    model.children
      .filter((section) => section.name === name)
      .map((section) => {
        const children = section.children.filter((child) => {
          const found = referencesOf(child);
          return found.length > 0 && found.every(([kind, wanted]) => wanted === "world" || names[kind].has(wanted));
        });
        if (name === "tendon") for (const { attributes } of children) names.tendon.add(attributes.get("name") ?? "");
        return { ...section, children: children.map(named) };
      }),
  );
}

const prefixedNames: ReadonlySet<string> = new Set([...kindOfReference.keys(), "name"]);
const prefixedAttributes: ReadonlySet<string> = new Set([
  ...[...prefixedNames, "class", "childclass", "mesh", "hfield"],
  idOfAttached,
]);

function prefixed(element: XmlElement, prefix: string, which = prefixedAttributes): XmlElement {
  const attributes = new Map(
    [...element.attributes].map(([name, value]) => [
      name,
      which.has(name) && value !== "world" ? prefix + value : value,
    ]),
  );
  return { ...element, attributes, children: element.children.map((child) => prefixed(child, prefix, which)) };
}

/** Defaults go without: what starts from them has a label of its own. */
function labelled(element: XmlElement, label: string): XmlElement {
  if (element.name === "default") return element;
  const attributes = new Map([...element.attributes, [labelOfAttached, label]]);
  return { ...element, attributes, children: element.children.map((child) => labelled(child, label)) };
}

const sizeOf = (element: XmlElement): number => element.children.reduce((sum, child) => sum + sizeOf(child), 1);
