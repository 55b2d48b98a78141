/**
 * What is wrong with a state, all of it at once. A step from a state that violates its joints snaps them shut within one time
 * step, which looks like an explosion; better to hear of it before.
 *   at z    joints, gears, limits, contacts: violated by more than `tolerance`
 *   at z₋   joints and gears, one step ago: velocities that do not fit. A velocity that fits to first order leaves
 *           h²|ω|² times a lever there, and one kept from a time step H leaves hH|ω|². Ten times the former is allowed, up
 *           to a tenth of the motion: states from another time step, from substeps or from textbook formulas pass.
 */
import type { KnownAngles } from "../../coordinates/index.ts";
import { bodyAt, cached, stateOffsets, vector } from "../../math/index.ts";
import {
  equalityGears,
  type Mechanism,
  type MechanismJoint,
  type MechanismTouch,
  optionNamesOf,
  requireOptionNames,
  worldIndex,
} from "../../mechanism/index.ts";
import { TouchSearch } from "../touch/touchSearch.ts";
import { type Configuration, configurationBefore, configurationNow, coordinatesOf } from "./configuration.ts";
import { type MechanismSubject, mechanismOf } from "./currentMechanism.ts";
import { heldShape, isHeldContact } from "./heldContacts.ts";
import { lockDistance, lockWayOut } from "./locks.ts";
import { basicFaults, StateError, type StateFault } from "./stateFaults.ts";
import { treeCoordinates } from "./treeFit.ts";
import {
  gapOf,
  gearViolation,
  jointViolation,
  type LimitViolation,
  limitViolations,
  rangeViolations,
  sizeOf,
} from "./violations.ts";

/** Part of the mechanism's size (but of no more than 1 m), and radians, that pass: a step mends it at 0.1 mm/s or so. */
const defaultTolerance = 1e-6;

export interface CheckOptions {
  /** Metres and radians that pass. Default 1e-6, and less for mechanisms smaller than a metre. */
  readonly tolerance?: number;
  /** What the run that led to the state has left: limits and gears go by its angles. Default: by the state's own. */
  readonly continuation?: KnownAngles;
  /** Interval over which the state's velocities are means. Default the simulation's time step, or the mechanism's. */
  readonly timestep?: number;
}

const checkOptionNames = optionNamesOf<CheckOptions>()("tolerance continuation timestep");

/** Every fault of a state of a simulation, or of a mechanism as compiled; empty when a rollout may start from it. */
export function checkState(subject: MechanismSubject, state: Float64Array, options: CheckOptions = {}): StateFault[] {
  requireOptionNames("options", options, checkOptionNames);
  const mechanism = mechanismOf(subject);
  const h = options.timestep ?? mechanism.timestep;
  const known = options.continuation;
  const basic = basicFaults(mechanism, state, h);
  // geometry of a body that is nowhere says nothing more
  if (basic.some(({ code }) => code !== "too-fast")) return basic;
  const angle = options.tolerance ?? defaultTolerance;
  const length = options.tolerance ?? defaultTolerance * Math.min(1, sizeOf(mechanism));
  const isFast = basic.length > 0;
  const fit = isFast ? undefined : treeCoordinates(mechanism, state, h, known, length, angle);
  const check: Check = {
    mechanism,
    joints: fit ? mechanism.loopJoints.map((joint) => mechanism.joints[joint]) : mechanism.joints,
    state,
    now: configurationNow(state, known, fit),
    h,
    knowsAngles: known !== undefined,
    angle,
    length,
  };
  const now = jointFaults(check, check.now, false);
  // a joint that is apart now was so one step ago: once is enough
  const before = isFast ? [] : jointFaults(check, configurationBefore(state, h, known), true);
  const isNews = ({ path }: StateFault): boolean => !now.some((fault) => fault.path === path);
  return [
    ...basic,
    ...now,
    ...before.filter(isNews),
    ...limitFaults(check),
    ...contactFaults(check),
    ...touchFaults(check),
    ...lockFaults(check),
  ];
}

/** Throws where a rollout should not start from a state. */
export function requireValidStart(subject: MechanismSubject, state: Float64Array, options: CheckOptions): void {
  const faults = checkState(subject, state, options);
  if (faults.length === 0) return;
  const wayOut =
    "projectState(simulation, state) gives the nearest valid state, { check: false } starts from it as it is";
  throw new StateError(faults, `the rollout's start has faults; ${wayOut}:`);
}

interface Check {
  readonly mechanism: Mechanism;
  /** Those that are not known to hold. */
  readonly joints: readonly MechanismJoint[];
  readonly state: Float64Array;
  readonly now: Configuration;
  readonly h: number;
  readonly knowsAngles: boolean;
  /** What passes, in radians and in metres. */
  readonly angle: number;
  readonly length: number;
}

const project = "projectState(simulation, state) gives the nearest valid state";
const velocityWayOut =
  "make velocities with maximalState or stateAt, or take projectState(simulation, state); " +
  "a state from another time step goes through simulation.changeTimestep";

function jointFaults(check: Check, where: Configuration, before: boolean): StateFault[] {
  const { mechanism, joints } = check;
  const faults: StateFault[] = [];
  const add = (path: string, amount: string): void => {
    faults.push({
      code: "joint-violated",
      path,
      message: before
        ? `was off by ${amount} one step ago: the velocities do not fit; ${velocityWayOut}`
        : `is off by ${amount}; ${project}`,
    });
  };
  for (const joint of joints) {
    const { length, angle } = jointViolation(joint, where);
    if (length <= check.length && angle <= check.angle) continue;
    const allowed = before ? secondOrder(check, joint) : { length: 0, angle: 0 };
    const amounts: string[] = [];
    if (length > check.length + allowed.length) amounts.push(`${show(length)} m`);
    if (angle > check.angle + allowed.angle) amounts.push(`${show(angle)} rad`);
    if (amounts.length > 0) add(`joints.${joint.name}`, amounts.join(" and "));
  }
  for (const gear of equalityGears(mechanism)) {
    const amount = Math.abs(gearViolation(mechanism, gear, where));
    if (amount <= check.angle) continue;
    const allowed = gear.terms.reduce((sum, { joint, ratio }) => {
      const { length, angle } = before ? secondOrder(check, mechanism.joints[joint]) : { length: 0, angle: 0 };
      return sum + Math.abs(ratio) * (length + angle);
    }, check.angle);
    if (amount > allowed) add(`gears.${gear.name}`, show(amount));
  }
  return faults;
}

/** What velocities that are right to first order leave of a joint one step ago. */
function secondOrder({ state, now, h }: Check, joint: MechanismJoint): { length: number; angle: number } {
  const part = (body: number, at: number): readonly number[] =>
    body === worldIndex ? [0, 0, 0] : Array.from(state.subarray(bodyAt(body) + at, bodyAt(body) + at + 3));
  const turn =
    h *
    Math.max(
      vector.norm(part(joint.parent, stateOffsets.angularVelocity)),
      vector.norm(part(joint.child, stateOffsets.angularVelocity)),
    );
  const parentVelocity = part(joint.parent, stateOffsets.velocity);
  const slide = h * vector.norm(part(joint.child, stateOffsets.velocity).map((entry, k) => entry - parentVelocity[k]));
  const { displacement } = now.relative(joint);
  const lever =
    vector.norm(joint.frames.parentAnchor) +
    vector.norm(joint.frames.childAnchor) +
    vector.norm(displacement as number[]);
  const loose = Math.max(turn, Math.min(0.1, 10 * turn));
  return { angle: loose * turn, length: loose * (turn * lever + slide) };
}

function limitFaults({ mechanism, now, angle, length, knowsAngles }: Check): StateFault[] {
  const message = (value: string, { side, bound, amount }: Omit<LimitViolation, "coordinate">): string =>
    `${value} is past the ${side} limit ${show(bound)} by ${show(amount)}; ${project}`;
  const gears = rangeViolations(mechanism, now, angle).map((violation) => ({
    code: "limit-exceeded" as const,
    path: `gears.${violation.gear}.range`,
    message: message(show(violation.value), violation),
  }));
  const joints = mechanism.joints.flatMap((joint) =>
    limitViolations(joint, now, Math.min(angle, length)).flatMap((violation) => {
      const { coordinate, value, amount } = violation;
      const isLength = joint.coordinates[coordinate]?.motion === "translation";
      if (amount <= (isLength ? length : angle)) return [];
      const unit = isLength ? "m" : "rad";
      const name = coordinate < 0 ? "tiltLimit" : `limits[${coordinate}]`;
      const { period } = coordinatesOf(joint.shape)[coordinate] ?? { period: 0 };
      const turned = period > 0 && !knowsAngles ? "; a run that turned so far needs its continuation" : "";
      return {
        code: "limit-exceeded" as const,
        path: `joints.${joint.name}.${name}`,
        message: message(`${show(value)} ${unit}`, violation) + turned,
      };
    }),
  );
  return [...joints, ...gears];
}

/** What to do with a contact that joints keep at this distance. */
function heldMessage(distance: number): string {
  const why = "joints keep it there, so that it can neither open nor press, and nothing says what it carries";
  return `is ${show(distance)} m from what it meets, and ${why}; move it away by 1e-5 m or more, or leave the contact out`;
}

function contactFaults({ mechanism, now, length }: Check): StateFault[] {
  return mechanism.contacts.flatMap((contact) => {
    const { name, body } = contact;
    const depth = -gapOf(contact, now);
    if (Math.abs(depth) <= length && isHeldContact(mechanism, contact))
      return { code: "held-contact" as const, path: `contacts.${name}`, message: heldMessage(-depth) };
    if (depth <= length) return [];
    const message = `body "${mechanism.bodies[body].name}" is ${show(depth)} m inside; raise it, or ${project}`;
    return { code: "penetration" as const, path: `contacts.${name}`, message };
  });
}

/** Searches of shapes that stay as they are. */
const searches = new WeakMap<MechanismTouch, TouchSearch>();

/** Shapes that overlap, by pair, and those that joints keep at a half-space of the world. */
function touchFaults({ mechanism, state, length }: Check): StateFault[] {
  const { touch, bodies } = mechanism;
  if (!touch) return [];
  const faults: StateFault[] = [];
  const nameOf = (shape: number): string => {
    const { body, name } = touch.shapes[shape];
    return body === worldIndex ? `shapes.${name}` : `bodies.${bodies[body].name}.shapes.${name}`;
  };
  cached(searches, touch, () => new TouchSearch(touch)).visitNear(state, length, (a, b, distance, normal) => {
    if (distance >= -length) {
      const moving = heldShape(mechanism, touch, a, b, normal);
      if (moving !== undefined)
        faults.push({ code: "held-contact", path: nameOf(moving), message: heldMessage(distance) });
      return;
    }
    const message = `is ${show(-distance)} m inside ${nameOf(a)}; move them apart, or ${project}`;
    faults.push({ code: "penetration", path: nameOf(b), message });
  });
  return faults;
}

/** Radians within which the outer two of three hinges have no directions of their own. */
const onLock = 1e-9;

function lockFaults({ mechanism, now }: Check): StateFault[] {
  return mechanism.joints.flatMap((joint) => {
    if (lockDistance(joint, now) > onLock) return [];
    const message = `its middle hinge lines up the other two, and no step leads away; start 1e-3 rad beside, ${lockWayOut}`;
    return { code: "at-lock" as const, path: `joints.${joint.name}`, message };
  });
}

function show(value: number): string {
  return String(Number(value.toPrecision(4)));
}
