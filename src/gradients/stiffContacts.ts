/**
 * Whether contacts are so stiff that solutions must be refined (refinement.ts): how much of a gradient the factors would lose to rounding,
 * and to the ε of multipliers.
 */
import { isGrounded, type LimbPlan, type NodePlace, type PlannedNode, type System } from "../kernels/index.ts";
import { type Mechanism, worldIndex } from "../mechanism/index.ts";

/** Part of a gradient that may be lost to rounding, and to ε. */
const tolerableLoss = 1e-8;
const tolerableBias = 1e-7;

/** A pair of cone variables of a contact whose stiffness b/c the matrix contains. */
interface Stiffness {
  /** The place of the first entry. */
  readonly cone: number;
  readonly isGap: boolean;
  readonly lightest: number;
  /** The moving bodies, by index: one, or two. */
  readonly bodies: readonly number[];
  /** Where the ε of the joints and gears at its bodies lie in memory. */
  readonly regularization: readonly number[];
}

/** ε of a multiplier: its place among the unknowns, and where it lies in memory. */
interface Regularization {
  readonly row: number;
  readonly index: number;
}

export class StiffContacts {
  /** The ε of all multipliers that have one. */
  readonly regularization: readonly Regularization[];
  private readonly plan: LimbPlan;
  private readonly stiffnesses: readonly Stiffness[];
  /** The stiffnesses of slots, while they are bound as they are now. */
  private slotStiffnesses: readonly Stiffness[] = [];
  private slotVersion = -1;
  /** The largest ρ on each body, and on those below it. */
  private readonly ratios: Float64Array;
  private readonly below: Float64Array;

  constructor(plan: LimbPlan) {
    const { nodes, mechanism, starts } = plan;
    const tied = multiplierNodes(plan);
    this.plan = plan;
    this.regularization = tied.flatMap((node) =>
      regularizationOf(node).flatMap((index, i) =>
        index === undefined ? [] : [{ row: starts[node.block] + i, index }],
      ),
    );
    this.stiffnesses = nodes.flatMap((node) => (node.kind === "contact" ? stiffnessesOf(node, tied, mechanism) : []));
    this.ratios = new Float64Array(mechanism.bodies.length);
    this.below = new Float64Array(mechanism.bodies.length);
  }

  /** Whether contacts at the point in memory are so stiff that solutions must be refined. */
  isStiff(system: System): boolean {
    const { f64, places, touch } = system;
    if (touch && touch.version !== this.slotVersion) {
      this.slotVersion = touch.version;
      const tied = multiplierNodes(this.plan);
      this.slotStiffnesses = touch.boundNodes.flatMap((node) => stiffnessesOf(node, tied, system.mechanism));
    }
    if (this.isSoft(system, this.stiffnesses) && this.isSoft(system, this.slotStiffnesses)) return false;
    const h = f64[places.globals];
    let rounding = 0;
    let bias = 0;
    const { ratios, below } = this;
    const { limbs } = this.plan;
    ratios.fill(0);
    below.fill(1);
    const add = ({ cone, isGap, lightest, bodies, regularization }: Stiffness): void => {
      const stiffness = ((isGap ? h : 1) * f64[places.coneB + cone]) / f64[places.coneC + cone];
      const rho = stiffness / lightest;
      for (const body of bodies) ratios[body] = Math.max(ratios[body], rho);
      if (bodies.length > 1) rounding = Math.max(rounding, Number.EPSILON * rho * rho);
      for (const index of regularization) bias = Math.max(bias, f64[index] * stiffness);
    };
    this.stiffnesses.forEach(add);
    this.slotStiffnesses.forEach(add);
    // leaves first
    for (let i = limbs.length - 1; i >= 0; i--) {
      const { body, parent } = limbs[i];
      if (!isGrounded(limbs[i])) below[parent] = Math.max(below[parent], below[body], ratios[body]);
    }
    for (let i = 0; i < ratios.length; i++) rounding = Math.max(rounding, Number.EPSILON * ratios[i] * below[i]);
    return rounding > tolerableLoss || bias > tolerableBias;
  }

  /** Whether nothing would be lost if the stiffest of these pressed all bodies: so it is at the usual κ. */
  private isSoft({ f64, places }: System, stiffnesses: readonly Stiffness[]): boolean {
    const h = f64[places.globals];
    const { coneB, coneC } = places;
    let stiffest = 0;
    let rho = 0;
    for (let i = 0; i < stiffnesses.length; i++) {
      const each = stiffnesses[i];
      const stiffness = (each.isGap ? h : 1) * (f64[coneB + each.cone] / f64[coneC + each.cone]);
      if (stiffness > stiffest) stiffest = stiffness;
      if (stiffness > rho * each.lightest) rho = stiffness / each.lightest;
    }
    let epsilon = 0;
    for (let i = 0; i < this.regularization.length; i++) epsilon = Math.max(epsilon, f64[this.regularization[i].index]);
    return Number.EPSILON * rho * Math.max(1, rho) <= tolerableLoss && epsilon * stiffest <= tolerableBias;
  }
}

/** Nodes that keep their multipliers. */
export function multiplierNodes({ nodes, limbs }: LimbPlan): PlannedNode[] {
  const ofTree = new Set(limbs.map(({ joint }) => joint));
  return nodes.filter((node) => node.block >= 0 && !ofTree.has(node));
}

/** Where the ε of a node's multipliers lie in memory; undefined for those that have none. */
function regularizationOf({ spec, parameters }: PlannedNode): (number | undefined)[] {
  const { regularization, parameterGroups } = spec.species.node;
  return regularization.map((entry) => {
    const parameter = (parameterGroups[0] as readonly (typeof entry)[]).indexOf(entry);
    return parameter < 0 ? undefined : parameters + parameter;
  });
}

function stiffnessesOf(
  { bodies, cone, roles }: NodePlace,
  tied: readonly PlannedNode[],
  mechanism: Mechanism,
): Stiffness[] {
  const moving = bodies.filter((body) => body !== worldIndex);
  const lightest = Math.min(...moving.map((body) => mechanism.bodies[body].mass));
  const near = tied.filter((node) => node.bodies.some((body) => moving.includes(body)));
  const regularization = tied
    .filter((node) => near.some(({ block }) => block === node.block))
    // the first is that of a translation, to be multiplied with a stiffness
    .flatMap((node) => regularizationOf(node).slice(0, 1))
    .filter((index) => index !== undefined);
  let at = cone;
  return roles.map(({ start, size }) => {
    const isGap = start === "normal";
    const stiffness = { cone: at, isGap, lightest, bodies: moving, regularization };
    at += size;
    return stiffness;
  });
}
