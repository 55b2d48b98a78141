/**
 * Equalities → gears and joints that close loops; fixed tendons.
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
  readNumber,
  readNumberList,
  readNumbers,
  readVector3,
  required,
  type XmlElement,
} from "../xml.ts";
import { NameTable } from "./document.ts";
import type { ImportContext } from "./importContext.ts";
import type { CoordinateOf } from "./joints.ts";
import type { MjBody, MjJoint } from "./model.ts";

interface Term {
  readonly joint: MjJoint;
  readonly ratio: number;
}

/** A linear function of joint coordinates of the file. */
interface Tendon {
  readonly element: XmlElement;
  readonly terms: readonly Term[];
}

const equalityAttributes: Readonly<Record<string, readonly string[]>> = {
  joint: ["joint1", "joint2", "polycoef", "active"],
  tendon: ["tendon1", "tendon2", "polycoef", "active"],
  connect: ["body1", "body2", "anchor", "site1", "site2", "active"],
  weld: ["body1", "body2", "anchor", "relpose", "site1", "site2", "active"],
};

function tendonsOf(context: ImportContext): NameTable<Tendon> {
  const { document, defaults, tree } = context;
  const tendons = new NameTable<Tendon>("fixed tendon");
  for (const child of document.section("tendon")) {
    if (child.name !== "fixed") continue;
    const element = defaults.merged(child, undefined, "tendon");
    const terms = element.children
      .filter(({ name }) => name === "joint")
      .map((term) => {
        const joint = tree.jointNames.named(term, "joint");
        if (joint.type !== "hinge" && joint.type !== "slide") {
          throw elementError(term, `a fixed tendon goes over hinges and slides, not a ${joint.type} joint`);
        }
        return { joint, ratio: required(readNumber, term, "coef") };
      });
    const name = readName(child, "name");
    if (name !== undefined) tendons.add(child, name, { element, terms });
  }
  return tendons;
}

/** Says what of the tendons is not simulated. */
export function noteTendons({ document, defaults, ledger }: ImportContext): void {
  for (const child of document.section("tendon")) {
    if (child.name !== "fixed") {
      ledger.add("not-expressible", child, "only fixed tendons are simulated, in equalities; it has no effect");
      continue;
    }
    const element = defaults.merged(child, undefined, "tendon");
    for (const name of ["stiffness", "damping", "frictionloss", "armature", "range"]) {
      const values = readNumberList(element, name) ?? [];
      if (name === "range" && element.attributes.get("limited") === "false") continue;
      if (values.some((value) => value !== 0)) {
        ledger.add("not-expressible", child, `${name} of a tendon is not simulated; put it on joints`);
      }
    }
    ledger.addAttributes(child, [
      ...["limited", "range", "stiffness", "damping", "frictionloss", "armature", "springlength", "group", "width"],
      ...["rgba", "material"],
    ]);
  }
}

export function importEqualities(context: ImportContext): {
  readonly gears: Record<string, GearDescription>;
  readonly loops: [string, JointDescription][];
} {
  const { document, defaults, ledger, tree, links } = context;
  const gears = new Map<string, GearDescription>();
  const loops: [string, JointDescription][] = [];
  const taken = new Set([...context.coordinates.values()].map(({ builder }) => builder.name));
  const tendons = tendonsOf(context);
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
      if (gear) gears.set(name, gear);
    } else {
      const loop = readLoop(element);
      if (loop) loops.push([name, loop]);
    }
  });
  return { gears: Object.fromEntries(gears), loops };

  function freeName(name: string): string {
    if (name === "__proto__") return freeName("equality");
    let free = name;
    while (taken.has(free)) free += "_";
    taken.add(free);
    return free;
  }

  function readGear(element: XmlElement): GearDescription | undefined {
    const [a0 = 0, a1 = 1, ...higher] = readNumberList(element, "polycoef") ?? [];
    if (higher.some((entry) => entry !== 0)) {
      ledger.add("not-expressible", element, "only polycoef a0 a1 0 0 0 is simulated; it has no effect");
      return undefined;
    }
    const side = (index: 1 | 2): readonly Term[] => {
      const attribute = `${element.name}${index}`;
      if (index === 2 && !element.attributes.has(attribute)) return [];
      if (element.name === "tendon") return tendons.named(element, attribute).terms;
      const joint = tree.jointNames.named(element, attribute);
      if (joint.type === "hinge" || joint.type === "slide") return [{ joint, ratio: 1 }];
      throw elementError(element, `${attribute} is a ${joint.type} joint; a gear ties hinges and slides`);
    };
    const terms = [...side(1), ...side(2).map(({ joint, ratio }) => ({ joint, ratio: -a1 * ratio }))];
    // Σ ratio (q − ref) = a₀, with repeated joints added up
    const sums = new Map<MjJoint, number>();
    for (const { joint, ratio } of terms) sums.set(joint, (sums.get(joint) ?? 0) + ratio);
    let offset = a0;
    const described: GearDescription["terms"][number][] = [];
    for (const [joint, ratio] of sums) {
      if (ratio === 0) continue;
      const { builder, axis, sign } = context.coordinates.get(joint) as CoordinateOf;
      offset += ratio * joint.ref;
      described.push({ joint: builder.name, ...(axis > 0 && { axis }), ratio: ratio * sign });
    }
    if (described.length === 0) throw elementError(element, "ties nothing: its coefficients cancel; leave it out");
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

/**
 * A tendon whose joints equalities tie to one of them, θ: its length is ratio·θ + offset, and a force on it acts on θ with the
 * same ratio. Undefined when its joints move on their own.
 */
export function tiedTendon(
  context: ImportContext,
  actuator: XmlElement,
): { readonly coordinate: CoordinateOf; readonly ratio: number; readonly offset: number } | undefined {
  const { terms } = tendonsOf(context).named(actuator, "tendon");
  if (terms.length === 0) return undefined;
  const [{ joint: lead }] = terms;
  let ratio = 0;
  let offset = 0;
  for (const { joint, ratio: coefficient } of terms) {
    const relation = tiedTo(context, joint, lead);
    if (!relation) return undefined;
    ratio += coefficient * relation.ratio;
    offset += coefficient * relation.offset;
  }
  const coordinate = context.coordinates.get(lead) as CoordinateOf;
  return { coordinate, ratio: ratio * coordinate.sign, offset };
}

/** q of a joint as ratio·q of the lead + offset, through one equality. */
function tiedTo(context: ImportContext, joint: MjJoint, lead: MjJoint): { ratio: number; offset: number } | undefined {
  if (joint === lead) return { ratio: 1, offset: 0 };
  for (const child of context.document.section("equality")) {
    const element = context.defaults.merged(child, undefined, "equality");
    if (child.name !== "joint" || readBoolean(element, "active") === false) continue;
    const one = context.tree.jointNames.get(element.attributes.get("joint1") ?? "");
    const two = context.tree.jointNames.get(element.attributes.get("joint2") ?? "");
    const [a0 = 0, a1 = 1, ...higher] = readNumberList(element, "polycoef") ?? [];
    if (higher.some((entry) => entry !== 0) || a1 === 0) continue;
    // q₁ = ref₁ + a₀ + a₁ (q₂ − ref₂)
    if (one === joint && two === lead) return { ratio: a1, offset: joint.ref + a0 - a1 * lead.ref };
    if (one === lead && two === joint) return { ratio: 1 / a1, offset: joint.ref - (lead.ref + a0) / a1 };
  }
  return undefined;
}
