/**
 * Links without mass are merged, never simulated with a mass of their own:
 *   on a fixed joint                   part of the link they are fixed to (mergeLinks.ts)
 *   at the end of a chain              left out with their joint: nothing there can move anything
 *   between two joints                 the joints become one, such as two hinges a universal joint (compoundJoint.ts)
 * What hangs on several joints, or on a kind that is no row of hinges, slides and balls, is refused.
 */
import { matrix3 } from "../../math/index.ts";
import { FormatError } from "../formatError.ts";
import { identityPose } from "../pose.ts";
import { elementError, showElement, type WarningList, type XmlElement } from "../xml.ts";
import { hasInertia, type LinkGroup } from "./mergeLinks.ts";
import type { UrdfJoint, UrdfLink, UrdfModel } from "./urdfModel.ts";

/** A group of links with mass, or the world, and the joints by which it hangs on another: one, or several in a row. */
export interface HangingGroup extends LinkGroup {
  /** Joints from the outside in; each with the group that carries it. Empty for the root. */
  readonly chain: readonly { readonly joint: UrdfJoint; readonly carrier: LinkGroup }[];
}

/** A link without mass that no single joint stands for. */
export class MasslessLinkError extends FormatError {
  readonly link: string;

  constructor({ name }: UrdfLink, element: XmlElement, problem: string) {
    super(element, problem, showElement(element));
    this.link = name;
  }
}

/** kg and m of a ball that stands for no mass. */
const SPECK = { mass: 1e-3, radius: 0.01 };

/** These links with a speck of mass. */
export function withSpecks(model: UrdfModel, names: ReadonlySet<string>, warnings: WarningList): UrdfModel {
  const links = [...model.links.values()].map((link): UrdfLink => {
    if (!names.has(link.name)) return link;
    warnings.add(
      "adjusted",
      link.element,
      `link "${link.name}" has no mass, and no single joint stands for it: it has 1 g`,
    );
    const moment = 0.4 * SPECK.mass * SPECK.radius ** 2;
    const inertial = { element: link.element, pose: identityPose, mass: SPECK.mass, assumed: true };
    return { ...link, inertial: { ...inertial, inertia: matrix3.diagonal(moment, moment, moment) } };
  });
  return { ...model, links: new Map(links.map((link) => [link.name, link])) };
}

export function withoutMassless(
  groups: readonly LinkGroup[],
  model: UrdfModel,
  fixedBase: boolean,
  warnings: WarningList,
): { readonly groups: HangingGroup[]; readonly leftOut: ReadonlySet<string> } {
  const groupOf = new Map(groups.flatMap((group) => group.members.map(({ link }) => [link.name, group] as const)));
  const carrierOf = ({ joint }: LinkGroup): LinkGroup | undefined => joint && groupOf.get(joint.parent);
  const looped = new Set([...model.loops.values()].flatMap(({ ends }) => ends.map(({ link }) => groupOf.get(link))));
  const hasMass = (group: LinkGroup): boolean =>
    (fixedBase && group === groups[0]) || group.members.some(({ link }) => (link.inertial?.mass ?? 0) > 0);

  // ends of chains, from the outside in
  const hanging = new Map<LinkGroup, number>();
  const leftOut = new Set<string>();
  const kept = new Set(groups);
  for (const group of [...groups].reverse()) {
    const { joint, top } = group;
    if (joint && !hasMass(group) && !looped.has(group) && !hanging.get(group)) {
      const what = group.members.some(({ link }) => hasInertia(link)) ? "it, its inertia" : "it";
      warnings.add(
        "ignored",
        top.element,
        `has no mass and carries nothing; ${what} and joint "${joint.name}" are left out`,
      );
      leftOut.add(joint.name);
      kept.delete(group);
      continue;
    }
    const carrier = carrierOf(group);
    if (carrier) hanging.set(carrier, (hanging.get(carrier) ?? 0) + 1);
  }

  // the others pass on what hangs on them
  const chains = new Map<LinkGroup, HangingGroup["chain"]>();
  const result: HangingGroup[] = [];
  for (const group of groups) {
    if (!kept.has(group)) continue;
    const { joint, top } = group;
    const carrier = carrierOf(group);
    const above = carrier && !hasMass(carrier) ? (chains.get(carrier) ?? []) : [];
    const chain = joint && carrier ? [...above, { joint, carrier }] : [];
    chains.set(group, chain);
    if (hasMass(group)) {
      result.push({ ...group, chain });
      continue;
    }
    if (!joint)
      throw elementError(
        top.element,
        'has no mass but is a floating base; give it an <inertial>, or use base: "fixed"',
      );
    const count = hanging.get(group) ?? 0;
    const reason = looped.has(group) ? "a loop closes on it" : `${count} joints hang on it`;
    if (looped.has(group) || count !== 1) {
      const wayOut = "give it an <inertial>, or make the joint fixed; repair: true (--repair) gives it 1 g";
      throw new MasslessLinkError(
        top,
        top.element,
        `has no mass but moves by joint "${joint.name}", and ${reason}; ${wayOut}`,
      );
    }
    if (group.members.some(({ link }) => hasInertia(link)))
      warnings.add("ignored", top.element, "has no mass but moves: its inertia has no effect; give it a mass");
    for (const { link } of group.members) {
      if (link.visuals.length + link.collisions.length > 0)
        warnings.add("ignored", link.element, "has no mass: its shapes neither collide nor show");
    }
  }
  return { groups: result, leftOut };
}
