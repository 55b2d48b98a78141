/**
 * Bodies that their joints pull so hard that the time step cannot follow how they swing.
 *
 * Impulses of joints act where a step begins, with the levers r of that moment. So the stiffness that tension gives a body against turning
 * about an axis a,
 *   k = Σ r·F − (a·r)(a·F)      over its joints, F the force on the body at r from its centre of mass,
 * is integrated as by the leapfrog method, which conserves and is stable only while
 *   h ω ≤ 2,   ω² = k/(aᵀJa).
 * Levers of the step's end would be stable at any h but would not keep the angular momentum: joined bodies would feel opposite forces at
 * two points. A chain of rods with mass m and length l under the tension T has ω² = 12 T/(m l).
 *
 * What turns along with a body only adds inertia, so ω is an upper bound: where no body is beyond 2, nothing shakes.
 */
import { cached, matrix3, orientationAt, quaternion, type Vector3, vector } from "../../math/index.ts";
import type { Mechanism, MechanismBody } from "../../mechanism/index.ts";
import type { Simulation } from "../simulation.ts";

export interface StretchedBody {
  readonly body: string;
  /** h ω: how far its fastest swing goes in a step, or in the last part of one that was taken in parts, in radians. */
  readonly phase: number;
  /** The longest step that follows it, 2/ω in seconds. */
  readonly timestep: number;
}

/** Beyond it the leapfrog method diverges. */
const largestPhase = 2;
const hinge: Vector3 = [0, 0, 1];

/** What of a body stays the same: who pulls at it, and about which axes it may swing. Levers and axes are in its frame. */
interface Swings {
  readonly body: number;
  /** Joints, with 1 or −1 for the side of each that the body is on. */
  readonly pulls: readonly { readonly joint: number; readonly side: number; readonly lever: Vector3 }[];
  /** A hinge's own axis, for other joints the body's principal axes; with aᵀJa. */
  readonly axes: readonly { readonly axis: Vector3; readonly inertia: number }[];
}

/** A cache of a pure function: runs ask again and again. */
const known = new WeakMap<Mechanism, readonly Swings[]>();

/** Bodies beyond the limit under the joints' forces of the last step, which began at `state`; the worst first. */
export function stretchedBodies(simulation: Simulation, state: Float64Array): StretchedBody[] {
  const mechanism = simulation.currentMechanism;
  const swings = cached(known, mechanism, ({ bodies }) => bodies.map((body) => swingsOf(mechanism, body)));
  const found: StretchedBody[] = [];
  for (const own of swings) {
    const rate = Math.sqrt(largestSquare(simulation, state, own));
    // what a part of a step can follow is followed
    const phase = simulation.stepper.lastPart * rate;
    if (phase > largestPhase)
      found.push({ body: mechanism.bodies[own.body].name, phase, timestep: largestPhase / rate });
  }
  return found.sort((a, b) => b.phase - a.phase);
}

/** ω² of the fastest swing of a body, 0 where none is pulled back. */
function largestSquare({ system, stepper }: Simulation, state: Float64Array, { body, pulls, axes }: Swings): number {
  const { f64, nodes } = system;
  const q = orientationAt(body);
  const w = -state[q];
  const x = state[q + 1];
  const y = state[q + 2];
  const z = state[q + 3];
  let largest = 0;
  for (const { axis: a, inertia } of axes) {
    let k = 0;
    for (const { joint, side, lever: r } of pulls) {
      // the force in the body's frame: F + q₀ t + q × t with t = 2 q × F, q₀ negative; after substeps it is that of the last one
      const at = nodes[joint].wrench;
      const scale = side / stepper.lastPart;
      const fx = f64[at] * scale;
      const fy = f64[at + 1] * scale;
      const fz = f64[at + 2] * scale;
      const tx = 2 * (y * fz - z * fy);
      const ty = 2 * (z * fx - x * fz);
      const tz = 2 * (x * fy - y * fx);
      const bx = fx + w * tx + (y * tz - z * ty);
      const by = fy + w * ty + (z * tx - x * tz);
      const bz = fz + w * tz + (x * ty - y * tx);
      const along = a[0] * r[0] + a[1] * r[1] + a[2] * r[2];
      k += r[0] * bx + r[1] * by + r[2] * bz - along * (a[0] * bx + a[1] * by + a[2] * bz);
    }
    largest = Math.max(largest, k / inertia);
  }
  return largest;
}

function swingsOf({ joints }: Mechanism, { index, inertia }: MechanismBody): Swings {
  const own = joints.filter(({ parent, child, shape }) => (parent === index || child === index) && shape.rotation < 3);
  const sides = own.map(({ index: joint, child, shape, frames }) => {
    const [side, lever, frame] =
      child === index ? [1, frames.childAnchor, frames.childFrame] : [-1, frames.parentAnchor, frames.parentFrame];
    return { joint, side, lever, axis: shape.rotation === 2 ? quaternion.rotate(frame, hinge) : undefined };
  });
  const isAny = sides.some(({ axis }) => !axis);
  const principal = isAny ? matrix3.transpose(matrix3.symmetricEigen(inertia).vectors) : [];
  const axes = sides.flatMap(({ axis }) => (axis ? [axis] : principal));
  return {
    body: index,
    pulls: sides.map(({ joint, side, lever }) => ({ joint, side, lever })),
    axes: axes.map((axis) => ({ axis, inertia: vector.dot(axis, matrix3.transform(inertia, axis)) })),
  };
}
