/**
 * Minimal states of a simulation, with its parameters as they are now. Where gears tie coordinates together, these are projected onto
 * them first (coordinates/gearTies.ts). Where loops do, the state that the spanning tree gives is projected onto all constraints, now and
 * one step earlier, and velocities follow from both: the nearest configurations in the metric of the masses (projector.ts).
 * `maximalJacobian` is the derivative of this map at states that satisfy the loops, which every simulated state does; for an x off the
 * loops, the derivative of the projection itself (its curvature times the distance) is not provided.
 */
import {
  type AnglesNear,
  anglesOf,
  GearTies,
  maximalFromMinimal,
  minimalState,
  minimalStateInto,
  needsClosure,
  valuesOfMechanism,
} from "../../coordinates/index.ts";
import { poseBeforeIn } from "../../equations/index.ts";
import {
  angularVelocityAt,
  bodyAt,
  orientationAt,
  poseSize,
  type Quaternion,
  quaternion,
  velocityAt,
} from "../../math/index.ts";
import { equalityGears, type Mechanism } from "../../mechanism/index.ts";
import { halfJump } from "../runs/angleTurns.ts";
import type { Continuation } from "../runs/continuation.ts";
import type { Simulation } from "../simulation.ts";

/** Violation at which a projection stops; one round ends near 1e-15. */
const tolerance = 1e-12;

/**
 * Joint positions, then velocities, of all joints; the state's velocities are means over `interval`. Angles go on from those that `known`,
 * the continuation of a run, has of them.
 */
export function minimalFromState(
  simulation: Simulation,
  state: Float64Array,
  interval = simulation.timestep,
  mechanism = simulation.currentMechanism,
  known?: AnglesNear,
): Float64Array {
  return minimalState(mechanism, state, interval, known);
}

/**
 * The minimal state of a state that the simulation's last step started from, or led to, with its angles as that step's run has counted
 * them; into an array of the caller's.
 */
export function minimalOfRunInto(
  x: Float64Array,
  simulation: Simulation,
  state: Float64Array,
  interval = simulation.timestep,
): void {
  const { system, mechanism, stepper, currentMechanism } = simulation;
  const { angles } = system.turns;
  const { start } = stepper.turns;
  for (let i = 0; i < angles.length; i++) {
    const { joint, coordinate } = angles[i];
    x[mechanism.joints[joint].coordinateOffset + coordinate] = start[i];
  }
  minimalStateInto(x, currentMechanism, state, interval, x);
}

/**
 * The state of these joint positions and velocities, written in `interval`; those of joints that close loops serve only to count the
 * turns that a gear sees. `gearTurns` is what turns that x does not count add to gears' relations, by the gears' names: see `Continuation`.
 */
export function stateFromMinimal(
  simulation: Simulation,
  x: Float64Array,
  interval = simulation.timestep,
  mechanism = simulation.currentMechanism,
  gearTurns: Continuation["gears"] = {},
): Float64Array {
  const { system, projector } = simulation;
  const h = interval;
  const ties = GearTies.of(mechanism, valuesOfMechanism(mechanism));
  if (ties) return maximalFromMinimal(mechanism, tied(mechanism, ties, x, gearTurns), h);
  const state = maximalFromMinimal(mechanism, x, h);
  if (!needsClosure(mechanism)) return state;
  const before = new Float64Array(state.length);
  mechanism.bodies.forEach((_, i) => {
    const { position, orientation } = poseBeforeIn(state, i, h);
    before.set(position, bodyAt(i));
    before.set(orientation, orientationAt(i));
  });
  // gears go by the angles of x, which the bodies know only up to whole turns
  const known = { angles: anglesOf(mechanism, x) };
  const now = projector.ontoJoints(state, tolerance, mechanism, system, known).configuration;
  const earlier = projector.ontoJoints(before, tolerance, mechanism, system, known).configuration;
  mechanism.bodies.forEach((_, i) => {
    const at = bodyAt(i);
    const q = (from: Float64Array): Quaternion => [from[at + 3], from[at + 4], from[at + 5], from[at + 6]];
    const turn = quaternion.multiply(quaternion.conjugate(q(earlier)), q(now));
    const factor = (turn[0] < 0 ? -2 : 2) / h;
    state.set(now.subarray(at, at + poseSize), at);
    for (let k = 0; k < 3; k++) {
      state[velocityAt(i) + k] = (now[at + k] - earlier[at + k]) / h;
      state[angularVelocityAt(i) + k] = factor * turn[1 + k];
    }
  });
  return state;
}

/** Positions and velocities that the gears allow; a sum that is off by a jump of its angles is right. */
function tied(
  mechanism: Mechanism,
  ties: GearTies,
  x: Float64Array,
  gearTurns: Readonly<Record<string, number>>,
): Float64Array {
  const closed = Float64Array.from(x);
  const offsets = new Map(equalityGears(mechanism).map((gear) => [gear.index, gear]));
  ties.update();
  ties.project(closed, (index, sum) => {
    const gear = offsets.get(index);
    if (!gear) return sum;
    const held = gear.offset + (gearTurns[gear.name] ?? 0);
    return Math.abs(sum - held) > halfJump(mechanism, gear) ? sum : held;
  });
  return closed;
}
