/**
 * Joints of one body that no single joint here can be, such as slides with three hinges: a chain of joints with carriages between
 * them, bodies that the file does not have. The mass of the whole stays what it is. The last carriage takes what it shares with the
 * body in every position,
 *   where only hinges that meet in a point p (or a ball) follow:  a point mass at p,
 *   where only slides follow:                                     a part of the inertia,
 * so that all motion is the same to rounding; whatever else a carriage needs to be a body is a millionth of the body's.
 */
import { matrix3, quaternion, vector } from "../../math/index.ts";
import type { Matrix3, Vector3 } from "../../mechanism/index.ts";
import { type CompoundJoint, compoundJoint, type MotionStep } from "../compoundJoint.ts";
import { inversePose, type Pose, posedPoint } from "../pose.ts";
import type { MassProperties, MjJoint } from "./model.ts";

/** One joint of the file at zero coordinates, seen from the parent's frame. */
export interface JointStep extends MotionStep {
  readonly joint: MjJoint;
}

/** Joints that are one joint here. */
export interface JointGroup {
  readonly steps: readonly JointStep[];
  readonly compound: CompoundJoint;
}

/** A body between two groups; its directions are the parent's at zero coordinates. */
export interface Carriage {
  /** Centre of mass, in the parent's frame at zero coordinates. */
  readonly center: Vector3;
  readonly mass: number;
  readonly inertia: Matrix3;
}

export interface SplitJoints {
  readonly groups: readonly JointGroup[];
  /** One fewer than groups. */
  readonly carriages: readonly Carriage[];
  /** The body without what the last carriage took, in its own frame. */
  readonly rest: MassProperties;
}

/** Part of the body's mass and inertia. At 1e-8 the solver no longer resolves a damper on a carriage in steps of microseconds. */
const TINY = 1e-6;
/** Part of the mass in a fluid: the box of a carriage has edges of √(TINY/this) of the body's, 0.03, and drags with a thousandth of its area. */
const FLUID_SHARE = 1e-3;
/** A last carriage starts with this much of the mass or of the inertia, and takes less where the rest could not be. */
const SHARE = 0.25;

/** The body's pose at zero coordinates, seen from the parent's frame, and each joint's axis and point on the way there. */
export function walkJoints(
  start: Pose,
  joints: readonly MjJoint[],
): { readonly zero: Pose; readonly steps: JointStep[] } {
  let pose = start;
  const steps = joints.map((joint): JointStep => {
    const axis = vector.normalize(quaternion.rotate(pose.orientation, joint.axis));
    const point = posedPoint(pose, joint.position);
    if (joint.type === "slide") {
      pose = { ...pose, position: vector.sub(pose.position, vector.scale(axis, joint.ref)) };
    } else if (joint.type === "hinge" && joint.ref !== 0) {
      const back = quaternion.fromAxisAngle(joint.axis, -joint.ref);
      const orientation = quaternion.normalize(quaternion.multiply(pose.orientation, back));
      pose = { orientation, position: vector.sub(point, quaternion.rotate(orientation, joint.position)) };
    }
    return { joint, type: joint.type as MotionStep["type"], axis, point };
  });
  return { zero: pose, steps };
}

/** `inFluid`: bodies drag by the box of their inertia over their mass, so all of the box stays with the body. */
export function splitJoints(
  zero: Pose,
  steps: readonly JointStep[],
  body: MassProperties,
  inFluid: boolean,
): SplitJoints {
  const groups: JointGroup[] = [];
  for (let from = 0; from < steps.length; ) {
    const group = longestGroup(steps.slice(from));
    groups.push(group);
    from += group.steps.length;
  }
  const last = groups[groups.length - 1];
  if (groups.length === 1) return { groups, carriages: [], rest: body };

  const tinyInertia = scaled(body.inertia, TINY);
  const share = inFluid ? FLUID_SHARE : TINY;
  const carriages = groups
    .slice(1)
    .map(({ compound }): Carriage => ({ center: compound.first, mass: share * body.mass, inertia: tinyInertia }));
  if (inFluid) return { groups, carriages, rest: { ...body, mass: body.mass * (1 - share * carriages.length) } };
  const types = new Set(last.steps.map(({ type }) => (type === "slide" ? "slide" : "turn")));
  if (types.size === 2) return { groups, carriages, rest: body };
  const before = carriages.slice(0, -1);
  if (types.has("slide")) {
    // about the parent's directions at zero coordinates
    const inertia = scaled(matrix3.rotateInertia(body.inertia, zero.orientation), SHARE);
    const carriage = { ...carriages[carriages.length - 1], inertia };
    return { groups, carriages: [...before, carriage], rest: { ...body, inertia: scaled(body.inertia, 1 - SHARE) } };
  }
  const meeting = sharedPoint(last, posedPoint(zero, body.center));
  if (!meeting) return { groups, carriages, rest: body };
  const { mass, rest } = withoutPoint(body, posedPoint(inversePose(zero), meeting));
  return { groups, carriages: [...before, { center: meeting, mass, inertia: tinyInertia }], rest };
}

/** All of the steps where they are one joint, else as many of the first slides or the first turns as are. */
function longestGroup(steps: readonly JointStep[]): JointGroup {
  const slides = steps[0].type === "slide";
  const change = steps.findIndex(({ type }) => (type === "slide") !== slides);
  const run = change < 0 ? steps.length : change;
  for (let count = steps.length; ; count = Math.min(count - 1, run)) {
    const first = steps.slice(0, count);
    try {
      return { steps: first, compound: compoundJoint(first, (problem) => new UnfitError(problem)) };
    } catch (error) {
      if (!(error instanceof UnfitError) || count === 1) throw error;
    }
  }
}

/** Why several steps are no single joint. */
class UnfitError extends Error {}

/** A point that stays in place while the joints of a group turn: of one hinge that nearest to the centre of mass. */
function sharedPoint({ steps, compound }: JointGroup, center: Vector3): Vector3 | undefined {
  if (steps.length > 1 || steps[0].type === "ball") return compound.offset === 0 ? compound.first : undefined;
  const [{ axis, point }] = steps;
  return vector.add(point, vector.scale(axis, vector.dot(axis, vector.sub(center, point))));
}

/**
 * Takes a point mass f m at p out of a body, d = p − c away from its centre of mass:
 *   c' = c − f/(1−f) d,     I' = I − m f/(1−f) (d·d 1 − d dᵀ).
 */
function withoutPoint(
  { mass: m, center, inertia }: MassProperties,
  point: Vector3,
): { mass: number; rest: MassProperties } {
  const d = vector.sub(point, center);
  for (let f = SHARE; f > TINY; f /= 2) {
    const share = f / (1 - f);
    const [x, y, z] = d;
    const scale = -m * share;
    const taken: Matrix3 = [
      [scale * (y * y + z * z), -scale * x * y, -scale * x * z],
      [-scale * x * y, scale * (x * x + z * z), -scale * y * z],
      [-scale * x * z, -scale * y * z, scale * (x * x + y * y)],
    ];
    const left = matrix3.add(inertia, taken);
    if (!isSound(left, inertia)) continue;
    return {
      mass: f * m,
      rest: { mass: (1 - f) * m, center: vector.sub(center, vector.scale(d, share)), inertia: left },
    };
  }
  return { mass: TINY * m, rest: { mass: m, center, inertia } };
}

/** Whether what is left is a body that is not much thinner than the whole. */
function isSound(left: Matrix3, whole: Matrix3): boolean {
  const [[a, b, c], [a0, b0, c0]] = [matrix3.symmetricEigenvalues(left), matrix3.symmetricEigenvalues(whole)];
  return a > a0 / 4 && a + b - c >= (a0 + b0 - c0) / 4;
}

function scaled(inertia: Matrix3, factor: number): Matrix3 {
  return matrix3.multiply(inertia, matrix3.diagonal(factor, factor, factor));
}
