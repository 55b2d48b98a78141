/**
 * Units of one step, so that a 1 g die and a 1 t crate are solved alike. With V a speed typical of the step:
 *   V = max(|g| h, a hundredth of the fastest body's speed, a crawl)
 * an impulse is of size m V, a length V h, an angle V h / r (r the radius of gyration), and complementarity m V² h for
 * (length × impulse) and m V² for (velocity × impulse). Tolerances are these times `residual`, plus rounding.
 */
import type { ConeRole, NodePlace, System } from "../kernels/index.ts";
import { type Mechanism, worldIndex } from "../mechanism/index.ts";

/** V as a fraction of the largest speed, for steps without gravity. */
const speedFraction = 0.01;
/** Slowest V: this part of a body's size a step. */
const crawl = 1e-6;
/** Rounding of a difference of positions, in units of their size. */
const positionRounding = 2e-15;
/** A light body's balance contains the impulses that heavy neighbours exchange through it: its unit is at least this part of theirs. */
const neighbourShare = 1e-4;

export class StepUnits {
  /** V, and v* = the fastest speed of the step before it is taken (SOLVER-NOTES' start). */
  speed = 1;
  fastest = 1;
  /** Complementarity unit of every cone in SI. */
  readonly natural: Float64Array;

  private readonly system: System;
  private readonly roles: readonly ConeRole[];
  /** Mass of the connected mechanism each body belongs to, and its size. */
  private readonly componentMass: readonly number[];
  private readonly reach: number;

  constructor(system: System) {
    this.system = system;
    this.roles = system.nodes.flatMap((node) => node.roles);
    this.natural = new Float64Array(this.roles.length);
    this.componentMass = componentMasses(system.mechanism);
    this.reach = reachOf(system.mechanism);
  }

  /** Mass that a node's impulses move. */
  massOf(node: NodePlace): number {
    return Math.max(...node.bodies.map((body) => (body === worldIndex ? 0 : this.componentMass[body])));
  }

  /** Radius of gyration of the node's child. */
  lengthOf(node: NodePlace): number {
    return this.system.mechanism.bodies[node.bodies[1]].gyration;
  }

  /** Sets speeds, cone units and the solver's tolerances for the state in memory. */
  update(tolerance: Float64Array, residualTolerance: number): void {
    const { f64, places, mechanism } = this.system;
    const h = f64[places.globals];
    const g = Math.sqrt(f64[places.globals + 1] ** 2 + f64[places.globals + 2] ** 2 + f64[places.globals + 3] ** 2);
    let fastest = 0;
    let farthest = this.reach;
    let size = 0;
    for (const { index, gyration } of mechanism.bodies) {
      const at = places.state + 13 * index;
      const linear = Math.sqrt(f64[at + 7] ** 2 + f64[at + 8] ** 2 + f64[at + 9] ** 2);
      const angular = Math.sqrt(f64[at + 10] ** 2 + f64[at + 11] ** 2 + f64[at + 12] ** 2);
      fastest = Math.max(fastest, linear + angular * gyration);
      farthest = Math.max(farthest, Math.abs(f64[at]), Math.abs(f64[at + 1]), Math.abs(f64[at + 2]));
      size = Math.max(size, gyration);
    }
    this.speed = Math.max(h * g, speedFraction * fastest, (crawl * size) / h);
    this.fastest = fastest + h * g + (crawl * size) / h;
    this.setTolerances(tolerance, residualTolerance, h, positionRounding * farthest);
    this.setNatural(h);
  }

  private setTolerances(tolerance: Float64Array, r: number, h: number, rounding: number): void {
    const { mechanism, nodes, unknowns } = this.system;
    const V = this.speed;
    for (const { index, mass, gyration } of mechanism.bodies) {
      const share = Math.max(mass, neighbourShare * this.componentMass[index]);
      const linear = r * share * V + (rounding * mass) / h;
      for (let k = 0; k < 3; k++) {
        tolerance[6 * index + k] = linear;
        tolerance[6 * index + 3 + k] = linear * gyration;
      }
    }
    for (const node of nodes) {
      if (node.kind === "contact") this.setContactTolerances(tolerance, unknowns + node.equality, node, r, h, rounding);
      else if (node.kind !== "gearTerm") this.setJointTolerances(tolerance, node, r, h, rounding);
    }
  }

  private setJointTolerances(tolerance: Float64Array, node: NodePlace, r: number, h: number, rounding: number): void {
    const { mechanism, unknowns } = this.system;
    const V = this.speed;
    const joint = node.kind === "joint" ? mechanism.joints[node.index] : undefined;
    const length = joint ? this.lengthOf(node) : 1;
    const mass = joint ? this.massOf(node) : 1;
    const constraints = joint ? joint.shape.translation + joint.shape.rotation : 1;
    for (let k = 0; k < node.multipliers; k++) {
      const isTranslation = joint !== undefined && k < joint.shape.translation;
      const velocity = r * V + rounding / h;
      if (k < constraints)
        tolerance[node.multiplier + k] = isTranslation ? velocity : velocity / length + positionRounding / h;
      else tolerance[node.multiplier + k] = r * mass * V * Math.min(1, length);
    }
    // limits are angles or lengths, joint friction an impulse and a rate: the strictest serves for all
    const strict = Math.min(V * h, (V * h) / length);
    for (let k = 0; k < node.equalities; k++)
      tolerance[unknowns + node.equality + k] = r * strict + rounding + positionRounding;
  }

  private setContactTolerances(
    tolerance: Float64Array,
    start: number,
    node: NodePlace,
    r: number,
    h: number,
    rounding: number,
  ): void {
    const V = this.speed;
    const impulse = r * this.massOf(node) * V;
    const velocity = r * V + rounding / h;
    tolerance[start] = r * V * h + rounding;
    if (node.equalities === 4) {
      tolerance[start + 1] = impulse;
      tolerance[start + 2] = tolerance[start + 3] = velocity;
    } else if (node.equalities === 6) {
      for (let k = 1; k <= 4; k++) tolerance[start + k] = velocity;
      tolerance[start + 5] = impulse;
    }
  }

  private setNatural(h: number): void {
    const V = this.speed;
    let i = 0;
    for (const node of this.system.nodes) {
      if (node.roles.length === 0) continue;
      const mass = this.massOf(node);
      for (const role of node.roles) this.natural[i++] = isVelocityRole(role) ? mass * V * V : mass * V * V * h;
    }
  }
}

/** Whether a cone pairs an impulse with a velocity rather than with a length. */
export function isVelocityRole(role: ConeRole): boolean {
  return role === "contactFriction" || role === "linearFriction" || role === "linearMargin" || role === "jointFriction";
}

function componentMasses(mechanism: Mechanism): number[] {
  const root = mechanism.bodies.map((_, i) => i);
  const find = (i: number): number => {
    let r = i;
    while (root[r] !== r) r = root[r];
    return r;
  };
  for (const { parent, child } of mechanism.joints) if (parent !== worldIndex) root[find(child)] = find(parent);
  const total = mechanism.bodies.map(() => 0);
  for (const { index, mass } of mechanism.bodies) total[find(index)] += mass;
  return mechanism.bodies.map((_, i) => total[find(i)]);
}

/** Largest distance of an anchor or contact point from its body, for rounding. */
function reachOf(mechanism: Mechanism): number {
  const lengths = [
    ...mechanism.joints.flatMap((joint) => [joint.frames.parentAnchor, joint.frames.childAnchor]),
    ...mechanism.contacts.map((contact) => contact.point),
  ].map((v) => Math.sqrt(v[0] ** 2 + v[1] ** 2 + v[2] ** 2));
  return Math.max(0, ...mechanism.bodies.map((body) => body.gyration), ...lengths);
}
