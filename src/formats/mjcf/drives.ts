/**
 * Actuators of one coordinate θ → its input. What an actuator does to it is a drive,
 *   torque = s·ctrl + c − k θ − d θ̇,
 * and drives add up. With K = Σ k,
 *   K > 0   a position servo   stiffness K, damping Σ d of those with k > 0,   u = Σ (s·ctrl + c)/K
 *   K = 0   a motor            u = Σ (s·ctrl + c)
 * and the damping of drives without stiffness is the joint's. Drives without a control (s = 0) alone are a spring and a damper of the joint.
 *
 * Ranges of forces: a sum of drives is bounded where all of them are, by the sums of their ends. A velocity servo without a range beside
 * a position servo leaves that one its range, since its damping is the joint's; what it adds by its control is bounded with it.
 */
import type { XmlElement } from "../xml.ts";
import { boundEffort } from "./effortBounds.ts";
import type { AxisForces } from "./jointBuilder.ts";
import type { Ledger } from "./ledger.ts";
import type { Range } from "./readActuator.ts";
import type { InputEntry } from "./stateMap.ts";

/** What the inputs of the mechanism are, in the order of the file. */
export interface ImportedInput extends InputEntry {
  /** The actuator's name. */
  readonly name: string;
  readonly ctrlRange: Range | null;
  /** Other actuators whose controls add to the input. */
  readonly others?: readonly ImportedControl[];
  /** What a servo on a tendon needs to hold a pose, Σ weight·qpos; it is not told from a motor otherwise. */
  readonly hold?: readonly Hold[];
}

/** One more control of an input, which adds scale·ctrl to it. */
export interface ImportedControl {
  readonly name: string;
  readonly ctrl: number;
  readonly scale: number;
  readonly ctrlRange: Range | null;
}

interface Hold {
  readonly qpos: number;
  readonly weight: number;
}

export interface Drive {
  readonly element: XmlElement;
  readonly name: string;
  readonly ctrl: number;
  /** Torque per unit of control; 0 where the control has no effect. */
  readonly scale: number;
  /** Torque at control 0, position 0 and rest. */
  readonly constant: number;
  readonly stiffness: number;
  readonly damping: number;
  readonly ctrlRange: Range | undefined;
  /** Bounds of its torque, by its range of forces. */
  readonly forces: Range | undefined;
  /** Bounds of its torque by its range of controls, where that bounds it. */
  readonly controls: Range | undefined;
  /** What the pose asks for of the torque of a servo on a tendon. */
  readonly hold?: readonly Hold[] | undefined;
}

/** The coordinate that drives act on. */
export interface DrivenAxis {
  readonly axis: AxisForces;
  /** Where the position of the file's joint is in qpos, and which way it counts. */
  readonly joint: { readonly qpos: number; readonly sign: number } | undefined;
  /** Bounds of all torques of actuators together, by the file's joint. */
  readonly jointForces: Range | undefined;
}

/** Adds what all drives of an axis do to it; returns its input, if one of them has a control. */
export function addDrives(
  { axis, joint, jointForces }: DrivenAxis,
  drives: readonly Drive[],
  ledger: Ledger,
): ImportedInput | undefined {
  const sum = (of: (drive: Drive) => number): number => drives.reduce((total, drive) => total + of(drive), 0);
  const stiffness = sum((drive) => drive.stiffness);
  const constant = sum((drive) => drive.constant);
  // the spring of a servo on a tendon is a gear, which no range bounds
  const bounded = drives.some(({ hold }) => !hold);
  const ranges = [...boundsOf(drives, ledger), ...(jointForces && bounded ? [jointForces] : [])];
  axis.damping += sum((drive) => (drive.stiffness > 0 ? 0 : drive.damping));
  const servoDamping = sum((drive) => (drive.stiffness > 0 ? drive.damping : 0));

  // servos first: they say what the input is
  const controlled = drives.filter(({ scale }) => scale !== 0);
  const [first, ...others] = [
    ...controlled.filter((drive) => drive.stiffness > 0),
    ...controlled.filter((drive) => drive.stiffness === 0),
  ];
  if (!first) {
    addPassive(axis, stiffness, servoDamping, constant, drives, ranges, ledger);
    return undefined;
  }
  const servo = stiffness > 0;
  if (servo) axis.servo = { stiffness, damping: servoDamping };
  else axis.actuated = true;
  boundEffort(first.element, axis, ranges);

  const unit = servo ? stiffness : 1;
  const control = ({ name, ctrl, scale, ctrlRange }: Drive): ImportedControl => ({
    name,
    ctrl,
    scale: scale / unit,
    ctrlRange: ctrlRange ?? null,
  });
  const hold = drives.flatMap((drive) => drive.hold ?? []).map(({ qpos, weight }) => ({ qpos, weight: weight / unit }));
  if (servo && hold.length > 0 && joint) hold.push({ qpos: joint.qpos, weight: joint.sign });
  return {
    ...control(first),
    offset: constant / unit || 0,
    ...(others.length > 0 && { others: others.map(control) }),
    ...(hold.length > 0 && { hold }),
  };
}

/** Drives without a control are a spring and a damper of the joint. */
function addPassive(
  axis: AxisForces,
  stiffness: number,
  damping: number,
  constant: number,
  drives: readonly Drive[],
  ranges: readonly Range[],
  ledger: Ledger,
): void {
  axis.damping += damping;
  const [{ element }] = drives;
  if (stiffness > 0) {
    const rest = axis.stiffness * axis.rest + constant;
    axis.stiffness += stiffness;
    axis.rest = rest / axis.stiffness;
  } else if (constant !== 0) {
    ledger.add("not-expressible", element, "a constant force without a control is not simulated; left out");
  }
  if (ranges.length > 0) ledger.add("adjusted", element, "its forces are not bounded, as it has no control");
}

/** Ranges that bound the sum of the drives' torques. */
function boundsOf(drives: readonly Drive[], ledger: Ledger): Range[] {
  if (drives.length === 1) {
    const [{ forces, controls }] = drives;
    return [forces, controls].flatMap((range) => (range ? [range] : []));
  }
  const own = drives.map(({ forces, controls }) => within(forces, controls));
  const isServo = drives.some(({ stiffness }) => stiffness > 0);
  const counted = own.filter((range, i) => range || !isServo || !isVelocityServo(drives[i]));
  const open = counted.some((range) => range === undefined);
  const bounded = drives.filter(({ forces }) => forces);
  for (const { element } of bounded) {
    const reason = open
      ? "forcerange does not bound it beside an actuator without one on the same coordinate"
      : "forcerange bounds the sum of all actuators on its coordinate, together with theirs";
    ledger.add("adjusted", element, reason);
  }
  if (open) return [];
  const ends = counted as Range[];
  return [[ends.reduce((sum, [low]) => sum + low, 0), ends.reduce((sum, [, high]) => sum + high, 0)]];
}

function isVelocityServo({ stiffness, damping }: Drive): boolean {
  return stiffness === 0 && damping > 0;
}

function within(one: Range | undefined, other: Range | undefined): Range | undefined {
  if (!one || !other) return one ?? other;
  return [Math.max(one[0], other[0]), Math.min(one[1], other[1])];
}
