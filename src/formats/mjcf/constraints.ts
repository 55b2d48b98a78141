/**
 * Equalities → gears and joints that close loops.
 *   joint     q₁ − ref₁ = a₀ + a₁ (q₂ − ref₂)                      a gear
 *   tendon    Σ coef q − length at the start = a₀ + a₁ (…)         a gear
 *   connect   one point of two bodies                              a spherical joint
 *   weld      two bodies as one                                    a fixed joint
 */
import { quaternion } from "../../math/index.ts";
import type { GearDescription, JointDescription, Quaternion, Vector3 } from "../../mechanism/index.ts";
import { composePoses, inversePose, type Pose, posedPoint } from "../pose.ts";
import {
  elementError,
  readBoolean,
  readName,
  readNumberList,
  readNumbers,
  readVector3,
  required,
  type XmlElement,
} from "../xml.ts";
import type { ImportContext } from "./importContext.ts";
import type { MjBody } from "./model.ts";
import { gearTerms, type TendonTerm, tendonNamed } from "./tendons.ts";

const equalityAttributes: Readonly<Record<string, readonly string[]>> = {
  joint: ["joint1", "joint2", "polycoef", "active"],
  tendon: ["tendon1", "tendon2", "polycoef", "active"],
  connect: ["body1", "body2", "anchor", "site1", "site2", "active"],
  weld: ["body1", "body2", "anchor", "relpose", "site1", "site2", "active"],
};

export function importEqualities(
  context: ImportContext,
  freeName: (name: string) => string,
): {
  readonly gears: [string, GearDescription][];
  readonly loops: [string, JointDescription][];
} {
  const { document, defaults, ledger, tree, links } = context;
  const gears: [string, GearDescription][] = [];
  const loops: [string, JointDescription][] = [];
  document.section("equality").forEach((child, i) => {
    const known = equalityAttributes[child.name];
    if (!known) {
      ledger.add("not-expressible", child, "equalities of this kind are not simulated; it has no effect");
      return;
    }
    const element = defaults.merged(child, undefined, "equality");
    ledger.addAttributes(child, known);
    if (readBoolean(element, "active") === false || document.option.disabled.has("equality")) {
      ledger.add("ignored", child, "is not active, and cannot be switched on here");
      return;
    }
    const name = freeName(readName(element, "name") ?? `${child.name}${i}`);
    if (child.name === "joint" || child.name === "tendon") {
      const gear = readGear(element);
      if (gear) gears.push([name, gear]);
    } else {
      const loop = readLoop(element);
      if (loop) loops.push([name, loop]);
    }
  });
  return { gears, loops };

  function readGear(element: XmlElement): GearDescription | undefined {
    const [a0 = 0, a1 = 1, ...higher] = readNumberList(element, "polycoef") ?? [];
    if (higher.some((entry) => entry !== 0)) {
      ledger.add("not-expressible", element, "only polycoef a0 a1 0 0 0 is simulated; it has no effect");
      return undefined;
    }
    const side = (index: 1 | 2): readonly TendonTerm[] | undefined => {
      const attribute = `${element.name}${index}`;
      if (index === 2 && !element.attributes.has(attribute)) return [];
      if (element.name === "tendon") return tendonNamed(context, element, attribute)?.terms;
      const joint = tree.jointNames.named(element, attribute);
      if (joint.type === "hinge" || joint.type === "slide") return [{ joint, ratio: 1 }];
      throw elementError(element, `${attribute} is a ${joint.type} joint; a gear ties hinges and slides`);
    };
    const [left, right] = [side(1), side(2)];
    if (!left || !right) return undefined;
    const terms = [...left, ...right.map(({ joint, ratio }) => ({ joint, ratio: -a1 * ratio }))];
    const described = gearTerms(context, element, terms);
    if (described.length === 0) return undefined;
    // Σ ratio (q − ref) = a₀
    const offset = terms.reduce((sum, { joint, ratio }) => sum + ratio * joint.ref, a0);
    return { terms: described, ...(offset !== 0 && { offset }) };
  }

  function readLoop(element: XmlElement): JointDescription | undefined {
    const weld = element.name === "weld";
    const [first, second] = element.attributes.has("site1") ? sites(element) : bodies(element, weld);
    const [a, b] = [links.place(first.body), links.place(second.body)];
    const [inA, inB] = [composePoses(a.pose, first.pose), composePoses(b.pose, second.pose)];
    if (a.link === b.link) {
      ledger.add("ignored", element, "both bodies move as one already");
      return undefined;
    }
    // the world can only be a parent
    const swap = b.link.name === "world";
    const [parent, child] = swap ? [b.link, a.link] : [a.link, b.link];
    const [inParent, inChild] = swap ? [inB, inA] : [inA, inB];
    // a weld holds the frames together; a ball starts from how the file draws the bodies
    const [outer, inner] = weld
      ? [inParent.orientation, inChild.orientation]
      : [quaternion.conjugate(parent.root.world.orientation), quaternion.conjugate(child.root.world.orientation)];
    const orientation = quaternion.normalize(quaternion.multiply(outer, quaternion.conjugate(inner)));
    return {
      kind: weld ? "fixed" : "spherical",
      parent: parent.name,
      child: child.name,
      parentAnchor: inParent.position,
      childAnchor: inChild.position,
      orientation,
    };
  }

  /** Two sites that are to coincide. */
  function sites(element: XmlElement): [Placed, Placed] {
    const [first, second] = ["site1", "site2"].map((name) => tree.siteNames.named(element, name));
    return [
      { body: first.body, pose: first.placement },
      { body: second.body, pose: second.placement },
    ];
  }

  /** A point of the first body and the same point of the second as the file draws them, or in the relative pose given. */
  function bodies(element: XmlElement, weld: boolean): [Placed, Placed] {
    const first = tree.bodyNames.named(element, "body1");
    const second = element.attributes.has("body2") ? tree.bodyNames.named(element, "body2") : tree.bodies[0];
    const relative = composePoses(inversePose(first.world), second.world);
    if (!weld) {
      const anchor = required(readVector3, element, "anchor");
      const opposite = posedPoint(inversePose(relative), anchor);
      return [at(first, anchor), at(second, opposite)];
    }
    const numbers = readNumbers(element, "relpose", 7);
    const turn = numbers?.slice(3) as unknown as Quaternion | undefined;
    const given: Pose | undefined =
      numbers && turn?.some((entry) => entry !== 0)
        ? { position: numbers.slice(0, 3) as unknown as Vector3, orientation: quaternion.normalize(turn) }
        : undefined;
    const anchor = readVector3(element, "anchor") ?? [0, 0, 0];
    // a relative pose that is given has the position of the anchor, not of the body
    const pose = given ?? composePoses(relative, { position: anchor, orientation: quaternion.identity });
    return [{ body: first, pose }, at(second, anchor)];
  }
}

interface Placed {
  readonly body: MjBody;
  readonly pose: Pose;
}

const at = (body: MjBody, position: Vector3): Placed => ({
  body,
  pose: { position, orientation: quaternion.identity },
});
