/** What cones can do in a step whose motion is given: limits and contacts bear, joint friction acts. */
import { coneRoles } from "../equations/index.ts";
import type { NodePlace, System } from "../kernels/index.ts";
import type { Cone } from "../solver/index.ts";

/** Joint friction turns over within this rate, rad/s or m/s. */
const frictionRate = 1e-6;
/** Contacts that slip faster, m/s, give the friction of sliding. */
const slipSpeed = 1e-3;
/** Limits nearer than this, rad or m, may bear. */
const limitDistance = 1e-6;

export interface Support {
  readonly node: NodePlace;
  /** How the normal and the two friction impulses come from the forces. */
  readonly impulses: (forces: Float64Array) => [number, number, number];
}

/** What may bear: contacts, by their number and distance, and shapes that are nearer to each other than this, m. */
export interface Bearing {
  readonly contact: (contact: number, distance: number) => boolean;
  readonly distance: number;
}

export interface NodeOutput {
  readonly distances: Float64Array;
  readonly bearing: Bearing;
  /** Rows of what acts anyway: added to. */
  readonly given: Float64Array;
  readonly forces: Float64Array[];
  readonly cones: Cone[];
  readonly supports: Support[];
  /** Rows by one unit of these cone variables. */
  readonly impulse: (entries: readonly (readonly [number, number])[]) => Float64Array;
  readonly free: (full: Float64Array) => Float64Array;
}

/** What a node's cones can do: limits and contacts bear, joint friction acts. */
export function addNode(system: System, node: NodePlace, out: NodeOutput): void {
  const { distances, impulse, free, forces, cones } = out;
  let cone = node.cone;
  let equality = node.equality;
  const orthant = (column: Float64Array): void => {
    cones.push({ kind: "orthant", offset: forces.length, size: 1 });
    forces.push(free(column));
  };
  if (node.kind === "contact") {
    if (mayBear(system, node, out)) addContact(system, node, out);
    return;
  }
  for (const role of node.roles) {
    if (role.pairedWith === "length") {
      if (distances[equality] < limitDistance) orthant(impulse([[cone, 1]]));
    } else if (role === coneRoles.jointFrictionLow) {
      // E₁ = low + high − 2 F h and E₂ = forward − backward − rate, at b = 0 and c = 1
      const bound = (distances[equality] - 1) / 2;
      const rate = distances[equality + 1] - 1;
      const amount = frictionImpulse(bound, rate);
      const unit = impulse([
        [cone, 1],
        [cone + 1, -1],
      ]);
      for (let k = 0; k < unit.length; k++) out.given[k] += amount * unit[k];
    }
    equality += role.rows.length;
    cone += role.size;
  }
}

function mayBear({ mechanism }: System, { index, equality }: NodePlace, { bearing, distances }: NodeOutput): boolean {
  const distance = distances[equality];
  return index < mechanism.contacts.length ? bearing.contact(index, distance) : distance < bearing.distance;
}

/** Model and friction coefficient of a contact, or of the shapes in a slot. */
function ruleOf(
  { f64, parameters, mechanism, touch }: System,
  { index }: NodePlace,
): { model: string; coefficient: number } {
  const slot = index - mechanism.contacts.length;
  if (touch && slot >= 0) return { model: touch.slot(slot).pool.model, coefficient: f64[touch.coefficients[slot]] };
  const { name, model } = mechanism.contacts[index];
  return { model, coefficient: f64[parameters.get(`contacts.${name}.frictionCoefficient`) as number] };
}

/** Writes what shapes bear, impulses along the normal and both tangents, where readings look for it. */
export function writeImpulses({ f64, places, mechanism }: System, node: NodePlace, impulses: readonly number[]): void {
  if (node.index < mechanism.contacts.length) return;
  const at = places.coneB + node.cone;
  f64[at] = impulses[0];
  // shapes have the exact cone, or no friction
  if (node.roles.length > 1) for (let k = 0; k < 2; k++) f64[at + 2 + k] = impulses[1 + k];
}

function addContact(
  system: System,
  node: NodePlace,
  { distances, impulse, free, forces, cones, supports }: NodeOutput,
): void {
  const { model, coefficient } = ruleOf(system, node);
  const first = forces.length;
  const normal = node.cone;
  const add = (entries: readonly (readonly [number, number])[]): void => {
    forces.push(free(impulse(entries)));
  };
  const orthants = (count: number): void => {
    for (let k = 0; k < count; k++) cones.push({ kind: "orthant", offset: first + k, size: 1 });
  };
  if (model === "impact") {
    add([[normal, 1]]);
    orthants(1);
    supports.push({ node, impulses: (f) => [f[first], 0, 0] });
    return;
  }
  // slip along the two tangents: η₁₋₂ of the cone, η of the first two sides of the pyramid (where ψ = 0)
  const isCone = model === "cone";
  const slip = [0, 1].map((k) => distances[node.equality + (isCone ? 2 : 1) + k]);
  const speed = Math.sqrt(slip[0] ** 2 + slip[1] ** 2);
  const tangent = (k: 0 | 1, weight: number): (readonly [number, number])[] =>
    isCone ? [[normal + 2 + k, weight]] : weight > 0 ? [[normal + 1 + k, weight]] : [[normal + 3 + k, -weight]];
  if (speed > slipSpeed) {
    // friction of sliding: opposite to the slip, or to its larger part on the pyramid
    const larger = Math.abs(slip[0]) >= Math.abs(slip[1]) ? 0 : 1;
    const along = isCone
      ? slip.map((entry) => (-coefficient * entry) / speed)
      : [0, 1].map((k) => (k === larger ? -coefficient * Math.sign(slip[k]) : 0));
    add([[normal, 1], ...([0, 1] as const).flatMap((k) => (along[k] === 0 ? [] : tangent(k, along[k])))]);
    orthants(1);
    supports.push({
      node,
      impulses: (f) => [f[first], along[0] * f[first], along[1] * f[first]],
    });
  } else if (isCone) {
    add([[normal, 1 / coefficient]]);
    add([[normal + 2, 1]]);
    add([[normal + 3, 1]]);
    cones.push({ kind: "secondOrder", offset: first, size: 3 });
    supports.push({
      node,
      impulses: (f) => [f[first] / coefficient, f[first + 1], f[first + 2]],
    });
  } else {
    for (const [k, sign] of [
      [0, 1],
      [1, 1],
      [0, -1],
      [1, -1],
    ] as const)
      add([[normal, 1], ...tangent(k, sign * coefficient)]);
    orthants(4);
    supports.push({
      node,
      impulses: (f) => [
        f[first] + f[first + 1] + f[first + 2] + f[first + 3],
        coefficient * (f[first] - f[first + 2]),
        coefficient * (f[first + 1] - f[first + 3]),
      ],
    });
  }
}

/** −F h sign(rate), rounded off within `frictionRate`: on the central path at κ = F h · frictionRate. */
function frictionImpulse(bound: number, rate: number): number {
  const kappa = bound * frictionRate;
  if (Math.abs(rate) < 1e-3 * frictionRate) return (-rate * bound * bound) / (2 * kappa);
  return (kappa - Math.sqrt(kappa * kappa + rate * rate * bound * bound)) / rate;
}
