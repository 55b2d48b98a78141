/**
 * Kernels by species: everything of one kind shares its kernels, and they are generated once. The table is a cache of a
 * pure function: what it returns never depends on what was asked before.
 */

import {
  type ContactSpecies,
  type CoordinateFeatures,
  contactEquations,
  coordinateFeatures,
  dragEquations,
  type GearSpecies,
  type GearTermSpecies,
  gearEquations,
  gearTermEquations,
  impactContactEquations,
  impactJointEquations,
  type JointSpecies,
  jointEquations,
  type Physics,
  type ThrusterSpecies,
  thrusterEquations,
} from "../../equations/index.ts";
import { cached } from "../../math/index.ts";
import { type BodyKernels, treeBodyKernels } from "../elimination/treeBodies.ts";
import { coupledAnswers, coupledLimitsKernel } from "../elimination/treeLaws.ts";
import {
  jointGeometry,
  multiplierKernels,
  type TreeKernels,
  treeContactKernels,
  treeForceKernels,
  treeJointKernels,
} from "../elimination/treeNodes.ts";
import type { Sweep } from "../elimination/treeSweeps.ts";
import { type NodeSpecies, nodeSpecies } from "./nodeSpecies.ts";
import type { Kernel } from "./staging.ts";

const cache = new Map<string, unknown>();
const once = <T>(key: string, make: () => T): T => cached(cache, key, make) as T;

export function kernelsOfTreeBody(physics: Physics, isLoose: boolean, isStep: boolean): BodyKernels {
  return once(`tree.body.${physics}.${isLoose}.${isStep}`, () => treeBodyKernels(physics, isLoose, isStep));
}

export function kernelsOfTreeJoint({ name, geometry, node }: NodeSpecies, below: 0 | 1): TreeKernels {
  const shared =
    geometry === undefined
      ? undefined
      : () => once(`tree.${geometry}.geometry.${below}`, () => jointGeometry(geometry, node, below));
  return once(`tree.${name}.${below}`, () => treeJointKernels(name, node, below, shared));
}

export function answersOfTreeJoint({ name, node }: NodeSpecies, below: 0 | 1): Kernel {
  return once(`tree.${name}.${below}.answers`, () => coupledAnswers(`${name}.answers.${below}`, node, below));
}

export function limitsOfTreeJoint({ name, node }: NodeSpecies, below: 0 | 1): Kernel {
  return once(`tree.${name}.${below}.limits`, () => coupledLimitsKernel(`${name}.limits.${below}`, node, below));
}

export function kernelsOfTreeContact({ name, node }: NodeSpecies): TreeKernels {
  return once(`tree.${name}`, () => treeContactKernels(name, node));
}

export function kernelsOfTreeForce({ name, node }: NodeSpecies, isLoose: boolean): TreeKernels {
  const key = `${name}.force${isLoose ? ".loose" : ""}`;
  return once(`tree.${key}`, () => treeForceKernels(key, node, isLoose));
}

export function kernelsOfMultipliers({ name, node }: NodeSpecies): TreeKernels {
  return once(`multipliers.${name}`, () => multiplierKernels(`${name}.own`, node));
}

export function sweepKernel(key: string, make: () => Kernel): Kernel {
  return once(`treeKernel.${key}`, make);
}

export function sweepOf(key: string, make: () => Sweep): Sweep {
  return once(`sweep.${key}`, make);
}

export function jointOf(species: JointSpecies, physics: Physics): NodeSpecies {
  const key = jointKey(species);
  const ofImpact = `impact.${key}`;
  if (physics === "impact")
    return once(ofImpact, () => nodeSpecies(ofImpact, (source) => impactJointEquations(species, source)));
  return once(key, () => nodeSpecies(key, (source) => jointEquations(species, source), sharedGeometry(species)));
}

export function contactOf(species: ContactSpecies, physics: Physics): NodeSpecies {
  const key = contactKey(species);
  const ofImpact = `impact.${key}`;
  if (physics === "impact")
    return once(ofImpact, () => nodeSpecies(ofImpact, (source) => impactContactEquations(species, source)));
  return once(key, () => nodeSpecies(key, (source) => contactEquations(species, source)));
}

export function thrusterOf(species: ThrusterSpecies): NodeSpecies {
  const key = `thruster${species.lower ? "l" : ""}${species.upper ? "u" : ""}`;
  return once(key, () => nodeSpecies(key, (source) => thrusterEquations(species, source)));
}

export function dragOf(): NodeSpecies {
  return once("drag", () => nodeSpecies("drag", (source) => dragEquations(source)));
}

export function gearOf(species: GearSpecies): NodeSpecies {
  const sides = species.kind === "range" ? `${species.lower ? "l" : ""}${species.upper ? "u" : ""}` : "";
  const key = `gear.${species.kind}${sides}`;
  return once(key, () => nodeSpecies(key, () => gearEquations(species)));
}

export function gearTermOf(species: GearTermSpecies): NodeSpecies {
  const key = `gear.${species.gear}.${typeKey(species)}.${species.coordinate}`;
  return once(key, () => nodeSpecies(key, (source) => gearTermEquations(species, source)));
}

/** Names of kernels of spheres and half-spaces do not mention them. */
export function contactKey(species: ContactSpecies): string {
  const { model, feature, otherMoves, coreOnWorld, bounces, torsional, rolling } = species;
  const met = feature === "pointPlane" ? "" : `.${feature}`;
  const turning = `${torsional ? ".spin" : ""}${rolling ? ".roll" : ""}`;
  const sides = otherMoves ? ".two" : coreOnWorld ? ".fixed" : "";
  return `contact.${model}${met}${sides}${bounces ? ".bounces" : ""}${turning}`;
}

function typeKey({ type, parentMoves }: Pick<JointSpecies, "type" | "parentMoves">): string {
  return `t${type.translation}r${type.rotation}${type.serial ? "s" : ""}${type.mirrored ? "m" : ""}${parentMoves ? "" : "w"}`;
}

/** What acts on the coordinates of a joint that turns about one axis at most leaves their geometry as it is, to the instruction. */
function sharedGeometry(species: JointSpecies): string | undefined {
  return species.type.rotation >= 2 ? `joint.${typeKey(species)}` : undefined;
}

function jointKey(species: JointSpecies): string {
  const letters = Object.entries(coordinateFeatures) as [keyof CoordinateFeatures, { readonly letter: string }][];
  const features = species.features.map((own) =>
    letters.map(([name, { letter }]) => (own[name] ? letter : "")).join(""),
  );
  return `joint.${typeKey(species)}.${features.join("-")}${species.tilt ? ".tilt" : ""}`;
}
