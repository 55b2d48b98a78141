/** Reads contacts and joints off the memory of a solved step. */
import { impulseSize, type NodePlace, type System } from "../../kernels/index.ts";
import { orientationAt, type Quaternion, quaternion, type Vector3 } from "../../math/index.ts";
import { type HeldContact, worldIndex } from "../../mechanism/index.ts";

export interface ContactReading {
  /** Normal force, N: the impulse over the time step. Of a step in parts, the sum along the normals of all parts. */
  readonly normal: number;
  /** Friction force along the two tangents, or the same sums. */
  readonly friction: readonly [number, number];
  /** Force on the body, in the world frame: impulses of all parts as vectors, over the time step. */
  readonly force: Vector3;
  /** Distance at the end of the step. */
  readonly distance: number;
}

/** Numbers of a reading as they lie one after the other: normal, friction, force, distance. */
export const readingSize = 7;

/** Writes the numbers of a contact's reading, impulses over a time. Rollouts do so in every step, for all contacts. */
export function contactReadingInto(
  out: Float64Array,
  at: number,
  { f64, places, unknowns }: System,
  { cone, observations, bodies, equality }: NodePlace,
  model: string,
  h: number,
): void {
  const b = places.coneB + cone;
  const normal = f64[b] / h;
  const first = frictionImpulse(model, f64, b, 0) / h;
  const second = frictionImpulse(model, f64, b, 1) / h;
  out[at] = normal;
  out[at + 1] = first;
  out[at + 2] = second;
  for (let k = 0; k < 3; k++) {
    const axis = observations + k;
    out[at + 3 + k] = f64[axis] * normal + (f64[axis + 3] * first + f64[axis + 6] * second);
  }
  if (bodies[0] !== worldIndex) {
    const local: Vector3 = [out[at + 3], out[at + 4], out[at + 5]];
    out.set(quaternion.rotate(orientationOf(f64, places, bodies[0]), local), at + 3);
  }
  // E = s − φ
  out[at + 6] = f64[places.coneC + cone] - f64[places.residual + unknowns + equality];
}

/** The reading of a contact that takes no part in steps. */
export function heldReading({ distance }: HeldContact): ContactReading {
  return { normal: 0, friction: [0, 0], force: [0, 0, 0], distance };
}

/** The reading whose numbers begin there. */
export function readingAt(numbers: Float64Array, at: number): ContactReading {
  return {
    normal: numbers[at],
    friction: [numbers[at + 1], numbers[at + 2]],
    force: [numbers[at + 3], numbers[at + 4], numbers[at + 5]],
    distance: numbers[at + 6],
  };
}

/** Normal impulse of a contact and friction along its two tangents, from its cone variables, which begin at `b`. */
export function contactImpulse(model: string, f64: Float64Array, b: number): [number, number, number] {
  return [f64[b], frictionImpulse(model, f64, b, 0), frictionImpulse(model, f64, b, 1)];
}

function frictionImpulse(model: string, f64: Float64Array, b: number, tangent: number): number {
  if (model === "cone") return f64[b + 2 + tangent];
  if (model === "linear") return f64[b + 1 + tangent] - f64[b + 3 + tangent];
  return 0;
}

/** The same of all contacts of the mechanism; zero for those that are not simulated. */
export function contactImpulsesInto(out: Float64Array, { f64, places, mechanism, nodes }: System): void {
  out.fill(0);
  for (const node of nodes) {
    if (node.kind !== "contact") continue;
    const at = impulseSize * node.index;
    const b = places.coneB + node.cone;
    const { model } = mechanism.contacts[node.index];
    out[at] = f64[b];
    for (let k = 0; k < 2; k++) out[at + 1 + k] = frictionImpulse(model, f64, b, k);
  }
}

/** Writes what `contactImpulse` reads. */
export function writeContactImpulse(model: string, f64: Float64Array, b: number, impulse: ArrayLike<number>): void {
  const [normal, first, second] = [impulse[0], impulse[1], impulse[2]];
  f64[b] = normal;
  if (model === "cone") {
    f64[b + 2] = first;
    f64[b + 3] = second;
  } else if (model === "linear") {
    for (let k = 0; k < 2; k++) {
      const along = k === 0 ? first : second;
      f64[b + 1 + k] = Math.max(along, 0);
      f64[b + 3 + k] = Math.max(-along, 0);
    }
  }
}

function orientationOf(f64: Float64Array, places: System["places"], body: number): Quaternion {
  const at = places.state + orientationAt(body);
  return [f64[at], f64[at + 1], f64[at + 2], f64[at + 3]];
}

export function readJointImpulses(system: System, joint: number, unknown: Float64Array): number[] {
  const node = system.nodes.find((entry) => entry.kind === "joint" && entry.index === joint);
  return node && node.multipliers > 0
    ? Array.from(unknown.subarray(node.multiplier, node.multiplier + node.multipliers))
    : [];
}

/** Smallest distance of all contacts at the end of the step, or of the first `count`; Infinity without contacts. */
export function smallestDistance(system: System, count = Number.POSITIVE_INFINITY): number {
  const { f64, places, unknowns, nodes, touch } = system;
  let smallest = Number.POSITIVE_INFINITY;
  for (const node of touch ? [...nodes, ...touch.boundNodes] : nodes) {
    if (node.kind !== "contact" || node.index >= count) continue;
    smallest = Math.min(smallest, f64[places.coneC + node.cone] - f64[places.residual + unknowns + node.equality]);
  }
  return smallest;
}
