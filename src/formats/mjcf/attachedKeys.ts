/**
 * Keyframes of a model that is attached to others. Their lists go by its joints and actuators, which have other numbers there or are left out:
 * so every number is kept with what it is for,
 *   <key name="home" qpos="0.5 0.7"/>  →  <key name="home"><joint /id="1.0" qpos="0.5"/><joint /id="1.1" qpos="0.7"/></key>
 */
import type { XmlElement } from "../xml.ts";
import { Defaults } from "./defaults.ts";
import { jointSizes, readJointType } from "./jointTypes.ts";
import { readKeyLists } from "./keyLists.ts";
import { Ledger } from "./ledger.ts";

/** An attribute that no file can have: tells a joint or an actuator of an attached model, and in a key what numbers are for. */
export const idOfAttached = "/id";

/** The model with keyframes that can be attached. `label` tells it from all others. */
export function withAttachedKeys(model: XmlElement, label: string, ledger: Ledger): XmlElement {
  const named = (name: string): XmlElement[] => model.children.filter((child) => child.name === name);
  const sections = named("keyframe");
  if (sections.length === 0) return model;
  if (named("worldbody").some(hasReplicas)) {
    for (const section of sections) ledger.add("not-expressible", section, withReplicate);
    return { ...model, children: model.children.filter(({ name }) => name !== "keyframe") };
  }
  const joints = jointsOf(named("worldbody"), new Defaults(named("default"), new Ledger()));
  const actuators = named("actuator").flatMap(({ children }) => children);
  const all = [...joints.map(({ element }) => element), ...actuators];
  // those of models that this one attaches have theirs already
  const ids = new Map(all.map((element, i) => [element, element.attributes.get(idOfAttached) ?? `${label}.${i}`]));
  const owners = (elements: readonly XmlElement[], counts: (index: number) => number): string[] =>
    elements.flatMap((element, i) => Array<string>(counts(i)).fill(ids.get(element) as string));
  const lists: ReadonlyMap<string, readonly string[]> = new Map([
    [
      "qpos",
      owners(
        joints.map(({ element }) => element),
        (i) => joints[i].sizes[0],
      ),
    ],
    [
      "qvel",
      owners(
        joints.map(({ element }) => element),
        (i) => joints[i].sizes[1],
      ),
    ],
    ["ctrl", owners(actuators, () => 1)],
  ]);
  const identified = (element: XmlElement): XmlElement => {
    const id = ids.get(element);
    const attributes = id === undefined ? element.attributes : new Map([...element.attributes, [idOfAttached, id]]);
    return { ...element, attributes, children: element.children.map(identified) };
  };
  const lengths = Object.fromEntries([...lists].map(([list, owned]) => [list, owned.length]));
  const keyed = (key: XmlElement, i: number): XmlElement[] => {
    if (key.name !== "key" || key.children.length > 0) return [key];
    const given = readKeyLists(key, lengths, ledger);
    if (!given) return [];
    const attributes = new Map([["name", `key${i}`], ...key.attributes]);
    const children: XmlElement[] = [];
    for (const [list, owned] of lists) {
      const numbers = given[list];
      attributes.delete(list);
      for (const id of numbers ? new Set(owned) : []) {
        const part = numbers?.filter((_, k) => owned[k] === id).join(" ") ?? "";
        children.push({
          ...key,
          attributes: new Map([
            [idOfAttached, id],
            [list, part],
          ]),
          children: [],
        });
      }
    }
    return [{ ...key, attributes, children }];
  };
  return {
    ...model,
    children: model.children.map((section) =>
      section.name === "keyframe" ? { ...section, children: section.children.flatMap(keyed) } : identified(section),
    ),
  };
}

const withReplicate = "keyframes of an attached model with <replicate> are not read";
const hasReplicas = ({ name, children }: XmlElement): boolean => name === "replicate" || children.some(hasReplicas);

type Sized = { readonly element: XmlElement; readonly sizes: readonly [number, number] };

/** All joints in their order, which is that of bodies, with their counts of positions and velocities. */
function jointsOf(worlds: readonly XmlElement[], defaults: Defaults): Sized[] {
  const joints: Sized[] = [];
  const readBody = (body: XmlElement, inherited: string | undefined): void => {
    const inner: (() => void)[] = [];
    const readContents = (element: XmlElement, above: string | undefined): void => {
      const own = defaults.childClass(element, above);
      for (const child of element.children) {
        if (child.name === "body") inner.push(() => readBody(child, own));
        else if (child.name === "frame") readContents(child, own);
        else if (child.name === "freejoint") joints.push({ element: child, sizes: jointSizes.free });
        else if (child.name === "joint") {
          const type = readJointType(defaults.merged(child, own), "type") ?? "hinge";
          joints.push({ element: child, sizes: jointSizes[type] });
        }
      }
    };
    readContents(body, inherited);
    for (const read of inner) read();
  };
  for (const world of worlds) readBody(world, undefined);
  return joints;
}
