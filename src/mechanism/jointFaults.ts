/** Faults of joints: ends, frames, axes, and the options that are given per free axis. */
import { vector } from "../math/index.ts";
import { coordinateNumbers } from "./coordinateParameters.ts";
import type { JointDescription, JointKind, Servo, Vector3 } from "./description.ts";
import { type FaultList, type Fields, type FieldTable, fieldsOf, show } from "./faults.ts";
import { isSerial, jointFreedom, jointKinds } from "./freedom.ts";
import { isOnePair } from "./perAxis.ts";

/** Two axes closer to parallel than this (as a sine), or three further from perpendicular (as a cosine), are refused. */
const AXES_TOLERANCE = 1e-6;

const jointFields: FieldTable<JointDescription> = {
  kind: "required",
  parent: "required",
  child: "required",
  parentAnchor: "optional",
  childAnchor: "optional",
  axis: "optional",
  axes: "optional",
  axisOffset: "optional",
  orientation: "optional",
  ...optional(coordinateNumbers),
  limits: "optional",
  tiltLimit: "optional",
  actuated: "optional",
  servo: "optional",
  effortLimit: "optional",
};

/** What other checks need of a joint; undefined where a fault left it unknown. */
export interface CheckedJoint {
  readonly parent: string | undefined;
  readonly child: string | undefined;
  readonly freeAxes: number | undefined;
}

export function checkJoint(faults: FaultList, path: string, value: unknown, bodies: ReadonlySet<string>): CheckedJoint {
  const joint = faults.record(path, value, jointFields, "a joint");
  if (!joint) return { parent: undefined, child: undefined, freeAxes: undefined };
  const ends = checkEnds(faults, path, joint, bodies);
  for (const name of ["parentAnchor", "childAnchor"]) {
    if (joint.get(name) !== undefined) faults.vector3(`${path}.${name}`, joint.get(name));
  }
  if (joint.get("orientation") !== undefined) faults.unit(`${path}.orientation`, joint.get("orientation"), 4);
  const freeAxes = checkKindAndAxes(faults, path, joint);
  if (joint.get("axisOffset") !== undefined) checkAxisOffset(faults, `${path}.axisOffset`, joint);
  checkAxisOptions(faults, path, joint, freeAxes);
  if (joint.get("tiltLimit") !== undefined) checkTiltLimit(faults, path, joint);
  return { ...ends, freeAxes };
}

function checkEnds(faults: FaultList, path: string, joint: Fields, bodies: ReadonlySet<string>) {
  const end = (name: "parent" | "child") => {
    const value = joint.get(name);
    if (value === undefined || value === "world") return value;
    return faults.known("unknown-body", `${path}.${name}`, value, bodies);
  };
  const parent = end("parent");
  const child = end("child");
  if (parent !== undefined && parent === child) {
    faults.add(
      "self-joint",
      path,
      `parent and child are both ${show(parent)}; a joint needs two bodies, or a body and "world"`,
    );
  } else if (child === "world") {
    faults.add("world-as-child", `${path}.child`, "the world can only be a parent; exchange parent and child");
  }
  return { parent, child };
}

/** Returns the number of free axes. */
function checkKindAndAxes(faults: FaultList, path: string, joint: Fields): number | undefined {
  const axis = joint.get("axis");
  const axes = joint.get("axes");
  const axisFine = axis === undefined || faults.unit(`${path}.axis`, axis, 3) !== undefined;
  const found =
    joint.get("kind") === undefined
      ? undefined
      : faults.known("unknown-kind", `${path}.kind`, joint.get("kind"), jointKinds);
  if (found === undefined) return undefined;
  const kind = found as JointKind;
  if (isSerial(kind)) {
    if (axis !== undefined)
      faults.add("serial-axes", `${path}.axis`, `a ${kind} joint takes axes, not axis; write axes: [...]`);
    return checkSerialAxes(faults, `${path}.axes`, kind, axes);
  }
  if (axes !== undefined) {
    faults.add("serial-axes", `${path}.axes`, `a ${kind} joint takes axis, not axes; use axis, or kind "serial"`);
  }
  // the number of free axes does not depend on a faulty axis
  return jointFreedom(axisFine && axis !== undefined ? { kind, axis: axis as Vector3 } : { kind }).freeAxes.length;
}

function checkSerialAxes(
  faults: FaultList,
  path: string,
  kind: "universal" | "serial",
  value: unknown,
): number | undefined {
  const expected = kind === "universal" ? "two unit vectors" : "one to three unit vectors";
  if (value === undefined) {
    faults.add("missing-field", path, `a ${kind} joint needs ${expected}`);
    return undefined;
  }
  const entries = faults.array(path, value, expected);
  if (!entries) return undefined;
  const count = entries.length;
  if (kind === "universal" ? count !== 2 : count < 1 || count > 3) {
    const wayOut =
      kind === "universal" ? 'use kind "serial" for one or three' : "use spherical for any rotation, or fixed for none";
    faults.add("serial-axes", path, `has ${count} axes, a ${kind} joint takes ${expected}; ${wayOut}`);
    return undefined;
  }
  const axes = Array.from(entries, (axis, i) => faults.unit(`${path}[${i}]`, axis, 3) as Vector3 | undefined);
  if (!axes.every((axis) => axis !== undefined)) return count;

  if (count === 2 && vector.norm(vector.cross(axes[0], axes[1])) <= AXES_TOLERANCE) {
    faults.add("serial-axes", path, "the two axes are parallel; use revolute for one axis");
  }
  if (count === 3) {
    const products = [vector.dot(axes[0], axes[1]), vector.dot(axes[0], axes[2]), vector.dot(axes[1], axes[2])];
    if (products.some((product) => Math.abs(product) > AXES_TOLERANCE)) {
      faults.add("serial-axes", path, "three axes must be perpendicular to each other; use spherical for any rotation");
    }
  }
  return count;
}

/** Only two hinges can pass each other. */
function checkAxisOffset(faults: FaultList, path: string, joint: Fields): void {
  const offset = faults.number(path, joint.get("axisOffset"));
  const axes = joint.get("axes");
  if (!offset || !Array.isArray(axes) || axes.length === 2) return;
  faults.add("serial-axes", path, "only two serial axes can pass each other at a distance; leave it out");
}

type EntryCheck = (path: string, value: unknown) => number | boolean | undefined;

function checkAxisOptions(faults: FaultList, path: string, joint: Fields, freeAxes: number | undefined): void {
  const checks: Readonly<Record<string, EntryCheck>> = {
    "from 0": (at, value) => faults.nonNegative(at, value),
    any: (at, value) => faults.number(at, value),
    boolean: (at, value) => faults.boolean(at, value),
  };
  for (const [name, range] of Object.entries({ ...coordinateNumbers, actuated: "boolean" })) {
    const value = joint.get(name);
    if (value !== undefined) checkPerAxis(faults, `${path}.${name}`, value, freeAxes, checks[range]);
  }
  const servo = joint.get("servo");
  if (servo !== undefined)
    checkPerAxis(faults, `${path}.servo`, servo, freeAxes, (at, value) => checkServo(faults, at, value));
  const effort = joint.get("effortLimit");
  const positiveOrNone: EntryCheck = (at, value) =>
    value === null ? undefined : faults.positive(at, value, "null means no limit");
  if (effort !== undefined) checkPerAxis(faults, `${path}.effortLimit`, effort, freeAxes, positiveOrNone);
  else if (joint.get("effortCenter") !== undefined)
    faults.add("missing-field", `${path}.effortLimit`, "effortCenter needs it: efforts are effortCenter ± effortLimit");
  const limits = joint.get("limits");
  if (limits !== undefined) checkLimits(faults, `${path}.limits`, limits, freeAxes, reachesOf(joint));
}

const servoFields = fieldsOf<Servo>()("stiffness! damping!");

/** Returns true for a servo that acts. */
function checkServo(faults: FaultList, path: string, value: unknown): boolean | undefined {
  if (value === null) return undefined;
  const servo = faults.record(path, value, servoFields, "a servo");
  for (const name of ["stiffness", "damping"])
    if (servo?.get(name) !== undefined) faults.nonNegative(`${path}.${name}`, servo.get(name));
  return servo !== undefined;
}

function checkPerAxis(
  faults: FaultList,
  path: string,
  value: unknown,
  freeAxes: number | undefined,
  check: EntryCheck,
): void {
  if (Array.isArray(value)) {
    Array.from(value, (entry, i) => check(`${path}[${i}]`, entry));
    checkCount(faults, path, value.length, freeAxes);
  } else if (check(path, value) && freeAxes === 0) {
    // 0 and false say nothing and pass
    faults.add("no-free-axis", path, "the joint has no free axis to act on; leave it out, or choose another kind");
  }
}

function checkCount(faults: FaultList, path: string, count: number, freeAxes: number | undefined): void {
  if (freeAxes === undefined || count === freeAxes) return;
  const wayOut = freeAxes === 0 ? "leave it out" : `give ${freeAxes}, or one value for all`;
  faults.add("wrong-length", path, `has ${count} entries for ${freeAxes} free axes; ${wayOut}`);
}

/** Only a rotation vector has a length to limit: two or three free rotations that are not serial angles. */
function checkTiltLimit(faults: FaultList, path: string, joint: Fields): void {
  const limit = faults.positive(
    `${path}.tiltLimit`,
    joint.get("tiltLimit"),
    "choose a kind that does not rotate instead",
  );
  if (limit !== undefined && limit > Math.PI) {
    faults.add(
      "out-of-range",
      `${path}.tiltLimit`,
      `${limit} is beyond a half turn, which limits nothing; leave it out`,
    );
  }
  const kind = jointKinds.find((known) => known === joint.get("kind"));
  if (kind === undefined || (!isSerial(kind) && jointFreedom({ kind }).constrainedRotations < 2)) return;
  const wayOut = "use limits for angles, one pair for each";
  faults.add("no-free-axis", `${path}.tiltLimit`, `a ${kind} joint has no rotation vector to limit; ${wayOut}`);
}

/**
 * How far either way each free axis goes. Angles about one axis go on over any number of turns; of three hinges in a row the middle one
 * folds back at a quarter turn, and rotation vectors end at a whole one.
 */
function reachesOf(joint: Fields): number[] {
  const [kind, axes] = [joint.get("kind"), joint.get("axes")];
  if (!jointKinds.includes(kind as JointKind)) return [];
  if (isSerial(kind as JointKind))
    return Array.isArray(axes) && axes.length === 3 ? [Number.POSITIVE_INFINITY, Math.PI / 2] : [];
  const { freeAxes, constrainedRotations } = jointFreedom({ kind: kind as JointKind });
  return freeAxes.map(({ motion }) =>
    motion === "rotation" && constrainedRotations < 2 ? 2 * Math.PI : Number.POSITIVE_INFINITY,
  );
}

function checkLimits(
  faults: FaultList,
  path: string,
  value: unknown,
  freeAxes: number | undefined,
  reaches: readonly number[],
): void {
  const limits = faults.array(path, value, "[lower, upper], or one such pair for each free axis");
  if (!limits) return;
  if (isOnePair(limits as NonNullable<JointDescription["limits"]>)) {
    checkPair(faults, path, limits);
    checkReach(faults, path, limits, Math.min(...reaches));
    if (freeAxes === 0)
      faults.add("no-free-axis", path, "the joint has no free axis to limit; leave it out, or choose another kind");
    return;
  }
  checkCount(faults, path, limits.length, freeAxes);
  for (const [i, pair] of limits.entries()) {
    if (pair !== null) checkPair(faults, `${path}[${i}]`, pair);
    checkReach(faults, `${path}[${i}]`, pair, reaches[i]);
  }
}

/** Limits that no configuration meets would be violated for ever. */
function checkReach(faults: FaultList, path: string, pair: unknown, reach = Number.POSITIVE_INFINITY): void {
  if (!Array.isArray(pair)) return;
  const [lower, upper] = pair;
  if (!(lower > reach || (upper !== null && upper < -reach))) return;
  const most = Number(reach.toPrecision(4));
  const message = `the axis turns between ${-most} and ${most} rad, and never between ${lower} and ${upper}; choose limits within`;
  faults.add("out-of-range", path, message);
}

export function checkPair(
  faults: FaultList,
  path: string,
  value: unknown,
  ifEqual = "use a fixed axis for a range without width",
): void {
  const pair = faults.array(path, value, "[lower, upper]");
  if (!pair) return;
  if (pair.length !== 2) {
    faults.add("wrong-length", path, `has ${pair.length} entries; give [lower, upper], null for none`);
    return;
  }
  const [lower, upper] = Array.from(pair, (entry, i) =>
    entry === null ? undefined : faults.number(`${path}[${i}]`, entry),
  );
  if (lower === undefined || upper === undefined || lower < upper) return;
  const wayOut = lower > upper ? "exchange them" : ifEqual;
  faults.add("limits-order", path, `lower ${lower} must be below upper ${upper}; ${wayOut}`);
}

function optional<K extends string>(table: Readonly<Record<K, unknown>>): Record<K, "optional"> {
  return Object.fromEntries(Object.keys(table).map((name) => [name, "optional"])) as Record<K, "optional">;
}
