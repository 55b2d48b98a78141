/** Reads contacts and joints off the memory of a solved step. */
import { impulseSize, type NodePlace, type System } from "../../kernels/index.ts";
import { orientationAt, type Quaternion, quaternion, type Vector3, vector } from "../../math/index.ts";
import { worldIndex } from "../../mechanism/index.ts";

export interface ContactReading {
  /** Normal force, N: the impulse over the time step. */
  readonly normal: number;
  /** Friction force along the two tangents. */
  readonly friction: readonly [number, number];
  /** Force on the body, in the world frame. */
  readonly force: Vector3;
  /** Distance at the end of the step. */
  readonly distance: number;
}

export function contactReading(
  system: System,
  node: NodePlace,
  model: string = system.mechanism.contacts[node.index].model,
): ContactReading {
  const { f64, places, unknowns } = system;
  const h = f64[places.globals];
  const b = places.coneB + node.cone;
  const [normal, ...friction] = contactImpulse(model, f64, b).map((entry) => entry / h);
  const axis = (k: number): Vector3 => [
    f64[node.observations + 3 * k],
    f64[node.observations + 3 * k + 1],
    f64[node.observations + 3 * k + 2],
  ];
  const local = vector.add(
    vector.scale(axis(0), normal),
    vector.add(vector.scale(axis(1), friction[0]), vector.scale(axis(2), friction[1])),
  );
  return {
    normal,
    friction: [friction[0], friction[1]],
    force: node.bodies[0] === worldIndex ? local : quaternion.rotate(orientationOf(system, node.bodies[0]), local),
    // E = s − φ
    distance: f64[places.coneC + node.cone] - f64[places.residual + unknowns + node.equality],
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

function orientationOf({ f64, places }: System, body: number): Quaternion {
  const at = places.state + orientationAt(body);
  return [f64[at], f64[at + 1], f64[at + 2], f64[at + 3]];
}

export function readJointImpulses(system: System, joint: number, unknown: Float64Array): number[] {
  const node = system.nodes.find((entry) => entry.kind === "joint" && entry.index === joint);
  return node && node.multipliers > 0
    ? Array.from(unknown.subarray(node.multiplier, node.multiplier + node.multipliers))
    : [];
}

/** Smallest distance of all contacts at the end of the step; Infinity without contacts. */
export function smallestDistance(system: System): number {
  const { f64, places, unknowns, nodes, touch } = system;
  let smallest = Number.POSITIVE_INFINITY;
  for (const node of touch ? [...nodes, ...touch.boundNodes] : nodes) {
    if (node.kind !== "contact") continue;
    smallest = Math.min(smallest, f64[places.coneC + node.cone] - f64[places.residual + unknowns + node.equality]);
  }
  return smallest;
}
