/**
 * The nearest valid state, in the metric of the masses: the configuration is projected onto joints, gears, limits and
 * contacts, then the configuration one step ago onto joints and gears, and the velocities follow from the two:
 *   v = (x − x₋)/h,   ω = 2 vec(q₋⁻¹ q)/h.
 * A state that is valid comes back as it is. Loops that `maximalState` leaves open are closed by this.
 */
import type { KnownAngles } from "../../coordinates/index.ts";
import {
  bodyAt,
  bodyStateSize,
  orientationAt,
  type Quaternion,
  quaternion,
  stateOffsets,
  velocityAt,
} from "../../math/index.ts";
import { ArgumentError, optionNamesOf, requireOptionNames } from "../../mechanism/index.ts";
import type { Simulation } from "../simulation.ts";
import { partedConfiguration } from "../touch/parting.ts";
import { checkState } from "./checkState.ts";
import { configurationBefore } from "./configuration.ts";
import { putDown } from "./onGround.ts";
import { basicFaults, StateError } from "./stateFaults.ts";

/** Violation at which a projection stops: radians, or metres over the mechanism's size. One round ends near 1e-15. */
const tolerance = 1e-12;
/** Spins past √2/h are cut to this part of it. */
const largestSpin = 0.99;
/** Clamping a spin moves the others; a second round has always been enough. */
const mostRounds = 4;

export interface ProjectOptions {
  /** What the run that led to the state has left: limits and gears go by its angles. Default: by the state's own. */
  readonly continuation?: KnownAngles;
  /** Puts down what can fall: along gravity, until its lowest point touches what is below. Default false. */
  readonly onGround?: boolean;
}

const optionNames = optionNamesOf<ProjectOptions>()("continuation onGround");

export function projectState(simulation: Simulation, state: Float64Array, options: ProjectOptions = {}): Float64Array {
  requireOptionNames("options", options, optionNames);
  const { continuation: known, onGround = false } = options;
  const { timestep: h, projector, system } = simulation;
  if (!projector)
    throw new ArgumentError("wrong-type", "simulation", "is none; give new Simulation(mechanism), which can project");
  const mechanism = simulation.currentMechanism;
  const hopeless = basicFaults(mechanism, state, h).filter(
    ({ code }) => code === "wrong-size" || code === "not-finite",
  );
  if (hopeless.length > 0) throw new StateError(hopeless, "nothing to project:");

  const unit = Float64Array.from(state);
  for (const { index } of mechanism.bodies) {
    const at = orientationAt(index);
    unit.set(unitQuaternion(unit.subarray(at, at + 4)), at);
  }
  if (!onGround) return nearest(unit);
  // before, so that no leg gives way to a floor; and after, since limits may have moved what was lowest
  const put = putDown(mechanism, unit);
  const first = nearest(put);
  return first.every((entry, i) => entry === put[i]) ? first : nearest(putDown(mechanism, first));

  function nearest(from: Float64Array): Float64Array {
    const projected = Float64Array.from(from);
    const { touch } = mechanism;
    const configuration = touch
      ? partedConfiguration({ ...mechanism, touch }, simulation.target, projected, tolerance, system, known)
      : projector.ontoAll(projected, tolerance, mechanism, system, known).configuration;
    for (const { index } of mechanism.bodies) {
      projected.set(configuration.subarray(bodyAt(index), velocityAt(index)), bodyAt(index));
    }
    for (let round = 0; round < mostRounds; round++) {
      clampSpins(projected, h);
      if (!projectVelocities(projected)) break;
    }

    const faults = checkState(simulation, projected, known && { continuation: known });
    if (faults.length === 0) return projected;
    throw new StateError(faults, "no valid state was found from here; start nearer to one. What is left:");
  }

  /** Returns whether they changed. */
  function projectVelocities(out: Float64Array): boolean {
    const before = new Float64Array(out.length);
    const where = configurationBefore(out, h);
    for (const { index } of mechanism.bodies) {
      const { position, orientation } = where.pose(index);
      before.set(position as number[], bodyAt(index));
      before.set(orientation as number[], orientationAt(index));
    }
    const previous = projector.ontoJoints(before, tolerance, mechanism, system, known).configuration;
    if (previous.every((entry, i) => entry === before[i])) return false;
    for (const { index } of mechanism.bodies) velocityInto(out, previous, bodyAt(index), h);
    return true;
  }
}

/** Velocities of one body from where it was one step ago. */
function velocityInto(out: Float64Array, previous: Float64Array, at: number, h: number): void {
  for (let k = 0; k < 3; k++) out[at + stateOffsets.velocity + k] = (out[at + k] - previous[at + k]) / h;
  const q = (state: Float64Array): Quaternion => [state[at + 3], state[at + 4], state[at + 5], state[at + 6]];
  const turn = quaternion.multiply(quaternion.conjugate(q(previous)), q(out));
  const factor = (turn[0] < 0 ? -2 : 2) / h;
  for (let k = 0; k < 3; k++) out[at + stateOffsets.angularVelocity + k] = factor * turn[1 + k];
}

function clampSpins(state: Float64Array, h: number): void {
  const bound = Math.SQRT2 / h;
  for (let at = stateOffsets.angularVelocity; at < state.length; at += bodyStateSize) {
    const speed = Math.sqrt(state[at] ** 2 + state[at + 1] ** 2 + state[at + 2] ** 2);
    if (speed < bound) continue;
    for (let k = 0; k < 3; k++) state[at + k] *= (largestSpin * bound) / speed;
  }
}

/** A quaternion of length 1, left alone if it is; what has no direction becomes no rotation. */
function unitQuaternion(q: Float64Array): ArrayLike<number> {
  const length = Math.sqrt(q[0] ** 2 + q[1] ** 2 + q[2] ** 2 + q[3] ** 2);
  if (Math.abs(length - 1) <= 1e-15) return q;
  return length > 0 ? q.map((entry) => entry / length) : [1, 0, 0, 0];
}
