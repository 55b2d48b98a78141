/**
 * How far a configuration is from what its mechanism asks for, by the very equations of the step at plain numbers:
 *   joints and gears   |row| of each constraint          [constraintRows; Σ ratio·θ − offset]
 *   limits             how far a coordinate, or a gear's Σ ratio·θ, is past its bound
 *   contacts           how deep a sphere is in its half-space, or one part in another, −φ
 */
import { constraintRows, featureGeometry, gapParameter, halfAngleCosine } from "../../equations/index.ts";
import { featureAt } from "../../geometry/index.ts";
import { cached, vector } from "../../math/index.ts";
import {
  type EqualityGear,
  equalityGears,
  featureValues,
  type Mechanism,
  type MechanismContact,
  type MechanismGear,
  type MechanismJoint,
  worldIndex,
} from "../../mechanism/index.ts";
import { halfJump } from "../runs/angleTurns.ts";
import type { Configuration } from "./configuration.ts";

/** Largest constrained displacement (m) and rotation (rad) of a joint. */
export function jointViolation(joint: MechanismJoint, where: Configuration): { length: number; angle: number } {
  const rows = constraintRows(joint.shape, joint.frames, where.relative(joint)) as number[];
  const { translation } = joint.shape;
  let [length, angle] = [0, 0];
  for (let i = 0; i < rows.length; i++) {
    if (i < translation) length = Math.max(length, Math.abs(rows[i]));
    else angle = Math.max(angle, Math.abs(rows[i]));
  }
  return { length, angle };
}

/** Σ ratio·θ − offset; zero where whole turns, which a state does not count, can make up for it (angleTurns.ts). */
export function gearViolation(mechanism: Mechanism, gear: EqualityGear, where: Configuration): number {
  const off = gearLength(mechanism, gear, where) - gear.offset;
  return Math.abs(off) > halfJump(mechanism, gear) ? 0 : off;
}

/** Σ ratio·θ. */
export function gearLength(mechanism: Mechanism, gear: MechanismGear, where: Configuration): number {
  return gear.terms.reduce((sum, { joint: index, coordinate, ratio }) => {
    return sum + ratio * where.coordinate(mechanism.joints[index], coordinate);
  }, 0);
}

/** A gear past its range. */
export interface RangeViolation extends Omit<LimitViolation, "coordinate"> {
  readonly gear: string;
}

/** Every bound of the gears' ranges that is exceeded by more than `tolerance`. */
export function rangeViolations(mechanism: Mechanism, where: Configuration, tolerance: number): RangeViolation[] {
  const found: RangeViolation[] = [];
  for (const gear of mechanism.gears) {
    if (gear.kind !== "range") continue;
    const value = gearLength(mechanism, gear, where);
    for (const side of ["lower", "upper"] as const) {
      const bound = gear[side];
      if (bound === null) continue;
      const amount = side === "lower" ? bound - value : value - bound;
      if (amount > tolerance) found.push({ gear: gear.name, side, value, bound, amount });
    }
  }
  return found;
}

/** A coordinate past its bound, or a rotation past the joint's tilt limit. */
export interface LimitViolation {
  /** −1 for the tilt limit. */
  readonly coordinate: number;
  readonly side: "lower" | "upper";
  readonly value: number;
  readonly bound: number;
  readonly amount: number;
}

/** Every limit of the joint that is exceeded by more than `tolerance`. */
export function limitViolations(joint: MechanismJoint, where: Configuration, tolerance: number): LimitViolation[] {
  const found: LimitViolation[] = [];
  const add = (coordinate: number, side: "lower" | "upper", value: number, bound: number): void => {
    const amount = side === "lower" ? bound - value : value - bound;
    if (amount > tolerance) found.push({ coordinate, side, value, bound, amount });
  };
  joint.coordinates.forEach(({ lower, upper }, i) => {
    if (lower === null && upper === null) return;
    const value = where.coordinate(joint, i);
    if (lower !== null) add(i, "lower", value, lower);
    if (upper !== null) add(i, "upper", value, upper);
  });
  if (joint.tiltLimit !== null) {
    const half = Math.min(1, Math.max(-1, halfAngleCosine.value(where.relative(joint)) as number));
    add(-1, "upper", 2 * Math.acos(half), joint.tiltLimit);
  }
  return found;
}

/** How far the parts of two bodies that may touch are apart; negative where they overlap. */
export function contactDistance(mechanism: Mechanism, contact: number, where: Configuration): number {
  return gapOf(mechanism.contacts[contact], where);
}

/** The same of a contact, be it one of a mechanism's or held. */
export function gapOf(contact: MechanismContact, where: Configuration): number {
  return geometryOf(contact).gap(where.pose(contact.body), where.pose(contact.other)) as number;
}

type Geometry = ReturnType<typeof featureGeometry>;
const geometries = new WeakMap<MechanismContact, Geometry>();

/** What a contact's numbers make of it, once. */
function geometryOf(contact: MechanismContact): Geometry {
  return cached(geometries, contact, () => featureGeometry(contact.feature, featureValues(contact)));
}

/** The parameter by which a contact's gap can be moved: the gap loses what it gains. */
export function gapShift(contact: MechanismContact): { readonly path: string; readonly value: number } {
  const name = gapParameter(contact.feature);
  const value = featureValues(contact)[featureAt[contact.feature][name]];
  return { path: `contacts.${contact.name}.${name}`, value };
}

/**
 * The largest violation of joints and gears and, if asked, of limits and contacts: angles in radians, lengths over `size`,
 * so that neither drowns the other.
 */
export function largestViolation(
  mechanism: Mechanism,
  where: Configuration,
  inequalities: boolean,
  size: number,
): number {
  let most = 0;
  for (const joint of mechanism.joints) {
    const { length, angle } = jointViolation(joint, where);
    most = Math.max(most, length / size, angle);
    if (!inequalities) continue;
    for (const { coordinate, amount } of limitViolations(joint, where, 0)) {
      const isLength = joint.coordinates[coordinate]?.motion === "translation";
      most = Math.max(most, isLength ? amount / size : amount);
    }
  }
  for (const gear of equalityGears(mechanism)) most = Math.max(most, Math.abs(gearViolation(mechanism, gear, where)));
  if (!inequalities) return most;
  for (const { amount } of rangeViolations(mechanism, where, 0)) most = Math.max(most, amount);
  for (const { index } of mechanism.contacts) {
    most = Math.max(most, -contactDistance(mechanism, index, where) / size);
  }
  return most;
}

const sizes = new WeakMap<Mechanism, number>();

/** Length typical of a mechanism: its largest radius of gyration or lever. */
export function sizeOf(mechanism: Mechanism): number {
  return cached(sizes, mechanism, sizeFrom);
}

function sizeFrom(mechanism: Mechanism): number {
  const levers = [
    ...mechanism.joints.flatMap(({ frames }) => [frames.parentAnchor, frames.childAnchor]),
    ...mechanism.contacts.filter(({ body }) => body !== worldIndex).map(({ point }) => point),
  ];
  return Math.max(...mechanism.bodies.map((body) => body.gyration), ...levers.map((lever) => vector.norm(lever)));
}
