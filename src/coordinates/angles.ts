/**
 * Angles over any number of turns. A state knows an angle θ only up to its period P, 4π of a hinge and 2π of serial angles; the rest is
 * `turns`, a multiple of P.
 *   in a run     the turns that bring θ nearest to where it was: no step turns a joint by half its period
 *   otherwise    none, but where θ is past one of two limits, those that bring it between them
 */

import { type Coordinate, coordinates, type RelativePose } from "../equations/index.ts";
import type { Mechanism, MechanismJoint } from "../mechanism/index.ts";

/** Radians past a limit that count as on it: a state that is a little off does not become one that is a turn away. */
const onLimit = 0.1;

/** What carries angles from one place of a run to another, by the joints' names: see `Continuation`. */
export interface KnownAngles {
  /** Coordinates of each joint; where a coordinate does not repeat, or is not known, its entry does not matter. */
  readonly angles: Readonly<Record<string, readonly (number | null)[]>>;
}

/** The same, or a minimal state (or its positions alone) near which angles are. */
export type AnglesNear = KnownAngles | Float64Array;

/** What is known of a coordinate, `index` being its place among all; undefined where nothing is. */
function knownAngle(
  known: AnglesNear | undefined,
  joint: string,
  coordinate: number,
  index: number,
): number | undefined {
  if (known instanceof Float64Array) return Number.isNaN(known[index]) ? undefined : known[index];
  return known?.angles[joint]?.[coordinate] ?? undefined;
}

/** Turns that bring the value nearest to `known`. */
export function turnsTowards(value: number, period: number, known: number): number {
  // + 0: no −0
  return period * Math.round((known - value) / period) + 0;
}

/** Turns of a value of which nothing is known but its limits. */
export function turnsWithin(value: number, period: number, lower: number | null, upper: number | null): number {
  if (lower === null || upper === null || (value >= lower - onLimit && value <= upper + onLimit)) return 0;
  return turnsTowards(value, period, (lower + upper) / 2);
}

/** The coordinates of a mechanism that repeat. */
export interface RepeatingCoordinate {
  /** Its number among all coordinates. */
  readonly index: number;
  readonly joint: number;
  readonly coordinate: number;
  readonly period: number;
}

export function repeatingCoordinates({ joints }: Mechanism): RepeatingCoordinate[] {
  return joints.flatMap(({ shape, coordinateOffset }, joint) =>
    coordinates(shape).flatMap(({ period }, coordinate) =>
      period === 0 ? [] : [{ index: coordinateOffset + coordinate, joint, coordinate, period }],
    ),
  );
}

/** Adds their turns to coordinates as a state has them, as `coordinateValue` does. */
export function addTurnsInto(
  values: Float64Array,
  repeating: readonly RepeatingCoordinate[],
  joints: readonly MechanismJoint[],
  known?: AnglesNear,
): void {
  for (const { index, joint, coordinate, period } of repeating) {
    values[index] += turnsOf(joints[joint], coordinate, values[index], period, known);
  }
}

function turnsOf(joint: MechanismJoint, i: number, value: number, period: number, known?: AnglesNear): number {
  const near = knownAngle(known, joint.name, i, joint.coordinateOffset + i);
  const { lower, upper } = joint.coordinates[i];
  return near === undefined ? turnsWithin(value, period, lower, upper) : turnsTowards(value, period, near);
}

/** A coordinate of a joint: the nearest to what is known of it, over any number of turns. */
export function coordinateValue(
  joint: MechanismJoint,
  i: number,
  coordinate: Coordinate,
  relative: RelativePose,
  known?: AnglesNear,
): number {
  const value = coordinate.value(relative) as number;
  return coordinate.period === 0 ? value : value + turnsOf(joint, i, value, coordinate.period, known);
}

/** Positions of a minimal state as angles to go on from. */
export function anglesOf(mechanism: Mechanism, x: Float64Array): KnownAngles["angles"] {
  return Object.fromEntries(
    mechanism.joints.map(({ name, coordinateOffset: at, coordinates }) => [
      name,
      Array.from(x.subarray(at, at + coordinates.length)),
    ]),
  );
}
