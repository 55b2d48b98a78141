/**
 * Energy of all springs over the interval that led to a state, as the step's weights see it: ½ k y² of each, with
 *   y = (s + ρ s₋)/(1 + ρ),      s the stretch now, s₋ one interval ago.
 * With the kinetic energy of the interval, a linear spring keeps this sum at ρ = 1 to rounding and never adds to it at any other ρ.
 */
import { coordinates, departureFrom, turningCoordinates } from "../../equations/index.ts";
import type { Mechanism, MechanismJoint } from "../../mechanism/index.ts";
import { configurationBefore, configurationNow } from "./configuration.ts";

/** Whether any joint or gear has a spring. */
export function hasSprings({ joints, gears }: Mechanism): boolean {
  const onJoints = joints.some(({ coordinates: own }) => own.some(({ stiffness }) => stiffness !== 0));
  return onJoints || gears.some(({ kind }) => kind === "spring");
}

/** The stretch of one spring. */
interface Stretch {
  readonly now: number;
  readonly before: number;
}

/** `values` are the coordinates of all joints, over any number of turns, and `rates` their velocities over the interval. */
export function springEnergy(
  mechanism: Mechanism,
  state: Float64Array,
  interval: number,
  values: Float64Array,
  rates: Float64Array,
): number {
  const { springConservation: rho, joints, gears } = mechanism;
  const [now, before] = [configurationNow(state), configurationBefore(state, interval)];
  const energy = (stiffness: number, stretch: Stretch): number =>
    0.5 * stiffness * ((stretch.now + rho * stretch.before) / (1 + rho)) ** 2;
  let total = 0;
  for (const joint of joints) {
    if (joint.coordinates.every(({ stiffness }) => stiffness === 0)) continue;
    jointStretches(joint).forEach((stretch, i) => {
      total += energy(joint.coordinates[i].stiffness, stretch);
    });
  }
  for (const gear of gears) {
    if (gear.kind !== "spring") continue;
    const length = { now: -gear.rest, before: -gear.rest };
    for (const { joint, coordinate, ratio } of gear.terms) {
      const isTurning = turningCoordinates(joints[joint].shape).includes(coordinate);
      const value = isTurning ? turnedStretch(joints[joint], coordinate) : coordinateStretch(joints[joint], coordinate);
      length.now += ratio * value.now;
      length.before += ratio * value.before;
    }
    total += energy(gear.stiffness, length);
  }
  return total;

  /** The stretch of a coordinate whose rate is its change: all but entries of rotation vectors. */
  function coordinateStretch({ coordinateOffset }: MechanismJoint, i: number): Stretch {
    const value = values[coordinateOffset + i];
    return { now: value, before: value - interval * rates[coordinateOffset + i] };
  }

  function turnedStretch(joint: MechanismJoint, i: number): Stretch {
    const coordinate = coordinates(joint.shape)[i];
    const value = values[joint.coordinateOffset + i];
    const change = coordinate.change(before.relative(joint), now.relative(joint)) as number;
    return { now: value, before: value - change };
  }

  function jointStretches(joint: MechanismJoint): Stretch[] {
    const turning = turningCoordinates(joint.shape);
    const [from, to] = turning.length > 0 ? departures(joint, turning) : [[], []];
    return joint.coordinates.map((coordinate, i) => {
      const entry = turning.indexOf(i);
      if (entry >= 0) return { now: to[entry], before: from[entry] };
      const value = coordinateStretch(joint, i);
      return { now: value.now - coordinate.rest, before: value.before - coordinate.rest };
    });
  }

  /** Departures from the rest attitude, an interval ago and now. */
  function departures(joint: MechanismJoint, turning: readonly number[]): number[][] {
    const rest = departureFrom(turning.map((i) => joint.coordinates[i].rest));
    return [before, now].map((at) => rest.vector(at.relative(joint).rotation) as number[]);
  }
}
