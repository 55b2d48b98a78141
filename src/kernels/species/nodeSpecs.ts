/** The nodes of a mechanism besides its bodies: their kernels, their parameter values, and which bodies they touch. */
import type { Physics } from "../../equations/index.ts";
import { type Mechanism, worldIndex } from "../../mechanism/index.ts";
import { contactOf, dragOf, gearOf, gearTermOf, jointOf, thrusterOf } from "./library.ts";
import type { NodeSpecies } from "./nodeSpecies.ts";
import {
  contactParameterValues,
  contactSpecies,
  dragParameterValues,
  gearParameterValues,
  gearSpecies,
  jointParameterValues,
  jointSpecies,
  thrusterParameterValues,
} from "./species.ts";

export type NodeKind = "joint" | "gear" | "gearTerm" | "contact" | "thruster" | "drag";

export interface NodeSpec {
  readonly kind: NodeKind;
  readonly index: number;
  readonly bodies: readonly number[];
  readonly species: NodeSpecies;
  readonly input: number;
  readonly parameterValues: readonly number[];
  /** Gear terms: the gear whose row they share, and the spec of the joint whose frames they read. */
  readonly sharesBlockOf?: NodeSpec;
  readonly joint?: number;
}

export function nodeSpecs(mechanism: Mechanism, physics: Physics): NodeSpec[] {
  const specs: NodeSpec[] = mechanism.joints.map((joint) => {
    const species = jointSpecies(joint);
    return {
      kind: "joint",
      index: joint.index,
      bodies: [joint.parent, joint.child],
      species: jointOf(species, physics),
      input: Math.max(
        0,
        ...joint.coordinates
          .filter((c) => c.input >= 0)
          .slice(0, 1)
          .map((c) => c.input),
      ),
      parameterValues: jointParameterValues(mechanism, joint),
    };
  });
  for (const gear of mechanism.gears) {
    const base: NodeSpec = {
      kind: "gear",
      index: gear.index,
      bodies: [],
      species: gearOf(gearSpecies(gear)),
      input: 0,
      parameterValues: gearParameterValues(mechanism, gear),
    };
    specs.push(base);
    for (const term of gear.terms) {
      const joint = mechanism.joints[term.joint];
      specs.push({
        kind: "gearTerm",
        index: gear.index,
        bodies: [joint.parent, joint.child],
        input: 0,
        parameterValues: [term.ratio],
        species: gearTermOf({
          gear: gear.kind,
          type: joint.shape,
          parentMoves: joint.parent !== worldIndex,
          coordinate: term.coordinate,
        }),
        sharesBlockOf: base,
        joint: term.joint,
      });
    }
  }
  for (const contact of mechanism.contacts) {
    const species = contactSpecies(contact);
    specs.push({
      kind: "contact",
      index: contact.index,
      // what moves comes second
      bodies: species.coreOnWorld ? [contact.body, contact.other] : [contact.other, contact.body],
      species: contactOf(species, physics),
      input: 0,
      parameterValues: contactParameterValues(contact, physics),
    });
  }
  for (const thruster of mechanism.thrusters) {
    specs.push({
      kind: "thruster",
      index: thruster.index,
      bodies: [worldIndex, thruster.body],
      species: thrusterOf({ lower: thruster.lower !== null, upper: thruster.upper !== null }),
      input: thruster.input,
      parameterValues: thrusterParameterValues(thruster),
    });
  }
  if (mechanism.fluid) {
    for (const body of mechanism.bodies) {
      specs.push({
        kind: "drag",
        index: body.index,
        bodies: [worldIndex, body.index],
        species: dragOf(),
        input: 0,
        parameterValues: dragParameterValues(mechanism.fluid, body),
      });
    }
  }
  return specs;
}
