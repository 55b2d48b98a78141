/**
 * Fixed tendons: linear functions of joint coordinates, ℓ = Σ coef q. Their ranges, springs and dampers become gears; equalities
 * and actuators look them up here.
 */
import type { GearDescription } from "../../mechanism/index.ts";
import {
  attributeError,
  elementError,
  readBoolean,
  readName,
  readNumber,
  readNumberList,
  required,
  type XmlElement,
} from "../xml.ts";
import { NameTable } from "./document.ts";
import type { ImportContext } from "./importContext.ts";
import type { CoordinateOf } from "./joints.ts";
import type { MjJoint } from "./model.ts";
import { boundsOf, readLinear, readRange } from "./ranges.ts";

export interface TendonTerm {
  readonly joint: MjJoint;
  readonly ratio: number;
}

export interface Tendon {
  readonly element: XmlElement;
  readonly terms: readonly TendonTerm[];
}

const attributes = [
  ...["limited", "range", "stiffness", "damping", "frictionloss", "armature", "springlength", "group", "width"],
  ...["rgba", "material"],
];

function readTendon({ defaults, tree }: ImportContext, child: XmlElement): Tendon {
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
  return { element, terms };
}

/** The fixed tendon that an attribute names; undefined, with a warning, where it is a spatial one. */
export function tendonNamed(context: ImportContext, element: XmlElement, attribute: string): Tendon | undefined {
  const { document, ledger } = context;
  const tendons = new NameTable<XmlElement>("tendon");
  for (const child of document.section("tendon")) {
    const name = readName(child, "name");
    if (name !== undefined) tendons.add(child, name, child);
  }
  const found = tendons.named(element, attribute);
  if (found.name === "fixed") return readTendon(context, found);
  ledger.add("not-expressible", element, `${attribute} is a spatial tendon, which is not simulated; it has no effect`);
  return undefined;
}

/** Ranges, springs and dampers of the fixed tendons as gears, and a word on what is not simulated. */
export function importTendons(context: ImportContext, freeName: (name: string) => string): [string, GearDescription][] {
  const { document, ledger } = context;
  const gears: [string, GearDescription][] = [];
  document.section("tendon").forEach((child, i) => {
    if (child.name !== "fixed") {
      ledger.add("not-expressible", child, "only fixed tendons are simulated; it has no effect");
      return;
    }
    const { element, terms } = readTendon(context, child);
    ledger.addAttributes(child, attributes);
    for (const name of ["frictionloss", "armature"]) {
      if ((readNumber(element, name) ?? 0) !== 0)
        ledger.add("not-expressible", child, `${name} of a tendon is not simulated; put it on joints`);
    }
    const name = readName(child, "name") ?? `tendon${i}`;
    const limits = readRange(element, document, ledger);
    const range = limits && boundsOf(limits);
    const spring = readSpring(context, element, terms);
    if (!range && !spring) return;
    const described = gearTerms(context, element, terms);
    if (described.length === 0) return;
    if (range) gears.push([freeName(name), { terms: described, range }]);
    if (spring) gears.push([freeName(range ? `${name}_spring` : name), { terms: described, ...spring }]);
  });
  return gears;
}

/** The spring of a tendon, which without a springlength rests where the joints' springs do. */
function readSpring(
  { document, ledger }: ImportContext,
  element: XmlElement,
  terms: readonly TendonTerm[],
): Omit<GearDescription, "terms"> | undefined {
  const { disabled } = document.option;
  const stiffness = disabled.has("spring") ? 0 : readLinear(element, "stiffness", ledger);
  const damping = disabled.has("damper") ? 0 : readLinear(element, "damping", ledger);
  if (stiffness === 0) return damping === 0 ? undefined : { damping };
  const [first = -1, second = first, ...rest] = readNumberList(element, "springlength") ?? [];
  if (rest.length > 0) throw attributeError(element, "springlength", "has one or two numbers");
  if (second < first) throw attributeError(element, "springlength", "must go from smaller to larger");
  if (first !== second)
    ledger.add("adjusted", element, "springlength: a spring has no slack here; it rests in the middle");
  const natural = terms.reduce((sum, { joint, ratio }) => sum + ratio * joint.springRef, 0);
  const length = first === -1 && second === -1 ? natural : (first + second) / 2;
  return { stiffness, ...(length !== 0 && { rest: length }), ...(damping > 0 && { damping }) };
}

/** Σ ratio q over our coordinates, with repeated joints added up; empty, with a warning, where they cancel. */
export function gearTerms(
  context: ImportContext,
  element: XmlElement,
  terms: readonly TendonTerm[],
): GearDescription["terms"] {
  const sums = new Map<MjJoint, number>();
  for (const { joint, ratio } of terms) sums.set(joint, (sums.get(joint) ?? 0) + ratio);
  const described = [...sums]
    .filter(([, ratio]) => ratio !== 0)
    .map(([joint, ratio]) => {
      const { builder, axis, sign } = context.coordinates.get(joint) as CoordinateOf;
      return { joint: builder.name, ...(axis > 0 && { axis }), ratio: ratio * sign };
    });
  if (described.length === 0) context.ledger.add("ignored", element, "acts on nothing: its coefficients are zero");
  return described;
}

/**
 * A tendon whose joints equalities tie to one of them, θ: its length is ratio·θ + offset, and a force on it acts on θ with the
 * same ratio. Undefined when its joints move on their own.
 */
export function tiedTendon(
  context: ImportContext,
  { terms }: Tendon,
): { readonly coordinate: CoordinateOf; readonly ratio: number; readonly offset: number } | undefined {
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
