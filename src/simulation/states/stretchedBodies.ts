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
import { matrix3, orientationAt, quaternion, type Vector3, vector } from "../../math/index.ts";
import { type MechanismJoint, worldIndex } from "../../mechanism/index.ts";
import { jointWrench } from "../runs/sensors.ts";
import type { Simulation } from "../simulation.ts";

export interface StretchedBody {
  readonly body: string;
  /** h ω: how far its fastest swing goes in a step, in radians. */
  readonly phase: number;
}

/** Beyond it the leapfrog method diverges. */
const largestPhase = 2;
const hinge: Vector3 = [0, 0, 1];

/** A force on a body, and the axes about which its joint lets the body turn: of a hinge its own, else any. All in the body's frame. */
interface Pull {
  readonly lever: Vector3;
  readonly force: Vector3;
  readonly axis: Vector3 | undefined;
}

/** Bodies beyond the limit under the joints' forces of the last step, which began at `state`; the worst first. */
export function stretchedBodies(simulation: Simulation, state: Float64Array): StretchedBody[] {
  const { bodies, joints } = simulation.currentMechanism;
  const pulls = bodies.map((): Pull[] => []);
  for (const { name, parent, child, shape, frames } of joints) {
    const turns = 3 - shape.rotation;
    const { force } = jointWrench(simulation, name);
    if (turns === 0) continue;
    const axisIn = (frame: MechanismJoint["frames"]["childFrame"]) =>
      turns === 1 ? quaternion.rotate(frame, hinge) : undefined;
    const { childAnchor, parentAnchor } = frames;
    pulls[child].push({ lever: childAnchor, force: inBody(child, force), axis: axisIn(frames.childFrame) });
    if (parent === worldIndex) continue;
    const reaction = inBody(parent, vector.scale(force, -1));
    pulls[parent].push({ lever: parentAnchor, force: reaction, axis: axisIn(frames.parentFrame) });
  }
  const found = bodies.map(({ name, index, inertia }) => {
    const isAny = pulls[index].some(({ axis }) => !axis);
    const principal = isAny ? matrix3.transpose(matrix3.symmetricEigen(inertia).vectors) : [];
    const axes = pulls[index].flatMap(({ axis }) => (axis ? [axis] : principal));
    const squares = axes.map((a) => stiffness(pulls[index], a) / vector.dot(a, matrix3.transform(inertia, a)));
    return { body: name, phase: simulation.timestep * Math.sqrt(Math.max(0, ...squares)) };
  });
  return found.filter(({ phase }) => phase > largestPhase).sort((a, b) => b.phase - a.phase);

  function inBody(body: number, v: Vector3): Vector3 {
    const at = orientationAt(body);
    return quaternion.rotateInverse([state[at], state[at + 1], state[at + 2], state[at + 3]], v);
  }
}

function stiffness(pulls: readonly Pull[], a: Vector3): number {
  const terms = pulls.map(({ lever, force }) => vector.dot(lever, force) - vector.dot(a, lever) * vector.dot(a, force));
  return terms.reduce((sum, term) => sum + term, 0);
}
